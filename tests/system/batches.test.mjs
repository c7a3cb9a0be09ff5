// limits: {batch: true}: the results of a run without, at half the cost; whatever happens to the run or to the batch,
// nothing is asked twice. The simulator counts the requests that it finds in batches as it counts single ones.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { killedAt, changesOf, killer, results } from './kills.mjs';
import { assay, start, simulator, scratch, seeded, writeLines, write, ragLines, readJson, sleep } from './harness.mjs';

const kCases = 6;
const kAsked = kCases * 3;  // a rubric, and statements before verdicts
const kProviders = ['openai', 'anthropic'];
const kCreated = { openai: 'POST /v1/batches', anthropic: 'POST /v1/messages/batches' };
const kLooked = { openai: 'GET /v1/batches/ID', anthropic: 'GET /v1/messages/batches/ID' };

const configOf = (directory, provider, limits) => write(join(directory, `${provider}-${limits.length}.yaml`), `evaluation: rag_answers
input_path: data.jsonl
judge: {model: ${provider}/judge-model, temperature: 0}
metrics: [coherence, relevance]
n_runs: 1
prices: {"*": {prompt: 2, completion: 8}}
limits: {${limits}}
`);
// How often a batch is looked at hangs on the machine; with ten tries none of these is lost to a drop.
const kBatch = 'batch: true, batch_wait: 80ms, batch_poll: 100ms, attempts: 10';
const answered = (stats, route) => Object.values(stats.requests.by_route[route] ?? {}).reduce((a, b) => a + b, 0);

async function until(sim, holds, run) {
  while (!holds(await sim.stats()) && run.child.exitCode === null) await sleep(2);
  assert.equal(run.child.exitCode, null, `the run was too quick: ${run.stderr}`);
}

