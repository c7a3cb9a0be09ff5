// A run: the deciding sentences first, then figures, gates, every case, plots and tables; live while it runs.
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf, caseAddress } from '../../address';
import { post, runPath, type Refusal } from '../../api/client';
import { useLive } from '../../api/live';
import { Await, Trouble, useLoaded } from '../../api/loading';
import type { About, RunDetail, RunGlance, Summary } from '../../api/types';
import { figuresOf, headlines } from '../../figures/figures';
import { HeadlineCard } from '../../figures/headline_card';
import { AllMetrics } from '../../figures/metrics_table';
import { countWords, durationWords, timeWords, titleWords } from '../../figures/words';
import { Link, usePlace } from '../../navigation';
import { Conclusions, Section, SimulatedBanner, useTitle } from '../../parts';
import { Inline, Text } from '../../text/text';
import { Cases } from './cases';
import { Plots } from './plots';
import { Progress, RunStateMark } from './progress';
import { CasesSentence, Files, Gates, Problems, Repeat, Tables, Usage, Verdict } from './sections';

const refreshEvery = 2_000;  // while a run is under way

function Facts({ run, summary }: { run: RunGlance; summary: Summary | null }) {
  const about = Object.entries(summary?.about ?? {});
  const took = summary?.worked_seconds !== undefined ? durationWords(summary.worked_seconds * 1000) : '';
  const facts: [string, string][] = [...about.map(([name, words]): [string, string] => [titleWords(name), words]), ['Run', run.id], ['Started', timeWords(run.started)], ['Took', took], ['Assay', summary?.assay ?? '']];
  return <dl class="facts">{facts.filter(([, words]) => words).map(([name, words]) => <div key={name}><dt><Text of={name} /></dt><dd><Inline of={words} /></dd></div>)}</dl>;
}

function Control({ run }: { run: RunGlance }) {
  const [problem, setProblem] = useState<Refusal>();
  const [asked, setAsked] = useState('');
  const act = (what: 'stop' | 'resume'): void => {
    setAsked(what);
    post(runPath(run.id, `/${what}`)).then(() => setProblem(undefined), (error: unknown) => { setProblem(error as Refusal); setAsked(''); });
  };
  useEffect(() => setAsked(''), [run.state]);
  if (run.state !== 'running' && run.state !== 'unfinished') return null;
  return (
    <>
      {run.state === 'running' && <button type="button" class="plain" disabled={asked !== ''} onClick={() => act('stop')}>{asked ? 'Stopping…' : 'Stop'}</button>}
      {run.state === 'unfinished' && <button type="button" class="plain" disabled={asked !== ''} onClick={() => act('resume')}>{asked ? 'Resuming…' : 'Resume'}</button>}
      {problem && <Trouble problem={problem} />}
    </>
  );
}

