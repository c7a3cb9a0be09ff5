// Runs of the component evaluations, and what their tests look at.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { assay, scratch, write, writeLines, readJson, readLines } from './harness.mjs';

// One run in a directory of its own. `data` are rows, or the text of the file.
export async function evaluate(t, config, data, { args = [], env = {}, files = {}, command = ['run'] } = {}) {
  const directory = scratch(t);
  const input = join(directory, 'data.jsonl');
  if (typeof data === 'string') write(input, data); else writeLines(input, data);
  for (const [name, text] of Object.entries(files)) write(join(directory, name), text);
  const path = write(join(directory, 'eval.yaml'), JSON.stringify({ input_path: 'data.jsonl', ...config }));
  const output = join(directory, 'out');
  const run = await assay([...command, path, ...(command[0] === 'run' ? ['--output-dir', output] : []), ...args], { cwd: directory, env });
  return {
    ...run, directory, output,
    get summary() { return readJson(join(output, 'summary.json')); },
    get metrics() { return this.summary.metrics; },
    get results() { return readLines(join(output, 'results.jsonl')); },
    file: (name) => readFileSync(join(output, name), 'utf8'),
  };
}

export const round = (value) => (value === null ? null : Number(value.toFixed(4)));

// The figures that `expected` names, to four decimals.
export function assertFigures(metrics, expected) {
  const found = Object.fromEntries(Object.keys(expected).map((name) => [name, metrics[name] === undefined ? 'not there' : round(metrics[name].value)]));
  assert.deepEqual(found, expected);
}

// RFC 4180: rows of cells.
export function csvRows(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  assert.deepEqual(rows.pop(), [], 'the file ends with a line end');
  return rows;
}

export const judged = (metrics, more = {}) => ({ evaluation: 'rag_answers', judge: { model: 'sim/judge', temperature: 0 }, metrics, ...more });
export const allMetrics = ['coherence', 'relevance', 'faithfulness', 'context_relevancy', 'factual_precision', 'factual_recall', 'absence_of_factual_contradictions', 'bias'];
export const needIdeal = ['factual_precision', 'factual_recall', 'absence_of_factual_contradictions'];
export const needContexts = ['faithfulness', 'context_relevancy'];

// A context as rag_answers has it.
export const chunk = { exact_path: '/allotments/rules#sheds', title: 'Allotments', heading_hierarchy: ['Rules', 'Sheds'], description: 'What you may build', html_content: '<p>A shed may be two metres high.</p>' };
