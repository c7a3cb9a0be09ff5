// `assay show`: the cases of a run and everything that was asked for one, while the run is under way and afterwards.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { assay, askedMore, binary, ragConfig, ragLines, scratch, simulator, start, write, writeLines } from './harness.mjs';

const show = async (...args) => {
  const ended = await assay(['show', ...args]);
  return { ...ended, json: ended.code === 0 && args.includes('json') ? JSON.parse(ended.stdout) : null };
};

test('a run that is under way shows what is finished, what has answers and what has not begun', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '150ms']);
  writeLines(join(directory, 'data.jsonl'), ragLines(12));
  // Two questions for each case, one after the other.
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 1}\n').replace('[coherence]', '[relevance]'));
  const output = join(directory, 'out');
  const run = start(['run', config, '--output-dir', output], { env: sim.env });
  await askedMore(sim, 6, run);
  const seen = await show(output, '--format', 'json');
  assert.equal(seen.code, 0, seen.stderr);
  assert.ok(seen.json.length >= 1 && seen.json.length < 12, seen.stdout);
  assert.ok(seen.json.every(({ outcome, scores }) => outcome === 'under way' || typeof scores['relevance.mean'] === 'number'), seen.stdout);
  const table = await show(output);
  assert.match(table.stdout, /^id +outcome +relevance\.mean/);
  assert.match(table.stdout, /the run is not finished, \d+ cases? ha(s|ve) not begun\n$/);
  const first = await show(output, 'case-0', '--format', 'json');
  assert.equal(first.json.input.question, 'How do I renew permit number 0?');
  assert.ok(first.json.effects.length > 0);
  const last = await show(output, 'case-11', '--format', 'json');
  assert.equal(last.json.outcome, 'not begun');
  assert.equal((await run.ended).code, 0, 'nobody was in its way');

  const finished = await show(output, '--format', 'json');
  assert.deepEqual(finished.json.map(({ id }) => id), ragLines(12).map(({ id }) => id));
  const same = finished.json.find(({ id }) => id === 'case-0');
  assert.deepEqual(seen.json.find(({ id }) => id === 'case-0').scores, same.scores, 'the journal gave what the results hold');
  assert.equal((await show(output, '--worst', '3', '--format', 'json')).json.length, 3);
  assert.equal((await show(output, '--limit', '2', '--format', 'json')).json.length, 2);
});

// Answers with what would act on a terminal, and no answer at all to one of them.
test('a failed case, hostile texts, and data that have gone', async (t) => {
  const directory = scratch(t);
  const hostile = '\u001b[2J\u001b]0;owned\u0007\u202egnp.\r\nerror: faked';
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const refuses = body.includes('permit number 1?');
    const content = refuses ? `no number: ${hostile}` : JSON.stringify({ reason: `good ${hostile}`, score: 4 });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ model: 'judge-model', choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }], usage: { prompt_tokens: 7, completion_tokens: 3 } }));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => { server.close(); server.closeAllConnections(); });
  const lines = ragLines(3);
  lines[2] = { ...lines[2], id: `case-2${hostile}`, llm_answer: hostile };
  const data = writeLines(join(directory, 'data.jsonl'), lines);
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', `attempts: 2
models: {local: {provider: openai, name: judge-model, base_url: "http://127.0.0.1:${server.address().port}/v1", structured: text}}
prices: {local: {prompt: 1000, completion: 1000}}
`).replace('openai/judge-model', 'local'));
  const output = join(directory, 'out');
  const ran = await assay(['run', config, '--output-dir', output], { env: { OPENAI_API_KEY: 'test-key-5e0c' } });
  assert.equal(ran.code, 3, ran.stderr);

  const failed = await show(output, '--failed');
  assert.match(failed.stdout, /case-1 +judge_failed[^]*\n1 case that failed\n$/);
  const one = await show(output, 'case-1');
  assert.equal(one.code, 0, one.stderr);
  assert.match(one.stdout, /1\. run1\/coherence\/rubric · openai\/judge-model at [^]* · 7\s+tokens\s+in,\s+3\s+out\s+·\s+\d+\s+ms\s+·\s+\$0\.01\n/);
  assert.match(one.stdout, /2\. run1\/coherence\/rubric, attempt 2/);
  assert.match(one.stdout, /\n {2}system\n {4}You rate how coherent/);
  assert.match(one.stdout, /\n {2}user\n {4}<question>\n {4}How do I renew permit number 1\?/);
  assert.match(one.stdout, /\noutcome: judge_failed\n/);
  const strange = await show(output, lines[2].id);
  assert.equal(strange.code, 0, strange.stderr);
  for (const { stdout } of [failed, one, strange, await show(output)]) {
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    assert.doesNotMatch(stdout, /^error: faked/m);
  }
  assert.match(strange.stdout, /case-2\\u\{1b\}\[2J\\u\{1b\}\]0;owned\\u\{7\}\\u\{202e\}gnp\.\\r\\nerror: faked · rag_answers/);

  const unknown = await show(output, 'case-8');
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /has no case "case-8"; did you mean "case-0", "case-1"/);
  rmSync(data);
  const without = await show(output, 'case-1', '--format', 'json');
  assert.equal(without.json.input, null);
  assert.match(without.json.notes[0], /its input cannot be shown/);
  assert.equal(without.json.effects.length, 2, 'the journal holds what was asked');
  assert.equal((await show(directory)).code, 2);
  assert.equal((await show(output, 'case-1', '--worst', '2')).code, 2);
});

test('on a terminal it keeps to the width', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(2));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl').replace('openai/judge-model', 'sim/judge'));
  const output = join(directory, 'out');
  assert.equal((await assay(['run', config, '--output-dir', output, '-q'])).code, 0);
  // script(1) gives it a terminal.
  const shown = await start(['-qfec', `stty cols 50; ${binary} show ${output} case-1`, '/dev/null'], { command: 'script', env: { NO_COLOR: '', TERM: 'xterm' } }).ended;
  const coloured = shown.stdout.split('\r\n');
  assert.ok(coloured.length > 20, shown.stdout);
  assert.match(shown.stdout, /\u001b\[1minput\u001b\[0m/);
  // eslint-disable-next-line no-control-regex
  for (const line of coloured) assert.ok([...line.replace(/\u001b\[\d*m/g, '')].length <= 50, line);
});
