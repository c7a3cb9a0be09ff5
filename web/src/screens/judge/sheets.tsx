// Judge it yourself: the sheets of a run, and what new ones can be made of.
import { useState } from 'preact/hooks';
import { addressOf, runAddress } from '../../address';
import { post, runPath, type Refusal } from '../../api/client';
import { Await, Trouble, useLoaded } from '../../api/loading';
import type { About, Offer, Sheet, SheetRequest } from '../../api/types';
import { countedWords, countWords, timeWords } from '../../figures/words';
import { go, Link, usePlace } from '../../navigation';
import { Section, useTitle } from '../../parts';
import { Inline, Name, Text } from '../../text/text';

const kindWords: Record<Sheet['kind'], string> = { pair: 'Pairs: which answer is better', rating: 'Ratings on a scale', label: 'Labels', rubric: 'A question of your own, yes or no' };
const usualCount = 20;

function OfferForm({ run, offer }: { run: string; offer: Offer }) {
  const [count, setCount] = useState(Math.min(usualCount, offer.cases));
  const [question, setQuestion] = useState('');
  const variants = offer.variants ?? [];
  const [pair, setPair] = useState<[string, string]>([variants[0] ?? '', variants[1] ?? '']);
  const [problem, setProblem] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const make = async (): Promise<void> => {
    setBusy(true);
    const request: SheetRequest = {
      kind: offer.kind, count, ...(offer.figure ? { figure: offer.figure } : {}), ...(offer.scale ? { scale: offer.scale } : {}),
      ...(offer.labels.length > 0 ? { labels: offer.labels } : {}), ...(variants.length > 1 ? { variants: pair } : variants.length === 1 ? { variants } : {}), ...(question.trim() ? { question: question.trim() } : {}),
    };
    try {
      const sheet = await post<Sheet>(runPath(run, '/sheets'), request);
      go(addressOf({ name: 'sheet', sheet: sheet.id, query: {} }));
    } catch (error) {
      setProblem(error as Refusal);
      setBusy(false);
    }
  };
  return (
    <form class="card offer" onSubmit={(event) => { event.preventDefault(); void make(); }}>
      <h3><Text of={offer.title || kindWords[offer.kind]} /></h3>
      <p class="note">{kindWords[offer.kind]}{offer.scale && ` from ${offer.scale[0]} to ${offer.scale[1]}`} · {countedWords(offer.cases, 'case', 'cases')}</p>
      {offer.labels.length > 0 && <p class="note">Labels: <Inline of={offer.labels.join(', ')} /></p>}
      {variants.length > 2 && ([0, 1] as const).map((i) => (
        <label key={i}>{i === 0 ? 'One' : 'Other'} variant <select value={pair[i]} onChange={(event) => { const next: [string, string] = [...pair]; next[i] = event.currentTarget.value; setPair(next); }}>{variants.map((name) => <option key={name}>{name}</option>)}</select></label>
      ))}
      {(offer.kind === 'rubric' || offer.kind === 'pair') && (
        <label class="wide">Question <input type="text" required={offer.kind === 'rubric' && offer.figure === null} value={question} placeholder={offer.kind === 'pair' ? 'Which answer is better?' : 'Does the answer …?'} onInput={(event) => setQuestion(event.currentTarget.value)} /></label>
      )}
      <label>Cases, drawn at random <input type="number" min={1} max={offer.cases} value={count} onInput={(event) => setCount(Number(event.currentTarget.value))} /></label>
      <button type="submit" class="plain strong" disabled={isBusy || count < 1}>Make the sheet</button>
      {problem && <Trouble problem={problem} />}
    </form>
  );
}

function SheetCard({ sheet }: { sheet: Sheet }) {
  return (
    <li class="card">
      <h3><Link to={addressOf({ name: 'sheet', sheet: sheet.id, query: {} })}><Text of={sheet.title || kindWords[sheet.kind]} /></Link></h3>
      <p><Text of={sheet.question} /></p>
      <p class="note">{countedWords(sheet.of, 'task', 'tasks')} · made {timeWords(sheet.created)}</p>
      {sheet.people.length > 0 && <ul class="people">{sheet.people.map(({ name, done }) => <li key={name}><Inline of={name} /> <span class="note">{countWords(done)} of {countWords(sheet.of)}</span></li>)}</ul>}
    </li>
  );
}

export function JudgeScreen({ run, about }: { run: string; about: About }) {
  const loaded = useLoaded<{ sheets: Sheet[]; offers: Offer[] }>(runPath(run, '/sheets'));
  useTitle('Judge it yourself');
  usePlace(`judge ${run}`, loaded.value !== undefined);
  return (
    <>
      <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> <Link to={runAddress(run)}><Name of={run} /></Link> <span aria-hidden="true">/</span> judge it yourself</p>
      <h1>Judge it yourself</h1>
      <p class="what">A judge is a model. What people say on the same cases tells how far to believe it.</p>
      <Await of={loaded}>{({ sheets, offers }) => (
        <>
          <Section id="sheets" title="Sheets">{sheets.length > 0 ? <ul class="cards">{sheets.map((sheet) => <SheetCard key={sheet.id} sheet={sheet} />)}</ul> : <p class="note">None was made yet.</p>}</Section>
          {about.roles.includes('label') && (
            <Section id="offers" title="A new sheet">{offers.length > 0 ? <div class="cards">{offers.map((offer, i) => <OfferForm key={i} run={run} offer={offer} />)}</div> : <p class="note">This run holds nothing that a person could judge.</p>}</Section>
          )}
        </>
      )}</Await>
    </>
  );
}
