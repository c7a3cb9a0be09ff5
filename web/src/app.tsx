// The page of `assay serve`: who is reading, which screen the address names, and the keys that hold everywhere.
import { useEffect, useState } from 'preact/hooks';
import type { Screen } from './address';
import { get, Refusal } from './api/client';
import { forgetAll, Trouble } from './api/loading';
import { onTokenWanted, setToken, token } from './api/session';
import type { About } from './api/types';
import { KeyHelp } from './key_help';
import { useKeys } from './keys';
import { go, Link, Navigation, useScreen } from './navigation';
import { AuditScreen } from './screens/audit';
import { CaseScreen } from './screens/case/case';
import { CompareScreen } from './screens/compare';
import { DriftScreen } from './screens/drift';
import { JudgeScreen } from './screens/judge/sheets';
import { SheetScreen } from './screens/judge/sheet';
import { NewRunScreen } from './screens/new_run';
import { PlanScreen } from './screens/plan';
import { ReadScreen } from './screens/read/read';
import { RunScreen } from './screens/run/run';
import { RunsScreen } from './screens/runs';
import { StoreScreen } from './screens/store/store';
import { TokenScreen } from './screens/token';
import { Text } from './text/text';

function ScreenOf({ screen, about }: { screen: Screen; about: About }) {
  switch (screen.name) {
    case 'runs': return <RunsScreen query={screen.query} />;
    case 'run': return <RunScreen key={screen.run} run={screen.run} about={about} />;
    case 'case': return <CaseScreen run={screen.run} id={screen.id} query={screen.query} />;
    case 'read': return <ReadScreen key={screen.run} run={screen.run} query={screen.query} />;
    case 'compare': return <CompareScreen base={screen.base} others={screen.others} query={screen.query} />;
    case 'audit': return <AuditScreen runs={screen.runs} query={screen.query} />;
    case 'drift': return <DriftScreen query={screen.query} />;
    case 'plan': return <PlanScreen key={screen.run} run={screen.run} query={screen.query} />;
    case 'judge': return <JudgeScreen run={screen.run} about={about} />;
    case 'sheet': return <SheetScreen sheet={screen.sheet} query={screen.query} about={about} />;
    case 'new': return about.roles.includes('run') ? <NewRunScreen query={screen.query} /> : <p>This token may not start runs.</p>;
    case 'store': return <StoreScreen kind={screen.kind} query={screen.query} about={about} />;
    case 'unknown': return <><h1>Nothing is here</h1><p>There is no screen <code><Text of={screen.path} /></code>. <Link to="/">All runs</Link></p></>;
  }
}

function Shell({ about, leave }: { about: About; leave: () => void }) {
  const screen = useScreen();
  const [isHelp, setHelp] = useState(false);
  const mayRun = about.roles.includes('run') && about.configs;
  useKeys([
    { key: '?', does: 'show the keys', act: () => setHelp(true) },
    { key: 'r', does: 'go to the runs', act: () => go('/') },
    ...(mayRun ? [{ key: 'n', does: 'go to a new run', act: () => go('/new') }] : []),
  ]);
  const isRuns = ['runs', 'run', 'case', 'read', 'judge', 'sheet', 'compare', 'audit', 'drift', 'plan'].includes(screen.name);
  return (
    <>
      <a class="skip" href="#main">Skip to the content</a>
      <header class="site">
        <Link to="/" class="mark">Assay</Link>
        <nav aria-label="Screens">
          <Link to="/" current={isRuns}>Runs</Link>
          {mayRun && <Link to="/new" current={screen.name === 'new'}>New run</Link>}
          {about.data && <Link to="/store" current={screen.name === 'store'}>Data</Link>}
        </nav>
        <span class="who">
          <button type="button" class="plain" onClick={() => setHelp(true)} aria-label="Keys">?</button>
          {token() && <button type="button" class="plain" onClick={leave}>Leave</button>}
        </span>
      </header>
      <main id="main" tabIndex={-1}><ScreenOf screen={screen} about={about} /></main>
      <footer><p>Assay {about.assay}. n/a means undefined, which is not zero. Intervals say how far a figure may lie from the truth by chance alone: they assume that the cases are a fair sample.</p></footer>
      {isHelp && <KeyHelp close={() => setHelp(false)} />}
    </>
  );
}

export function App() {
  const [about, setAbout] = useState<About>();
  const [problem, setProblem] = useState<Refusal>();
  const [isAsked, setAsked] = useState(false);
  const [round, setRound] = useState(0);
  useEffect(() => onTokenWanted(() => { setAbout(undefined); forgetAll(); setAsked(true); }), []);
  useEffect(() => {
    get<About>('/api/about').then((value) => { setAbout(value); setAsked(false); setProblem(undefined); }, (error: unknown) => setProblem(error as Refusal));
  }, [round]);
  const leave = (): void => {
    setToken('');
    forgetAll();
    setAbout(undefined);
    setRound((before) => before + 1);
  };
  if (isAsked) return <TokenScreen refused={token() !== ''} give={(given) => { setToken(given); setAsked(false); setRound((before) => before + 1); }} />;
  if (problem && !about) return <main><h1>Assay</h1><Trouble problem={problem} /><p><button type="button" class="plain" onClick={() => setRound((before) => before + 1)}>Try again</button></p></main>;
  if (!about) return <main><p class="note" role="status">Loading…</p></main>;
  return <Navigation><Shell about={about} leave={leave} /></Navigation>;
}
