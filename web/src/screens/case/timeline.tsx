// Every call to the outside world that a case took, in order.
import { useState } from 'preact/hooks';
import type { Effect } from '../../api/types';
import { costWords, countedWords, countWords, durationWords, timeWords, titleWords } from '../../figures/words';
import { Name } from '../../text/text';
import { Fields, JsonOnDemand, Value } from '../../text/value';
import { objectOf, textOf } from './material';
import { MessageView, messagesOf } from './messages';

// Effects that are listed before the reader asks for more: an experiment's case may have a thousand.
const atFirst = 60;

function tokenWords({ prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens }: Effect): string {
  if (prompt_tokens + completion_tokens === 0) return '';
  const more = [cached_tokens > 0 ? `${countWords(cached_tokens)} cached` : '', reasoning_tokens > 0 ? `${countWords(reasoning_tokens)} for reasoning` : ''].filter(Boolean);
  return `${countWords(prompt_tokens)} → ${countWords(completion_tokens)} tokens${more.length > 0 ? ` (${more.join(', ')})` : ''}`;
}

function facts(effect: Effect): string[] {
  return [
    tokenWords(effect),
    effect.reused ? 'reused, not asked again' : durationWords(effect.latency_ms),
    effect.cost_usd === null || effect.cost_usd > 0 ? `cost ${costWords(effect.cost_usd)}` : '',
    effect.tries > 1 ? `${effect.tries} tries` : '',
    effect.attempt > 1 ? `attempt ${effect.attempt}` : '',
  ].filter(Boolean);
}

function EffectBody({ effect }: { effect: Effect }) {
  const request = objectOf(effect.request);
  const reply = objectOf(effect.reply);
  const { messages, ...asked } = request;
  const { message, ...said } = reply;
  const answered = messagesOf(message === undefined ? [] : [message]);
  const conversation = messagesOf(messages);
  return (
    <div class="effect-body">
      {conversation.map((one, i) => <MessageView key={i} message={one} />)}
      {conversation.length === 0 && <Fields of={Object.entries(asked)} />}
      {answered.map((one, i) => <MessageView key={i} message={one} />)}
      {answered.length === 0 && (effect.reply === null ? <p class="note">No reply was kept.</p> : (
        <article class="message assistant">
          <p class="role">Reply</p>
          {Object.keys(reply).length > 0 ? <Fields of={Object.entries(reply)} /> : <Value of={effect.reply} />}
        </article>
      ))}
      {conversation.length > 0 && Object.keys(asked).length > 0 && <JsonOnDemand of={asked} what="How it was asked (model, sampling, tools, form of the answer)" />}
      {answered.length > 0 && Object.keys(said).length > 0 && <JsonOnDemand of={said} what="What came with the reply" />}
      <JsonOnDemand of={effect} what="JSON of this call" />
      <p class="note">Finished {timeWords(effect.finished)}</p>
    </div>
  );
}

function EffectEntry({ effect, slowest }: { effect: Effect; slowest: number }) {
  const [isOpen, setOpen] = useState(false);
  const share = slowest > 0 ? Math.max(1, Math.round(effect.latency_ms / slowest * 100)) : 0;
  const failed = objectOf(effect.reply)['error'] !== undefined;
  return (
    <li>
      <details class="effect" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="kind">{titleWords(effect.kind)}</span>
          <code class="step"><Name of={effect.step} /></code>
          {effect.model && <span class="note"><Name of={effect.model} /></span>}
          {failed && <span class="severity error">error</span>}
          <span class="facts-line note">{facts(effect).map((words, i) => <span key={i}>{words}</span>)}</span>
          <svg class="latency" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width={share} height="4" /></svg>
        </summary>
        {isOpen && <EffectBody effect={effect} />}
      </details>
    </li>
  );
}

export function Timeline({ effects }: { effects: Effect[] }) {
  const [most, setMost] = useState(atFirst);
  const [wanted, setWanted] = useState('');
  if (effects.length === 0) return <p class="note">Nothing was asked for this case.</p>;
  const needle = wanted.trim().toLowerCase();
  const fitting = needle ? effects.filter((one) => `${one.step} ${one.kind} ${one.model}`.toLowerCase().includes(needle)) : effects;
  const slowest = Math.max(...effects.map(({ latency_ms }) => latency_ms));
  const costs = effects.map(({ cost_usd }) => cost_usd);
  const cost = costs.some((one) => one === null) ? null : costs.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  const sum = (field: 'prompt_tokens' | 'completion_tokens'): number => effects.reduce((total, one) => total + one[field], 0);
  return (
    <>
      <p class="note">
        {countedWords(effects.length, 'call', 'calls')}, {countWords(sum('prompt_tokens'))} tokens in, {countWords(sum('completion_tokens'))} out, cost {costWords(cost)}
      </p>
      {effects.length > 12 && <label class="filter">Filter <input type="search" placeholder="step, kind or model" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} /></label>}
      <ol class="timeline">{fitting.slice(0, most).map((effect) => <EffectEntry key={effects.indexOf(effect)} effect={effect} slowest={slowest} />)}</ol>
      {fitting.length > most && <button type="button" class="plain" onClick={() => setMost(most + 500)}>Show more of {countWords(fitting.length - most)} further calls</button>}
    </>
  );
}

export const errorOf = (result: Record<string, unknown>): string => textOf(result['error']);
