// Runs that may stop early: decided by sequences that allow looking, in random order, resumable, and told.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { assay, start, simulator, scratch, write, writeLines, ragLines, ragConfig, readJson, readLines, askedMore } from './harness.mjs';
import { evaluate, judged } from './component_runs.mjs';

const kCases = 600;
const config = (more = '', atOnce = 4) => ragConfig('data.jsonl', `limits: {concurrency: ${atOnce}}\nstop_when: ["coherence.mean width 0.2"]\n${more}`);

async function stopped(t, more, atOnce) {
  const sim = await simulator(t);
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(kCases));
  write(join(directory, 'eval.yaml'), config(more, atOnce));
  const output = join(directory, 'out');
  const run = await assay(['run', 'eval.yaml', '--output-dir', output], { cwd: directory, env: sim.env });
  return { ...run, directory, output, summary: readJson(join(output, 'summary.json')), results: readLines(join(output, 'results.jsonl')) };
}

test('a run stops when its condition is settled, and says when, why and what it saved', async (t) => {
  // One after the other: of several at once, those behind a slow one would come on top.
  const run = await stopped(t, '', 1);
  assert.equal(run.code, 0, run.stderr);
  const { cases, stop_when: told, metrics, usage } = run.summary;
  assert.ok(told.stopped && told.taken < kCases && told.of === kCases, JSON.stringify(told));
  assert.equal(cases.skipped, kCases - told.taken);
  assert.equal(usage.requests, told.taken, 'nothing is asked for the cases that were left out');
  const [condition] = told.conditions;
  assert.equal(condition.settled, 'yes');
  assert.equal(told.taken, condition.after, 'nothing is begun when it is settled');
  const mean = metrics['coherence.mean'];
  assert.equal(mean.method, 'betting');
  assert.ok(mean.ci[1] - mean.ci[0] <= 0.2 + 1e-9);
  assert.equal(metrics['coherence.median'].ci, null);
  assert.match(run.stdout, /Stopped early, after \d+ of 600 cases in random order/);
  assert.match(readFileSync(join(run.output, 'report.html'), 'utf8'), /Stopped early, after \d+ of 600 cases/);
  const taken = run.results.filter((line) => line.outcome === 'scored').map((line) => line.line);
  assert.equal(run.results.length, kCases, 'every case has its line, in input order');
  assert.deepEqual(run.results.map((line) => line.line), Array.from({ length: kCases }, (_, i) => i + 1));
  assert.ok(Math.max(...taken) > kCases / 2, 'cases come from all over the file');
  const again = await assay(['report', run.output, '--format', 'md']);
  assert.match(again.stdout, /Stopped early, after/);
});

test('killed and resumed it decides alike, and a finished one asks nothing more', async (t) => {
  const whole = await stopped(t);
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '25ms']);  // slow enough to be killed in time
  writeLines(join(directory, 'data.jsonl'), ragLines(kCases));
  write(join(directory, 'eval.yaml'), config());
  const output = join(directory, 'out');
  let args = ['run', 'eval.yaml', '--output-dir', output];
  let resumes = 0;
  for (let kills = 0; ; ++kills) {
    const run = start(args, { cwd: directory, env: sim.env });
    if (kills < 2) {
      await askedMore(sim, 8, run);
      run.child.kill('SIGKILL');
    }
    const ended = await run.ended;
    if (ended.signal !== 'SIGKILL') { assert.equal(ended.code, 0, ended.stderr); break; }
    args = ['resume', output];
    resumes += 1;
  }
  assert.equal(resumes, 2);
  assert.deepEqual(readJson(join(output, 'summary.json')).stop_when.conditions, whole.summary.stop_when.conditions);
  await sim.reset();
  const resumed = await assay(['resume', output], { cwd: directory, env: sim.env });
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(await sim.sent(), 0);
});

test('a condition that is never settled runs to the end and stays open', async (t) => {
  const run = await evaluate(t, judged(['coherence'], { n_runs: 1, stop_when: ['coherence.mean width 0.01'] }), ragLines(30));
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.summary.cases.evaluated, 30);
  assert.deepEqual([run.summary.stop_when.stopped, run.summary.stop_when.conditions[0].settled], [false, 'open']);
  assert.notEqual(run.metrics['coherence.median'].ci, null, 'the number of cases was as planned');
  assert.match(run.stdout, /allowed to stop early and did not: “coherence.mean width 0.01” stayed open/);
});

test('what cannot be meant is told before anything is sent', async (t) => {
  const run = await evaluate(t, judged(['coherence'], { stop_when: ['coherence.meen > 0.8', 'coherence.median > 0.8', 'coherence.mean >= 0.8'] }), ragLines(3));
  assert.equal(run.code, 2);
  assert.match(run.stderr, /did you mean coherence.mean\?/);
  assert.match(run.stderr, /no figure coherence.median is a mean over cases/);
  assert.match(run.stderr, /expected FIGURE width NUMBER/);
  const nothing = await evaluate(t, { evaluation: 'question_router', stop_when: ['accuracy > 0.8'] }, [{ question: 'a', expected_outcome: 'x', actual_outcome: 'x' }]);
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /nothing is asked of the outside/);
});

test('failures hold nothing up, and a resume tries them again without deciding anew', async (t) => {
  const directory = scratch(t);
  const faulty = await simulator(t, ['--rate-500', '0.1', '--seed', '3']);
  const sound = await simulator(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(kCases));
  write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 4, attempts: 1}\nstop_when: ["coherence.mean width 0.2"]\n'));
  const output = join(directory, 'out');
  const first = await assay(['run', 'eval.yaml', '--output-dir', output], { cwd: directory, env: faulty.env });
  const before = readJson(join(output, 'summary.json'));
  assert.equal(first.code, before.cases.errored > 0 ? 3 : 0, first.stderr);
  assert.ok(before.stop_when.stopped);
  const resumed = await assay(['resume', output], { cwd: directory, env: sound.env });
  assert.equal(resumed.code, 0, resumed.stderr);
  const after = readJson(join(output, 'summary.json'));
  assert.deepEqual(after.stop_when.conditions, before.stop_when.conditions);
  assert.equal(await sound.sent(), before.cases.errored, 'only what failed is asked again');
  assert.equal(after.cases.evaluated, before.cases.evaluated + before.cases.errored);
});

test('with clusters whole clusters are taken and finished', async (t) => {
  const lines = ragLines(400).map((line, i) => ({ ...line, document: `d${Math.floor(i / 8)}` }));
  const run = await evaluate(t, judged(['coherence'], { n_runs: 1, cluster: 'document', stop_when: ['coherence.mean > 0.2'], limits: { concurrency: 3 } }), lines);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.metrics['coherence.mean'].method, 'betting_clustered');
  const taken = new Map();
  for (const line of run.results) if (line.outcome === 'scored') taken.set(line.cluster, (taken.get(line.cluster) ?? 0) + 1);
  assert.ok(taken.size < 50 && [...taken.values()].every((n) => n === 8), [...taken.values()].join());
});
