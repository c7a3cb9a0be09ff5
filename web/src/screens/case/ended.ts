// How a case ended, in the word that the tables, the case's own head and a comparison use alike. Pure.
import { objectOf, textOf } from './material';

// A case that was scored and missed what was asked of it, as a whole or by the threshold of one metric, has not passed.
export function endedOf(result: Record<string, unknown>, outcome = textOf(result['outcome'])): string {
  const missed = result['passed'] === false || Object.values(objectOf(result['metrics'])).some((one) => objectOf(one)['passed'] === false);
  return outcome === 'scored' && missed ? 'not passed' : outcome;
}

export const endedWell = (ended: string): boolean => ['scored', 'passed', 'skipped'].includes(ended);
export const isUnderWay = (ended: string): boolean => ended === 'under way';
