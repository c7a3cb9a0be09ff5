// What the variants of a declared evaluation answered to a case. Pure.
import { listOf, objectOf, textOf } from './material';

export interface Answer { variant: string; repeat: number; output: string; error: string; trace: unknown[]; meta: Record<string, unknown>; metrics: Record<string, unknown>[] }

export function answersOf(result: Record<string, unknown>): Answer[] {
  return listOf(result['answers']).map(objectOf).map((one) => ({
    variant: textOf(one['variant']),
    repeat: typeof one['repeat'] === 'number' ? one['repeat'] : 1,
    output: textOf(one['output']),
    error: textOf(one['error']),
    trace: listOf(one['trace']),
    meta: objectOf(one['meta']),
    metrics: listOf(one['metrics']).map(objectOf),
  }));
}
