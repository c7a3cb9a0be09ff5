// Cases to be read one after the other, each with what its evaluation's readers look for: transcripts side by side for the
// systems of a benchmark, conversations with the guidelines beside them, variants side by side with what differs marked.
import { useEffect, useState } from 'preact/hooks';
import { addressOf, caseAddress, runAddress, type Query } from '../../address';
import { get, runPath, withQuery, type Refusal } from '../../api/client';
import { Await, Trouble, useLoaded } from '../../api/loading';
import type { CasePage, CaseView, RunDetail } from '../../api/types';
import { countWords } from '../../figures/words';
import { useKeys } from '../../keys';
import { go, Link, usePlace } from '../../navigation';
import { AmongOthers, useTitle } from '../../parts';
import { Folded } from '../../text/folded';
import { Inline, Name } from '../../text/text';
import { agentTurns } from '../case/agent_run';
import { Answers } from '../case/answers';
import { answersOf } from '../case/answers_of';
import { CaseBody } from '../case/body';
import { CaseFields, Transcript } from '../case/case_fields';
import { endedOf } from '../case/ended';
import { EndedMark } from '../case/ended_mark';
import { Scores } from '../case/judges';
import { materialOf, objectOf, textOf } from '../case/material';
import { filterOf } from '../case/neighbours';
import { groupsOf, type Group } from './groups';
import { GuidelineMap, JudgedConversation } from './guidelines';

// What the screen is called, by evaluation, and how many cases it has at a time.
const kinds: Record<string, { title: string; count: number }> = {
  benchmark: { title: 'Transcripts', count: 12 }, guidelines: { title: 'Conversations', count: 24 }, custom: { title: 'Side by side', count: 12 },
};
const other = { title: 'Cases to read', count: 8 };
export const readTitle = (evaluation: string): string => (kinds[evaluation] ?? other).title;

function Column({ view }: { view: CaseView }) {
  const result = view.result ?? {};
  const all = agentTurns(view.effects);
  // What the system was told is the same in every case, and long.
  const told = all.filter(({ message }) => message.role === 'system');
  const turns = all.filter((turn) => !told.includes(turn));
  return (
    <article class="answer">
      <h3><Inline of={[textOf(result['system']), textOf(result['model'])].filter(Boolean).join(' · ') || view.id} /> <EndedMark ended={endedOf(result, view.outcome)} /></h3>
      <Scores scores={Object.entries(objectOf(result['scores'])).slice(0, 1)} />
      {told.length > 0 && <Folded summary="System prompt">{() => <Transcript turns={told} />}</Folded>}
      {turns.length > 0 ? <Transcript turns={turns} /> : <p class="note">Nothing was asked in this sitting.</p>}
      <CaseFields of={[['answer', result['answer'] ?? null]]} />
    </article>
  );
}

function Reading({ view }: { view: CaseView }) {
  if (view.evaluation === 'guidelines') return <JudgedConversation view={view} />;
  const answers = answersOf(view.result ?? {});
  if (answers.length === 0) return <AmongOthers><CaseBody view={view} calls={false} /></AmongOthers>;
  return <><CaseFields of={[...materialOf(view).input, ...materialOf(view).expected]} /><Answers answers={answers} /></>;
}

function GroupView({ run, group: { title, cases }, query }: { run: string; group: Group; query: Query }) {
  return (
    <section class="reading" id={encodeURIComponent(`read ${cases[0]?.id ?? ''}`)} aria-label={title}>
      <h2><Name of={title} /> {cases.length === 1 && cases[0]?.evaluation !== 'benchmark' && <EndedMark ended={endedOf(cases[0]?.result ?? {}, cases[0]?.outcome)} />}</h2>
      {cases[0]?.evaluation === 'benchmark'
        ? <div class="answers">{cases.map((view) => <Column key={view.id} view={view} />)}</div>
        : cases.map((view) => <Reading key={view.id} view={view} />)}
      <p class="files">{cases.map(({ id }) => <Link key={id} to={caseAddress(run, id, filterOf(query))} class="plain">Everything on <Inline of={id} /></Link>)}</p>
    </section>
  );
}

