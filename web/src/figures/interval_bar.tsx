// A figure with its interval, drawn on the range that the figure has, with the line that it is read against.
import type { Figure } from '../api/types';
import { finiteEnds, placeOn, referenceOf, type Range } from './scale';
import { intervalWords, levelWords, rangeWords, valueWords } from './words';

const x = (value: number, axis: Range): number => 6 + placeOn(value, axis) * 188;
const at = (value: number): string => value.toFixed(2);
export const endWords = (value: number, share: boolean): string => (share ? `${Number((value * 100).toPrecision(6))}%` : String(Number(value.toPrecision(6))));

interface BarProps { figure: Figure; axis: Range; marks?: number[]; large?: boolean }

export function IntervalBar({ figure, axis, marks = [], large = false }: BarProps) {
  const { estimate, form } = figure;
  const height = large ? 22 : 16;
  const middle = height / 2;
  const reference = referenceOf(figure, axis);
  const label = `value ${valueWords(figure)}${estimate.ci ? `, ${levelWords(estimate.level)} interval ${intervalWords(figure)}` : ''}`;
  const ends = finiteEnds(estimate.ci);
  const low = ends ? x(ends[0], axis) : 0;
  const isInside = reference !== null && reference > axis[0] && reference < axis[1];
  return (
    <>
      <svg class={`bar ${large ? 'large' : 'small'}`} viewBox={`0 0 200 ${height}`} role="img" aria-label={label}>
        <line class="axis" x1="6" x2="194" y1={middle} y2={middle} />
        {reference !== null && <path class="reference" d={`M${at(x(reference, axis))} 0v${height}`} />}
        {ends && <rect class="interval" x={at(low)} y={middle - 4} width={at(Math.max(1, x(ends[1], axis) - low))} height="8" rx="2" />}
        {marks.map((mark) => <path key={mark} class="mark" d={`M${at(x(mark, axis))} 0v${height}`} />)}
        {estimate.value !== null && <rect class="value" x={at(x(estimate.value, axis) - 2)} y={middle - 7.5} width="4" height="15" rx="2" />}
      </svg>
      {large && (
        <p class="ends" aria-hidden="true">
          <span>{endWords(axis[0], form === 'share')}</span>
          {isInside && <span>{endWords(reference, form === 'share')}</span>}
          <span>{endWords(axis[1], form === 'share')}</span>
        </p>
      )}
    </>
  );
}

// A figure on one line: "80.0% (68.2% – 88.2%, n = 60)".
export function FigureLine({ figure }: { figure: Figure }) {
  const { estimate, form } = figure;
  return (
    <span class="figure-line">
      <strong>{valueWords(figure)}</strong>
      {estimate.ci && <span class="note"> {rangeWords(estimate.ci, form)}</span>}
      {form !== 'count' && <span class="note"> n = {estimate.n.toLocaleString('en')}</span>}
    </span>
  );
}
