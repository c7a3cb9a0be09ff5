// The axis that a figure is drawn on: its own range, with the line that it is read against. Pure.
import type { Ends, Figure } from '../api/types';

export type Range = [number, number];

// Ends that can be drawn; null if one is missing.
export function finiteEnds(ends: Ends | null | undefined): Range | null {
  if (!ends) return null;
  const [low, high] = ends;
  return low === null || high === null ? null : [low, high];
}

// The smallest of 1, 2, 5 times a power of ten that is not below `size`, which is above 0.
export function roundUp(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  return [1, 2, 5].map((factor) => factor * power).find((end) => size <= end * (1 + 1e-9)) ?? 10 * power;
}

// As far to the one side of 0 as to the other.
export function aroundZero(size: number): Range {
  const end = size > 0 ? roundUp(size) : 1;
  return [-end, end];
}

function extentOf({ estimate }: Figure, marks: number[]): number[] {
  return [...(estimate.value === null ? [] : [estimate.value]), ...(finiteEnds(estimate.ci) ?? []), ...marks].filter((value) => Number.isFinite(value));
}
const sizeOf = (values: number[]): number => Math.max(0, ...values.map(Math.abs));
const isSigned = (figure: Figure, values: number[]): boolean => !figure.range && (values.some((value) => value < 0) || figure.reference === 0);

export function axisOf(figure: Figure, marks: number[] = []): Range {
  const values = extentOf(figure, marks);
  if (isSigned(figure, values)) return aroundZero(sizeOf(values));
  const [low, high] = finiteEnds(figure.range) ?? [0, 1];
  const top = Math.max(...values, high);
  return [Math.min(...values, low), top > high ? roundUp(top) : high];
}

export function referenceOf(figure: Figure, [low, high]: Range): number | null {
  if (figure.reference !== undefined) return figure.reference;
  return low < 0 && high > 0 ? 0 : null;
}

// One scale around 0 for differences of these sizes: three of four fit, so that one large one does not make the others
// unreadable. What does not fit is drawn on a scale of its own.
export function sharedAroundZero(sizes: number[]): Range {
  const sorted = [...sizes].sort((a, b) => a - b);
  return aroundZero(sorted[Math.ceil(sorted.length * 3 / 4) - 1] ?? 0);
}

// Where a value lies, from 0 to 1.
export const placeOn = (value: number, [low, high]: Range): number => Math.min(1, Math.max(0, (value - low) / (high - low)));

// One scale for the bars of a table, so that they can be compared; null where a figure does not fit in.
export function sharedScales(figures: Figure[]): (figure: Figure) => Range | null {
  const sizes = { share: 0, number: 0, count: 0 };
  for (const figure of figures) {
    const values = extentOf(figure, []);
    if (isSigned(figure, values) && sizeOf(values) <= 1) sizes[figure.form] = Math.max(sizes[figure.form], sizeOf(values));
  }
  return (figure) => {
    const values = extentOf(figure, []);
    if (isSigned(figure, values)) {
      const size = sizes[figure.form];
      return size === 0 || sizeOf(values) > size ? null : aroundZero(size);
    }
    const [low, high] = finiteEnds(figure.range) ?? [0, 1];
    return values.some((value) => value < low || value > high) ? null : [low, high];
  };
}
