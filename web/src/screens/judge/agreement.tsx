// What the people of a sheet say together, against each other and against the judge.
import { runPath, sheetPath } from '../../api/client';
import { Await, useLoaded } from '../../api/loading';
import type { Agreement, AnnotatorTest, Ends, Estimate, Figure, RunDetail, Sheet } from '../../api/types';
import { IntervalBar } from '../../figures/interval_bar';
import { axisOf } from '../../figures/scale';
import { countWords, intervalWords, pWords, valueWords } from '../../figures/words';
import { Conclusions, Section, SimulatedBanner } from '../../parts';
import { ScrollBox } from '../../tables/scroll_box';
import { Inline, Text } from '../../text/text';

const share = (estimate: Estimate): Figure => ({ name: 'agreement', estimate, form: 'share', better: 'higher', range: [0, 1] });
// What the sheet is about: a mean on its range, or a share.
type About = Pick<Sheet, 'kind'> & { range: Ends | null };
const ofSheet = ({ kind, range }: About, estimate: Estimate): Figure =>
  ({ name: 'figure', estimate, better: 'higher', ...(kind === 'rating' ? { form: 'number', ...(range ? { range } : {}) } : { form: 'share', range: [0, 1], ...(kind === 'pair' ? { reference: 0.5 } : {}) }) });
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

function Rows({ title, none, rows }: { title: string; none: string; rows: { who: string; n: number; agreement: Estimate; kappa?: Estimate }[] }) {
  if (rows.length === 0) return <p class="note">{none}</p>;
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

function Corrected({ of, about }: { of: NonNullable<Agreement['corrected']>; about: About }) {
  const rows: [string, Estimate][] = [['The judge alone', of.judge_only], ['People alone', of.human_only], ['Corrected by people', of.corrected]];
  return <div class="figures">{rows.map(([name, estimate]) => {
    const figure = ofSheet(about, estimate);
    return (
      <article key={name} class="figure"><h3>{name}</h3><p class={`big${estimate.value === null ? ' undefined' : ''}`}>{valueWords(figure)}</p>
        <IntervalBar figure={figure} axis={axisOf(figure)} large />
        {estimate.ci && <p>95% interval <strong>{intervalWords(figure)}</strong></p>}
        {estimate.undefined && <p class="why"><Text of={estimate.undefined} /></p>}
        <p class="note">n = {countWords(estimate.n)}</p></article>
    );
  })}</div>;
}

// Against each person in turn: does the judge stand for the others as well?
function Annotator({ of }: { of: AnnotatorTest }) {
  const verdict = of.as_good === null ? `Not said: ${of.no_verdict}.` : of.as_good ? 'The judge is as good as one more person.' : 'The judge is not shown to be as good as one more person.';
  return (
    <>
      <p class="told"><strong>{verdict}</strong> <span class="note">{of.winning_rate.value === null ? '' : `It stands up to ${countWords(of.winning_rate.count ?? 0)} of ${countWords(of.winning_rate.n)}; `}it may be worse by ε = {of.epsilon}, and each person needs {countWords(of.fewest_cases)} cases.</span></p>
      <ScrollBox label="The judge against each person">
        <table role="table" class="stack">
          <caption class="visually-hidden">The judge against each person, held against the others</caption>
          <thead role="rowgroup"><tr role="row">{['who is left out', 'n', 'the judge is as near to the others or nearer, 95% interval', 'p, adjusted', 'the judge stands up'].map((head) => <th key={head} role="columnheader" scope="col">{head}</th>)}</tr></thead>
          <tbody role="rowgroup">{of.people.map((one) => (
            <tr key={one.name} role="row">
              <th role="rowheader" scope="row"><Inline of={one.name} /></th>
              <td role="cell" class="number" data-label="n">{countWords(one.advantage.n)}</td>
              <EstimateCell figure={share(one.advantage)} label="as near or nearer" />
              <td role="cell" class="number" data-label="p, adjusted">{pWords(one.p_adjusted)}</td>
              <td role="cell" data-label="stands up">{one.p === null ? 'not asked' : one.stands_up ? 'yes' : 'no'}</td>
            </tr>
          ))}</tbody>
        </table>
      </ScrollBox>
    </>
  );
}

export function AgreementView({ sheet }: { sheet: Sheet }) {
  const loaded = useLoaded<Agreement>(sheetPath(sheet.id, '/agreement'));
  // A sheet outlives its run.
  const { value: judged } = useLoaded<RunDetail>(sheet.figure === null ? undefined : runPath(sheet.run));
  // A figure from 0 to 1 is rated on a scale of its own, and told on its range again.
  const about: About = { kind: sheet.kind, range: (sheet.figure === null ? sheet.scale : judged?.summary?.display?.metrics?.[sheet.figure]?.range) ?? null };
  return (
    <Await of={loaded}>{(found) => (
      <>
        <SimulatedBanner models={judged?.run.simulated ?? []} />
        <Section id="conclusions" title="Conclusions"><Conclusions of={found.sentences} /></Section>
        <Section id="people" title="Between people">
          {found.human && <p class="told">What people say on average: <strong>{valueWords(ofSheet(about, found.human))}</strong> <span class="note">{basis(ofSheet(about, found.human))}</span></p>}
          <Rows title="Between people" none="It takes two people." rows={found.pairs.map((pair) => ({ ...pair, who: `${pair.a} and ${pair.b}` }))} />
          {found.alpha && <p class="told">Krippendorff’s alpha <strong>{valueWords(kappa(found.alpha))}</strong> <span class="note">{basis(kappa(found.alpha))}</span></p>}
        </Section>
        <Section id="judge" title="With the judge"><Rows title="With the judge" none="Nobody yet, or the judge has not said the like." rows={found.judge.map((one) => ({ ...one, who: one.person }))} /></Section>
        {found.annotator && <Section id="annotator" title="As good as one more person?"><Annotator of={found.annotator} /></Section>}
        {found.corrected && <Section id="corrected" title="The figure, corrected by people"><Corrected of={found.corrected} about={about} /></Section>}
        {sheet.people.length > 0 && <Section id="progress" title="Progress"><ul class="people">{sheet.people.map(({ name, done }) => <li key={name}><Inline of={name} /> <span class="note">{countWords(done)} of {countWords(sheet.of)}</span></li>)}</ul></Section>}
      </>
    )}</Await>
  );
}
