// cache: what one run was answered, others are not asked for, whatever process they are in.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import { assay, start, simulator, scratch, writeLines, write, ragLines, readJson, comparable, askedMore, assertNowhere } from './harness.mjs';

const kCases = 30;
const configOf = (directory, name, extra) => write(join(directory, name), `evaluation: rag_answers
input_path: data.jsonl
metrics: [coherence]
n_runs: 2
cache: shared
limits: {concurrency: 4}
prices: {"*": {prompt: 2, completion: 8}}
${extra}`);
const usageOf = (output) => readJson(join(output, 'summary.json')).usage;

test('a second run asks nothing, another temperature does, two at once and a kill lose nothing', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(kCases));
  const sim = await simulator(t, ['--latency', '3ms']);
  const config = configOf(directory, 'eval.yaml', 'judge: {model: openai/judge-model, temperature: 0}');
  const run = async (name, file = config, ...more) => {
    const output = join(directory, name);
    const ended = await assay(['run', file, '--output-dir', output, ...more], { env: sim.env });
    assert.equal(ended.code, 0, ended.stderr);
    return output;
  };
  // Killed in the middle: what was answered until then is there.
  const killed = start(['run', config, '--output-dir', join(directory, 'killed')], { env: sim.env });
  await askedMore(sim, kCases, killed);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const first = await run('first');
  const { cached, requests } = usageOf(first);
  assert.equal(requests + cached, 2 * kCases, 'n_runs: 2 has two answers a case');
  assert.ok(cached > 0 && requests > 0, `${cached} cached`);

  const before = await sim.sent();
  const second = await run('second');
  assert.equal(await sim.sent(), before, 'a second run asks nothing');
  assert.deepEqual(comparable(join(second, 'results.jsonl')), comparable(join(first, 'results.jsonl')));
  assert.deepEqual([usageOf(second).requests, usageOf(second).cached, usageOf(second).cost_usd], [0, 2 * kCases, 0]);
  assert.equal((await assay(['verify', second])).code, 0);

  const warm = configOf(directory, 'warm.yaml', 'judge: {model: openai/judge-model, temperature: 0.5}');
  const both = await Promise.all([run('one', warm), run('two', warm)]);
  const asked = both.map((output) => usageOf(output).requests);
  assert.ok(asked[0] + asked[1] >= 2 * kCases, 'another temperature is another question');
  for (const output of both) assert.equal(usageOf(output).requests + usageOf(output).cached, 2 * kCases);
  assert.equal(usageOf(await run('three', warm)).cached, 2 * kCases);
});

test('what the built-in simulator says is not shared: it costs nothing, and its seed decides it', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), [{ id: 'a', question: 'Is the moon the cause of the tides?' }]);
  const config = write(join(directory, 'eval.yaml'), `evaluation: custom
input_path: data.jsonl
variants: {one: {model: {model: sim/assistant, prompt: "{question}"}}}
metrics: [{name: near, similar: "the moon", model: sim/embed}]
cache: shared
`);
  const cached = [];
  for (const [name, seed] of [['one', '1'], ['again', '1'], ['two', '2']]) {
    const output = join(directory, name);
    const run = await assay(['run', config, '--output-dir', output, '--seed', seed]);
    assert.equal(run.code, 0, run.stderr);
    cached.push(usageOf(output).cached);
  }
  assert.deepEqual(cached, [0, 0, 0]);
});

test('a cache that cannot be used is told before anything is sent, and its password nowhere', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(2));
  const sim = await simulator(t);
  const config = configOf(directory, 'eval.yaml', 'judge: openai/judge-model');
  writeFileSync(join(directory, 'file'), '');
  mkdirSync(join(directory, 'rubbish'));
  writeFileSync(join(directory, 'rubbish/answers.db'), 'x'.repeat(5000));
  for (const [address, words] of [
    [join(directory, 'file'), /key cache, .*file: cannot make the directory/],
    [join(directory, 'rubbish'), /key cache, .*answers\.db: .*not an SQLite database/],
    ['postgres://me:pa55word@127.0.0.1:9/answers', /key cache: the PostgreSQL cache/],
  ]) {
    const run = await assay(['run', config, '--output-dir', join(directory, 'never'), '--cache', address], { env: sim.env, cwd: directory });
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, words);
    assert.ok(!run.stderr.includes('pa55word'), run.stderr);
  }
  assert.equal(await sim.sent(), 0);
  const literal = configOf(directory, 'literal.yaml', 'judge: openai/judge-model');
  const kept = await assay(['run', literal, '--output-dir', join(directory, 'kept'), '--cache', `sqlite:${join(directory, 'answers.sqlite')}`], { env: sim.env });
  assert.equal(kept.code, 0, kept.stderr);
  assertNowhere(join(directory, 'kept'), 'test-key-5e0c');
});
