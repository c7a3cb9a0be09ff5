// How large must the next run be? What the pilot reached, and the designs that reach what is wanted, the cheapest first.
import { useEffect, useRef, useState } from 'preact/hooks';
import { runAddress, type Query } from '../address';
import { withQuery } from '../api/client';
import { Await, useLoaded } from '../api/loading';
import type { Estimate, Figure, Plan, PlanOfPilot } from '../api/types';
import { costWords, countedWords, countWords, metricWords, numberWords, titleWords } from '../figures/words';
import { Link, usePlace, useQuery } from '../navigation';
import { Conclusions, Section, SimulatedBanner, useTitle } from '../parts';
import { EstimateCell, StackTable } from '../tables/stack_table';
import { Name, Text } from '../text/text';

const mostListed = 10;
const goals = { width: 'the figure within ±', detect: 'a difference between two systems of' };
type Goal = keyof typeof goals;

const variance = (estimate: Estimate): Figure => ({ name: 'variance', estimate, form: 'number', better: 'neither' });

// What is wanted; the address says it once it is asked for.
function GoalForm({ figures, figure, query }: { figures: string[]; figure: string; query: Query }) {
  const [, change] = useQuery();
  const [goal, setGoal] = useState<Goal>(query['detect'] ? 'detect' : 'width');
  const [size, setSize] = useState(query['detect'] ?? query['width'] ?? '');
  // Back and forward change the address, too.
  useEffect(() => {
    setGoal(query['detect'] ? 'detect' : 'width');
    setSize(query['detect'] ?? query['width'] ?? '');
  }, [query['detect'], query['width']]);
  return (
    <form class="filters" aria-label="What is wanted" onSubmit={(event) => { event.preventDefault(); change({ width: '', detect: '', [goal]: size }); }}>
      {figures.length > 1 && <label>Figure <select value={figure} onChange={(event) => change({ figure: event.currentTarget.value })}>{figures.map((name) => <option key={name} value={name}>{metricWords(name)}</option>)}</select></label>}
      <label>Wanted <select value={goal} onChange={(event) => setGoal(event.currentTarget.value as Goal)}>{Object.entries(goals).map(([name, words]) => <option key={name} value={name}>{words}</option>)}</select></label>
      <label>Size <input type="number" min="0" step="any" required value={size} placeholder="0.03" onInput={(event) => setSize(event.currentTarget.value)} /></label>
      <button type="submit" class="plain strong">Plan</button>
    </form>
  );
}

function Designs({ of }: { of: Plan }) {
  const parts: [string, Estimate][] = [['between cases', of.variance.case], ['between answers to one case', of.variance.answer], ['between votes on one answer', of.variance.vote]];
  const shown = of.designs.slice(0, mostListed);
  return (
    <>
      <Section id="designs" title="Designs" note="the cheapest first">
        <StackTable title="Designs"
          columns={[{ head: 'cases' }, { head: 'answers a case', kind: 'number' }, { head: 'votes an answer', kind: 'number' }, { head: '± (95%)', kind: 'number' }, { head: 'cost', kind: 'number' }, { head: 'requests', kind: 'number' }]}
          rows={shown.map((one, i) => ({ key: String(i), cells: [
            countedWords(one.cases, 'case', 'cases'), countWords(one.answers), countWords(one.votes), numberWords(one.half_width), costWords(one.cost_usd), countWords(Math.ceil(one.requests)),
          ] }))} />
        {of.designs.length > shown.length && <p class="note">{countWords(of.designs.length - shown.length)} more that cost more.</p>}
        <p class="note">Costs are those of the pilot. How many cases the data of the larger run hold is not known here: <code>assay plan CONFIG</code> puts designs behind that they are too few for.</p>
      </Section>
      <Section id="variances" title="Where the noise is">
        <StackTable title="Where the noise is" columns={[{ head: 'variance' }, { head: 'with its 95% interval', kind: 'range' }]}
          rows={parts.map(([name, estimate]) => ({ key: name, cells: [name, <EstimateCell key="value" figure={variance(estimate)} />] }))} />
        <p class="note">The pilot has {countedWords(of.pilot.cases, 'case', 'cases')}, {numberWords(of.pilot.answers)} answers a case and {numberWords(of.pilot.votes)} votes an answer; mean {numberWords(of.pilot.mean)}, design effect of its clusters {numberWords(of.variance.design_effect)}.</p>
      </Section>
    </>
  );
}

export function PlanScreen({ run, query }: { run: string; query: Query }) {
  const { figure, width, detect } = query;
  const loaded = useLoaded<PlanOfPilot>(withQuery('/api/plan', { pilot: run, figure, width, detect }));
  useTitle('Plan a larger run');
  usePlace(`plan ${run}`, loaded.value !== undefined);
  // The form stays while another plan is made.
  const figures = useRef<string[]>([]);
  if (loaded.value) figures.current = loaded.value.figures;
  return (
    <>
      <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> <Link to={runAddress(run)}><Name of={run} /></Link> <span aria-hidden="true">/</span> plan</p>
      <h1>Plan a larger run</h1>
      <p class="what">With this run as the pilot: how many cases, answers and votes a wanted certainty needs, and what they cost.</p>
      <Await of={loaded}>{({ run: pilot, figure: chosen, reached, plan, no_plan: noPlan }) => (
        <>
          <SimulatedBanner models={pilot.simulated} />
          {plan && <Conclusions of={plan.sentences} />}
          {noPlan && <p class="trouble" role="alert"><Text of={noPlan} /></p>}
          {reached && <p class="told"><Text of={`${titleWords(pilot.evaluation)}, ${metricWords(chosen)}, as it was run: ${reached}`} /></p>}
        </>
      )}</Await>
      {figures.current.length > 0 && <GoalForm figures={figures.current} figure={figure ?? loaded.value?.figure ?? figures.current[0] ?? ''} query={query} />}
      {loaded.value?.plan && <Designs of={loaded.value.plan} />}
    </>
  );
}
