// Rows of a long list that the server pages: the pages that are looked at are asked for, kept, and asked for again when
// the list has changed.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, Refusal } from '../api/client';

export const pageSize = 100;
const mostPages = 60;

export interface Paged<Row, Page> { row: (index: number) => Row | undefined; head: Page | undefined; problem: Refusal | undefined; look: (first: number, end: number) => void; refresh: () => void }

// `path` says where the page from an offset on is; another path is another list.
export function usePagedRows<Row, Page extends { rows: Row[] }>(key: string, path: (offset: number, count: number) => string): Paged<Row, Page> {
  const pages = useRef(new Map<number, Row[]>());
  const asked = useRef(new Map<number, AbortController>());
  const wanted = useRef<[number, number]>([0, 1]);
  const list = useRef(key);
  const [head, setHead] = useState<{ key: string; page: Page }>();
  const [problem, setProblem] = useState<Refusal>();
  const [, setSeen] = useState(0);

  const ask = useCallback((number: number): void => {
    if (asked.current.has(number)) return;
    const stop = new AbortController();
    asked.current.set(number, stop);
    get<Page>(path(number * pageSize, pageSize), stop.signal).then((page) => {
      if (stop.signal.aborted) return;
      asked.current.delete(number);
      pages.current.delete(number);
      pages.current.set(number, page.rows);
      const oldest = pages.current.keys().next();
      if (pages.current.size > mostPages && !oldest.done) pages.current.delete(oldest.value);
      setHead({ key, page });
      setProblem(undefined);
      setSeen((before) => before + 1);
    }, (error: unknown) => {
      if (stop.signal.aborted) return;
      asked.current.delete(number);
      setProblem(error instanceof Refusal ? error : new Refusal(0, String(error)));
    });
  }, [key]);

  const numbers = ([first, end]: [number, number]): number[] => {
    const from = Math.floor(first / pageSize);
    return Array.from({ length: Math.max(1, Math.ceil(end / pageSize) - from) }, (_, i) => from + i);
  };
  const look = useCallback((first: number, end: number): void => {
    wanted.current = [first, end];
    for (const number of numbers([first, end])) if (!pages.current.has(number)) ask(number);
  }, [ask]);
  // What is seen stays until what is new has come.
  const refresh = useCallback((): void => {
    const now = numbers(wanted.current);
    for (const number of [...pages.current.keys()]) if (!now.includes(number)) pages.current.delete(number);
    for (const number of now) ask(number);
  }, [ask]);

  if (list.current !== key) {
    list.current = key;
    for (const stop of asked.current.values()) stop.abort();
    asked.current.clear();
    pages.current.clear();
  }
  useEffect(() => { look(...wanted.current); }, [key]);
  useEffect(() => () => { for (const stop of asked.current.values()) stop.abort(); }, []);
  const row = (index: number): Row | undefined => pages.current.get(Math.floor(index / pageSize))?.[index % pageSize];
  return { row, head: head?.page, problem, look, refresh };
}
