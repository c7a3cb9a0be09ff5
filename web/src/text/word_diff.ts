// What differs between two texts, word by word: what they begin and end with alike, and the longest common subsequence of
// the words between. Pure, and the same rule as src/report/word_diff.cc, so that page and report mark the same words.

export type DiffKind = 'both' | 'added' | 'removed';
export interface DiffRun { kind: DiffKind; text: string }

export interface Diff { runs: DiffRun[]; isTakenApart: boolean }

// Where more words lie between, they are not taken apart: all of one text's are removed and all of the other's added.
export const mostDiffWords = 600;

// Words with the white space behind them, as they stand; white space at the beginning is a word of its own.
export const wordsOf = (text: string): string[] => text.match(/\S+\s*|^\s+/g) ?? [];

export function wordDiff(before: string, after: string): Diff {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const isSame = (one: string | undefined, other: string | undefined): boolean => one?.trim() === other?.trim();
  const shorter = Math.min(a.length, b.length);
  let first = 0;
  while (first < shorter && isSame(a[first], b[first])) ++first;
  let last = 0;
  while (last < shorter - first && isSame(a[a.length - 1 - last], b[b.length - 1 - last])) ++last;
  const removed = a.slice(first, a.length - last);
  const added = b.slice(first, b.length - last);
  const isTakenApart = removed.length <= mostDiffWords && added.length <= mostDiffWords;
  const both = (words: string[]): DiffRun => ({ kind: 'both', text: words.join('') });
  const between: DiffRun[] = isTakenApart ? takenApart(removed, added) : [{ kind: 'removed', text: removed.join('') }, { kind: 'added', text: added.join('') }];
  return { runs: joined([both(b.slice(0, first)), ...between, both(b.slice(b.length - last))]), isTakenApart };
}

function takenApart(a: string[], b: string[]): DiffRun[] {
  const same = (i: number, j: number): boolean => a[i]?.trim() === b[j]?.trim();
  // lengths[i][j]: of the longest common subsequence of a from i and b from j.
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const length = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) {
      lengths[i * width + j] = same(i, j) ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
    }
  }
  const runs: DiffRun[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(i, j)) {
      runs.push({ kind: 'both', text: b[j] ?? '' });
      ++i;
      ++j;
    } else if (i < a.length && (j === b.length || length(i + 1, j) >= length(i, j + 1))) {
      runs.push({ kind: 'removed', text: a[i++] ?? '' });
    } else {
      runs.push({ kind: 'added', text: b[j++] ?? '' });
    }
  }
  return runs;
}

function joined(runs: DiffRun[]): DiffRun[] {
  const out: DiffRun[] = [];
  for (const run of runs) {
    const last = out.at(-1);
    if (!run.text) continue;
    if (last?.kind === run.kind) last.text += run.text;
    else out.push({ ...run });
  }
  return out;
}
