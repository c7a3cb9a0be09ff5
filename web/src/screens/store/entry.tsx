// An opened entry: what belongs to it, what may be done with it, its fields, and all of it as JSON when asked for.
import { useEffect, useRef } from 'preact/hooks';
import type { Query } from '../../address';
import { Trouble, useLoaded } from '../../api/loading';
import type { About } from '../../api/types';
import { countWords, titleWords } from '../../figures/words';
import { Link } from '../../navigation';
import { Name, Text } from '../../text/text';
import { Fields, JsonOnDemand } from '../../text/value';
import { VerdictFeedback } from './feedback';
import { useFound } from './found';
import { JobFigures } from './job';
import { relatedTo, type StoreKind } from './kinds';
import { ListTable } from './list_table';
import { isMembers, partsOf, wordAt, type Members } from './members';
import { Removal } from './removal';

function Parts({ of }: { of: Members }) {
  const { fields, groups, tables, asCame } = partsOf(of);
  return (
    <>
      {fields.length > 0 && <Fields of={fields} />}
      {groups.map(([name, members]) => <div key={name} class="block"><h3><Text of={titleWords(name)} /></h3><Fields of={members} /></div>)}
      {tables.map((table) => <div key={table.name} class="block"><h3><Text of={titleWords(table.name)} /></h3><ListTable of={table} /></div>)}
      {asCame.map(([name, value]) => <JsonOnDemand key={name} of={value} what={`${titleWords(name)}, as it came`} />)}
      <JsonOnDemand of={of} what="All of it as JSON" />
    </>
  );
}

// `listed`: the entry's row, if it is on the page of the list that is shown.
interface EntryProps { kind: StoreKind; id: string; listed: unknown; query: Query; filter: Query; about: About; close: string; removed: (words: string) => void }
export function Entry({ kind, id, listed, query, filter, about, close, removed }: EntryProps) {
  const isElsewhere = listed === undefined && kind.whole?.(id, listed, query) === undefined;
  const found = useFound(kind, id, filter, isElsewhere);
  const row = listed ?? found.row;
  const loaded = useLoaded<unknown>(kind.whole?.(id, row, query));
  const whole = loaded.value;
  const problem = loaded.problem ?? found.problem;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'start', behavior: 'instant' });
  }, [id, (whole ?? row) !== undefined]);
  const shown = whole ?? row;
  // The list and the whole name some members differently: what the whole lacks is looked up in the row.
  const known: Members = { ...(isMembers(row) ? row : {}), ...(isMembers(whole) ? whole : {}) };
  const removal = about.roles.includes('write') ? kind.removal?.(id, known) : undefined;
  return (
    <section id="entry" class="entry" aria-labelledby="entry-title">
      <h2 id="entry-title" ref={heading} tabIndex={-1}>{titleWords(kind.one)} <Name of={id} /></h2>
      <nav class="pages" aria-label={`Of this ${kind.one}`}>
        <Link to={close} class="plain">← Back to the list</Link>
        {relatedTo(kind, known).map(({ words, address }) => <Link key={words} to={address} class="plain">{words}</Link>)}
      </nav>
      {removal && isMembers(shown) && <Removal key={id} path={removal} one={kind.one} goesToo={kind.goesToo ?? ''} offersRecords={kind.kind === 'items'} removed={removed} />}
      {problem && <Trouble problem={problem} />}
      {shown === undefined && !problem && (isElsewhere && found.seen === undefined ? <p>It is not in this list.</p> : <p class="note" role="status">Loading…{found.seen ? ` Looked for among ${countWords(found.seen)} of the list.` : ''}</p>)}
      {kind.kind === 'jobs' && wordAt(known, 'mode') && <JobFigures mode={wordAt(known, 'mode')} id={id} />}
      {isMembers(shown) && <Parts of={shown} />}
      {kind.kind === 'verdicts' && isMembers(shown) && <VerdictFeedback verdict={shown} mayGive={about.roles.includes('label')} />}
    </section>
  );
}
