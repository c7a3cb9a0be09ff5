import type { Figure, Gate } from '../api/types';
import { Text } from '../text/text';
import { gateMarks } from './figures';
import { IntervalBar } from './interval_bar';
import { axisOf } from './scale';
import { basisWords, intervalWords, levelWords, methodWords, metricWords, missingWords, rangeWords, valueWords } from './words';

// A figure that a run is judged by.
export function HeadlineCard({ figure, gates }: { figure: Figure; gates: Gate[] }) {
  const { estimate, form } = figure;
  const marks = gateMarks(figure, gates);
  const missing = missingWords(estimate.missing);
  return (
    <article class="figure">
      <h3 title={figure.name}><Text of={metricWords(figure.name)} /></h3>
      <p class={`big${estimate.value === null ? ' undefined' : ''}`}>{valueWords(figure)}</p>
      {form !== 'count' && <IntervalBar figure={figure} axis={axisOf(figure, marks)} marks={marks} large />}
      {estimate.ci && <p>{levelWords(estimate.level)} interval <strong>{intervalWords(figure)}</strong></p>}
      {estimate.undefined && <p class="why"><Text of={estimate.undefined} /></p>}
      <p class="note">
        {basisWords(estimate)}
        {estimate.ci && estimate.method && ` · ${methodWords(estimate.method)}`}
        {figure.better === 'lower' && ' · lower is better'}
        {marks.length > 0 && <> · <span class="mark-key" aria-hidden="true" />gate</>}
      </p>
      {missing && <p class="why">Missing: <Text of={missing} />{estimate.bounds && `; with all of them worst or best the value would be ${rangeWords(estimate.bounds, form)}`}</p>}
    </article>
  );
}
