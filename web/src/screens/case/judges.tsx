// Each judge's lists with the statement that each verdict is about, its reason and what the judge held it against.
import { fieldWords, figureWords, metricWords, notAvailable, numberWords, titleWords } from '../../figures/words';
import { ScrollBox } from '../../tables/scroll_box';
import { Block, Inline, Text } from '../../text/text';
import { Value } from '../../text/value';
import { judgedRun, verdictTable, type JudgedRun } from './judged_lists';
import { listOf, objectOf, textOf } from './material';

const verdictClass = (verdict: string): string => (/^(yes|true|pass|fully)/i.test(verdict) ? 'pass' : /^(no\b|false|fail)/i.test(verdict) ? 'fail' : 'open');

const listTitles: Record<string, string> = {
  TP: 'In both (TP)', FP: 'Only in the answer (FP)', FN: 'Only in the ideal answer (FN)',
};

function RunOfMetric({ run, of }: { run: JudgedRun; of: number }) {
  return (
    <section class="judged-run">
      <p>
        {of > 1 && <span class="note">Run {run.run} of {of} · </span>}
        score <strong>{run.score === null ? notAvailable : numberWords(run.score)}</strong>
      </p>
      {run.reason && <Block of={run.reason} />}
      {run.verdicts.length > 0 && (
        <ol class="verdicts">
          {run.verdicts.map((one, i) => (
            <li key={i} class={verdictClass(one.verdict)}>
              <span class="verdict-word"><Inline of={one.verdict} /></span>
              <div>
                <Block of={one.about} className="about" />
                {one.reason && <Block of={one.reason} className="note" />}
              </div>
            </li>
          ))}
        </ol>
      )}
      {run.lists.map(({ name, items }) => (
        <details class="more" key={name}>
          <summary><Text of={listTitles[name] ?? titleWords(name)} /> ({items.length})</summary>
          {items.length > 0 ? <ol class="plain-list">{items.map((one, i) => <li key={i}><Value of={one} /></li>)}</ol> : <p class="note">none</p>}
        </details>
      ))}
    </section>
  );
}

function JudgedMetric({ name, value }: { name: string; value: unknown }) {
  const metric = objectOf(value);
  const { mean, passed, threshold, error } = metric;
  const runs = listOf(metric['runs']).map(judgedRun);
  return (
    <details class="metric" open={passed === false}>
      <summary>
        <span class={`state ${passed === true ? 'pass' : passed === false ? 'fail' : ''}`}>{passed === true ? '✓' : passed === false ? '✗' : '·'}<span class="visually-hidden"> {passed === true ? 'passed' : passed === false ? 'failed' : 'no threshold'}</span></span>
        <strong><Text of={titleWords(name)} /></strong>
        <span>{typeof mean === 'number' ? numberWords(mean) : notAvailable}</span>
        {typeof threshold === 'number' && <span class="note">threshold {threshold}</span>}
      </summary>
      {error !== undefined && <Block of={textOf(error)} className="why" />}
      {runs.map((run, i) => <RunOfMetric key={i} run={run} of={runs.length} />)}
    </details>
  );
}

// `metrics` of a result: by name, each with its runs.
export function JudgedMetrics({ metrics }: { metrics: Record<string, unknown> }) {
  return <div class="judged">{Object.entries(metrics).map(([name, value]) => <JudgedMetric key={name} name={name} value={value} />)}</div>;
}

// `verdicts` of a result: rows of what was judged.
export function VerdictRows({ verdicts }: { verdicts: unknown[] }) {
  const { columns, rows } = verdictTable(verdicts);
  return (
    <ScrollBox label="Table of verdicts" long={rows.length > 12}>
      <table>
        <caption class="visually-hidden">Verdicts</caption>
        <thead><tr>{columns.map((name) => <th key={name} scope="col"><Text of={fieldWords(name)} /></th>)}</tr></thead>
        <tbody>{rows.map((row, i) => <tr key={i}>{row.map((value, j) => <td key={j} class="upper"><Value of={value} inTable /></td>)}</tr>)}</tbody>
      </table>
    </ScrollBox>
  );
}

// The figures that this case gives to the run's.
export function Scores({ scores }: { scores: [string, unknown][] }) {
  return (
    <dl class="scores">
      {scores.map(([name, value]) => (
        <div key={name}><dt title={name}><Text of={metricWords(name)} /></dt><dd>{typeof value === 'number' ? figureWords(value, Number.isInteger(value) ? 'count' : 'number') : notAvailable}</dd></div>
      ))}
    </dl>
  );
}
