// A table of any length: only the rows that can be seen are in the document. Keys move from row to row.
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { plainText } from '../text/code_points';
import { barHeight, moved, placeAt, rowsIn, showing, type Extent, type Place } from './virtual_window';

export interface Column { name: string; head: ComponentChildren; sort?: 'ascending' | 'descending' | undefined; className?: string }
interface TableProps {
  label: string;
  columns: Column[];
  rows: number;
  rowHeight: number;
  idWidth?: number;  // letters of the longest name that is known; the rest of the row has what it leaves
  at: number;  // the row that the reader is at
  look: (first: number, end: number) => void;
  row: (index: number) => JSX.Element;  // its cells
  onMove: (row: number) => void;
  onOpen: (row: number) => void;
}

const headHeight = 48;
const restAfter = 150;

export function VirtualTable({ label, columns, rows, rowHeight, idWidth, at, look, row, onMove, onOpen }: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const [viewHeight, setViewHeight] = useState(400);
  const extent: Extent = { rows, rowHeight, viewHeight };
  const [place, setPlace] = useState<Place>(() => placeAt(at * rowHeight, extent));
  const latest = useRef({ place, extent });
  latest.current = { place, extent };
  const rest = useRef<ReturnType<typeof setTimeout>>();
  const wantsFocus = useRef(false);

  const setBar = (next: Place): void => {
    latest.current.place = next;
    setPlace(next);
    if (box.current && Math.abs(box.current.scrollTop - next.barTop) > 0.5) box.current.scrollTop = next.barTop;
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const resized = new ResizeObserver(() => setViewHeight(Math.max(rowHeight, element.clientHeight - headHeight)));
    resized.observe(element);
    return () => resized.disconnect();
  }, [rowHeight]);
  // The row that the address names is in sight.
  useLayoutEffect(() => {
    if (rows === 0) return;
    setBar(showing(Math.min(at, rows - 1), latest.current.place, extent));
  }, [at, rows, viewHeight, rowHeight]);
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    box.current?.querySelector<HTMLElement>(`[data-row="${at}"]`)?.focus({ preventScroll: true });
  });

  const onScroll = (): void => {
    const top = box.current?.scrollTop ?? 0;
    const before = latest.current.place;
    if (Math.abs(top - before.barTop) < 0.5) return;
    const next = moved(before, top, extent);
    latest.current.place = next;
    setPlace(next);
    clearTimeout(rest.current);
    rest.current = setTimeout(() => setBar(placeAt(latest.current.place.tableTop, latest.current.extent)), restAfter);
  };
  useEffect(() => () => clearTimeout(rest.current), []);

  const { first, end, top } = rowsIn(place, extent);
  useEffect(() => look(first, end), [first, end, look]);

  const perView = Math.max(1, Math.floor(viewHeight / rowHeight) - 1);
  const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + perView, PageUp: at - perView, Home: 0, End: rows - 1 };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const to = moves[event.key];
    if (to !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      wantsFocus.current = true;
      onMove(Math.min(rows - 1, Math.max(0, to)));
    } else if (event.key === 'Enter' && (event.target as HTMLElement).dataset['row'] !== undefined) {
      event.preventDefault();
      onOpen(Number((event.target as HTMLElement).dataset['row']));
    }
  };
  return (
    <div class="virtual" ref={box} style={{ maxHeight: `${headHeight + rows * rowHeight + 20}px`, ...(idWidth !== undefined && { '--id': `clamp(5.5rem, ${idWidth}ch, 13rem)` }) }} onScroll={onScroll} onKeyDown={onKeyDown} role="table" aria-label={plainText(label)} aria-rowcount={rows + 1} tabIndex={0}>
      <div class="virtual-head" role="rowgroup">
        <div role="row" aria-rowindex={1} class="virtual-row">
          {columns.map(({ name, head, sort, className = '' }) => <div key={name} role="columnheader" class={className} aria-sort={sort}>{head}</div>)}
        </div>
      </div>
      <div class="virtual-rows" role="rowgroup" style={{ height: `${barHeight(extent)}px` }}>
        <div role="presentation" class="virtual-window" style={{ transform: `translateY(${top}px)` }}>
          {Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i).map((index) => (
            <div
              key={index} role="row" aria-rowindex={index + 2} data-row={index} tabIndex={index === at ? 0 : -1} aria-current={index === at ? 'true' : undefined}
              class="virtual-row" style={{ height: `${rowHeight}px` }} onClick={(event) => { if (!(event.target as HTMLElement).closest('a, button, input')) onOpen(index); }}
            >{row(index)}</div>
          ))}
        </div>
      </div>
    </div>
  );
}
