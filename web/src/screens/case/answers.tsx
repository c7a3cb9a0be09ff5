// What the variants of a declared evaluation answered, side by side: what differs from the first is marked, and each
// metric says why it found what it found.
import { useState } from 'preact/hooks';
import { useKeys } from '../../keys';
import { countedWords, figureWords, notAvailable, durationWords, costWords } from '../../figures/words';
import { Block, Inline, Text, WordDiff } from '../../text/text';
import type { Answer } from './answers_of';
import { textOf } from './material';
import { ToolCalls } from './messages';

function MetricLine({ metric }: { metric: Record<string, unknown> }) {
  const { name, score, passed, reason, error } = metric;
  const state = passed === true ? 'pass' : passed === false ? 'fail' : 'open';
  return (
    <li class={state}>
      <span class={`state ${state}`} aria-hidden="true">{passed === true ? '✓' : passed === false ? '✗' : '·'}</span>
      <div>
        <p><strong><Inline of={textOf(name)} /></strong> {typeof score === 'number' ? figureWords(score, Number.isInteger(score) ? 'count' : 'number') : notAvailable}
          <span class="visually-hidden"> {passed === true ? 'passed' : passed === false ? 'failed' : ''}</span></p>
        {(reason !== undefined || error !== undefined) && <Block of={textOf(reason ?? error)} className="note" />}
      </div>
    </li>
  );
}

function AnswerColumn({ answer, against, below }: { answer: Answer; against: Answer | undefined; below: 'h3' | 'h4' }) {
  const { meta } = answer;
  const Heading = below;
  return (
    <article class="answer">
      {answer.variant && <Heading><Inline of={answer.variant} />{against && <span class="note"> against <Inline of={against.variant} /></span>}</Heading>}
      {answer.error && <Block of={answer.error} className="why" />}
      {against ? <WordDiff before={against.output} after={answer.output} /> : <Block of={answer.output} />}
      {answer.trace.length > 0 && <details class="more"><summary>{countedWords(answer.trace.length, 'tool call', 'tool calls')}</summary><ToolCalls calls={answer.trace} /></details>}
      <p class="note">
        {[textOf(meta['model']), typeof meta['latency_ms'] === 'number' ? durationWords(meta['latency_ms']) : '', typeof meta['cost_usd'] === 'number' ? costWords(meta['cost_usd']) : '']
          .filter(Boolean).map((words, i) => <span key={i}>{i > 0 && ' · '}<Text of={words} /></span>)}
      </p>
      <ul class="answer-metrics">{answer.metrics.map((metric, i) => <MetricLine key={i} metric={metric} />)}</ul>
    </article>
  );
}

export function Answers({ answers }: { answers: Answer[] }) {
  const [marked, setMarked] = useState(true);
  const variants = [...new Set(answers.map(({ variant }) => variant))];
  const repeats = [...new Set(answers.map(({ repeat }) => repeat))].sort((a, b) => a - b);
  const isCompared = variants.length > 1;
  useKeys(isCompared ? [{ key: 'd', does: 'mark or unmark what differs between the variants', act: () => setMarked((before) => !before) }] : []);
  return (
    <>
      {isCompared && (
        <label class="check"><input type="checkbox" checked={marked} onChange={(event) => setMarked(event.currentTarget.checked)} /> Mark what differs from the first: <ins>added</ins> <del>removed</del></label>
      )}
      {repeats.map((repeat) => {
        const row = answers.filter((one) => one.repeat === repeat);
        return (
          <div key={repeat} class="answer-row">
            {repeats.length > 1 && <h3 class="note">Repeat {repeat} of {repeats.length}</h3>}
            <div class="answers">{row.map((answer, i) => <AnswerColumn key={i} answer={answer} against={marked && i > 0 ? row[0] : undefined} below={repeats.length > 1 ? 'h4' : 'h3'} />)}</div>
          </div>
        );
      })}
    </>
  );
}
