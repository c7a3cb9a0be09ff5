// What a person can answer to a task of a sheet, and with which key. Pure.
import type { Sheet } from '../../api/types';

export interface Choice { key: string; value: string | number; words: string }

export function choicesOf({ kind, scale, labels, levels }: Pick<Sheet, 'kind' | 'scale' | 'labels' | 'levels'>): Choice[] {
  if (kind === 'pair') return [{ key: 'a', value: 'A', words: 'A is better' }, { key: 't', value: 'tie', words: 'Tie' }, { key: 'b', value: 'B', words: 'B is better' }];
  if (kind === 'rubric') return [{ key: 'y', value: 'yes', words: 'Yes' }, { key: 'n', value: 'no', words: 'No' }];
  if (kind === 'rating') {
    const [low, high] = scale ?? [1, 5];
    // Ten keys are what a keyboard has; 0 stands for the tenth.
    return Array.from({ length: high - low + 1 }, (_, i) => low + i).map((value) => ({ key: value >= 0 && value <= 9 ? String(value) : '', value, words: levels[value - low] ?? String(value) }));
  }
  if (labels.length === 2 && labels.includes('yes') && labels.includes('no')) return choicesOf({ kind: 'rubric', scale, labels, levels });
  return labels.map((label, i) => ({ key: i < 9 ? String(i + 1) : '', value: label, words: label }));
}
