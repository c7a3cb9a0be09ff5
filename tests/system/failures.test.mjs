// Everything that goes wrong around a run: each case has its exit code and a message that helps.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { mkdirSync, readFileSync } from 'node:fs';
import { assay, simulator, scratch, write, writeLines, ragLines, ragConfig, readJson, readLines, exists } from './harness.mjs';

function prepared(t, { lines = ragLines(12), extra = '' } = {}) {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), lines);
  return { directory, output: join(directory, 'out'), config: write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', extra)) };
}

test('a wrong key stops the run at the first answer and is not shown', async (t) => {
  const sim = await simulator(t, ['--require-key', 'right-key']);
  const { config, output } = prepared(t, { extra: 'limits: {concurrency: 1}' });
  const run = await assay(['run', config, '--output-dir', output, '-v'], { env: { ...sim.env, OPENAI_API_KEY: 'sk-secret-4711' } });
  assert.equal(run.code, 3);
  assert.match(run.stderr, /401|key/i);
  assert.match(run.stderr, /assay resume/);
  assert.ok(!(run.stdout + run.stderr).includes('sk-secret-4711'));
  assert.equal(await sim.sent(), 1);
  const resumed = await assay(['resume', output], { env: { ...sim.env, OPENAI_API_KEY: 'right-key' } });
  assert.equal(resumed.code, 0, resumed.stderr);
  for (const name of ['config.yaml', 'results.jsonl', 'summary.json', 'report.html', 'problems.log', 'run.db']) {
    const content = readFileSync(join(output, name), 'latin1');
    assert.ok(!content.includes('right-key') && !content.includes('sk-secret-4711'), `${name} holds a key`);
  }
});

test('a missing key is told before anything is sent, naming the variable', async (t) => {
  const { config, output } = prepared(t);
  const run = await assay(['run', config, '--output-dir', output]);
  assert.equal(run.code, 2);
  assert.match(run.stderr, /OPENAI_API_KEY/);
  assert.ok(!exists(output));
});

test('an unreachable host stops the run early with the address in the message', async (t) => {
  const { config, output } = prepared(t, { extra: 'limits: {attempts: 1, same_failures: 3}' });
  const run = await assay(['run', config, '--output-dir', output], { env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } });
  assert.equal(run.code, 3);
  assert.match(run.stderr, /127\.0\.0\.1:9/);
  assert.match(run.stderr, /3 times in a row/);
});

test('a certificate that nobody signed is refused, and accepted with its authority', async (t) => {
  const { directory, config, output } = prepared(t);
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'], { stdio: 'ignore' });
  const sim = await simulator(t);
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const reply = await fetch(sim.url + request.url, { method: request.method, headers: { 'content-type': 'application/json' }, body: Buffer.concat(chunks) });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(Buffer.from(await reply.arrayBuffer()));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `https://127.0.0.1:${server.address().port}/v1` };
  const refused = await assay(['run', config, '--output-dir', output], { env });
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /certificate/i);
  assert.match(refused.stderr, /ca_file|SSL_CERT_FILE/);
  const accepted = await assay(['resume', output, '--http.ca-file', certificate], { env });
  assert.equal(accepted.code, 0, accepted.stderr);
  server.closeAllConnections?.();
});

