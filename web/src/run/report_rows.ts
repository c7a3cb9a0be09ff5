// The cases of a report as rows of a table: which fit what the reader asked for, and in which order. Pure.
import { endedOf, endedWell } from '../screens/case/ended';
import { materialOf, objectOf, textOf } from '../screens/case/material';

export interface CaseRow { id: string; outcome: string; isGood: boolean; about: string; scores: Map<string, number>; line: string }
export interface CaseChoice { search: string; outcome: string; sort: string; descending: boolean }

const mostAbout = 160;

// What the line holds: the result, and the input if the result does not repeat it.
export function heldCase(line: string): { result: Record<string, unknown>; input: Record<string, unknown> | null } {
  const held = JSON.parse(line) as unknown;
  return Array.isArray(held) ? { result: objectOf(held[0]), input: objectOf(held[1]) } : { result: objectOf(held), input: null };
}

export function caseRow(line: string): CaseRow {
  const { result, input: given } = heldCase(line);
  const outcome = endedOf(result);
  const { input, more, actual } = materialOf({ input: given ?? objectOf(result['fields']), result });
  const first = [...input, ...more, ...actual].find(([, value]) => typeof value === 'string');
  const scores = Object.entries(objectOf(result['scores'])).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return {
    id: textOf(result['id']), outcome, isGood: endedWell(outcome),
    about: (textOf(result['error']) || textOf(first?.[1])).slice(0, mostAbout), scores: new Map(scores), line,
  };
}

// What has no value stands last, whatever the direction; equals stay in the order of the data.
export function chosen(rows: CaseRow[], { search, outcome, sort, descending }: CaseChoice): CaseRow[] {
  const needle = search.trim().toLowerCase();
  const fitting = rows.filter((row) => (outcome === '' || row.outcome === outcome) && (needle === '' || row.line.toLowerCase().includes(needle)));
  if (sort === '') return fitting;
  const key = (row: CaseRow): string | number | undefined => (sort === 'id' ? row.id : sort === 'outcome' ? row.outcome : row.scores.get(sort));
  const sign = descending ? -1 : 1;
  return [...fitting].sort((left, right) => {
    const [a, b] = [key(left), key(right)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
    return sign * String(a).localeCompare(String(b));
  });
}
