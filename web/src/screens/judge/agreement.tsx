// What the people of a sheet say together, against each other and against the judge.
import { sheetPath } from '../../api/client';
import { Await, useLoaded } from '../../api/loading';
import type { Agreement, Estimate, Figure, Sheet } from '../../api/types';
import { IntervalBar } from '../../figures/interval_bar';
import { axisOf } from '../../figures/scale';
import { countWords, intervalWords, valueWords } from '../../figures/words';
import { Conclusions, Section } from '../../parts';
import { ScrollBox } from '../../tables/scroll_box';
import { Inline, Text } from '../../text/text';

const share = (estimate: Estimate): Figure => ({ name: 'agreement', estimate, form: 'share', better: 'higher', range: [0, 1] });
// The figure that the sheet is about: a mean on its scale, or a share.
const ofSheet = ({ kind, scale }: Sheet, estimate: Estimate): Figure =>
  ({ name: 'figure', estimate, better: 'higher', ...(kind === 'rating' ? { form: 'number', ...(scale ? { range: scale } : {}) } : { form: 'share', range: [0, 1], ...(kind === 'pair' ? { reference: 0.5 } : {}) }) });
const basis = (figure: Figure): string => [figure.estimate.ci ? intervalWords(figure) : '', `n = ${countWords(figure.estimate.n)}`].filter(Boolean).join(', ');
const kappa = (estimate: Estimate): Figure => ({ name: 'kappa', estimate, form: 'number', better: 'higher', range: [-1, 1], reference: 0 });

function EstimateCell({ figure, label }: { figure: Figure; label: string }) {
  const { estimate } = figure;
  return (
    <td role="cell" class="range" data-label={label}>
      <div><strong>{valueWords(figure)}</strong>{estimate.ci && <IntervalBar figure={figure} axis={axisOf(figure)} />}{estimate.ci && <span class="note">{intervalWords(figure)}</span>}</div>
      {estimate.undefined && <span class="note"><Text of={estimate.undefined} /></span>}
    </td>
  );
}

function Rows({ title, rows }: { title: string; rows: { who: string; n: number; agreement: Estimate; kappa?: Estimate }[] }) {
  if (rows.length === 0) return <p class="note">Nobody yet.</p>;
  return (
    <ScrollBox label={title}>
      <table role="table" class="stack">
        <caption class="visually-hidden">{title}</caption>
        <thead role="rowgroup"><tr role="row">{['who', 'n', 'agreement, 95% interval', 'kappa, 95% interval'].map((head) => <th key={head} role="columnheader" scope="col">{head}</th>)}</tr></thead>
        <tbody role="rowgroup">{rows.map((row) => (
          <tr key={row.who} role="row">
            <th role="rowheader" scope="row"><Inline of={row.who} /></th>
            <td role="cell" class="number" data-label="n">{countWords(row.n)}</td>
            <EstimateCell figure={share(row.agreement)} label="agreement" />
            {row.kappa ? <EstimateCell figure={kappa(row.kappa)} label="kappa" /> : <td role="cell" class="note">n/a</td>}
          </tr>
        ))}</tbody>
      </table>
    </ScrollBox>
  );
}

function Corrected({ of, sheet }: { of: NonNullable<Agreement['corrected']>; sheet: Sheet }) {
  const rows: [string, Estimate][] = [['The judge alone', of.judge_only], ['People alone', of.human_only], ['Corrected by people', of.corrected]];
  return <div class="figures">{rows.map(([name, estimate]) => {
    const figure = ofSheet(sheet, estimate);
    return (
      <article key={name} class="figure"><h3>{name}</h3><p class={`big${estimate.value === null ? ' undefined' : ''}`}>{valueWords(figure)}</p>
        <IntervalBar figure={figure} axis={axisOf(figure)} large />
        {estimate.ci && <p>95% interval <strong>{intervalWords(figure)}</strong></p>}
        {estimate.undefined && <p class="why"><Text of={estimate.undefined} /></p>}
        <p class="note">n = {countWords(estimate.n)}</p></article>
    );
  })}</div>;
}

export function AgreementView({ sheet }: { sheet: Sheet }) {
  const loaded = useLoaded<Agreement>(sheetPath(sheet.id, '/agreement'));
  return (
    <Await of={loaded}>{(found) => (
      <>
        <Section id="conclusions" title="Conclusions"><Conclusions of={found.sentences} /></Section>
        <Section id="people" title="Between people">
          {found.human && <p class="told">What people say on average: <strong>{valueWords(ofSheet(sheet, found.human))}</strong> <span class="note">{basis(ofSheet(sheet, found.human))}</span></p>}
          <Rows title="Between people" rows={found.pairs.map((pair) => ({ ...pair, who: `${pair.a} and ${pair.b}` }))} />
          {found.alpha && <p class="told">Krippendorff’s alpha <strong>{valueWords(kappa(found.alpha))}</strong> <span class="note">{basis(kappa(found.alpha))}</span></p>}
        </Section>
        <Section id="judge" title="With the judge"><Rows title="With the judge" rows={found.judge.map((one) => ({ ...one, who: one.person }))} /></Section>
        {found.corrected && <Section id="corrected" title="The figure, corrected by people"><Corrected of={found.corrected} sheet={sheet} /></Section>}
        {sheet.people.length > 0 && <Section id="progress" title="Progress"><ul class="people">{sheet.people.map(({ name, done }) => <li key={name}><Inline of={name} /> <span class="note">{countWords(done)} of {countWords(sheet.of)}</span></li>)}</ul></Section>}
      </>
    )}</Await>
  );
}
