// A sheet: its tasks one by one, blinded and in random order, and what the answers of all people say.
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf, type Query } from '../../address';
import { get, getBlob, post, sheetPath, withQuery, type Refusal } from '../../api/client';
import { Await, Trouble, useLoaded } from '../../api/loading';
import type { About, NextTask, Sheet, Task } from '../../api/types';
import { countWords, titleWords } from '../../figures/words';
import { useKeys } from '../../keys';
import { Link, usePlace, useQuery } from '../../navigation';
import { useTitle } from '../../parts';
import { saveAddress } from '../../plots/drawing';
import { Folded } from '../../text/folded';
import { Block, Inline, Text } from '../../text/text';
import { AgreementView } from './agreement';
import { choicesOf } from './answer_keys';
import { person, setPerson } from './person';

function NameForm({ done }: { done: (name: string) => void }) {
  const [name, setName] = useState('');
  return (
    <form class="card" onSubmit={(event) => { event.preventDefault(); if (name.trim()) done(name.trim()); }}>
      <label for="person">Your name</label>
      <input id="person" type="text" autocomplete="off" maxLength={80} value={name} onInput={(event) => setName(event.currentTarget.value)} autofocus />
      <button type="submit" class="plain strong">Begin</button>
      <p class="note">Your answers are kept under it, apart from those of others. You can stop and go on later under the same name.</p>
    </form>
  );
}

function TaskView({ task }: { task: Task }) {
  return (
    <>
      <dl class="fields material">{task.material.map(({ name, text }) => <div key={name}><dt><Text of={titleWords(name)} /></dt><dd><Block of={text} /></dd></div>)}</dl>
      {task.answers && (
        <div class="answers">
          {(['A', 'B'] as const).map((seat) => <article key={seat} class="answer"><h3>{seat}</h3><Block of={task.answers?.[seat] ?? ''} /></article>)}
        </div>
      )}
    </>
  );
}

function Tasks({ sheet, who, finished }: { sheet: Sheet; who: string; finished: () => void }) {
  const [next, setNext] = useState<NextTask>();
  const [comment, setComment] = useState('');
  const [problem, setProblem] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const choices = choicesOf(sheet);
  const path = withQuery(sheetPath(sheet.id, '/next'), { person: who });
  // What was said beside the last answer: it is there again when that is taken back.
  const said = useRef({ key: '', comment: '' });
  const show = (value: NextTask): void => { setNext(value); setComment(value.task?.key === said.current.key ? said.current.comment : ''); setBusy(false); setProblem(undefined); scrollTo(0, 0); };
  const fail = (error: unknown): void => { setProblem(error as Refusal); setBusy(false); };
  useEffect(() => { get<NextTask>(path).then(show, fail); }, [path]);
  const answer = (value: string | number): void => {
    if (!next?.task || isBusy) return;
    setBusy(true);
    said.current = { key: next.task.key, comment };
    post(sheetPath(sheet.id, '/answers'), { person: who, key: next.task.key, value, ...(comment.trim() ? { comment: comment.trim() } : {}) }).then(() => get<NextTask>(path)).then(show, fail);
  };
  const undo = (): void => {
    if (isBusy || !next || next.done === 0) return;
    setBusy(true);
    post<NextTask>(sheetPath(sheet.id, '/undo'), { person: who }).then(show, fail);
  };
  useKeys([
    ...choices.filter(({ key }) => key !== '').map(({ key, value, words }) => ({ key, does: `answer: ${words}`, act: () => answer(value), once: true })),
    { key: 'u', does: 'take the last answer back', act: undo, once: true },
  ]);
  if (!next) return problem ? <Trouble problem={problem} /> : <p class="note" role="status">Loading…</p>;
  return (
    <>
      <p class="note" role="status">{countWords(next.done)} of {countWords(next.of)} done by <Inline of={who} />
        {' '}<button type="button" class="plain" disabled={next.done === 0 || isBusy} onClick={undo}>Undo <kbd>u</kbd></button></p>
      <svg class="sheet-progress" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true"><rect class="whole" width="100" height="2" /><rect class="part" width={(next.of > 0 ? next.done / next.of * 100 : 0).toFixed(2)} height="2" /></svg>
      {problem && <Trouble problem={problem} />}
      {next.task === null ? (
        <div class="card"><h2>All done</h2><p>Thank you. <button type="button" class="plain strong" onClick={finished}>See what the answers say</button></p></div>
      ) : (
        <>
          {sheet.rules && <Folded summary="How the judge was told to decide" opened={next.done === 0}>{() => <Block of={sheet.rules} />}</Folded>}
          <TaskView task={next.task} />
          <div class="choices" role="group" aria-label="Your answer">
            <p class="question"><Text of={next.task.asked ?? sheet.question} /></p>
            {choices.map(({ key, value, words }) => <button key={value} type="button" class="choice" disabled={isBusy} onClick={() => answer(value)}><span><Text of={words} /></span>{key && <kbd>{key}</kbd>}</button>)}
          </div>
          <label class="wide note">Comment (optional) <input type="text" value={comment} maxLength={2000} onInput={(event) => setComment(event.currentTarget.value)} /></label>
        </>
      )}
    </>
  );
}

export function SheetScreen({ sheet, query, about }: { sheet: string; query: Query; about: About }) {
  const loaded = useLoaded<Sheet>(sheetPath(sheet));
  const [who, setWho] = useState(person());
  const [, change] = useQuery();
  const [problem, setProblem] = useState<Refusal>();
  const isAgreement = query['show'] === 'agreement' || !about.roles.includes('label');
  useTitle(loaded.value?.title ?? 'Judge it yourself');
  usePlace(`sheet ${sheet}`, loaded.value !== undefined);
  const save = (): void => {
    getBlob(sheetPath(sheet, '/labels')).then((blob) => saveAddress('labels.csv', URL.createObjectURL(blob)), (error: unknown) => setProblem(error as Refusal));
  };
  return (
    <>
      {!loaded.value && <h1>Judge it yourself</h1>}
      <Await of={loaded}>{(found) => (
        <>
          <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> <Link to={addressOf({ name: 'judge', run: found.run, query: {} })}>judge it yourself</Link> <span aria-hidden="true">/</span> sheet</p>
          <h1><Text of={found.title} /></h1>
          <p class="tabs">
            {about.roles.includes('label') && <button type="button" class="plain" aria-pressed={!isAgreement} onClick={() => change({ show: '' })}>Tasks</button>}
            <button type="button" class="plain" aria-pressed={isAgreement} onClick={() => { loaded.again(); change({ show: 'agreement' }); }}>Agreement</button>
            <button type="button" class="plain" onClick={save}>Labels as CSV ↓</button>
            {who && !isAgreement && <button type="button" class="plain" onClick={() => { setPerson(''); setWho(''); }}>Another person</button>}
          </p>
          {problem && <Trouble problem={problem} />}
          {isAgreement ? <AgreementView sheet={found} /> : who ? <Tasks sheet={found} who={who} finished={() => { loaded.again(); change({ show: 'agreement' }); }} /> : <NameForm done={(name) => { setPerson(name); setWho(name); }} />}
        </>
      )}</Await>
    </>
  );
}