async function withoutBatch(t, directory, provider) {
  const sim = await simulator(t);
  const output = join(directory, `${provider}-single`);
  const run = await assay(['run', configOf(directory, provider, 'concurrency: 8'), '--output-dir', output], { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(readJson(join(output, 'summary.json')).usage.requests, kAsked);
  return { expected: results(output), cost: readJson(join(output, 'summary.json')).usage.cost_usd };
}

for (const provider of kProviders) {
  test(`${provider}: a batch run has the results of a run without, at half the cost, however it is killed`, async (t) => {
    const directory = scratch(t);
    writeLines(join(directory, 'data.jsonl'), ragLines(kCases));
    const { expected, cost } = await withoutBatch(t, directory, provider);
    const config = configOf(directory, provider, kBatch);
    const whole = (output, stats) => {
      assert.deepEqual(results(output), expected);
      const { usage } = readJson(join(output, 'summary.json'));
      assert.equal(usage.requests, kAsked);
      assert.ok(Math.abs(usage.cost_usd - cost / 2) < 1e-9, `${usage.cost_usd} is not half of ${cost}`);
      assert.equal(stats.bodies.distinct, kAsked);
      assert.equal(stats.bodies.again, 0, 'something was asked twice');
      assert.equal(answered(stats, provider === 'openai' ? 'POST /v1/chat/completions' : 'POST /v1/messages'), 0);
    };
    // When the batch is there and its id has not been told; when it is known and the batch under way.
    const moments = [
      { flags: ['--latency', '250ms'], holds: (stats) => stats.bodies.distinct > 0 && answered(stats, kCreated[provider]) === 0 },
      { flags: ['--batch-time', '600ms'], holds: (stats) => answered(stats, kLooked[provider]) >= 1 },
    ];
    for (const [index, { flags, holds }] of moments.entries()) {
      const sim = await simulator(t, flags);
      const output = join(directory, `killed-${index}`);
      const run = start(['run', config, '--output-dir', output], { env: sim.env });
      await until(sim, holds, run);
      run.child.kill('SIGKILL');
      await run.ended;
      const resumed = await assay(['resume', output], { env: sim.env });
      assert.equal(resumed.code, 0, resumed.stderr);
      const stats = await sim.stats();
      whole(output, stats);
      assert.equal(answered(stats, kCreated[provider]), 2, 'statements and rubrics, then verdicts');
      assert.equal((await assay(['verify', output])).code, 0);
    }
    // Before any change to the disk: intents, ids, and answers while they are read.
    const random = seeded(t);
    const sim = await simulator(t);
    const library = killer(directory);
    const args = (output) => ['run', config, '--output-dir', output];
    const changes = await changesOf(library, args(join(directory, 'counted')), { env: sim.env });
    for (let round = 0; round < 4; ++round) {
      await sim.reset();
      const output = join(directory, `round-${round}`);
      const drawn = [random.between(Math.floor(changes / 4), changes), random.between(1, changes)];
      await killedAt(library, args(output), output, drawn, { env: sim.env });
      whole(output, await sim.stats());
    }
  });
}

test('requests that fail in a batch go into the next one, lost connections make no second batch, and SIGINT tells what goes on', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(kCases));
  for (const provider of kProviders) {
    const { expected } = await withoutBatch(t, directory, provider);
    const config = configOf(directory, provider, kBatch);
    const failing = await simulator(t, ['--rate-batch-errored', '0.2', '--rate-batch-expired', '0.2', '--seed', '3']);
    const retried = join(directory, `${provider}-retried`);
    const run = await assay(['run', config, '--output-dir', retried], { env: failing.env });
    assert.equal(run.code, 0, run.stderr);
    assert.ok(readJson(join(retried, 'summary.json')).usage.requests > kAsked);
    assert.equal(results(retried).length, kCases);

    const losing = await simulator(t, ['--rate-drop', '0.3', '--seed', '5']);
    const found = join(directory, `${provider}-found`);
    const kept = await assay(['run', config, '--output-dir', found], { env: losing.env });
    assert.equal(kept.code, 0, kept.stderr);
    assert.deepEqual(results(found).length, expected.length);
    const { bodies, faults } = await losing.stats();
    assert.ok(faults.drop > 0);
    assert.equal(bodies.again, 0, 'a batch was made twice');
  }
  const slow = await simulator(t, ['--batch-time', '10m']);
  const output = join(directory, 'interrupted');
  const run = start(['run', configOf(directory, 'openai', kBatch), '--output-dir', output], { env: slow.env });
  await until(slow, (stats) => answered(stats, kLooked.openai) > 0, run);
  run.child.kill('SIGINT');
  const ended = await run.ended;
  assert.equal(ended.code, 130, ended.stderr);
  assert.match(ended.stderr, /1 batch with 12 requests goes on at the provider \(batch_\w+\); a resume takes the answers/);
  assert.match(ended.stderr, /assay resume/);

  // What the budget holds is handed in, and waited for.
  const quick = await simulator(t, ['--batch-time', '100ms']);
  const poor = join(directory, 'poor');
  const stopped = await assay(['run', configOf(directory, 'openai', kBatch), '--output-dir', poor, '--budget.usd', '0.03'], { env: quick.env });
  assert.equal(stopped.code, 3, stopped.stderr);
  assert.match(stopped.stderr, /the budget of \$0\.03 does not hold another call/);
  const { usage } = readJson(join(poor, 'summary.json'));
  assert.ok(usage.requests > 1 && usage.requests < kAsked && usage.cost_usd <= 0.03, JSON.stringify(usage));

  const other = await assay(['run', write(join(directory, 'sim.yaml'), 'evaluation: rag_answers\ninput_path: data.jsonl\njudge: sim/judge\nmetrics: [coherence]\nlimits: {batch: true}\n')]);
  assert.equal(other.code, 2);
  assert.match(other.stderr, /limits\.batch.*sim\/judge has no batch API.*openai and anthropic/s);
});

test("OpenAI's Responses go into batches as well", async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(kCases));
  const { expected, cost } = await withoutBatch(t, directory, 'openai');
  const config = write(join(directory, 'responses.yaml'), `${readFileSync(configOf(directory, 'openai', kBatch), 'utf8').replace('model: openai/judge-model', 'model: j')}models: {j: {provider: openai, name: judge-model, api: responses}}\n`);
  const sim = await simulator(t);
  const output = join(directory, 'responses');
  const run = await assay(['run', config, '--output-dir', output], { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(results(output).length, expected.length);
  const { usage } = readJson(join(output, 'summary.json'));
  assert.equal(usage.requests, kAsked);
  assert.ok(usage.cost_usd > 0 && usage.cost_usd < cost, 'half of the price');
  const stats = await sim.stats();
  assert.equal(answered(stats, kCreated.openai), 2);
  assert.equal(answered(stats, 'POST /v1/responses'), 0, 'nothing is sent by itself');
});
