// What a sheet can be made of: a judged figure, two variants, or a question of one's own with its own kind of answer.
import { useState } from 'preact/hooks';
import { addressOf } from '../../address';
import { post, runPath, type Refusal } from '../../api/client';
import { Trouble } from '../../api/loading';
import type { Offer, Sheet } from '../../api/types';
import { countedWords } from '../../figures/words';
import { go } from '../../navigation';
import { Inline, Text } from '../../text/text';
import { isOwn, kindWords, noOwn, ownLabels, placeholderOf, requestOf, type OwnAnswer } from './sheet_request';

const usualCount = 20;

// How a question of one's own is answered.
function OwnAnswers({ own, set }: { own: OwnAnswer; set: (own: OwnAnswer) => void }) {
  const end = (words: string, side: 'low' | 'high') => (
    <label>{words} <input type="number" step={1} required class="bound" value={own[side]} onInput={(event) => set({ ...own, [side]: event.currentTarget.value })} /></label>
  );
  return (
    <>
      <label>Answered by <select value={own.kind} onChange={(event) => set({ ...own, kind: event.currentTarget.value as OwnAnswer['kind'] })}>
        <option value="rubric">yes or no</option><option value="rating">a rating</option><option value="label">one of several classes</option>
      </select></label>
      {own.kind === 'rating' && <>{end('from', 'low')}{end('to', 'high')}</>}
      {own.kind === 'label' && <label class="wide">Classes, one a line <textarea rows={4} required value={own.labels} onInput={(event) => set({ ...own, labels: event.currentTarget.value })} /></label>}
    </>
  );
}

export function OfferForm({ run, offer }: { run: string; offer: Offer }) {
  const [count, setCount] = useState(Math.min(usualCount, offer.cases));
  const [question, setQuestion] = useState('');
  const variants = offer.variants ?? [];
  const [pair, setPair] = useState<[string, string]>([variants[0] ?? '', variants[1] ?? '']);
  const [own, setOwn] = useState(noOwn);
  const [problem, setProblem] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const ofOne = isOwn(offer);
  const make = async (): Promise<void> => {
    setBusy(true);
    try {
      const sheet = await post<Sheet>(runPath(run, '/sheets'), requestOf(offer, { count, question, pair, own }));
      go(addressOf({ name: 'sheet', sheet: sheet.id, query: {} }));
    } catch (error) {
      setProblem(error as Refusal);
      setBusy(false);
    }
  };
  const isUnready = isBusy || count < 1 || (ofOne && own.kind === 'label' && ownLabels(own).length < 2);
  return (
    <form class="card offer" onSubmit={(event) => { event.preventDefault(); void make(); }}>
      <h3><Text of={offer.title || kindWords(offer)} /></h3>
      <p class="note">{kindWords(offer)} · {countedWords(offer.cases, 'case', 'cases')}</p>
      {offer.labels.length > 0 && <p class="note">Labels: <Inline of={offer.labels.join(', ')} /></p>}
      {variants.length > 2 && ([0, 1] as const).map((i) => (
        <label key={i}>{i === 0 ? 'One' : 'Other'} variant <select value={pair[i]} onChange={(event) => { const next: [string, string] = [...pair]; next[i] = event.currentTarget.value; setPair(next); }}>{variants.map((name) => <option key={name}>{name}</option>)}</select></label>
      ))}
      <label class="wide">Question <input type="text" required={ofOne} maxLength={2000} value={question} placeholder={placeholderOf(offer)} onInput={(event) => setQuestion(event.currentTarget.value)} /></label>
      {ofOne && <OwnAnswers own={own} set={setOwn} />}
      <label>Cases, drawn at random <input type="number" min={1} max={offer.cases} value={count} onInput={(event) => setCount(Number(event.currentTarget.value))} /></label>
      <button type="submit" class="plain strong" disabled={isUnready}>Make the sheet</button>
      {problem && <Trouble problem={problem} />}
    </form>
  );
}
