// The lists of a judge: each verdict with the statement that it is about. Pure.
import { listOf, objectOf, textOf } from './material';

export interface Verdict { about: string; verdict: string; reason: string }
export interface JudgedRun { run: number; score: number | null; reason: string; verdicts: Verdict[]; lists: { name: string; items: unknown[] }[] }

// The list whose items are judged, of those that a run of a metric may hold; the others are what they are held against.
const judged = ['statements', 'claims', 'opinions', 'needs'];

export function judgedRun(value: unknown): JudgedRun {
  const { run, score, reason, verdicts, ...rest } = objectOf(value);
  const lists = Object.entries(rest).filter(([, items]) => Array.isArray(items)).map(([name, items]) => ({ name, items: listOf(items) }));
  const given = listOf(verdicts).map(objectOf);
  const about = lists.find(({ name, items }) => judged.includes(name) && items.length >= given.length);
  return {
    run: typeof run === 'number' ? run : 0,
    score: typeof score === 'number' ? score : null,
    reason: textOf(reason),
    verdicts: given.map((one, i) => ({
      about: textOf(about?.items[(typeof one['id'] === 'number' ? one['id'] : i + 1) - 1]),
      verdict: textOf(one['verdict']),
      reason: textOf(one['reason']),
    })),
    lists: given.length > 0 ? lists.filter((list) => list !== about) : lists,
  };
}

// Verdicts of other evaluations: objects with names of their own, as columns and rows.
export function verdictTable(verdicts: unknown[]): { columns: string[]; rows: unknown[][] } {
  const objects = verdicts.map(objectOf);
  const columns = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  // What is the same for all, like the item's id, tells nothing.
  const telling = columns.filter((name) => objects.length < 2 || new Set(objects.map((one) => JSON.stringify(one[name]))).size > 1);
  return { columns: telling, rows: objects.map((one) => telling.map((name) => one[name])) };
}
