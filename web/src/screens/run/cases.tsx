// The cases of a run: the server filters, sorts, searches and pages, and the address holds what was asked for.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { addressOf, caseAddress, type Query } from '../../address';
import { runPath, withQuery } from '../../api/client';
import { Trouble } from '../../api/loading';
import type { CaseGlance, CasePage } from '../../api/types';
import { costWords, countWords, durationWords, figureWords, metricWords, notAvailable, plainWords } from '../../figures/words';
import { useKeys } from '../../keys';
import { go, Link, useQuery } from '../../navigation';
import { usePagedRows } from '../../tables/paged_rows';
import { VirtualTable, type Column } from '../../tables/virtual_table';
import { plainText } from '../../text/code_points';
import { CutName, Inline, Text } from '../../text/text';
import { useNarrow } from '../../width';
import { EndedMark } from '../case/ended_mark';
import { filterOf } from '../case/neighbours';
import { aboutCase } from './about_case';

const lookAgain = 300;

const scoreWords = (score: number | null | undefined): string =>
  score === null || score === undefined ? notAvailable : figureWords(score, Number.isInteger(score) ? 'count' : 'number');

function Row({ run, glance, index, filter, figures, narrow }: { run: string; glance: CaseGlance; index: number; filter: Query; figures: string[]; narrow: boolean }) {
  const link = <Link to={caseAddress(run, glance.id, { ...filter, at: String(index) })} class="mono" title={plainText(glance.id)}><CutName of={glance.id} /></Link>;
  const outcome = <EndedMark ended={glance.ended} />;
  return (
    <>
      <div role="rowheader" class="cell-id">{link}{narrow && outcome}</div>
      {!narrow && <div role="cell" class="cell-outcome">{outcome}</div>}
      <div role="cell" class="cell-text"><Inline of={aboutCase(glance)} /></div>
      {figures.map((name) => <div key={name} role="cell" class="number figure-cell">{scoreWords(glance.scores[name])}</div>)}
      {!narrow && <div role="cell" class="number">{durationWords(glance.latency_ms)}</div>}
      {!narrow && <div role="cell" class="number">{glance.cost_usd === null ? notAvailable : costWords(glance.cost_usd)}</div>}
    </>
  );
}

type ChangeQuery = (changes: Query, options?: { replace?: boolean }) => void;

interface Bounds { metric: string; above: string; below: string }
const noBounds: Bounds = { metric: '', above: '', below: '' };

// Cases whose score lies within bounds, either of which may be left open.
function ScoreFilter({ scores, query, change }: { scores: string[]; query: Query; change: ChangeQuery }) {
  const asked: Bounds = { metric: query['metric'] ?? '', above: query['above'] ?? '', below: query['below'] ?? '' };
  const applied = useRef(asked);
  const [typed, setTyped] = useState(asked);
  // What the reader is typing stays as it is; what the address has come to say by other ways is taken.
  useEffect(() => {
    if (JSON.stringify(asked) === JSON.stringify(applied.current)) return;
    applied.current = asked;
    setTyped(asked);
  }, [asked.metric, asked.above, asked.below]);
  if (scores.length === 0) return null;
  const apply = (next: Bounds, options?: { replace: boolean }): void => {
    setTyped(next);
    applied.current = next.metric !== '' && (next.above !== '' || next.below !== '') ? next : noBounds;
    change({ ...applied.current, at: '' }, options);
  };
  const bound = (words: string, side: 'above' | 'below') => (
    <label>{words} <input type="number" step="any" class="bound" value={typed[side]} onInput={(event) => apply({ ...typed, [side]: event.currentTarget.value }, { replace: true })} /></label>
  );
  return (
    <>
      <label>Score <select value={typed.metric} onChange={(event) => apply(event.currentTarget.value === '' ? noBounds : { ...typed, metric: event.currentTarget.value })}>
        <option value="">any</option>
        {scores.map((name) => <option key={name} value={name}>{plainText(metricWords(name))}</option>)}
      </select></label>
      {typed.metric && bound('at least', 'above')}
      {typed.metric && bound('at most', 'below')}
    </>
  );
}

