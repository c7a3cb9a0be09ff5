// Rows in the order of one column. Pure.

export interface Order { column: number; descending: boolean }

// A press on a column's head: the largest first, then the smallest, then as they came.
export function nextOrder(order: Order | null, column: number): Order | null {
  if (order?.column !== column) return { column, descending: true };
  return order.descending ? { column, descending: false } : null;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

// What is undefined stands last, whatever the direction.
export function sortedBy(rows: unknown[][], { column, descending }: Order): unknown[][] {
  const sign = descending ? -1 : 1;
  return [...rows].sort((left, right) => {
    const [a, b] = [left[column] ?? null, right[column] ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
    return sign * textOf(a).localeCompare(textOf(b));
  });
}
