// A list that an entry holds: a table, cards on a phone, the first of it and the rest when asked for.
import { useState } from 'preact/hooks';
import { countWords, titleWords } from '../../figures/words';
import { ScrollBox } from '../../tables/scroll_box';
import { Inline } from '../../text/text';
import type { EntryTable } from './members';
import { StoreCell } from './rows';

const firstRows = 20;
const mostShown = 2_000;

export function ListTable({ of: { name, columns, rows } }: { of: EntryTable }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, firstRows);
  return (
    <>
      <ScrollBox label={titleWords(name)}>
        <table role="table" class="stack store">
          <caption class="visually-hidden">{titleWords(name)}</caption>
          <thead role="rowgroup"><tr role="row">{columns.map((column, i) => <th key={column} role="columnheader" scope="col" class={rows.some((row) => typeof row[i] === 'number') ? 'number' : ''}><Inline of={column} /></th>)}</tr></thead>
          <tbody role="rowgroup">{shown.map((row, i) => <tr key={i} role="row">{columns.map((column, j) => <StoreCell key={column} of={row[j]} words={column} most={mostShown} />)}</tr>)}</tbody>
        </table>
      </ScrollBox>
      {shown.length < rows.length && <p class="files"><button type="button" class="plain" onClick={() => setWhole(true)}>Show {countWords(rows.length - shown.length)} more</button></p>}
    </>
  );
}
