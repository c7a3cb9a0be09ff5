// The endpoint of the benchmarks answers without reading what it is asked. So that a benchmark measures judged cases, and
// not repairs and retries, its answers must fit the questions of today.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { floor, startEndpoint } from '../../bench/endpoint.mjs';
import { judgedArguments } from '../../bench/program.mjs';
import { assay, ragLines, scratch, writeLines } from './harness.mjs';

for (const [metric, calls] of [['coherence', 1], ['relevance', 2]]) {
  test(`the benchmark's endpoint gives ${metric} an answer that fits at the first try`, async (t) => {
    const directory = scratch(t);
    const endpoint = await startEndpoint();
    const input = writeLines(`${directory}/in.jsonl`, ragLines(20));
    const run = await assay(judgedArguments({ input, output: `${directory}/out`, inFlight: 8, metric }), { env: endpoint.env });
    const account = await endpoint.stop();
    assert.equal(run.code, 0, run.stderr);
    assert.equal(account.requests, 20 * calls);
    assert.equal(account.refused, 0);
  });
}

test("the benchmark's endpoint gives whoever names no schema a rubric's verdict, each with an id of its own, after its latency", async () => {
  const endpoint = await startEndpoint(40);
  const ask = async () => (await fetch(`${endpoint.url}/v1/chat/completions`, { method: 'POST', body: '{"model": "judge", "messages": []}' })).json();
  const begun = performance.now();
  const replies = await Promise.all([ask(), ask()]);
  const taken = performance.now() - begun;
  await endpoint.stop();
  for (const reply of replies) {
    const { pass, score } = JSON.parse(reply.choices[0].message.content);
    assert.deepEqual({ pass, score }, { pass: true, score: 1 });
  }
  assert.notEqual(replies[0].id, replies[1].id);
  assert.ok(taken >= 40, `${taken} ms`);
});

test('the floor asks as often, and with as much, as it is told to', async () => {
  const bare = await floor(200, 8, 3000);
  assert.equal(bare.endpoint.requests, 200);
  assert.equal(bare.endpoint.body_bytes, 200 * 3000);
  assert.ok(bare.endpoint.connections <= 8);
  assert.ok(bare.cpu > 0 && bare.wall > 0);
});
