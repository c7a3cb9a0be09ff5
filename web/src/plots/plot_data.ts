import type { Spec } from './spec';

// The names of the rows' members in the order of their first sight; what is made only for drawing is left out. Pure.
export function dataColumns(spec: Spec): string[] {
  const names = new Set((spec.data?.values ?? []).flatMap((row) => Object.keys(row)));
  for (const name of ['line', 'written', 'bar']) names.delete(name);
  return [...names];
}
