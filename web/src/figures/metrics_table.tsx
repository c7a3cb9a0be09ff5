// All figures of a run in one table, with their intervals on scales that they share.
import { useState } from 'preact/hooks';
import type { Figure, Gate } from '../api/types';
import { ScrollBox } from '../tables/scroll_box';
import { Name, Text } from '../text/text';
import { gateMarks, isPart } from './figures';
import { IntervalBar } from './interval_bar';
import { sharedScales } from './scale';
import { countedWords, countWords, intervalWords, methodWords, missingWords, rangeWords, valueWords } from './words';

const filterFrom = 12;

function FigureTable({ figures, gates, title }: { figures: Figure[]; gates: Gate[]; title: string }) {
  const [wanted, setWanted] = useState('');
  const scaleOf = sharedScales(figures);
  const hasMissing = figures.some(({ estimate }) => estimate.missing && Object.keys(estimate.missing).length > 0);
  const shown = figures.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()));
  return (
    <>
      {figures.length >= filterFrom && (
        <label class="filter">Filter <input type="search" placeholder="name of a figure" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} /></label>
      )}
      <ScrollBox label={title} long={figures.length > 30}>
        <table role="table" class="stack">
          <caption class="visually-hidden">{title}</caption>
          <thead role="rowgroup"><tr role="row">
            {['figure', 'value', '95% interval', 'n', 'method', ...(hasMissing ? ['missing', 'bounds'] : [])].map((head) => (
              <th key={head} role="columnheader" scope="col" class={head === 'value' || head === 'n' ? 'number' : ''}>{head}</th>
            ))}
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
