// Judge it yourself: the sheets of a run, and what new ones can be made of.
import { addressOf, runAddress } from '../../address';
import { runPath } from '../../api/client';
import { Await, useLoaded } from '../../api/loading';
import type { About, RunDetail, Sheet, SheetList } from '../../api/types';
import { countedWords, countWords, timeWords } from '../../figures/words';
import { Link, usePlace } from '../../navigation';
import { Section, useTitle } from '../../parts';
import { Inline, Name, Text } from '../../text/text';
import { OfferForm } from './offer';

function SheetCard({ sheet }: { sheet: Sheet }) {
  return (
    <li class="card">
      <h3><Link to={addressOf({ name: 'sheet', sheet: sheet.id, query: {} })}><Text of={sheet.title} /></Link></h3>
      <p><Text of={sheet.question} /></p>
      <p class="note">{countedWords(sheet.of, 'task', 'tasks')} · made {timeWords(sheet.created)}</p>
      {sheet.people.length > 0 && <ul class="people">{sheet.people.map(({ name, done }) => <li key={name}><Inline of={name} /> <span class="note">{countWords(done)} of {countWords(sheet.of)}</span></li>)}</ul>}
    </li>
  );
}

const SheetCards = ({ of }: { of: Sheet[] }) => <ul class="cards">{of.map((sheet) => <SheetCard key={sheet.id} sheet={sheet} />)}</ul>;

export function JudgeScreen({ run, about }: { run: string; about: About }) {
  const loaded = useLoaded<SheetList>(runPath(run, '/sheets'));
  // A sheet outlives its run, and another run may stand in that one's place by now.
  const began = useLoaded<RunDetail>(runPath(run)).value?.run.started ?? '';
  useTitle('Judge it yourself');
  usePlace(`judge ${run}`, loaded.value !== undefined);
  return (
    <>
      <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> <Link to={runAddress(run)}><Name of={run} /></Link> <span aria-hidden="true">/</span> judge it yourself</p>
      <h1>Judge it yourself</h1>
      <p class="what">A judge is a model. What people say on the same cases tells how far to believe it.</p>
      <Await of={loaded}>{({ sheets: all, offers, no_offers: why }) => {
        const sheets = all.filter(({ created }) => created >= began);
        const earlier = all.filter(({ created }) => created < began);
        return <>
          <Section id="sheets" title="Sheets">{sheets.length > 0 ? <SheetCards of={sheets} /> : <p class="note">None was made yet.</p>}</Section>
          {earlier.length > 0 && <Section id="earlier" title="Of an earlier run in this place"><SheetCards of={earlier} /></Section>}
          {about.roles.includes('label') && (
            <Section id="offers" title="A new sheet">{offers.length > 0 ? <div class="cards">{offers.map((offer, i) => <OfferForm key={i} run={run} offer={offer} />)}</div> : <p class="note"><Text of={why ?? 'This run holds nothing that a person could judge.'} /></p>}</Section>
          )}
        </>;
      }}</Await>
    </>
  );
}
