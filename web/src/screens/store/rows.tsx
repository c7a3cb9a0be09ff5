// A page of a list: a table, cards on a phone. What tells an entry from the others is the link that opens it.
import { addressOf, type Query } from '../../address';
import { figureWords } from '../../figures/words';
import { Link } from '../../navigation';
import { ScrollBox } from '../../tables/scroll_box';
import { shortened } from '../../text/code_points';
import { Inline, Name } from '../../text/text';
import { columnsOf, idOf, type StoreKind } from './kinds';
import { shownAt, wordAt } from './members';

const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/;  // may stand on two lines
const mostShown = 240;  // characters of a cell; the entry has all of them

export const rowId = (id: string): string => `entry ${id}`;

// `most` characters of a text.
export function StoreCell({ of, words, most }: { of: unknown; words: string; most: number }) {
  if (of === null || of === undefined || of === '') return <td role="cell" />;
  if (typeof of === 'number') return <td role="cell" class="number" data-label={words}>{figureWords(of, Number.isInteger(of) ? 'count' : 'number')}</td>;
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  const shown = shortened(text, most);
  const width = isTime.test(text) ? ' time' : text.length <= 32 ? ' short' : '';
  return <td role="cell" class={`text${width}`} data-label={words}>{text.includes(' ') || text.length <= 32 ? <Inline of={shown.length < text.length ? `${shown}…` : shown} /> : <Name of={shown} />}</td>;
}

export function Rows({ kind, rows, query }: { kind: StoreKind; rows: unknown[]; query: Query }) {
  if (rows.length === 0) return <p>Nothing fits.</p>;
  const columns = columnsOf(kind, rows);
  return (
    <ScrollBox label={kind.title}>
      <table role="table" class="stack store">
        <caption class="visually-hidden">{kind.title}</caption>
        <thead role="rowgroup"><tr role="row">
          <th role="columnheader" scope="col">{kind.one}</th>
          {columns.map(([pointer, words]) => <th key={pointer} role="columnheader" scope="col" class={rows.some((row) => typeof shownAt(row, pointer) === 'number') ? 'number' : ''}>{words}</th>)}
        </tr></thead>
        <tbody role="rowgroup">{rows.map((row) => {
          const id = idOf(kind, row);
          return (
            <tr key={id} role="row" id={rowId(id)}>
              <th role="rowheader" scope="row"><Link to={addressOf({ name: 'store', kind: kind.kind, query: { ...query, open: id } })} current={query['open'] === id}><Name of={wordAt(row, kind.id[0] ?? '')} /></Link></th>
              {columns.map(([pointer, words]) => <StoreCell key={pointer} of={shownAt(row, pointer)} words={words} most={mostShown} />)}
            </tr>
          );
        })}</tbody>
      </table>
    </ScrollBox>
  );
}
