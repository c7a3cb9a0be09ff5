// A small table of cells that its screen makes; on a phone each row stands by itself, its cells with their labels.
import type { ComponentChildren } from 'preact';
import type { Figure } from '../api/types';
import { IntervalBar } from '../figures/interval_bar';
import { axisOf, type Range } from '../figures/scale';
import { intervalWords, valueWords } from '../figures/words';
import { Text } from '../text/text';
import { ScrollBox } from './scroll_box';

// `range`: a cell with an interval, which takes the whole width of a phone.
export interface Column { head: string; kind?: 'number' | 'range' }
export interface StackRow { key: string; cells: ComponentChildren[] }

// The first cell of a row says what it is about.
export function StackTable({ title, columns, rows }: { title: string; columns: Column[]; rows: StackRow[] }) {
  return (
    <ScrollBox label={title} long={rows.length > 30}>
      <table role="table" class="stack">
        <caption class="visually-hidden"><Text of={title} /></caption>
        <thead role="rowgroup"><tr role="row">{columns.map(({ head, kind }, i) => <th key={i} role="columnheader" scope="col" class={kind === 'number' ? 'number' : ''}><Text of={head} /></th>)}</tr></thead>
        <tbody role="rowgroup">{rows.map(({ key, cells }) => (
          <tr key={key} role="row">{columns.map(({ head, kind }, i) => (i === 0
            ? <th key={i} role="rowheader" scope="row">{cells[i]}</th>
            : <td key={i} role="cell" class={kind ?? ''} data-label={head}>{cells[i]}</td>))}
          </tr>
        ))}</tbody>
      </table>
    </ScrollBox>
  );
}

// A figure with its interval, drawn on an axis that a column shares, or on its own.
export function EstimateCell({ figure, axis }: { figure: Figure; axis?: Range }) {
  const { estimate } = figure;
  return (
    <>
      <div><strong>{valueWords(figure)}</strong>{estimate.ci && <><IntervalBar figure={figure} axis={axis ?? axisOf(figure)} /><span class="note">{intervalWords(figure)}</span></>}</div>
      {!estimate.ci && estimate.undefined && <span class="note"><Text of={estimate.undefined} /></span>}
    </>
  );
}
