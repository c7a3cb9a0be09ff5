// All figures of a run in one table, with their intervals on scales that they share.
import { useState } from 'preact/hooks';
import type { Figure, Gate } from '../api/types';
import { ScrollBox } from '../tables/scroll_box';
import { nextOrder, sortedBy, type Order } from '../tables/order';
import { Name, Text } from '../text/text';
import { gateMarks, isPart } from './figures';
import { endWords, IntervalBar } from './interval_bar';
import { finiteEnds, sharedScales } from './scale';
import { countedWords, countWords, intervalWords, methodWords, missingWords, rangeWords, valueWords } from './words';

const filterFrom = 12;

// What each column is sorted by: an interval by its width.
function keysOf({ name, estimate, form }: Figure): unknown[] {
  const ends = finiteEnds(estimate.ci);
  return [name, estimate.value, ends ? ends[1] - ends[0] : null, form === 'count' ? null : estimate.n, estimate.ci ? estimate.method ?? null : null, missingWords(estimate.missing) || null];
}

// Which scales the bars stand on; "" without any.
function scaleWords(figures: Figure[], scaleOf: ReturnType<typeof sharedScales>): string {
  const scales = figures.filter(({ estimate, form }) => estimate.ci && form !== 'count').flatMap((figure) => {
    const axis = scaleOf(figure);
    return axis ? [axis.map((end) => endWords(end, figure.form === 'share')).join(' to ')] : [];
  });
  return scales.length > 0 ? `Bars of the same kind share one scale: ${[...new Set(scales)].join(', ')}.` : '';
}

function FigureTable({ figures, gates, title }: { figures: Figure[]; gates: Gate[]; title: string }) {
  const [wanted, setWanted] = useState('');
  const [order, setOrder] = useState<Order | null>(null);
  const scaleOf = sharedScales(figures);
  const hasMissing = figures.some(({ estimate }) => estimate.missing && Object.keys(estimate.missing).length > 0);
  const fitting = figures.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()));
  const shown = order ? sortedBy(fitting.map((figure) => [...keysOf(figure), figure]), order).map((keys) => keys.at(-1) as Figure) : fitting;
  const scales = scaleWords(figures, scaleOf);
  return (
    <>
      {figures.length >= filterFrom && (
        <label class="filter">Filter <input type="search" placeholder="name of a figure" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} /></label>
      )}
      <ScrollBox label={title} long={figures.length > 30}>
        <table role="table" class="stack">
          <caption class="visually-hidden">{title}</caption>
          <thead role="rowgroup"><tr role="row">
            {['figure', 'value', '95% interval', 'n', 'method', ...(hasMissing ? ['missing'] : [])].map((head, i) => (
              <th key={head} role="columnheader" scope="col" class={head === 'value' || head === 'n' ? 'number' : ''} aria-sort={order?.column === i ? (order.descending ? 'descending' : 'ascending') : undefined}>
                <button type="button" class="sort" onClick={() => setOrder(nextOrder(order, i))}>{head}</button>
              </th>
            ))}
            {hasMissing && <th role="columnheader" scope="col">bounds</th>}
          </tr></thead>
          <tbody role="rowgroup">
            {shown.map((figure) => {
              const { estimate, form } = figure;
              const axis = scaleOf(figure);
              return (
                <tr key={figure.name} role="row">
                  <th role="rowheader" scope="row"><code><Name of={figure.name} /></code></th>
                  <td role="cell" class="number value">{valueWords(figure)}</td>
                  <td role="cell" class="range">
                    {estimate.ci && <div>{axis && <IntervalBar figure={figure} axis={axis} marks={gateMarks(figure, gates)} />}<span>{intervalWords(figure)}</span></div>}
                    {!estimate.ci && estimate.undefined && <span class="note"><Text of={estimate.undefined} /></span>}
                  </td>
                  <td role="cell" class="number" data-label="n">{form === 'count' ? '' : countWords(estimate.n)}</td>
                  <td role="cell" data-label="method">{estimate.ci && estimate.method ? methodWords(estimate.method) : ''}</td>
                  {hasMissing && <td role="cell" data-label="missing"><Text of={missingWords(estimate.missing)} /></td>}
                  {hasMissing && <td role="cell" data-label="bounds">{estimate.bounds ? rangeWords(estimate.bounds, form) : ''}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollBox>
      {scales && <p class="note scales">{scales}</p>}
    </>
  );
}

export function AllMetrics({ figures, gates }: { figures: Figure[]; gates: Gate[] }) {
  const names = new Set(figures.map(({ name }) => name));
  const parts = figures.filter(({ name, headline }) => !headline && isPart(name, names));
  const whole = figures.filter((figure) => !parts.includes(figure));
  return (
    <>
      <FigureTable figures={whole} gates={gates} title="All figures" />
      {parts.length > 0 && (
        <details class="more">
          <summary>{countedWords(parts.length, 'more figure', 'more figures')} by label or part</summary>
          <FigureTable figures={parts} gates={gates} title="Figures by label or part" />
        </details>
      )}
    </>
  );
}
