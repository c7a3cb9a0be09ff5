// `--limit` and `--only`: a run of few of the cases that the data hold, whoever reads them.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { assay, root, scratch, write, writeLines, readJson, readLines, ragLines } from './harness.mjs';

const config = (more = '') => `evaluation: rag_answers
input_path: data.jsonl
judge: sim/judge
metrics: [coherence]
n_runs: 1
${more}`;
const ids = (output) => readLines(join(output, 'results.jsonl')).map(({ id }) => id);
const about = (output) => readJson(join(output, 'summary.json')).about;

test('a run of the first cases is gone on with to more of them, and never to fewer', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), [...ragLines(12), { id: 'case-3', question: 'taken' }]);
  const eval_ = write(join(directory, 'eval.yaml'), config());
  const output = join(directory, 'out');
  const whole = await assay(['run', eval_, '--output-dir', join(directory, 'whole')]);
  assert.equal(whole.code, 2, 'the last line cannot be used');
  const few = await assay(['run', eval_, '--limit', '3', '--output-dir', output]);
  assert.equal(few.code, 0, few.stderr);
  assert.match(few.stdout, /data\.jsonl\s+\(first\s+3\s+of\s+12\s+cases\)/);
  assert.deepEqual(ids(output), ['case-0', 'case-1', 'case-2']);
  const summary = readJson(join(output, 'summary.json'));
  assert.deepEqual(summary.cases, { ...summary.cases, total: 3, evaluated: 3, errored: 0, invalid: 0 });
  assert.equal(summary.usage.requests, 3);

  const fewer = await assay(['resume', output, '--limit', '2']);
  assert.equal(fewer.code, 2);
  assert.match(fewer.stderr, /begun with limit 3 and is to go on with limit 2: it may take more/);
  const more = await assay(['resume', output, '--limit', '7']);
  assert.equal(more.code, 0, more.stderr);
  assert.match(more.stdout, /4 requests were sent in this sitting/);
  assert.equal(ids(output).length, 7);
  const again = await assay(['resume', output]);
  assert.equal(again.code, 0, again.stderr);
  assert.equal(ids(output).length, 7, 'the run remembers what it takes');
  assert.equal((await assay(['verify', output])).code, 0);
});

test('named cases alone are run, and a name that is not there is told with the nearest', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(12));
  const eval_ = write(join(directory, 'eval.yaml'), config('stop_when: ["coherence.mean width 0.0001"]\n'));
  const output = join(directory, 'out');
  const slip = await assay(['run', eval_, '--only', 'case-7', '--only', 'case-77', '--output-dir', output]);
  assert.equal(slip.code, 2);
  assert.match(slip.stderr, /the data hold no case "case-77" \(did you mean "case-7"\?\)/);
  const named = await assay(['run', eval_, '--only', 'case-7', '--only=case-2', '--output-dir', output]);
  assert.equal(named.code, 0, named.stderr);
  assert.deepEqual(ids(output), ['case-2', 'case-7'], 'in the order of the data, stopping rule or not');
  assert.match(JSON.stringify(about(output)), /2 of 12 cases, by id/);
  const checked = await assay(['check', eval_, '--limit', '4']);
  assert.match(checked.stdout, /rag_answers: first 4 of 12 cases, 0 lines cannot be used\nsim\/judge: 4 calls/);
  const told = JSON.parse((await assay(['check', eval_, '--limit', '4', '--format', 'json'])).stdout);
  assert.deepEqual([told.evaluation, told.ok, told.cases, told.left_out, told.invalid, told.problems], ['rag_answers', true, 4, 8, 0, []]);
  assert.deepEqual(told.models.map(({ model, calls }) => [model, calls]), [['sim/judge', 4]]);
});

// Sources that are no lines of a file, and lines that are several cases.
test('every evaluation takes a few of its cases', async (t) => {
  const directory = scratch(t);
  const run = async (name, ...args) => {
    const output = join(directory, name);
    const ended = await assay(['run', ...args, '--output-dir', output, '-q']);
    assert.equal(ended.code, 0, ended.stderr);
    return ids(output);
  };
  const example = (path) => join(root, 'examples', path);
  assert.deepEqual(await run('router', example('components/question_router.yaml'), '--limit', '2', '--gates', '[]'), ['router-001', 'router-002']);
  assert.deepEqual(await run('experiment', example('experiment/experiment_from_files.yaml'), '--only', 'query_4'), ['query_4']);
  assert.equal((await assay(['verify', join(directory, 'experiment')])).code, 0, 'its own checks hold for few queries too');
  const item = JSON.parse(readFileSync(example('persona/items.jsonl'), 'utf8').split('\n')[3]);
  const id = item.contentItemSummary.itemId;
  assert.deepEqual((await run('persona', example('persona/persona_mode2.yaml'), '--only', id)).map((one) => one.split('/')[1]), ['ines', 'tobias', 'lerato']);
  const job = readJson(join(directory, 'persona/job.json'));
  assert.deepEqual([job.processed_items, job.init_remaining, job.remaining], [1, 1, 0]);
});
