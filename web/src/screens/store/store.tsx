// The data service: what was recorded, by kind, narrowed and paged by the server; an entry is opened by its address.
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf, type Query } from '../../address';
import { withQuery } from '../../api/client';
import { Await, useLoaded } from '../../api/loading';
import type { About } from '../../api/types';
import { countWords } from '../../figures/words';
import { Link, usePlace, useQuery } from '../../navigation';
import { useTitle } from '../../parts';
import { Text } from '../../text/text';
import { Entry } from './entry';
import { Filters } from './filters';
import { idOf, rowsOf, storeKinds, type StoreKind } from './kinds';
import { RetentionNote } from './retention';
import { rowId, Rows } from './rows';
import { SaveButtons } from './save';

const count = 50;
const kindAddress = (kind: string, query: Query = {}): string => addressOf({ name: 'store', kind, query });

const Kinds = ({ current }: { current: string }) => (
  <nav class="tabs" aria-label="Kinds of data">{storeKinds.map(({ kind, title }) => <Link key={kind} to={kindAddress(kind)} current={kind === current} class="plain">{title}</Link>)}</nav>
);

// The reader comes back to the row whose entry was closed.
function useReturn(open: string): void {
  const before = useRef('');
  useEffect(() => {
    if (!open && before.current) document.getElementById(rowId(before.current))?.querySelector('a')?.focus();
    before.current = open;
  }, [open]);
}

function List({ kind, query, about }: { kind: StoreKind; query: Query; about: About }) {
  const [, change] = useQuery();
  const [told, setTold] = useState('');
  const asked: Query = Object.fromEntries(kind.filters.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const { cursor, open = '' } = query;
  const loaded = useLoaded<Record<string, unknown>>(withQuery(kind.path, kind.isWhole ? {} : { ...asked, cursor, count }));
  usePlace(`store ${kind.kind} ${open}`, loaded.value !== undefined);
  useReturn(open);
  const news = useRef<HTMLParagraphElement>(null);
  useEffect(() => { if (told) news.current?.focus(); }, [told]);
  const stream = (format: string, name: string): { name: string; path: string } => ({ name: `${kind.kind}.${name}`, path: withQuery(kind.path, { ...asked, format }) });
  return (
    <>
      <Filters key={JSON.stringify(asked)} kind={kind} query={query} change={(changes) => change(changes)} />
      {told && <p class="told" role="status" ref={news} tabIndex={-1}><Text of={told} /></p>}
      <Await of={loaded}>{(answer) => {
        const next = typeof answer['next'] === 'string' ? answer['next'] : '';
        const rows = rowsOf(answer, kind.list);
        const total = typeof answer['total'] === 'number' ? answer['total'] : undefined;
        return (
          <>
            {(total !== undefined || kind.isStreamed) && <div class="bar-line">
              <p class="note" role="status">{total !== undefined && `${countWords(total)} in all`}</p>
              {kind.isStreamed && <SaveButtons files={[
                { words: 'CSV', help: 'Save all that fits as CSV', ...stream('csv', 'csv') },
                { words: 'NDJSON', help: 'Save all that fits as one JSON object a line', ...stream('ndjson', 'ndjson') },
              ]} />}
            </div>}
            <Rows kind={kind} rows={rows} query={query} />
            {(cursor || next) && (
              <nav class="pages" aria-label="Pages">
                <button type="button" class="plain" disabled={!cursor} onClick={() => change({ cursor: '', open: '' })}>← First page</button>
                <button type="button" class="plain" disabled={!next} onClick={() => change({ cursor: next, open: '' })}>More →</button>
              </nav>
            )}
            {open && <Entry key={open} kind={kind} id={open} listed={rows.find((row) => idOf(kind, row) === open)} query={query} filter={asked} about={about} close={kindAddress(kind.kind, { ...query, open: '' })}
              removed={(words) => { setTold(words); change({ open: '' }, { replace: true }); loaded.again(); }} />}
          </>
        );
      }}</Await>
    </>
  );
}

export function StoreScreen({ kind: wanted, query, about }: { kind: string; query: Query; about: About }) {
  const kind = storeKinds.find((one) => one.kind === wanted);
  useTitle(kind ? `Data: ${kind.title}` : 'Data');
  return (
    <>
      <h1>Data</h1>
      <Kinds current={wanted} />
      <RetentionNote />
      {kind ? <List key={wanted} kind={kind} query={query} about={about} /> : <p role="alert">The store keeps nothing called <code><Text of={wanted} /></code>.</p>}
    </>
  );
}
