// The cases before and after one, in the order and with the filter of the table that it was opened from.
import { useEffect, useState } from 'preact/hooks';
import type { Query } from '../../address';
import { get, runPath, withQuery } from '../../api/client';
import type { CasePage, CaseView } from '../../api/types';

export interface Neighbour { id: string; at: number }
export interface Neighbours { before: Neighbour | null; after: Neighbour | null; at: number; of: number }

export const caseFilters = ['outcome', 'failed', 'search', 'sort', 'descending', 'slice', 'label', 'metric', 'below', 'above'];
export const filterOf = (query: Query): Query => Object.fromEntries(caseFilters.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));

const around = 40;

// Around the places where the case may stand: where the table had it, and its line of the data.
async function find(run: string, view: CaseView, query: Query, signal: AbortSignal): Promise<Neighbours | null> {
  const guesses = [query['at'] === undefined ? [] : [Number(query['at'])], view.line ? [view.line - 1] : [], [0]].flat().filter((at) => Number.isFinite(at));
  for (const guess of [...new Set(guesses)]) {
    const offset = Math.max(0, guess - around / 2);
    const page = await get<CasePage>(withQuery(runPath(run, '/cases'), { ...filterOf(query), offset, count: around }), signal);
    const place = page.rows.findIndex(({ id }) => id === view.id);
    if (place < 0) continue;
    const neighbour = (index: number): Neighbour | null => {
      const row = page.rows[index];
      return row ? { id: row.id, at: offset + index } : null;
    };
    return { before: neighbour(place - 1), after: neighbour(place + 1), at: offset + place, of: page.fitting };
  }
  return null;
}

export function useNeighbours(run: string, view: CaseView | undefined, query: Query): Neighbours | null {
  const [found, setFound] = useState<Neighbours | null>(null);
  const filter = JSON.stringify(filterOf(query));
  useEffect(() => {
    setFound(null);
    if (!view) return undefined;
    const stop = new AbortController();
    find(run, view, query, stop.signal).then(setFound, () => setFound(null));
    return () => stop.abort();
  }, [run, view?.id, filter]);
  return found;
}
