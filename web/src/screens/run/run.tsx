// A run: the deciding sentences first, then figures, gates, every case, plots and tables; live while it runs.
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf, caseAddress } from '../../address';
import { post, runPath, type Refusal } from '../../api/client';
import { useLive } from '../../api/live';
import { Await, Trouble, useLoaded } from '../../api/loading';
import type { About, RunDetail, RunGlance } from '../../api/types';
import { countWords, elapsedWords, titleWords } from '../../figures/words';
import { Link, usePlace } from '../../navigation';
import { SimulatedBanner, useTitle } from '../../parts';
import { Facts, isOpen, RunReport, SectionLinks } from '../../run/run_report';
import { Verdict } from '../../run/sections';
import { Text } from '../../text/text';
import { readTitle } from '../read/read';
import { Cases } from './cases';
import { Files } from './files';
import { Progress, RunStateMark, Workers } from './progress';

const refreshEvery = 2_000;  // while a run is under way

const refused = 409;

function Control({ run }: { run: RunGlance }) {
  const [problem, setProblem] = useState<Refusal>();
  const [asked, setAsked] = useState('');
  const act = (what: 'stop' | 'resume'): void => {
    setAsked(what);
    post(runPath(run.id, `/${what}`)).then(() => setProblem(undefined), (error: unknown) => { setProblem(error as Refusal); setAsked(''); });
  };
  useEffect(() => { setAsked(''); setProblem(undefined); }, [run.state]);
  if (run.state !== 'running' && run.state !== 'unfinished') return null;
  // Who works on a run is found out by asking, and then stands in the button's place.
  if (problem?.status === refused) return <p class="note" role="status"><Text of={problem.message} /></p>;
  return (
    <>
      {run.state === 'running' && <button type="button" class="plain" disabled={asked !== ''} onClick={() => act('stop')}>{asked ? 'Stopping…' : 'Stop'}</button>}
      {run.state === 'unfinished' && <button type="button" class="plain" disabled={asked !== ''} onClick={() => act('resume')}>{asked ? 'Resuming…' : 'Resume'}</button>}
      {problem && <Trouble problem={problem} />}
    </>
  );
}

export function RunScreen({ run, about }: { run: string; about: About }) {
  const loaded = useLoaded<RunDetail>(runPath(run));
  const [glance, setGlance] = useState<RunGlance>();
  const [version, setVersion] = useState(0);
  const last = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const isStale = useRef(false);
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
  const connected = useLive({
    changed: (one) => {
      if (one.id !== run) return;
      const before = glance ?? loaded.value?.run;
      setGlance(one);
      // The first event tells what is known already.
      if (before && (before.done !== one.done || before.state !== one.state || before.finished !== one.finished)) refresh();
    },
    gone: (id) => { if (id === run) loaded.again(); },
    missed: () => { isStale.current = true; refresh(); },
  });
  // What was heard before something was missed holds until the run has been read again.
  useEffect(() => {
    if (isStale.current) setGlance(undefined);
    isStale.current = false;
  }, [loaded.value]);
  useTitle(loaded.value ? `${titleWords(loaded.value.run.evaluation)}: ${loaded.value.run.what || run}` : run);
  usePlace(`run ${run}`, loaded.value !== undefined);
  return (
    <>
      <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> run</p>
      {!loaded.value && <h1>Run</h1>}
      <Await of={loaded}>{(detail) => {
        const now = glance ?? detail.run;
        const parts = {
          detail,
          // A run that has only begun has none yet that could be asked for.
          cases: (detail.summary !== null || now.state !== 'running') && <Cases run={run} version={version} />,
          link: (id: string) => <Link to={caseAddress(run, id)}>The whole case</Link>,
        };
        return (
          <>
            <header class="top">
              <div>
                <p class="brand"><RunStateMark state={now.state} /> {!connected && <span class="note" role="status">not connected; trying again</span>}</p>
                <h1><Text of={titleWords(now.evaluation)} /></h1>
                {now.what && <p class="what" dir="auto"><Text of={now.what} /></p>}
                <Facts run={now.id} started={now.started} took={detail.summary && now.state !== 'running' ? elapsedWords(detail.summary) : ''} summary={detail.summary} />
              </div>
              <div class="run-actions">
                {detail.summary && now.state !== 'running' && <Verdict gates={detail.summary.gates} isOpen={isOpen(detail.summary)} />}
                {about.roles.includes('run') && about.starts && now.directory !== '' && <Control run={now} />}
                <Link to={addressOf({ name: 'read', run, query: {} })} class="plain">{readTitle(now.evaluation)}</Link>
                <Link to={addressOf({ name: 'judge', run, query: {} })} class="plain">Judge it yourself</Link>
                {detail.summary?.about?.['judge'] && (now.state === 'done' || now.state === 'gate failed') && <Link to={addressOf({ name: 'plan', run, query: {} })} class="plain">Plan a larger run</Link>}
                {detail.summary?.metrics['anchors.agreement'] && <Link to={addressOf({ name: 'drift', query: { run } })} class="plain">Has the judge changed?</Link>}
              </div>
            </header>
            <SectionLinks {...parts} more={<li><a href="#files">Files</a></li>} />
            <SimulatedBanner models={detail.summary?.simulated ?? now.simulated} />
            {(now.state === 'running' || now.state === 'unfinished') && <Progress run={now} />}
            {now.live && now.live.workers.length > 0 && <Workers workers={now.live.workers} />}
            <RunReport {...parts} />
            <Files run={run} pages={detail.pages} />
            <p class="note">{countWords(now.done)} cases{now.errored > 0 && `, ${countWords(now.errored)} failed`}. n/a means undefined, which is not zero.</p>
          </>
        );
      }}</Await>
    </>
  );
}