function Filters({ page, query, change }: { page: CasePage | undefined; query: Query; change: ChangeQuery }) {
  const [search, setSearch] = useState(query['search'] ?? '');
  const asked = query['search'] ?? '';
  useEffect(() => { setSearch(asked); }, [asked]);
  useEffect(() => {
    if (search === asked) return undefined;
    const timer = setTimeout(() => change({ search, at: '' }, { replace: true }), 250);
    return () => clearTimeout(timer);
  }, [search]);
  const traits = Object.entries(page?.traits ?? {}).filter(([, values]) => values.length > 0);
  const sorts = ['id', 'outcome', 'latency', 'cost', ...(page?.scores ?? [])];
  return (
    <div class="filters" role="search" aria-label="Cases">
      <label>Search <input type="search" id="case-search" value={search} placeholder="id, text, error" onInput={(event) => setSearch(event.currentTarget.value)} /></label>
      <label>Outcome <select value={query['outcome'] ?? ''} onChange={(event) => change({ outcome: event.currentTarget.value, at: '' })}>
        <option value="">all</option>
        {Object.entries(page?.outcomes ?? (query['outcome'] ? { [query['outcome']]: 0 } : {})).map(([name, count]) => <option key={name} value={name}>{plainWords(name)}{page?.complete !== false && ` (${countWords(count)})`}</option>)}
      </select></label>
      {traits.length > 0 && (
        <label>Slice <select value={query['slice'] ?? ''} onChange={(event) => change({ slice: event.currentTarget.value, at: '' })}>
          <option value="">all</option>
          {traits.map(([name, values]) => <optgroup key={name} label={plainText(plainWords(name))}>{values.map((value) => <option key={value} value={`${name}:${value}`}>{plainText(value)}</option>)}</optgroup>)}
        </select></label>
      )}
      <ScoreFilter scores={page?.scores ?? []} query={query} change={change} />
      <label>Sort by <select value={query['sort'] ?? ''} onChange={(event) => change({ sort: event.currentTarget.value, at: '' })}>
        <option value="">order of the data</option>
        {sorts.map((name) => <option key={name} value={name}>{plainWords(name)}</option>)}
      </select></label>
      <label class="check"><input type="checkbox" checked={query['descending'] === 'true'} onChange={(event) => change({ descending: event.currentTarget.checked ? 'true' : '', at: '' })} /> largest first</label>
      <label class="check"><input type="checkbox" checked={query['failed'] === 'true'} onChange={(event) => change({ failed: event.currentTarget.checked ? 'true' : '', at: '' })} /> failed or not passed</label>
      {Object.keys(filterOf(query)).length > 0 && (
        <button type="button" class="plain" onClick={() => change({ search: '', outcome: '', sort: '', descending: '', failed: '', slice: '', label: '', metric: '', below: '', above: '', at: '' })}>Clear</button>
      )}
    </div>
  );
}

