// What is seen of a run while it is under way, on a terminal.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { binary, scratch, sleep, start, write, writeLines, ragLines, ragConfig, readJson } from './harness.mjs';

test('tokens of an answer that is still being streamed are counted, until its own count takes their place', async (t) => {
  const directory = scratch(t);
  let finish;
  const watched = new Promise((done) => { finish = done; });
  const verdict = JSON.stringify({ reason: 'because '.repeat(100), score: 4 });
  const server = createServer(async (request, response) => {
    for await (const chunk of request) void chunk;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (data) => response.write(`data: ${JSON.stringify(data)}\n\n`);
    for (const piece of verdict.match(/.{1,8}/gs)) send({ model: 'slow-1', choices: [{ index: 0, delta: { content: piece } }] });
    await watched;
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 11, completion_tokens: 5 } });
    response.end('data: [DONE]\n\n');
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => { server.close(); server.closeAllConnections(); });
  writeLines(join(directory, 'data.jsonl'), ragLines(1));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', `models: {slow: {provider: openai, name: slow-1, base_url: "http://127.0.0.1:${server.address().port}/v1", stream: true, structured: text}}`)
    .replace('openai/judge-model', 'slow'));
  // script(1) gives it a terminal.
  const run = start(['-qfec', `${binary} run ${config} --output-dir ${join(directory, 'out')}`, '/dev/null'], { command: 'script', env: { OPENAI_API_KEY: 'test-key-5e0c' } });
  const seen = () => [...run.stdout.matchAll(/0\/1 cases.* (\d+) tokens/g)].map(([, tokens]) => Number(tokens));
  // 800 characters in pieces of eight.
  const counted = () => seen().some((tokens) => tokens > 100 && tokens < 400);
  for (const end = Date.now() + 30_000; !counted() && Date.now() < end && run.child.exitCode === null;) await sleep(20);
  assert.ok(counted(), `${seen()} tokens: ${run.stdout}`);
  finish();
  await run.ended;
  assert.equal(readJson(join(directory, 'out/summary.json')).usage.completion_tokens, 5);
});
