// The data service: what was recorded, by kind, narrowed and paged by the server.
import { useState } from 'preact/hooks';
import { addressOf, type Query } from '../../address';
import { withQuery } from '../../api/client';
import { Await, useLoaded } from '../../api/loading';
import { countWords, plainWords } from '../../figures/words';
import { Link, usePlace, useQuery } from '../../navigation';
import { useTitle } from '../../parts';
import { Cell } from '../../tables/data_table';
import { ScrollBox } from '../../tables/scroll_box';
import { Json } from '../../text/value';
import { memberAt, rowsOf, shownAt, storeKinds, wholeAddress, type StoreKind } from './kinds';

const count = 50;

function Filters({ kind, query, change }: { kind: StoreKind; query: Query; change: (changes: Query) => void }) {
  const [texts, setTexts] = useState<Query>(Object.fromEntries(kind.filters.map((name) => [name, query[name] ?? ''])));
  if (kind.filters.length === 0) return null;
  return (
    <form class="filters" role="search" aria-label={kind.title} onSubmit={(event) => { event.preventDefault(); change({ ...texts, cursor: '' }); }}>
      {kind.filters.map((name) => <label key={name}>{plainWords(name.replace(/([A-Z])/g, ' $1').toLowerCase())} <input type="text" value={texts[name] ?? ''} onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })} /></label>)}
      <button type="submit" class="plain">Show</button>
    </form>
  );
}

// All that is kept of one row, asked for when it is opened.
function Whole({ kind, row }: { kind: StoreKind; row: unknown }) {
  const address = wholeAddress(kind, row);
  const loaded = useLoaded<unknown>(address);
  if (!address) return <Json of={row} />;
  return <Await of={loaded}>{(value) => <Json of={value} />}</Await>;
}

function Rows({ kind, rows }: { kind: StoreKind; rows: unknown[] }) {
  const [open, setOpen] = useState(-1);
  if (rows.length === 0) return <p class="note">Nothing fits.</p>;
  // What no row has is not shown as a column.
  const columns = kind.columns.filter(([pointer]) => rows.some((row) => memberAt(row, pointer) !== undefined));
  return (
    <ScrollBox label={kind.title}>
      <table>
        <caption class="visually-hidden">{kind.title}</caption>
        <thead><tr>{columns.map(([pointer, words]) => <th key={pointer} scope="col">{words}</th>)}<th scope="col"><span class="visually-hidden">all of it</span></th></tr></thead>
        <tbody>{rows.map((row, i) => [
          <tr key={i}>
            {columns.map(([pointer]) => <Cell key={pointer} of={shownAt(row, pointer)} />)}
            <td class="short"><button type="button" class="plain" aria-expanded={open === i} onClick={() => setOpen(open === i ? -1 : i)}>All of it</button></td>
          </tr>,
          open === i && <tr key={`${i} whole`}><td colSpan={columns.length + 1}><Whole kind={kind} row={row} /></td></tr>,
        ])}</tbody>
      </table>
    </ScrollBox>
  );
}

export function StoreScreen({ kind: wanted, query }: { kind: string; query: Query }) {
  const [, change] = useQuery();
  const kind = storeKinds.find((one) => one.kind === wanted) ?? storeKinds[0];
  const asked = Object.fromEntries((kind?.filters ?? []).flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const { cursor } = query;
  const loaded = useLoaded<Record<string, unknown>>(kind && withQuery(kind.path, { ...asked, cursor, count }));
  useTitle('Data');
  usePlace(`store ${wanted}`, loaded.value !== undefined);
  if (!kind) return null;
  return (
    <>
      <h1>Data</h1>
      <nav class="tabs" aria-label="Kinds of data">{storeKinds.map((one) => <Link key={one.kind} to={addressOf({ name: 'store', kind: one.kind, query: {} })} current={one.kind === kind.kind} class="plain">{one.title}</Link>)}</nav>
      <Filters key={kind.kind} kind={kind} query={query} change={(changes) => change(changes)} />
      <Await of={loaded}>{(answer) => {
        const next = typeof answer['next'] === 'string' ? answer['next'] : '';
        return (
          <>
            {typeof answer['total'] === 'number' && <p class="note" role="status">{countWords(answer['total'])} in all</p>}
            <Rows key={JSON.stringify([kind.kind, asked, cursor])} kind={kind} rows={rowsOf(answer, kind.list)} />
            {(cursor || next) && (
              <nav class="pages" aria-label="Pages">
                <button type="button" class="plain" disabled={!cursor} onClick={() => change({ cursor: '' })}>← First page</button>
                <button type="button" class="plain" disabled={!next} onClick={() => change({ cursor: next })}>More →</button>
              </nav>
            )}
          </>
        );
      }}</Await>
    </>
  );
}
