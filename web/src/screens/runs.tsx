// All runs, those under way with their progress: filter, sort, and choose two or more to compare, or to audit their cases.
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf, runAddress, type Query } from '../address';
import { withQuery } from '../api/client';
import { useLive } from '../api/live';
import { Await, useLoaded } from '../api/loading';
import type { RunGlance, RunList } from '../api/types';
import { IntervalBar } from '../figures/interval_bar';
import { axisOf } from '../figures/scale';
import { basisWords, costWords, countWords, intervalWords, metricWords, timeWords, titleWords, valueWords } from '../figures/words';
import { useKeys } from '../keys';
import { go, Link, usePlace, useQuery } from '../navigation';
import { useTitle } from '../parts';
import { ScrollBox } from '../tables/scroll_box';
import { Inline, Name, Text } from '../text/text';
import { Progress, RunStateMark } from './run/progress';

const count = 100;
const states = ['running', 'unfinished', 'done', 'gate failed'];

function Headline({ run }: { run: RunGlance }) {
  const figure = run.headline;
  if (!figure) return <span class="note">n/a</span>;
  return (
    <div class="headline-cell">
      <span class="note"><Text of={metricWords(figure.name)} /></span>
      <span><strong>{valueWords(figure)}</strong> <span class="note">{intervalWords(figure)}</span></span>
      {figure.estimate.ci && <IntervalBar figure={figure} axis={axisOf(figure)} />}
      <span class="note">{basisWords(figure.estimate)}</span>
    </div>
  );
}

function gateWords({ passed, failed }: RunGlance['gates']): string {
  if (passed + failed === 0) return 'none';
  return failed > 0 ? `${failed} of ${passed + failed} failed` : `${passed} passed`;
}

function Row({ run, isChosen, choose }: { run: RunGlance; isChosen: boolean; choose: (chosen: boolean) => void }) {
  return (
    <tr role="row">
      <td role="cell" class="choose"><input type="checkbox" checked={isChosen} aria-label={`Choose ${run.id} to compare`} onChange={(event) => choose(event.currentTarget.checked)} /></td>
      <th role="rowheader" scope="row" class="run-name">
        <Link to={runAddress(run.id)}><Text of={titleWords(run.evaluation)} /></Link>
        {run.what && <span class="what-line"><Inline of={run.what} /></span>}
        <span class="note id-line"><Inline of={run.id} /></span>
      </th>
      <td role="cell"><RunStateMark state={run.state} />{run.simulated.length > 0 && <span class="line note">simulated</span>}</td>
      <td role="cell" class="models">{run.models.length > 0 ? run.models.map((model) => <span key={model} class="line"><Name of={model} /></span>) : <span class="note">none</span>}</td>
      <td role="cell" class="cases-cell">{run.state === 'running' || run.state === 'unfinished' ? <Progress run={run} /> : <>{countWords(run.done)} <span class="note">cases{run.errored > 0 && `, ${countWords(run.errored)} failed`}</span></>}</td>
      <td role="cell"><Headline run={run} /></td>
      <td role="cell" class={`short ${run.gates.failed > 0 ? 'gate-failed' : ''}`} data-label="gates">{gateWords(run.gates)}</td>
      <td role="cell" class="number" data-label="cost">{costWords(run.cost_usd)}</td>
      <td role="cell" class="when note">{timeWords(run.started).split(/ (.*)/).filter(Boolean).map((part) => <span key={part} class="line">{part}</span>)}</td>
    </tr>
  );
}

const columns: [string, string][] = [['', ''], ['evaluation', 'run'], ['state', 'state'], ['models', 'models'], ['cases', 'cases'], ['headline', 'headline figure'], ['gates', 'gates'], ['cost', 'cost'], ['started', 'started']];

function Filters({ list, query, change }: { list: RunList | undefined; query: Query; change: ReturnType<typeof useQuery>[1] }) {
  const asked = query['search'] ?? '';
  const [search, setSearch] = useState(asked);
  useEffect(() => { setSearch(asked); }, [asked]);
  useEffect(() => {
    if (search === asked) return undefined;
    const timer = setTimeout(() => change({ search, offset: '' }, { replace: true }), 250);
    return () => clearTimeout(timer);
  }, [search]);
  return (
    <div class="filters" role="search" aria-label="Runs">
      <label>Search <input id="run-search" type="search" value={search} placeholder="what, model, directory" onInput={(event) => setSearch(event.currentTarget.value)} /></label>
      <label>Evaluation <select value={query['evaluation'] ?? ''} onChange={(event) => change({ evaluation: event.currentTarget.value, offset: '' })}>
        <option value="">all</option>
        {(list?.evaluations ?? []).map((name) => <option key={name} value={name}>{titleWords(name)}</option>)}
      </select></label>
      <label>State <select value={query['state'] ?? ''} onChange={(event) => change({ state: event.currentTarget.value, offset: '' })}>
        <option value="">all</option>
        {states.map((name) => <option key={name} value={name}>{name}</option>)}
      </select></label>
    </div>
  );
}

