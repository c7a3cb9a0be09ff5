// What people say of a verdict, and a place to say it: a rating where the judge rated, else whether one agrees.
import { useState } from 'preact/hooks';
import { post, withQuery, type Refusal } from '../../api/client';
import { Await, Trouble, useLoaded } from '../../api/loading';
import { countWords } from '../../figures/words';
import { Inline } from '../../text/text';
import { person, setPerson } from '../judge/person';
import { feedbackPath } from './kinds';
import { shownAt, wordAt } from './members';

const atOnce = 50;
const ratings: [string, string][] = [['1', '1, strongly disagree'], ['2', '2'], ['3', '3, neither'], ['4', '4'], ['5', '5, strongly agree']];
const agreements: [string, string][] = [['AGREE', 'agree'], ['DISAGREE', 'disagree']];

function recordedWords(one: unknown): string {
  const words = shownAt(one, 'recordedMs');
  return typeof words === 'string' ? words : '';
}

function FeedbackForm({ resultId, isAgreement, given }: { resultId: number; isAgreement: boolean; given: () => void }) {
  const [value, setValue] = useState('');
  const [text, setText] = useState('');
  const [name, setName] = useState(person());
  const [isUnder, setUnder] = useState(false);
  const [problem, setProblem] = useState<Refusal>();
  const send = (event: Event): void => {
    event.preventDefault();
    setUnder(true);
    setPerson(name.trim());
    post(feedbackPath, { resultId, person: name.trim(), ...(isAgreement ? { agreement: value } : { likert: Number(value) }), ...(text.trim() ? { text: text.trim() } : {}) })
      .then(() => { setProblem(undefined); setValue(''); setText(''); given(); }, (error: unknown) => setProblem(error as Refusal))
      .finally(() => setUnder(false));
  };
  return (
    <form class="card feedback" onSubmit={send}>
      <fieldset>
        <legend>{isAgreement ? 'Do you agree with the judged value?' : 'How far do you agree with the judged value?'}</legend>
        {(isAgreement ? agreements : ratings).map(([one, words]) => (
          <label key={one} class="check"><input type="radio" name="verdict" value={one} required checked={value === one} onChange={() => setValue(one)} /> {words}</label>
        ))}
      </fieldset>
      <p class="note">The judge’s own word stands above, so this is not a blind rating: people tend to agree with what they have just read. It counts as a human rating all the same in the figures of the job.</p>
      <label class="wide">Why <textarea rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
      <label class="wide">Your name <input type="text" autocomplete="off" maxLength={80} required value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
      <button type="submit" class="plain strong" disabled={isUnder || !value || !name.trim()}>{isUnder ? 'Sending…' : 'Give feedback'}</button>
      {problem && <Trouble problem={problem} />}
    </form>
  );
}

export function VerdictFeedback({ verdict, mayGive }: { verdict: unknown; mayGive: boolean }) {
  const resultId = Number(wordAt(verdict, 'resultId'));
  const [most, setMost] = useState(atOnce);
  const loaded = useLoaded<{ feedback: unknown[]; total: number }>(withQuery(feedbackPath, { resultId, count: most }));
  const isAgreement = wordAt(verdict, 'mode') === 'mode3' || wordAt(verdict, 'evaluationAgreement') !== '';
  return (
    <div class="block">
      <h3>What people say of it</h3>
      <Await of={loaded}>{({ feedback, total }) => (feedback.length === 0 ? <p class="note">Nobody has said anything yet.</p> : <>
        <ul class="case-list">{feedback.map((one) => (
          <li key={wordAt(one, 'feedbackId')}>
            <strong><Inline of={wordAt(one, 'person')} /></strong>
            <span>{wordAt(one, 'likert') || wordAt(one, 'agreement').toLowerCase()}</span>
            <span><Inline of={wordAt(one, 'text')} /></span>
            <span class="note">{recordedWords(one)}</span>
          </li>
        ))}</ul>
        {feedback.length < total && <p><span class="note">{countWords(feedback.length)} of {countWords(total)}</span> <button type="button" class="plain" onClick={() => setMost(most + atOnce)}>Show more</button></p>}
      </>)}</Await>
      {mayGive && <FeedbackForm key={resultId} resultId={resultId} isAgreement={isAgreement} given={loaded.again} />}
    </div>
  );
}