// Each of the page's cases as a whole; they come as they are read.
function useCases(run: string, page: CasePage | undefined): { cases: CaseView[]; problem: Refusal | undefined } {
  const [state, setState] = useState<{ of: CasePage | undefined; cases: CaseView[]; problem: Refusal | undefined }>({ of: undefined, cases: [], problem: undefined });
  useEffect(() => {
    if (!page) return undefined;
    const stop = new AbortController();
    const work = async (): Promise<void> => {
      const cases: CaseView[] = [];
      for (const { id } of page.rows) {
        cases.push(await get<CaseView>(withQuery(runPath(run, '/case'), { id }), stop.signal));
        setState({ of: page, cases: [...cases], problem: undefined });
      }
    };
    work().catch((error: unknown) => { if (!stop.signal.aborted) setState((before) => ({ ...before, problem: error as Refusal })); });
    return () => stop.abort();
  }, [page]);
  return state.of === page ? state : { cases: [], problem: undefined };
}

export function ReadScreen({ run, query }: { run: string; query: Query }) {
  const detail = useLoaded<RunDetail>(runPath(run));
  const evaluation = detail.value?.run.evaluation;
  const { title, count } = kinds[evaluation ?? ''] ?? other;
  const from = Math.max(0, Number(query['from'] ?? 0) || 0);
  const page = useLoaded<CasePage>(evaluation === undefined ? undefined : withQuery(runPath(run, '/cases'), { ...filterOf(query), offset: from, count }));
  const { cases, problem } = useCases(run, page.value);
  const address = (offset: number): string => addressOf({ name: 'read', run, query: { ...filterOf(query), from: offset > 0 ? String(offset) : '' } });
  const last = page.value?.fitting ?? 0;
  const step = (by: number): void => { if (from + by >= 0 && from + by < last) go(address(from + by)); };
  // An address from when more cases fitted leads to the last page.
  useEffect(() => { if (last > 0 && from >= last) go(address(Math.floor((last - 1) / count) * count), { replace: true }); }, [from, last, count]);
  useKeys([{ key: 'j', does: 'next cases', act: () => step(count) }, { key: 'k', does: 'previous cases', act: () => step(-count) }, { key: 'b', does: 'back to the run', act: () => go(runAddress(run, filterOf(query))) }]);
  useTitle(`${title} · ${run}`);
  usePlace(`read ${run} ${from}`, cases.length > 0);
  return (
    <>
      <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> <Link to={runAddress(run)}><Name of={run} /></Link> <span aria-hidden="true">/</span> {title.toLowerCase()}</p>
      <h1>{detail.value ? title : 'Cases to read'}</h1>
      <Await of={detail}>{() => null}</Await>
      {problem && <Trouble problem={problem} />}
      <Await of={page}>{({ fitting }) => (
        <>
          <div class="bar-line">
            <p class="note" role="status">{fitting === 0 ? 'No case fits.' : `${countWords(from + 1)} to ${countWords(Math.min(from + count, fitting))} of ${countWords(fitting)} cases${Object.keys(filterOf(query)).length > 0 ? ', filtered or sorted' : ''}`}</p>
            <nav class="pages" aria-label="Pages">
              <button type="button" class="plain" disabled={from === 0} onClick={() => go(address(Math.max(0, from - count)))}>← Previous <kbd>k</kbd></button>
              <button type="button" class="plain" disabled={from + count >= fitting} onClick={() => step(count)}>Next <kbd>j</kbd> →</button>
            </nav>
          </div>
          {evaluation === 'guidelines' && cases.length > 0 && <GuidelineMap cases={cases} />}
          {groupsOf(cases).map((group) => <GroupView key={group.title} run={run} group={group} query={query} />)}
          {cases.length < Math.min(count, fitting - from) && !problem && <p class="note" role="status">Loading…</p>}
        </>
      )}</Await>
    </>
  );
}
