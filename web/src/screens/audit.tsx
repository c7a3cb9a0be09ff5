// Is a benchmark worth its cases? What several systems made of them: wrong keys, copies, cases that tell nothing apart.
import { caseAddress, runAddress, type Query } from '../address';
import { withQuery } from '../api/client';
import { Await, useLoaded } from '../api/loading';
import type { Audit, AuditedRuns, Estimate, Figure } from '../api/types';
import { axisOf, finiteEnds } from '../figures/scale';
import { countedWords, countWords, metricWords, numberWords, shareWords } from '../figures/words';
import { Link, usePlace, useQuery } from '../navigation';
import { Conclusions, Section, SimulatedBanner, useTitle } from '../parts';
import { EstimateCell, StackTable } from '../tables/stack_table';
import { Inline, Name, Text } from '../text/text';

const mostListed = 20;

const mean = (estimate: Estimate): Figure => ({ name: 'mean', estimate, form: 'number', better: 'higher' });
const aroundZero = (name: string, estimate: Estimate): Figure => ({ name, estimate, form: 'number', better: 'higher', reference: 0 });
const correlation = (estimate: Estimate): Figure => ({ ...aroundZero('point-biserial', estimate), range: [-1, 1] });

function Systems({ of }: { of: Audit['systems'] }) {
  // One axis for all, so that the bars can be compared.
  const ends = of.flatMap(({ mean: plain, clustered }) => [...(finiteEnds(plain.ci) ?? []), ...(finiteEnds(clustered.ci) ?? [])]);
  return (
    <StackTable title="What near-duplicates, and clusters that the runs name, do to the intervals"
      columns={[{ head: 'system' }, { head: 'cases as independent', kind: 'range' }, { head: 'these as clusters', kind: 'range' }, { head: 'design effect', kind: 'number' }]}
      rows={of.map((one) => ({ key: one.name, cells: [
        <Name key="name" of={one.name} />,
        <EstimateCell key="mean" figure={mean(one.mean)} axis={axisOf(mean(one.mean), ends)} />,
        <EstimateCell key="clustered" figure={mean(one.clustered)} axis={axisOf(mean(one.clustered), ends)} />,
        one.design_effect === null ? 'n/a' : numberWords(one.design_effect),
      ] }))} />
  );
}

function CaseLink({ run, id }: { run: string; id: string }) {
  return <Link to={caseAddress(run, id)} class="mono"><Inline of={id} /></Link>;
}

function Suspects({ audit, run }: { audit: Audit; run: string }) {
  const shown = audit.suspects.slice(0, mostListed);
  return (
    <>
      <p class="note">To be looked at, not to be deleted: most suspicious first. A key is right for who wrote it until somebody has read the case.</p>
      <StackTable title="Keys that are probably wrong"
        columns={[{ head: 'case' }, { head: 'probability', kind: 'number' }, { head: 'solved' }, { head: 'key' }, { head: 'common answer of those that fail' }, { head: 'text' }]}
        rows={shown.map((one) => ({ key: one.id, cells: [
          <CaseLink key="id" run={run} id={one.id} />,
          shareWords(one.wrong_key),
          `${countWords(one.solved)} of ${countWords(one.asked)}`,
          one.key ? <Inline key="key" of={one.key} /> : '',
          one.giving_it > 0 ? <span key="answer"><Inline of={one.common_answer} /> <span class="note">{countedWords(one.giving_it, 'time', 'times')}</span></span> : '',
          <Inline key="text" of={one.text} />,
        ] }))} />
      <details class="more">
        <summary>What the systems answered there</summary>
        <StackTable title="What the systems answered there"
          columns={[{ head: 'case' }, ...audit.systems.map(({ name }) => ({ head: name }))]}
          rows={shown.map((one) => ({ key: one.id, cells: [<CaseLink key="id" run={run} id={one.id} />, ...audit.systems.map(({ name }) => (one.answers[name] ? <Inline key={name} of={one.answers[name]} /> : ''))] }))} />
      </details>
      {audit.counts.suspects > shown.length && <p class="note">{countedWords(audit.counts.suspects - shown.length, 'further key', 'further keys')}: <code>assay audit</code> lists them all.</p>}
    </>
  );
}

function Ids({ title, ids, count, run }: { title: string; ids: string[]; count: number; run: string }) {
  if (count === 0) return null;
  return (
    <details class="more">
      <summary>{title}: {countedWords(count, 'case', 'cases')}</summary>
      <ul class="case-list">{ids.map((id) => <li key={id}><CaseLink run={run} id={id} /></li>)}</ul>
      {count > ids.length && <p class="note">{countWords(count - ids.length)} more.</p>}
    </details>
  );
}

