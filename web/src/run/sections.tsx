// The parts of a run, on the page and in its report alike.
import { useState } from 'preact/hooks';
import type { CaseCounts, Figure, Gate, Problem, Summary } from '../api/types';
import { costWords, countWords, figureWords, notAvailable, titleWords } from '../figures/words';
import { DataTable, Matrix } from '../tables/data_table';
import { Inline, Text } from '../text/text';

// What a gate came to; of a run that is not finished, which may end otherwise, what it comes to so far.
const gateState = (passed: boolean, isOpen: boolean): string => (isOpen ? (passed ? 'holds so far' : 'does not hold so far') : passed ? 'passed' : 'failed');

function openGatesWords(gates: Gate[], failed: number): string {
  if (gates.length === 1) return `The gate ${gateState(failed === 0, true)}`;
  return failed === 0 ? `All ${gates.length} gates hold so far` : `${failed} of ${gates.length} gates ${failed === 1 ? 'does' : 'do'} not hold so far`;
}

export function Verdict({ gates, isOpen }: { gates: Gate[]; isOpen: boolean }) {
  const failed = gates.filter(({ passed }) => !passed).length;
  if (isOpen) return <p class="verdict none">Not finished{gates.length > 0 && `. ${openGatesWords(gates, failed)}`}</p>;
  if (gates.length === 0) return <p class="verdict none">No gates were set</p>;
  const words = failed === 0 ? (gates.length === 1 ? 'The gate passed' : `All ${gates.length} gates passed`) : gates.length === 1 ? 'The gate failed' : `${failed} of ${gates.length} gates failed`;
  return <p class={`verdict ${failed > 0 ? 'fail' : 'pass'}`}><span aria-hidden="true">{failed > 0 ? '✗' : '✓'}</span> {words}</p>;
}

// What the figures rest on: how the cases ended, drawn if not all ended well, and in words.
export function RestsOn({ cases, sentences }: { cases: CaseCounts; sentences: string[] }) {
  const parts: [keyof CaseCounts, number][] = [['evaluated', cases.evaluated], ['errored', cases.errored], ['invalid', cases.invalid]];
  const all = parts.reduce((sum, [, count]) => sum + count, 0);
  let x = 0;
  const drawn = parts.map(([name, count]) => {
    const width = (100 * count) / all;
    x += width;
    return { name, x: x - width, width };
  });
  return (
    <div class="cases">
      {all > 0 && cases.evaluated < all && (
        <svg class="cases-bar" viewBox="0 0 100 3" preserveAspectRatio="none" role="img" aria-label={parts.map(([name, count]) => `${name} ${count}`).join(', ')}>
          {drawn.filter(({ width }) => width > 0).map((part) => <rect key={part.name} class={part.name} x={part.x.toFixed(3)} y="0" width={part.width.toFixed(3)} height="3" />)}
        </svg>
      )}
      {sentences.map((sentence, i) => <p key={i}><Text of={sentence} /></p>)}
    </div>
  );
}

export function Gates({ gates, figures, isOpen }: { gates: Gate[]; figures: Figure[]; isOpen: boolean }) {
  const valueOf = ({ gate, value }: Gate): string => {
    if (value === null) return notAvailable;
    const name = gate.trim().split(/\s/)[0] ?? '';
    if (name === 'usage.cost_usd') return costWords(value);
    return figureWords(value, figures.find((figure) => figure.name === name)?.form ?? 'count');
  };
  return (
    <ul class="gates">
      {gates.map((gate) => (
        <li key={gate.gate} class={isOpen ? 'open' : gate.passed ? 'pass' : 'fail'}>
          <span class="state">{!isOpen && <><span aria-hidden="true">{gate.passed ? '✓' : '✗'}</span> </>}{gateState(gate.passed, isOpen)}</span>
          <code><Inline of={gate.gate} /></code>
          <span class="found">value {valueOf(gate)}</span>
          {gate.note && <span class="note"><Text of={gate.note} /></span>}
        </li>
      ))}
    </ul>
  );
}

export function Tables({ summary }: { summary: Summary }) {
  const display = summary.display?.tables ?? {};
  return (
    <>
      {Object.entries(summary.tables).map(([name, table]) => {
        const shown = display[name] ?? {};
        const title = shown.title ?? titleWords(name);
        return (
          <div class="block" key={name}>
            <h3><Text of={title} /></h3>
            {table.labels
              ? <Matrix title={title} labels={table.labels} rows={table.rows} rowTitle={shown.row_title ?? 'rows'} columnTitle={shown.column_title ?? 'columns'} />
              : <DataTable title={title} columns={table.columns ?? []} rows={table.rows} more={table.more_rows} />}
          </div>
        );
      })}
    </>
  );
}

export function Problems({ problems, count }: { problems: Problem[]; count: number }) {
  return (
    <>
      {problems.length < count && <p class="note">The first {countWords(problems.length)} of {countWords(count)}; all are in problems.log.</p>}
      <ul class="problems">
        {problems.map(({ severity, place, message }, i) => (
          <li key={i}>
            <span class={`severity ${severity === 'error' ? 'error' : 'warning'}`}><Text of={severity} /></span>
            {place && <code><Inline of={place} /></code>}
            <span class="what"><Inline of={message} /></span>
          </li>
        ))}
      </ul>
    </>
  );
}

export function Usage({ summary: { usage, cases } }: { summary: Summary }) {
  const tiles: [string, string, string][] = [
    ['Requests', countWords(usage.requests), usage.retries ? `${countWords(usage.retries)} of them retries` : ''],
    ...(usage.repairs ? [['Asked again', countWords(usage.repairs), 'answers that could not be used'] as [string, string, string]] : []),
    ['Tokens in', countWords(usage.prompt_tokens), usage.cached_tokens ? `${countWords(usage.cached_tokens)} cached by the provider` : ''],
    ['Tokens out', countWords(usage.completion_tokens), usage.reasoning_tokens ? `${countWords(usage.reasoning_tokens)} for reasoning` : ''],
    ['Cost', costWords(usage.cost_usd), usage.cost_usd === null ? 'the price of a model is not known' : usage.cost_usd > 0 && cases.evaluated > 0 ? `${costWords(usage.cost_usd / cases.evaluated)} a case` : ''],
    ...(usage.cached > 0 ? [['Reused', countWords(usage.cached), 'answers of an earlier run'] as [string, string, string]] : []),
  ];
  return <dl class="tiles">{tiles.map(([name, value, note]) => <div key={name}><dt>{name}</dt><dd>{value}{note && <span class="note">{note}</span>}</dd></div>)}</dl>;
}

export function Repeat({ command, config }: { command: string; config: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(command);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <>
      {command && (
        <div class="command">
          <pre tabIndex={0}><code><Text of={command} /></code></pre>
          {'clipboard' in navigator && <button type="button" onClick={() => void copy()}>{copied ? 'Copied' : 'Copy'}</button>}
        </div>
      )}
      {config && <details class="more"><summary>The resolved configuration (config.yaml)</summary><pre tabIndex={0}><code><Text of={config} /></code></pre></details>}
    </>
  );
}
