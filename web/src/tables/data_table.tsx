// A table of a run's own, sortable by each column, and a matrix of counts as shaded squares.
import { useMemo, useState } from 'preact/hooks';
import { countWords, figureWords, notAvailable, plainWords, shareWords } from '../figures/words';
import { plainText } from '../text/code_points';
import { Inline, Name, Text } from '../text/text';
import { nextOrder, sortedBy, type Order } from './order';
import { ScrollBox } from './scroll_box';

const mostRows = 1_000;
const filterFrom = 12;
const mostLabels = 60;  // beyond it a square is unreadable

export function Cell({ of }: { of: unknown }) {
  if (of === null || of === undefined) return <td class="number note">{notAvailable}</td>;
  if (typeof of === 'number') return <td class="number">{figureWords(of, Number.isInteger(of) ? 'count' : 'number')}</td>;
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  return <td class={`text${text.length <= 32 ? ' short' : ''}`}>{text.includes(' ') || text.length <= 32 ? <Inline of={text} /> : <Name of={text} />}</td>;
}

// `more`: rows that are left out here.
export function DataTable({ title, columns, rows, more = 0 }: { title: string; columns: string[]; rows: unknown[][]; more?: number | undefined }) {
  const [order, setOrder] = useState<Order | null>(null);
  const [wanted, setWanted] = useState('');
  const shown = useMemo(() => {
    const needle = wanted.trim().toLowerCase();
    const fitting = needle ? rows.filter((row) => JSON.stringify(row).toLowerCase().includes(needle)) : rows;
    return order ? sortedBy(fitting, order) : fitting;
  }, [rows, order, wanted]);
  return (
    <>
      {rows.length >= filterFrom && (
        <label class="filter">Filter <input type="search" placeholder="text in a row" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} /></label>
      )}
      <ScrollBox label={title} long={rows.length > 30}>
        <table>
          <caption class="visually-hidden"><Text of={title} /></caption>
          <thead><tr>
            {columns.map((column, i) => {
              const isNumeric = rows.some((row) => typeof row[i] === 'number');
              return (
                <th key={i} scope="col" class={isNumeric ? 'number' : ''} aria-sort={order?.column === i ? (order.descending ? 'descending' : 'ascending') : undefined}>
                  <button type="button" class="sort" onClick={() => setOrder(nextOrder(order, i))}><Text of={plainWords(column)} /></button>
                </th>
              );
            })}
          </tr></thead>
          <tbody>{shown.slice(0, mostRows).map((row, i) => <tr key={i}>{columns.map((_, j) => <Cell key={j} of={row[j]} />)}</tr>)}</tbody>
        </table>
      </ScrollBox>
      {more + Math.max(0, shown.length - mostRows) > 0 && <p class="note">{countWords(more + Math.max(0, shown.length - mostRows))} more rows are in summary.json.</p>}
    </>
  );
}

interface MatrixProps { title: string; labels: string[]; rows: unknown[][]; rowTitle: string; columnTitle: string }
export function Matrix({ title, labels, rows, rowTitle, columnTitle }: MatrixProps) {
  if (labels.length > mostLabels) return <p class="note">{countWords(labels.length)} labels are too many to draw; the matrix is in summary.json.</p>;
  const isTall = labels.length > 4 && labels.some((label) => label.length > 6);
  return (
    <>
      <p class="note">
        Rows: <Text of={rowTitle} />. Columns: <Text of={columnTitle} />. The shade is the share of the row; <span class="key hit" /> on the diagonal they agree, <span class="key miss" /> elsewhere not.
      </p>
      <ScrollBox label={title}>
        <table class={`matrix${isTall ? ' tall' : ''}`}>
          <caption class="visually-hidden"><Text of={title} /></caption>
          <thead><tr>
            <th scope="col" class="corner"><span><Text of={rowTitle} /> ↓</span> <span><Text of={columnTitle} /> →</span></th>
            {labels.map((label) => <th key={label} scope="col"><Name of={label} /></th>)}
            <th scope="col" class="total">all</th>
          </tr></thead>
          <tbody>{rows.map((row, i) => <MatrixRow key={i} label={labels[i] ?? ''} counts={row.map(Number)} index={i} />)}</tbody>
        </table>
      </ScrollBox>
    </>
  );
}

function MatrixRow({ label, counts, index }: { label: string; counts: number[]; index: number }) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (
    <tr>
      <th scope="row"><Name of={label} /></th>
      {counts.map((count, j) => {
        if (count === 0) return <td key={j} class="zero">0</td>;
        const share = count / total;
        const depth = 0.08 + 0.82 * share;
        // Where black or white text reads better on the shade: above 0.585 on the dark page and above 0.7 on the light one,
        // which is where both have the same contrast with it (4.6 to 1).
        const classes = `${index === j ? 'hit' : 'miss'}${depth > 0.585 ? ' deep' : ''}${depth > 0.7 ? ' deeper' : ''}`;
        return <td key={j} class={classes} style={{ '--depth': depth.toFixed(2) }} title={plainText(`${shareWords(share)} of the row`)}>{countWords(count)}</td>;
      })}
      <td class="total">{countWords(total)}</td>
    </tr>
  );
}