test('a storm of 429 is waited out', async (t) => {
  const sim = await simulator(t, ['--rate-429', '0.4', '--retry-after', '0.02']);
  const { config, output } = prepared(t, { lines: ragLines(60), extra: 'limits: {attempts: 30}' });
  const run = await assay(['run', config, '--output-dir', output], { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const summary = readJson(join(output, 'summary.json'));
  assert.equal(summary.cases.evaluated, 60);
  assert.ok(summary.usage.requests > 60, 'tries are counted');
});

test('broken answers of every kind are tried again', async (t) => {
  const sim = await simulator(t, ['--rate-malformed', '0.1', '--rate-truncate', '0.1', '--rate-drop', '0.1', '--rate-500', '0.1', '--rate-503', '0.1', '--retry-after', '0.01']);
  const { config, output } = prepared(t, { lines: ragLines(40), extra: 'limits: {attempts: 40}' });
  const run = await assay(['run', config, '--output-dir', output], { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(readJson(join(output, 'summary.json')).cases.evaluated, 40);
});

// In front of the simulator; `send` gives the reply to the client in its own way.
async function inFrontOf(t, sim, send) {
  const server = createPlainServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const version = request.headers['anthropic-version'];
    const headers = { 'content-type': 'application/json', ...(version && { 'anthropic-version': version, 'x-api-key': request.headers['x-api-key'] }) };
    await send(response, await fetch(sim.url + request.url, { method: request.method, headers, body: Buffer.concat(chunks) }));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => { server.close(); server.closeAllConnections(); });
  return `http://127.0.0.1:${server.address().port}`;
}

for (const [provider, after] of [['openai', 'stays open'], ['anthropic', 'stays open'], ['openai', 'breaks']]) {
  test(`${provider}: a streamed answer that is complete counts, although the connection ${after}`, async (t) => {
    const sim = await simulator(t);
    const url = await inFrontOf(t, sim, async (response, reply) => {
      response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') });
      response.write(await reply.text());
      if (after === 'breaks') setImmediate(() => response.destroy());
    });
    const { config, output } = prepared(t, { lines: ragLines(4), extra: `limits: {idle_timeout: 2s, attempts: 1}\nmodels: {m: {provider: ${provider}, name: judge-model, stream: true, base_url: "${url}"}}` });
    const run = await assay(['run', config, '--judge.model', 'm', '--output-dir', output], { env: sim.env });
    assert.equal(run.code, 0, run.stderr);
    assert.equal(readJson(join(output, 'summary.json')).cases.evaluated, 4);
    assert.equal(await sim.sent(), 4, 'nothing is paid twice');
  });
}

test('a reply whose usage is near 2^63 does not spoil the run', async (t) => {
  const sim = await simulator(t);
  const most = '9223372036854775807';
  const url = await inFrontOf(t, sim, async (response, reply) => {
    const text = (await reply.text()).replace(/"(prompt|completion|total)_tokens":\s*\d+/g, `"$1_tokens":${most}`);
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text);
  });
  const { config, output } = prepared(t, { lines: ragLines(3), extra: 'prices: {"openai/*": {prompt: 1000000, completion: 1000000}}' });
  const env = { ...sim.env, OPENAI_BASE_URL: `${url}/v1` };
  const run = await assay(['run', config, '--output-dir', output], { env });
  assert.equal(run.code, 0, run.stderr);
  const { usage } = readJson(join(output, 'summary.json'));
  assert.equal(usage.prompt_tokens, 3e9, 'a reply counts for a billion tokens at most');
  assert.equal(usage.completion_tokens, 3e9);
  assert.ok(usage.cost_usd > 9e6 && usage.cost_usd < 1e7, 'money stays at the largest sum that can be held');
  assert.equal((await assay(['resume', output], { env })).code, 0);
});

test('a stalled connection is given up after the timeout', async (t) => {
  const sim = await simulator(t, ['--rate-stall', '1']);
  const { config, output } = prepared(t, { lines: ragLines(2), extra: 'limits: {timeout: 300ms, attempts: 1, same_failures: 100}' });
  const run = await assay(['run', config, '--output-dir', output], { env: sim.env });
  assert.equal(run.code, 3, run.stderr);
  assert.match(readFileSync(join(output, 'problems.log'), 'utf8'), /time/i);
  assert.equal(readJson(join(output, 'summary.json')).cases.errored, 2);
});

test('an answer that never fits the schema costs its case only, and the judge is asked again with the defects', async (t) => {
  const sim = await simulator(t, ['--rate-wrong-schema', '1']);
  const { config, output } = prepared(t, { lines: ragLines(3) });
  const run = await assay(['run', config, '--output-dir', output], { env: sim.env });
  assert.equal(run.code, 3, run.stderr);
  const summary = readJson(join(output, 'summary.json'));
  assert.equal(summary.cases.errored, 3);
  assert.equal(summary.metrics['coherence.mean'].value, null);
  assert.equal(summary.metrics['coherence.mean'].n, 0);
  assert.equal(await sim.sent(), 9, 'three attempts a case');
  assert.ok(readLines(join(output, 'results.jsonl')).every((line) => line.outcome === 'judge_failed' && line.error));
});

test('an unknown config key, a wrong value and a missing one are told together, with line and column', async (t) => {
  const directory = scratch(t);
  const config = write(join(directory, 'eval.yaml'), 'evaluation: rag_answers\nimput_path: x\nmetrics: [coherense]\nn_runs: none\n');
  const run = await assay(['run', config]);
  assert.equal(run.code, 2);
  assert.match(run.stderr, /eval\.yaml, line 2, column 1, imput_path: unknown key; did you mean `input_path`\?/);
  assert.match(run.stderr, /line 3.*coherense.*did you mean `coherence`/);
  assert.match(run.stderr, /line 4.*n_runs: found "none", expected a whole number/);
  assert.match(run.stderr, /input_path: missing/);
});

test('bad YAML names line and column; a missing config and an unknown evaluation are told', async (t) => {
  const directory = scratch(t);
  const bad = await assay(['run', write(join(directory, 'bad.yaml'), 'evaluation: [rag\nx: 1\n')]);
  assert.equal(bad.code, 2);
  assert.match(bad.stderr, /bad\.yaml, line 2, column \d+: not YAML/);
  assert.match((await assay(['run', join(directory, 'none.yaml')])).stderr, /no such file/);
  const unknown = await assay(['run', write(join(directory, 'u.yaml'), 'evaluation: question_rooter\n')]);
  assert.match(unknown.stderr, /did you mean question_router\?/);
  assert.match((await assay(['rum', 'x'])).stderr, /did you mean run\?/);
  assert.match((await assay(['run', '--imput-path', 'x'])).stderr, /did you mean --input-path\?/);
  assert.match((await assay(['run', write(join(directory, 'e.yaml'), 'evalution: retrieval\n')])).stderr, /unknown key `evalution`; did you mean `evaluation`\?/);
});

test('people who come with the habits of other tools are told what serves here', async (t) => {
  const directory = scratch(t);
  const data = write(join(directory, 'table.csv'), 'question,llm_answer\nHow?,So.\n');
  const config = write(join(directory, 'eval.yaml'), `evaluation: rag_answers\ninput_path: ${data}\njudge: {model: sim/judge}\n`);
  assert.match((await assay(['run', config, '--concurrency', '3'])).stderr, /did you mean --limits\.concurrency\?/);
  assert.match((await assay(['run', config, '--dry-run'])).stderr, /`assay check` with the same arguments sends nothing/);
  const table = await assay(['run', config, '--metrics', 'coherence,relevance', '--limit', '1', '--output-dir', join(directory, 'out')]);
  assert.equal(table.code, 0, `a table is data, a list of names may be written with commas: ${table.stderr}`);
});

test('a config whose aliases repeat long texts is refused before they fill the memory', async (t) => {
  const { directory } = prepared(t);
  const texts = `a: &a "${'x'.repeat(100_000)}"\nb: &b [${Array(300).fill('*a').join(', ')}]\nc: [${Array(300).fill('*b').join(', ')}]\n`;
  const run = await assay(['run', write(join(directory, 'large.yaml'), `evaluation: rag_answers\n${texts}`)]);
  assert.equal(run.code, 2);
  assert.match(run.stderr, /large\.yaml, line \d+, column \d+: too large/);
});

test('every bad line is told and nothing is sent; --skip-invalid runs the others', async (t) => {
  const sim = await simulator(t);
  const directory = scratch(t);
  write(join(directory, 'data.jsonl'), '﻿{"id": 1, "question": "a?", "llm_answer": "b."}\r\n\r\n{"question": 5}\r\nnot json\r\n[1]\r\n'
    + '{"id": 1, "question": "again", "llm_answer": "b."}\r\n{"question": "x", "llm_answer": "y", "question": "z", "note": "kept"}');
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl'));
  const output = join(directory, 'out');
  const refused = await assay(['run', config, '--output-dir', output], { env: sim.env });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /line 3: field question: found 5, expected text/);
  assert.match(refused.stderr, /line 3: field llm_answer: missing/);
  assert.match(refused.stderr, /line 4: not JSON/i);
  assert.match(refused.stderr, /line 5: found a list, expected a JSON object/);
  assert.match(refused.stderr, /line 6: field id: "1" is there on an earlier line already/);
  assert.match(refused.stderr, /warning: .*line 7: field question: is there more than once/);
  assert.match(refused.stderr, /4 of 6 lines cannot be used/);
  assert.equal(await sim.sent(), 0);
  assert.ok(!exists(output));
  const run = await assay(['run', config, '--output-dir', output, '--skip-invalid'], { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(readJson(join(output, 'summary.json')).cases, { total: 6, evaluated: 2, errored: 0, invalid: 4 });
  const lines = readLines(join(output, 'results.jsonl'));
  assert.deepEqual(lines.map((line) => [line.id, line.line]), [['1', 1], ['7', 7]]);
  assert.equal(lines[1].question, 'z');
  assert.deepEqual(lines[1].extra, { note: 'kept' });
});

test('an id or a reply forges no line of problems.log, moves no cursor and is no formula in a table', async (t) => {
  const sim = await simulator(t, ['--rate-wrong-schema', '1']);
  const ids = ['a\nerror: case-0: forged', 'b\u009b2J\u001b[2J', '=HYPERLINK("http://x","y")', '+1-1', '-2'];
  const { config, output } = prepared(t, { lines: ragLines(5).map((line, i) => ({ ...line, id: ids[i] })) });
  const run = await assay(['run', config, '--output-dir', output, '-v'], { env: sim.env });
  assert.equal(run.code, 3, run.stderr);
  const log = readFileSync(join(output, 'problems.log'), 'utf8').trimEnd().split('\n');
  assert.equal(log.length, 5, log.join('\n'));
  assert.ok(log.some((line) => line.includes('a\\nerror: case-0: forged')));
  assert.ok(log.some((line) => line.includes('b\\u{9b}2J\\u{1b}[2J')));
  for (const said of [run.stdout, run.stderr]) assert.ok(!/[\u0080-\u009f\u001b]/.test(said), JSON.stringify(said));
  const table = readFileSync(join(output, 'results.csv'), 'utf8');
  assert.match(table, /'=HYPERLINK/);
  assert.match(table, /^'\+1-1,/m);
  assert.match(table, /^-2,/m, 'numbers are left as they are');
});

test('an empty file, a directory and a missing file instead of data are told', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'folder'));
  write(join(directory, 'empty.jsonl'), '');
  const route = (input) => assay(['question_router', '--input-path', input, '--output-dir', join(directory, 'out')]);
  for (const [input, message] of [['empty.jsonl', /hold no case/], ['folder', /it is a directory/], ['none.jsonl', /no such file/]]) {
    const run = await route(join(directory, input));
    assert.equal(run.code, 2, input);
    assert.match(run.stderr, message);
    assert.ok(!exists(join(directory, 'out')), 'nothing is left behind');
  }
});

test('a run directory of another config, or with other data, is not mixed', async (t) => {
  const sim = await simulator(t);
  const { directory, config, output } = prepared(t);
  assert.equal((await assay(['run', config, '--output-dir', output], { env: sim.env })).code, 0);
  const again = await assay(['run', config, '--output-dir', output], { env: sim.env });
  assert.equal(again.code, 2);
  assert.match(again.stderr, /holds a run already/);
  const other = await assay(['resume', output, '--n-runs', '2'], { env: sim.env });
  assert.equal(other.code, 2);
  assert.match(other.stderr, /n_runs changed/);
  writeLines(join(directory, 'data.jsonl'), ragLines(13));
  const moved = await assay(['resume', output], { env: sim.env });
  assert.equal(moved.code, 2);
  assert.match(moved.stderr, /the data changed since the run began/);
  assert.match(moved.stderr, /--reuse/);
  assert.equal((await assay(['resume', directory], { env: sim.env })).code, 2);
});

test('tokens from a cache without a price of their own are told, since the cost is then too high', async (t) => {
  const directory = scratch(t);
  const script = writeLines(join(directory, 'rules.jsonl'), [{ reply: { json: { reason: 'Clear.', score: 4 } }, usage: { prompt_tokens: 1000, completion_tokens: 100, cached_tokens: 600 } }]);
  const sim = await simulator(t, ['--script', script]);
  for (const [cached, cost] of [['', 0.0022], [', cached: 0.5', 0.0013]]) {
    const { config, output } = prepared(t, { lines: ragLines(1), extra: `prices: {openai/judge-model: {prompt: 2, completion: 2${cached}}}` });
    const run = await assay(['run', config, '--output-dir', output], { env: sim.env });
    assert.equal(run.code, 0, run.stderr);
    assert.equal(readJson(join(output, 'summary.json')).usage.cost_usd, cost);
    const told = exists(join(output, 'problems.log')) && readFileSync(join(output, 'problems.log'), 'utf8').includes("came from the provider's cache");
    assert.equal(told, cached === '');
  }
});

test('a budget sets aside what an answer may be long by the max_tokens of the alias', async (t) => {
  const sim = await simulator(t);
  const { config, output } = prepared(t, { lines: ragLines(2), extra: 'models: {long: {provider: openai, name: judge-model, max_tokens: 50000}}\nprices: {long: {prompt: 0, completion: 100}}\nbudget: {usd: 2}' });
  const run = await assay(['run', config, '--output-dir', output, '--judge.model', 'long'], { env: sim.env });
  assert.match(run.stderr, /one call may cost \$5\.00, more than the whole budget of \$2\.00/);
  assert.equal(await sim.sent(), 0);
});

test('a budget stops the run before it is passed, and what was paid is reported', async (t) => {
  const sim = await simulator(t);
  const { config, output } = prepared(t, { lines: ragLines(200), extra: 'prices: {"openai/*": {prompt: 1000, completion: 1000}}\nbudget: {usd: 20}\nlimits: {concurrency: 2}' });
  const run = await assay(['run', config, '--output-dir', output], { env: sim.env });
  assert.equal(run.code, 3);
  assert.match(run.stderr, /budget/);
  const summary = readJson(join(output, 'summary.json'));
  assert.ok(summary.usage.cost_usd <= 20 && summary.usage.cost_usd > 0, `${summary.usage.cost_usd}`);
  assert.ok(summary.cases.errored > 0 && summary.cases.evaluated > 0);
  assert.equal(summary.cases.errored + summary.cases.evaluated, 200);
  const resumed = await assay(['resume', output, '--budget.usd', '100000'], { env: sim.env });
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(await sim.sent(), 200);
});
