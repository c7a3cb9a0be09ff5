// An entry that is not on the page of the list that is shown, but on another: looked for page by page, as the address
// narrows the list.
import { useEffect, useState } from 'preact/hooks';
import type { Query } from '../../address';
import { get, Refusal, withQuery } from '../../api/client';
import { idOf, rowsOf, type StoreKind } from './kinds';

const rowsAtOnce = 2_000;

// `seen`: rows that were looked at so far; undefined once the list is through.
export interface Found { row: unknown; seen: number | undefined; problem: Refusal | undefined }

export function useFound(kind: StoreKind, id: string, filter: Query, isWanted: boolean): Found {
  const [found, setFound] = useState<Found>({ row: undefined, seen: 0, problem: undefined });
  useEffect(() => {
    if (!isWanted) return undefined;
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      let cursor: string | undefined;
      let seen = 0;
      do {
        const answer = await get<Record<string, unknown>>(withQuery(kind.path, kind.isWhole ? {} : { ...filter, cursor, count: rowsAtOnce }), stop.signal);
        const rows = rowsOf(answer, kind.list);
        const row = rows.find((one) => idOf(kind, one) === id);
        cursor = typeof answer['next'] === 'string' ? answer['next'] : undefined;
        seen += rows.length;
        setFound({ row, seen: row === undefined && cursor !== undefined ? seen : undefined, problem: undefined });
        if (row !== undefined) return;
      } while (cursor !== undefined);
    };
    look().catch((error: unknown) => {
      if (!stop.signal.aborted) setFound({ row: undefined, seen: undefined, problem: error instanceof Refusal ? error : new Refusal(0, String(error)) });
    });
    return () => stop.abort();
  }, [kind.kind, id, JSON.stringify(filter), isWanted]);
  return found;
}
