// How long things are kept, and what has gone for its age, in words. Pure.
import type { Pruned, Retention } from '../../api/types';
import { countedWords, numberWords } from '../../figures/words';

const units: [seconds: number, one: string, many: string][] = [[86_400, 'day', 'days'], [3_600, 'hour', 'hours'], [60, 'minute', 'minutes'], [1, 'second', 'seconds']];

// "30 days", "36 hours", "90 seconds": the largest unit of which it is a whole number.
export function ageWords(seconds: number): string {
  const [size, one, many] = units.find(([unit]) => seconds >= unit && seconds % unit === 0) ?? [0, '', ''];
  return size > 0 ? countedWords(seconds / size, one, many) : `${numberWords(seconds)} seconds`;
}

// "records 30 days, jobs 7 days"; "" if everything stays.
export const keepWords = ({ keep }: Retention): string =>
  Object.entries(keep).flatMap(([name, seconds]) => (seconds === null ? [] : [`${name} ${ageWords(seconds)}`])).join(', ');

export function prunedWords({ records, results, failures, items, jobs }: Pruned): string {
  const counts: [number, string, string][] = [[records, 'record', 'records'], [results, 'verdict', 'verdicts'], [failures, 'failure', 'failures'], [items, 'item', 'items'], [jobs, 'job', 'jobs']];
  return counts.flatMap(([count, one, many]) => (count > 0 ? [countedWords(count, one, many)] : [])).join(', ') || 'nothing';
}