export function RunsScreen({ query }: { query: Query }) {
  const [, change] = useQuery();
  const { chosen = '', ...asked } = query;
  const chosenRuns = chosen.split(',').filter(Boolean);
  const loaded = useLoaded<RunList>(withQuery('/api/runs', { ...asked, count }));
  const { value, set, again } = loaded;
  const met = useRef(new Set<string>());
  const connected = useLive({
    changed: (run) => {
      if (!value) return;
      if (value.runs.some(({ id }) => id === run.id)) set({ ...value, runs: value.runs.map((one) => (one.id === run.id ? run : one)) });
      else if (!met.current.has(run.id)) {
        // Whether it is on this page the server says: asked once, since a run under way reports twice a second.
        met.current.add(run.id);
        again();
      }
    },
    gone: again,
    missed: again,
  });
  useTitle('Runs');
  usePlace('runs', value !== undefined);
  const compare = (): void => {
    const [base = '', ...others] = chosenRuns;
    if (others.length > 0) go(addressOf({ name: 'compare', base, others, query: {} }));
  };
  const audit = (): void => {
    if (chosenRuns.length > 0) go(addressOf({ name: 'audit', runs: chosenRuns, query: {} }));
  };
  useKeys([
    { key: '/', does: 'search the runs', act: () => document.getElementById('run-search')?.focus() },
    { key: 'c', does: 'compare the chosen runs', act: compare },
    { key: 'a', does: 'audit the cases of the chosen runs', act: audit },
  ]);
  const sortBy = (name: string): void => {
    if (asked['sort'] !== name) change({ sort: name, descending: 'true' });
    else if (asked['descending'] === 'true') change({ descending: '' });
    else change({ sort: '', descending: '' });
  };
  const choose = (id: string, isChosen: boolean): void =>
    change({ chosen: (isChosen ? [...chosenRuns, id] : chosenRuns.filter((one) => one !== id)).join(',') }, { replace: true });
  const offset = Number(asked['offset'] ?? 0) || 0;
  return (
    <>
      <h1>Runs</h1>
      {!connected && <p class="note" role="status">Not connected to the server; trying again.</p>}
      <Filters list={value} query={asked} change={change} />
      <Await of={loaded}>{(list) => (
        <>
          <div class="bar-line">
            <p class="note" role="status">{list.fitting === list.total ? `${countWords(list.total)} runs` : `${countWords(list.fitting)} of ${countWords(list.total)} runs`}</p>
            {chosenRuns.length === 0 && list.total > 0 && <p><Link to={addressOf({ name: 'drift', query: {} })}>Has a judge changed?</Link></p>}
            {chosenRuns.length > 0 && <p><button type="button" class="plain strong" disabled={chosenRuns.length < 2} onClick={compare}>{chosenRuns.length < 2 ? 'Choose another to compare' : `Compare ${chosenRuns.length} runs`} <kbd>c</kbd></button> <button type="button" class="plain" onClick={audit}>Audit their cases <kbd>a</kbd></button> <span class="note">the first chosen is the base</span></p>}
          </div>
          {list.runs.length === 0 ? <p>{list.total === 0 ? 'No run was found in the results directories yet.' : 'No run fits.'}</p> : (
            <ScrollBox label="Runs">
              <table role="table" class="stack runs">
                <caption class="visually-hidden">Runs</caption>
                <thead role="rowgroup"><tr role="row">
                  {columns.map(([sort, words], i) => (
                    <th key={i} role="columnheader" scope="col" class={sort === 'cost' ? 'number' : ''} aria-sort={sort && asked['sort'] === sort ? (asked['descending'] === 'true' ? 'descending' : 'ascending') : undefined}>
                      {sort ? <button type="button" class="sort" onClick={() => sortBy(sort)}>{words}</button> : words || <span class="visually-hidden">choose</span>}
                    </th>
                  ))}
                </tr></thead>
                <tbody role="rowgroup">{list.runs.map((run) => <Row key={run.id} run={run} isChosen={chosenRuns.includes(run.id)} choose={(isChosen) => choose(run.id, isChosen)} />)}</tbody>
              </table>
            </ScrollBox>
          )}
          {list.fitting > count && (
            <nav class="pages" aria-label="Pages">
              <button type="button" class="plain" disabled={offset === 0} onClick={() => change({ offset: String(Math.max(0, offset - count) || '') })}>← Previous</button>
              <span class="note">{countWords(offset + 1)} – {countWords(Math.min(offset + count, list.fitting))}</span>
              <button type="button" class="plain" disabled={offset + count >= list.fitting} onClick={() => change({ offset: String(offset + count) })}>Next →</button>
            </nav>
          )}
        </>
      )}</Await>
    </>
  );
}