function Cases({ audit, run }: { audit: Audit; run: string }) {
  const shown = audit.cases.slice(0, mostListed);
  return (
    <StackTable title="Cases that tell the systems apart least, or the wrong way round"
      columns={[{ head: 'case' }, { head: 'solved' }, { head: 'discrimination', kind: 'range' }, { head: 'difficulty', kind: 'number' }, { head: 'point-biserial', kind: 'range' }, { head: 'text' }]}
      rows={shown.map((one) => ({ key: one.id, cells: [
        <CaseLink key="id" run={run} id={one.id} />,
        `${countWords(one.solved)} of ${countWords(one.asked)}`,
        <EstimateCell key="discrimination" figure={aroundZero('discrimination', one.discrimination)} />,
        // Without an interval it is no figure: where the discrimination may be 0, any difficulty fits.
        one.difficulty.ci && one.difficulty.value !== null ? numberWords(one.difficulty.value).replace('-', '−') : 'n/a',
        <EstimateCell key="correlation" figure={correlation(one.point_biserial)} />,
        <Inline key="text" of={one.text} />,
      ] }))} />
  );
}

function Found({ of: { audit, figures, runs } }: { of: AuditedRuns }) {
  const [, change] = useQuery();
  const run = runs[0]?.id ?? '';
  return (
    <>
      <p class="what">{countedWords(audit.counts.cases, 'case', 'cases')}, {countedWords(audit.systems.length, 'system', 'systems')}, by <code><Name of={audit.figure} /></code>{audit.not_in_all > 0 && <> · {countedWords(audit.not_in_all, 'case is', 'cases are')} not in all runs, and left out</>}</p>
      <SimulatedBanner models={audit.simulated} />
      <Conclusions of={audit.conclusions} />
      {figures.length > 1 && (
        <div class="filters"><label>A case is solved by <select value={audit.figure} onChange={(event) => change({ figure: event.currentTarget.value })}>
          {figures.map((name) => <option key={name} value={name}>{metricWords(name)}</option>)}
        </select></label></div>
      )}
      {audit.suspects.length > 0 && <Section id="suspects" title="Keys that are probably wrong"><Suspects audit={audit} run={run} /></Section>}
      {audit.clusters.length > 0 && (
        <Section id="clusters" title="Cases with nearly the same text">
          <p class="note">The cases are worth {numberWords(audit.effective_cases)} independent ones.</p>
          <StackTable title="Cases with nearly the same text"
            columns={[{ head: 'cases' }, { head: 'similarity at least', kind: 'number' }, { head: 'text' }]}
            rows={audit.clusters.slice(0, mostListed).map((one, i) => ({ key: String(i), cells: [
              <span key="ids">{one.ids.slice(0, 10).map((id, j) => <span key={id}>{j > 0 && ', '}<CaseLink run={run} id={id} /></span>)}{one.cases > 10 && ` … (${countWords(one.cases)} in all)`}</span>,
              shareWords(one.least_similar),
              <Inline key="text" of={one.text} />,
            ] }))} />
          {audit.counts.clusters > mostListed && <p class="note">{countWords(audit.counts.clusters - mostListed)} more.</p>}
        </Section>
      )}
      <Section id="systems" title="The systems"><Systems of={audit.systems} /></Section>
      <Section id="cases" title="Cases that tell the systems apart least, or the wrong way round">
        {audit.no_model && <p class="note">No discrimination and difficulty: <Text of={audit.no_model} />.</p>}
        {audit.cases.length > 0 && <Cases audit={audit} run={run} />}
        <Ids title="Solved by all" ids={audit.solved_by_all} count={audit.counts.solved_by_all} run={run} />
        <Ids title="Solved by none" ids={audit.solved_by_none} count={audit.counts.solved_by_none} run={run} />
      </Section>
    </>
  );
}

export function AuditScreen({ runs, query }: { runs: string[]; query: Query }) {
  const { figure, similarity, suspected } = query;
  const loaded = useLoaded<AuditedRuns>(runs.length > 0 ? withQuery('/api/audit', { runs: runs.join(','), figure, similarity, suspected }) : undefined);
  useTitle('Audit');
  usePlace(`audit ${runs.join(',')}`, loaded.value !== undefined);
  return (
    <>
      <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> audit</p>
      <h1>Are the cases worth their place?</h1>
      {runs.length === 0 ? <p>Choose finished runs of several systems over the same cases in the <Link to="/">table of runs</Link>.</p> : (
        <>
          <ul class="plain-list note">{runs.map((id) => <li key={id}><Link to={runAddress(id)}><Name of={id} /></Link></li>)}</ul>
          <Await of={loaded}>{(found) => <Found of={found} />}</Await>
        </>
      )}
    </>
  );
}
