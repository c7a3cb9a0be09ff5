// All cases of a report as a table that can be searched, filtered and sorted, with the case that the reader opens below it.
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { countWords, figureWords, metricWords, notAvailable, plainWords } from '../figures/words';
import { CaseBody, type ShownCase } from '../screens/case/body';
import { EndedMark } from '../screens/case/ended_mark';
import { chosen, heldCase, type CaseChoice, type CaseRow } from './report_rows';
import { VirtualTable, type Column } from '../tables/virtual_table';
import { plainText } from '../text/code_points';
import { CutName, Inline, Name, Text } from '../text/text';
import { useNarrow } from '../width';

const scoreWords = (score: number | undefined): string => (score === undefined ? notAvailable : figureWords(score, Number.isInteger(score) ? 'count' : 'number'));

export function AllCases({ rows }: { rows: CaseRow[] }) {
  const narrow = useNarrow();
  const [choice, setChoice] = useState<CaseChoice>({ search: '', outcome: '', sort: '', descending: false });
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState<CaseRow | undefined>();
  const shownCase = useRef<HTMLElement>(null);
  const fitting = useMemo(() => chosen(rows, choice), [rows, choice]);
  const outcomes = useMemo(() => [...new Set(rows.map(({ outcome }) => outcome))], [rows]);
  const scores = useMemo(() => [...new Set(rows.flatMap((row) => [...row.scores.keys()]))], [rows]);
  const longestId = useMemo(() => rows.reduce((longest, { id }) => Math.max(longest, plainText(id).length + 1), 0), [rows]);
  const figures = scores.slice(0, narrow ? 1 : 4);
  const change = (changes: Partial<CaseChoice>): void => { setChoice({ ...choice, ...changes }); setAt(0); };
  const sortBy = (name: string): void => change(choice.sort !== name ? { sort: name, descending: false } : choice.descending ? { sort: '', descending: false } : { descending: true });
  const show = (index: number): void => {
    setAt(index);
    setOpen(fitting[index]);
    requestAnimationFrame(() => shownCase.current?.focus());
  };
  const column = (name: string, words: string, className: string): Column => ({
    name, className, sort: choice.sort === name ? (choice.descending ? 'descending' : 'ascending') : undefined,
    head: <button type="button" class="sort" onClick={() => sortBy(name)}><Text of={words} /></button>,
  });
  const columns: Column[] = [
    column('id', 'case', 'cell-id'), ...(narrow ? [] : [column('outcome', 'outcome', 'cell-outcome')]),
    { name: 'text', head: 'what it is about', className: 'cell-text' }, ...figures.map((name) => column(name, metricWords(name), 'number figure-cell')),
  ];
  const look = useCallback(() => undefined, []);
  return (
    <>
      <div class="filters" role="search" aria-label="All cases">
        <label>Search <input type="search" placeholder="id, text, reason" value={choice.search} onInput={(event) => change({ search: event.currentTarget.value })} /></label>
        <label>Outcome <select value={choice.outcome} onChange={(event) => change({ outcome: event.currentTarget.value })}>
          <option value="">all</option>
          {outcomes.map((name) => <option key={name} value={name}>{plainWords(name)}</option>)}
        </select></label>
      </div>
      <p class="note" role="status">{fitting.length === rows.length ? `${countWords(rows.length)} cases` : `${countWords(fitting.length)} of ${countWords(rows.length)} cases`}; open one by a click or with Enter</p>
      {fitting.length > 0 && (
        <VirtualTable
          label="All cases" columns={columns} rows={fitting.length} rowHeight={narrow ? 64 : 44} idWidth={longestId} at={Math.min(at, fitting.length - 1)} look={look} onMove={setAt} onOpen={show}
          row={(index) => {
            const row = fitting[index];
            if (!row) return <div role="cell" class="cell-text note">…</div>;
            const outcome = <EndedMark ended={row.outcome} />;
            return (
              <>
                <div role="rowheader" class="cell-id mono" title={plainText(row.id)}><CutName of={row.id} />{narrow && outcome}</div>
                {!narrow && <div role="cell" class="cell-outcome">{outcome}</div>}
                <div role="cell" class="cell-text"><Inline of={row.about} /></div>
                {figures.map((name) => <div key={name} role="cell" class="number figure-cell">{scoreWords(row.scores.get(name))}</div>)}
              </>
            );
          }}
        />
      )}
      {open && (
        <article ref={shownCase} class="one-case" tabIndex={-1} aria-label={`Case ${open.id}`}>
          <h3 class="mono"><Name of={open.id} /> <button type="button" class="plain" onClick={() => setOpen(undefined)}>Close</button></h3>
          <CaseBody key={open.id} view={viewOf(open)} />
        </article>
      )}
    </>
  );
}

const viewOf = ({ id, line }: CaseRow): ShownCase => ({ id, ...heldCase(line), notes: [] });
