// What a case was, what was wanted and what came, out of its input and its result, whichever evaluation it is of. Pure.
import type { CaseView } from '../../api/types';

export type Field = [name: string, value: unknown];
export interface Material { input: Field[]; expected: Field[]; actual: Field[]; more: Field[] }

// Shown in places of their own, or said by the page's head.
const elsewhere = new Set(['id', 'line', 'outcome', 'ended', 'passed', 'cluster', 'scores', 'usage', 'latency_ms', 'metrics', 'answers', 'fields', 'verdicts', 'parts', 'attempts', 'error', 'cost_usd']);
// A text of more characters that the input has under another name is the same text, and shown once.
const mostRepeated = 30;
const isExpected = (name: string): boolean => /expected|ideal|reference|ground_truth|^truth|gold|^must_/.test(name);
const isActual = (name: string): boolean => /^actual|_answer$|^answer|^output|^response|predicted|^retrieved/.test(name) && !isExpected(name);

export function materialOf({ input, result }: Pick<CaseView, 'input' | 'result'>): Material {
  const fields = new Map<string, unknown>(Object.entries(input ?? {}));
  const answered = Object.entries(result ?? {}).filter(([name]) => !elsewhere.has(name));
  const material: Material = { input: [], expected: [], actual: [], more: [] };
  for (const [name, value] of fields) {
    if (name === 'id' || name === 'trials') continue;
    (isExpected(name) ? material.expected : isActual(name) ? material.actual : material.input).push([name, value]);
  }
  const said = new Set([...fields.values()].filter((value) => typeof value === 'string' && value.length > mostRepeated));
  for (const [name, value] of answered) {
    if (said.has(value) || (fields.has(name) && JSON.stringify(fields.get(name)) === JSON.stringify(value))) continue;
    (isExpected(name) ? material.expected : isActual(name) ? material.actual : material.more).push([name, value]);
  }
  // Without its input, what the result repeats of it is the best there is.
  return fields.size > 0 ? material : { ...material, input: material.more, more: [] };
}

export const objectOf = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : {});
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value as unknown[] : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value));
