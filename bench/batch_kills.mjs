// Kills runs with `limits: {batch: true}`, of OpenAI's and of Anthropic's batches, several times each: before changes to
// the disk and at moments of the clock (while a batch is on its way, most of all), both drawn by a seed. Finishes them and
// holds them against a run without batches: the same results, half the cost, every request in one batch and no other, and
// none sent by itself. ASSAY_SEED repeats a draw, ASSAY_KILLS says how many.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assay, exists, ragLines, readJson, seeded, simulator, sleep, start, writeLines } from '../tests/system/harness.mjs';
import { changesOf, killedAt, killer, results } from '../tests/system/kills.mjs';

const kCases = 12;
const kAsked = kCases * 3; // a rubric, and statements before verdicts
const kSingle = { openai: 'POST /v1/chat/completions', anthropic: 'POST /v1/messages' };
const kMade = { openai: 'POST /v1/batches', anthropic: 'POST /v1/messages/batches' };
const answered = (stats, route) => Object.values(stats.requests.by_route[route] ?? {}).reduce((a, b) => a + b, 0);

// Runs `args`, killed after each of `delays` (ms) in turn, and then to its end; gives how often it was killed.
async function killedAfter(args, output, delays, options) {
  let kills = 0;
  let next = args;
  for (const delay of [...delays, null]) {
    const run = start(next, options);
    if (delay !== null) await Promise.race([sleep(delay), run.ended]);
    if (delay !== null) run.child.kill('SIGKILL');
    const ended = await run.ended;
    if (ended.signal !== 'SIGKILL') {
      assert.equal(ended.code, 0, `delays ${delays}: ${ended.stderr}`);
      break;
    }
    kills += 1;
    next = exists(join(output, 'config.yaml')) ? ['resume', output] : args;
  }
  assert.equal((await assay(['verify', output])).code, 0, `delays ${delays}`);
  return { kills };
}

export async function batchKills(scratch, report) {
  const wanted = Number(process.env.ASSAY_KILLS ?? 60);
  const ends = [];
  const t = { name: 'batch kills', after: (end) => ends.push(end), diagnostic: (text) => console.log(text) };
  const random = seeded(t);
  const library = killer(scratch);
  const data = writeLines(join(scratch, 'data.jsonl'), ragLines(kCases));
  const total = { kills: 0, runs: 0, batches: 0, asked: 0, again: 0, dearest: 0 };
  try {
    const sim = await simulator(t, ['--batch-time', '60ms', '--latency', '30ms']);
    for (const provider of Object.keys(kSingle)) {
      const config = (name, limits) => {
        const path = join(scratch, `${provider}-${name}.yaml`);
        writeFileSync(path, `evaluation: rag_answers\ninput_path: ${data}\njudge: {model: ${provider}/judge-model, temperature: 0}\nmetrics: [coherence, relevance]\nn_runs: 1\nprices: {"*": {prompt: 2, completion: 8}}\nlimits: {${limits}}\n`);
        return path;
      };
      const single = join(scratch, `${provider}-single`);
      assert.equal((await assay(['run', config('single', 'concurrency: 8'), '--output-dir', single], { env: sim.env })).code, 0);
      const expected = results(single);
      const cost = readJson(join(single, 'summary.json')).usage.cost_usd;
      const batched = config('batched', 'batch: true, batch_wait: 80ms, batch_poll: 100ms, batch_size: 8');
      const args = (output) => ['run', batched, '--output-dir', output];
      const begun = performance.now();
      const changes = await changesOf(library, args(join(scratch, `${provider}-whole`)), { env: sim.env });
      const whole = Math.ceil(performance.now() - begun);
      const share = provider === 'openai' ? Math.ceil(wanted / 2) : wanted;
      for (let round = 0; total.kills < share; ++round) {
        const output = join(scratch, `${provider}-${round}`);
        await sim.reset();
        const byClock = round % 2 === 1;
        const moments = Array.from({ length: random.between(1, 4) }, () => random.between(1, byClock ? whole : changes));
        const run = byClock ? await killedAfter(args(output), output, moments, { env: sim.env }) : await killedAt(library, args(output), output, moments, { env: sim.env });
        const stats = await sim.stats();
        const { usage } = readJson(join(output, 'summary.json'));
        const where = `${provider}, ${byClock ? 'ms' : 'changes'} ${moments}`;
        assert.deepEqual(results(output), expected, `${where}: other results`);
        assert.equal(usage.requests, kAsked, `${where}: requests in the ledger`);
        assert.ok(Math.abs(usage.cost_usd - cost / 2) < 1e-9, `${where}: ${usage.cost_usd} is not half of ${cost}`);
        assert.equal(answered(stats, kSingle[provider]), 0, `${where}: a request went by itself`);
        assert.equal(stats.bodies.distinct, kAsked, `${where}: requests in batches`);
        assert.equal(stats.bodies.again, 0, `${where}: something was asked twice`);
        total.kills += run.kills;
        total.runs += 1;
        total.asked += kAsked;
        total.batches += answered(stats, kMade[provider]);
        rmSync(output, { recursive: true });
      }
    }
  } finally {
    for (const end of ends) await end();
  }
  report('kills of runs in batches, OpenAI and Anthropic', `${total.kills} in ${total.runs} runs, ${total.batches} batches, ${total.asked} requests`, `≥ ${wanted}`);
  report('requests that were paid twice, or sent by themselves', '0', '0');
  report('runs with other results, or another cost than half', '0', '0');
}
