// One case: what it was, what was wanted, what came, why it was judged so, and every call that it took.
import { caseAddress, runAddress, type Query } from '../../address';
import { runPath, withQuery } from '../../api/client';
import { Await, useLoaded } from '../../api/loading';
import type { CaseView } from '../../api/types';
import { countWords } from '../../figures/words';
import { useKeys } from '../../keys';
import { go, Link, usePlace } from '../../navigation';
import { useTitle } from '../../parts';
import { Name } from '../../text/text';
import { CaseBody } from './body';
import { endedOf } from './ended';
import { EndedMark } from './ended_mark';
import { filterOf, useNeighbours } from './neighbours';

const notThere = 404;

export function CaseScreen({ run, id, query }: { run: string; id: string; query: Query }) {
  const loaded = useLoaded<CaseView>(withQuery(runPath(run, '/case'), { id }));
  const neighbours = useNeighbours(run, loaded.value, query);
  const filter = filterOf(query);
  const table = runAddress(run, { ...filter, ...(neighbours ? { at: String(neighbours.at) } : {}) });
  const address = (to: { id: string; at: number } | null | undefined): string => (to ? caseAddress(run, to.id, { ...filter, at: String(to.at) }) : '');
  const follow = (to: string): void => { if (to) go(to, { replace: true }); };
  const toTable = (): void => {
    // The table that the reader came from is one step back, as it was.
    if (history.state && (history.state as { fromTable?: boolean }).fromTable) history.back();
    else go(`${table}#cases`);
  };
  useKeys([
    { key: 'j', does: 'next case', act: () => follow(address(neighbours?.after)) },
    { key: 'k', does: 'previous case', act: () => follow(address(neighbours?.before)) },
    { key: 'b', does: 'back to the table of cases', act: toTable },
  ]);
  useTitle(`${id} · case`);
  usePlace(`case ${run} ${id}`, loaded.value !== undefined);
  return (
    <>
      <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> <Link to={runAddress(run)}><Name of={run} /></Link> <span aria-hidden="true">/</span> case</p>
      <header class="case-head">
        <h1 class="mono"><Name of={id} /></h1>
        {loaded.value && <EndedMark ended={endedOf(loaded.value.result ?? {}, loaded.value.outcome)} />}
        <nav class="neighbours" aria-label="Cases">
          {neighbours && <span class="note">{countWords(neighbours.at + 1)} of {countWords(neighbours.of)}{Object.keys(filter).length > 0 && ', filtered or sorted'}</span>}
          <button type="button" class="plain" disabled={!neighbours?.before} onClick={() => follow(address(neighbours?.before))}>← Previous <kbd>k</kbd></button>
          <button type="button" class="plain" disabled={!neighbours?.after} onClick={() => follow(address(neighbours?.after))}>Next <kbd>j</kbd> →</button>
          <button type="button" class="plain" onClick={toTable}>Table <kbd>b</kbd></button>
        </nav>
      </header>
      {loaded.problem?.status === notThere
        ? <p class="trouble" role="alert">This run has no such case. <Link to={runAddress(run, { search: id })}>Cases with this in their id or text</Link>, or <Link to={runAddress(run)}>the run</Link>.</p>
        : <Await of={loaded}>{(view) => <CaseBody key={view.id} view={view} />}</Await>}
    </>
  );
}