function Report({ detail, run, version }: { detail: RunDetail; run: RunGlance; version: number }) {
  const { summary } = detail;
  const figures = summary ? figuresOf(summary) : [];
  const gates = summary?.gates ?? [];
  return (
    <>
      <SimulatedBanner models={summary?.simulated ?? run.simulated} />
      {(run.state === 'running' || run.state === 'unfinished') && <Progress run={run} />}
      {summary?.conclusions && summary.conclusions.length > 0 && <Section id="conclusions" title="Conclusions"><Conclusions of={summary.conclusions} /></Section>}
      {summary && (
        <Section id="figures" title="Figures">
          <div class="figures">{headlines(figures).map((figure) => <HeadlineCard key={figure.name} figure={figure} gates={gates} />)}</div>
          <CasesSentence summary={summary} />
        </Section>
      )}
      {gates.length > 0 && summary && <Section id="gates" title="Gates"><Gates gates={gates} figures={figures} /></Section>}
      <Section id="cases" title="Cases"><Cases run={run.id} version={version} /></Section>
      {detail.notable.length > 0 && (
        <Section id="notable" title="Cases worth a look">
          <ul class="notable">
            {detail.notable.map((one) => (
              <li key={one.id}>
                <Link to={caseAddress(run.id, one.id)} class="mono"><Inline of={one.id} /></Link> <strong><Inline of={one.why} /></strong>
                <span class="peek"><Inline of={(one.fields[0]?.text ?? '').slice(0, 200)} /></span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {detail.plots.length > 0 && <Section id="plots" title="Plots"><Plots of={detail.plots} /></Section>}
      {figures.length > 0 && <Section id="metrics" title="All metrics"><AllMetrics figures={figures} gates={gates} /></Section>}
      {summary && Object.keys(summary.tables).length > 0 && <Section id="tables" title="Tables"><Tables summary={summary} /></Section>}
      {(detail.problem_count > 0 || detail.problems.length > 0) && <Section id="problems" title="Problems"><Problems problems={detail.problems} count={detail.problem_count} /></Section>}
      {summary && <Section id="usage" title="Usage and cost"><Usage summary={summary} /></Section>}
      <Section id="repeat" title="How to repeat"><Repeat command={detail.command} config={detail.config} /></Section>
      <Files run={run.id} pages={detail.pages} />
    </>
  );
}

const links: [string, string][] = [['conclusions', 'Conclusions'], ['figures', 'Figures'], ['gates', 'Gates'], ['cases', 'Cases'], ['plots', 'Plots'], ['metrics', 'All metrics'], ['tables', 'Tables'], ['problems', 'Problems'], ['usage', 'Usage'], ['repeat', 'Repeat']];

export function RunScreen({ run, about }: { run: string; about: About }) {
  const loaded = useLoaded<RunDetail>(runPath(run));
  const [glance, setGlance] = useState<RunGlance>();
  const [version, setVersion] = useState(0);
  const last = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  // The figures come again at most so often, and once more after the last change.
  const refresh = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      last.current = Date.now();
      loaded.again();
      setVersion((before) => before + 1);
    }, Math.max(0, last.current + refreshEvery - Date.now()));
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const connected = useLive(run, { changed: (one) => {
    if (one.id !== run) return;
    const before = glance ?? loaded.value?.run;
    setGlance(one);
    // The first event tells what is known already.
    if (before && (before.done !== one.done || before.state !== one.state || before.finished !== one.finished)) refresh();
  } });
  useTitle(loaded.value ? `${titleWords(loaded.value.run.evaluation)}: ${loaded.value.run.what || run}` : run);
  usePlace(`run ${run}`, loaded.value !== undefined);
  return (
    <>
      <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> run</p>
      <Await of={loaded}>{(detail) => {
        const now = glance ?? detail.run;
        const has = (id: string): boolean => ({ conclusions: Boolean(detail.summary?.conclusions?.length), gates: Boolean(detail.summary?.gates.length), plots: detail.plots.length > 0, tables: Boolean(detail.summary && Object.keys(detail.summary.tables).length), problems: detail.problem_count > 0 })[id] ?? true;
        return (
          <>
            <header class="top">
              <div>
                <p class="brand"><RunStateMark state={now.state} /> {!connected && <span class="note" role="status">not connected; trying again</span>}</p>
                <h1><Text of={titleWords(now.evaluation)} /></h1>
                {now.what && <p class="what" dir="auto"><Text of={now.what} /></p>}
                <Facts run={now} summary={detail.summary} />
              </div>
              <div class="run-actions">
                {detail.summary && now.state !== 'running' && <Verdict gates={detail.summary.gates} />}
                {about.roles.includes('run') && <Control run={now} />}
                <Link to={addressOf({ name: 'judge', run, query: {} })} class="plain">Judge it yourself</Link>
              </div>
            </header>
            <nav class="sections" aria-label="Sections"><ul>{links.filter(([id]) => has(id)).map(([id, words]) => <li key={id}><a href={`#${id}`}>{words}</a></li>)}</ul></nav>
            <Report detail={detail} run={now} version={version} />
            <p class="note">{countWords(now.done)} cases{now.errored > 0 && `, ${countWords(now.errored)} failed`}. n/a means undefined, which is not zero.</p>
          </>
        );
      }}</Await>
    </>
  );
}