// `version` changes when the run has.
export function Cases({ run, version }: { run: string; version: number }) {
  const [query, change] = useQuery();
  const narrow = useNarrow();
  const filter = filterOf(query);
  const key = JSON.stringify([run, filter]);
  const path = useCallback((offset: number, count: number) => withQuery(runPath(run, '/cases'), { ...filter, soon: 'true', offset, count }), [key]);
  const paged = usePagedRows<CaseGlance, CasePage>(key, path);
  const page = paged.head;
  const at = Math.max(0, Number(query['at'] ?? 0) || 0);
  useEffect(() => { if (version > 0) paged.refresh(); }, [version]);
  // The first rows came before all were read.
  useEffect(() => {
    if (page?.complete !== false) return undefined;
    const timer = setTimeout(paged.refresh, lookAgain);
    return () => clearTimeout(timer);
  }, [page]);

  // It only grows, so that the columns stay where they are while the reader scrolls.
  const longestId = useRef(0);
  longestId.current = Math.max(longestId.current, ...(page?.rows ?? []).map(({ id }) => plainText(id).length + 1));

  const figures = (page?.scores ?? []).slice(0, narrow ? 1 : 3);
  const sorted = query['sort'] && !figures.includes(query['sort']) && page?.scores.includes(query['sort']) ? [query['sort'], ...figures.slice(0, narrow ? 0 : 2)] : figures;
  const move = (row: number): void => change({ at: String(row) }, { replace: true });
  const open = (index: number): void => {
    const glance = paged.row(index);
    if (!glance) return;
    move(index);
    go(caseAddress(run, glance.id, { ...filter, at: String(index) }), { state: { fromTable: true } });
  };
  const step = (by: number): void => {
    if (!page) return;
    move(Math.min(page.fitting - 1, Math.max(0, at + by)));
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`.virtual [data-row="${Math.min(page.fitting - 1, Math.max(0, at + by))}"]`)?.focus());
  };
  useKeys([
    { key: 'j', does: 'next row of the cases', act: () => step(1) },
    { key: 'k', does: 'previous row of the cases', act: () => step(-1) },
    { key: 'o', does: 'open the case of the row', act: () => open(at) },
    { key: '/', does: 'search the cases', act: () => document.getElementById('case-search')?.focus() },
  ]);

  const sortBy = (name: string): void => {
    if (query['sort'] !== name) change({ sort: name, descending: 'true', at: '' });
    else if (query['descending'] === 'true') change({ descending: '', at: '' });
    else change({ sort: '', descending: '', at: '' });
  };
  const column = (name: string, words: string, className = ''): Column => ({
    name, className, sort: query['sort'] === name ? (query['descending'] === 'true' ? 'descending' : 'ascending') : undefined,
    head: <button type="button" class="sort" onClick={() => sortBy(name)} title={name}><Text of={words} /></button>,
  });
  const columns: Column[] = [
    column('id', 'case', 'cell-id'), ...(narrow ? [] : [column('outcome', 'outcome', 'cell-outcome')]),
    { name: 'text', head: 'what it is about', className: 'cell-text' }, ...sorted.map((name) => column(name, metricWords(name), 'number figure-cell')),
    ...(narrow ? [] : [column('latency', 'latency', 'number'), column('cost', 'cost', 'number')]),
  ];
  return (
    <>
      <Filters page={page} query={query} change={change} />
      {paged.problem && <Trouble problem={paged.problem} />}
      {page && (
        <p class="note" role="status">
          {page.fitting === page.total ? `${countWords(page.total)} cases` : `${countWords(page.fitting)} of ${countWords(page.total)} cases`}
          {page.fitting > 0 && <>; <Link to={addressOf({ name: 'read', run, query: filter })}>read them one after the other</Link></>}
          {page.not_begun > 0 && `; ${countWords(page.not_begun)} not begun yet`}
        </p>
      )}
      {!page && !paged.problem && (
        // The place of the table: what stands below it must not jump, and a reader who comes back finds the page as it was.
        <>
          <p class="note" role="status">Loading the cases…</p>
          <div class="virtual" aria-hidden="true" />
        </>
      )}
      {page && page.fitting > 0 && (
        <VirtualTable
          label="Cases" columns={columns} rows={page.fitting} rowHeight={narrow ? 64 : 44} idWidth={longestId.current} at={at} look={paged.look} onMove={move} onOpen={open}
          row={(index) => {
            const glance = paged.row(index);
            return glance ? <Row run={run} glance={glance} index={index} filter={filter} figures={sorted} narrow={narrow} /> : <div role="cell" class="cell-text note">…</div>;
          }}
        />
      )}
    </>
  );
}
