// Keys, tokens and passwords: wherever they come from and whoever repeats them, they stand in no file of a run and in
// nothing that is printed, and a run that was interrupted can be finished all the same.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer, request as ask } from 'node:http';
import { join } from 'node:path';
import { readFileSync, renameSync } from 'node:fs';
import { assay, simulator, scratch, write, writeLines, ragLines, ragConfig, readLines, exists, assertNowhere } from './harness.mjs';

const kKey = 'sk-live-0a1b2c3d4e5f';

// In front of the simulator, and `change` has the last word on what it says.
async function between(t, sim, change) {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const reply = await fetch(sim.url + request.url, { method: request.method, headers: { 'content-type': 'application/json' }, body: Buffer.concat(chunks) });
    const { status, body } = change(request, reply.status, await reply.text());
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => { server.close(); server.closeAllConnections?.(); });
  return `http://127.0.0.1:${server.address().port}`;
}

// Every text of the judge's answer ends with the key, and the model's name too.
function repeating(key, reply) {
  const json = JSON.parse(reply);
  const echo = (value) => (typeof value === 'string' ? `${value} ${key}` : Array.isArray(value) ? value.map(echo)
    : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, echo(inner)])) : value);
  const { message } = json.choices[0];
  if (message.content) message.content = JSON.stringify(echo(JSON.parse(message.content)));
  for (const call of message.tool_calls ?? []) call.function.arguments = JSON.stringify(echo(JSON.parse(call.function.arguments)));
  json.model += ` ${key}`;
  return JSON.stringify(json);
}

function prepared(t, extra = '', lines = ragLines(3)) {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), lines);
  return { directory, output: join(directory, 'out'), config: write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', extra)) };
}

test('a key that a good answer repeats stands in no file and on no screen', async (t) => {
  const sim = await simulator(t);
  const url = await between(t, sim, (request, status, body) => ({ status, body: repeating(request.headers.authorization.slice(7), body) }));
  const { config, output } = prepared(t);
  const run = await assay(['run', config, '--output-dir', output, '-v'], { env: { OPENAI_API_KEY: kKey, OPENAI_BASE_URL: `${url}/v1` } });
  assert.equal(run.code, 0, run.stderr);
  assertNowhere(output, kKey);
  assert.ok(!(run.stdout + run.stderr).includes(kKey));
  assert.match(readFileSync(join(output, 'results.jsonl'), 'utf8'), /\[hidden\]/, 'what stood there is marked');
  const csv = await assay(['report', output, '--format', 'csv']);
  assert.ok(!csv.stdout.includes(kKey));
  const resumed = await assay(['resume', output], { env: { OPENAI_API_KEY: kKey, OPENAI_BASE_URL: `${url}/v1` } });
  assert.equal(resumed.code, 0, resumed.stderr);
});

test('a token in a base URL stands in no error, log or file', async (t) => {
  const token = 'gate-Token-77aa88';
  const url = await between(t, await simulator(t), (request) => ({ status: 400, body: JSON.stringify({ error: { message: `no route for ${request.url} with ${request.headers.authorization}` } }) }));
  const { config, output } = prepared(t, `models: {m: {provider: openai, name: judge-model, base_url: "${url}/v1?token=${token}"}}`);
  for (const place of [[config, '--judge.model', 'm'], [config]]) {
    const run = await assay(['run', ...place, '--output-dir', `${output}${place.length}`, '-v'], { env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${url}/v1?token=${token}` } });
    assert.equal(run.code, 3, run.stderr);
    assert.match(run.stderr, /no route for \/v1\/chat\/completions\?token=\[/);
    assert.ok(!(run.stdout + run.stderr).includes(token), run.stderr);
    assertNowhere(`${output}${place.length}`, token);
  }
});

// A proxy that wants this password, and hands on to the simulator.
async function proxy(t, sim, password) {
  const wanted = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;
  let open = true;
  const server = createServer((request, response) => {
    if (!open || request.headers['proxy-authorization'] !== wanted) {
      response.writeHead(407, { 'content-type': 'text/plain' }).end(`not with ${request.headers['proxy-authorization']}`);
      return;
    }
    const onward = ask(`${sim.url}${new URL(request.url).pathname}`, { method: request.method, headers: { 'content-type': 'application/json' } },
      (reply) => { response.writeHead(reply.statusCode, { 'content-type': 'application/json' }); reply.pipe(response); });
    request.pipe(onward);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => { server.close(); server.closeAllConnections?.(); });
  return { url: `http://me:${password}@127.0.0.1:${server.address().port}`, shut: () => { open = false; }, reopen: () => { open = true; } };
}

test('the password of a proxy is not kept, and the run is finished with the config that has it', async (t) => {
  const password = 'pr0xy-pass-word';
  const sim = await simulator(t);
  const door = await proxy(t, sim, password);
  const { config, output, directory } = prepared(t, `http: {proxy: "${door.url}"}\nlimits: {attempts: 1, same_failures: 1}`);
  const env = { OPENAI_API_KEY: kKey, OPENAI_BASE_URL: 'http://models.example.org/v1' };
  door.shut();
  const stopped = await assay(['run', config, '--output-dir', output, '-v'], { env });
  assert.equal(stopped.code, 3, stopped.stderr);
  assert.ok(!(stopped.stdout + stopped.stderr).includes(password), stopped.stderr);
  assert.ok(!stopped.stderr.includes(Buffer.from(`me:${password}`).toString('base64')), stopped.stderr);
  assert.match(readFileSync(join(output, 'config.yaml'), 'utf8'), /me:\[hidden\]@127\.0\.0\.1/);
  door.reopen();

  const moved = `${config}.moved`;
  renameSync(config, moved);
  const lost = await assay(['resume', output], { env });
  assert.equal(lost.code, 2);
  assert.match(lost.stderr, /http\.proxy: its secret is not kept with the run.*eval\.yaml/s);
  const given = await assay(['check', join(output, 'config.yaml'), '--http.proxy', door.url], { env });
  assert.equal(given.code, 0, given.stderr);
  renameSync(moved, config);
  const resumed = await assay(['resume', output], { env });
  assert.equal(resumed.code, 0, resumed.stderr);
  assertNowhere(output, password);
  assert.equal(readLines(join(output, 'results.jsonl')).length, 3);

  // From a flag, which the report repeats; and from the environment, which is what to do instead.
  const flagged = join(directory, 'flagged');
  const plain = write(join(directory, 'plain.yaml'), ragConfig('data.jsonl'));
  assert.equal((await assay(['run', plain, '--http.proxy', door.url, '--output-dir', flagged], { env })).code, 0);
  assertNowhere(flagged, password);
  const named = join(directory, 'named');
  const run = await assay(['run', plain, '--http.proxy', door.url.replace(password, '${PROXY_PASSWORD}'), '--output-dir', named], { env: { ...env, PROXY_PASSWORD: password } });
  assert.equal(run.code, 0, run.stderr);
  assertNowhere(named, password);
});

test('a token that is written into a target is sent and not kept', async (t) => {
  const token = 'literal-Token-123';
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(`${request.headers.authorization} ${request.url}`);
    response.end(JSON.stringify({ actual_outcome: 'tax', debug: request.headers.authorization }));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), [{ id: 'a', question: 'VAT?', expected_outcome: 'tax' }]);
  const config = write(join(directory, 'eval.yaml'), JSON.stringify({ evaluation: 'question_router', generate: true, input_path: 'data.jsonl',
    target: { http: { url: `http://127.0.0.1:${server.address().port}/x?api_key=${token}`, headers: { Authorization: `Bearer ${token}` } } } }));
  const output = join(directory, 'out');
  const run = await assay(['run', config, '--output-dir', output, '-v'], { cwd: directory });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(seen, [`Bearer ${token} /x?api_key=${token}`]);
  assertNowhere(output, token);
  assert.equal((await assay(['resume', output])).code, 0);
});

test('what a run is about may name a variable with a telling name: its value stands nowhere', async (t) => {
  for (const extra of ['', 'evaluation: custom\ninput_path: answers.jsonl\nmetrics: [{name: some, words: {min: 1}}]\n']) {
    const { directory, config, output } = prepared(t);
    writeLines(join(directory, 'answers.jsonl'), [{ output: 'Yes.' }]);
    if (extra) write(config, extra);
    const run = await assay(['run', config, '--what', 'release ${RELEASE} with ${SIGNING_KEY}', '--output-dir', output], { env: { RELEASE: 'r7', SIGNING_KEY: 'company-0a1b2c3d', OPENAI_API_KEY: kKey, OPENAI_BASE_URL: (await simulator(t)).env.OPENAI_BASE_URL } });
    assert.equal(run.code, 0, run.stderr);
    assertNowhere(output, 'company-0a1b2c3d');
    assert.match(readFileSync(join(output, 'summary.json'), 'utf8'), /release r7 with \[hidden\]/);
    assert.ok(!(run.stdout + run.stderr).includes('company-0a1b2c3d'));
  }
});

test('a command target that prints our environment when it fails prints no key', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), [{ id: 'a', question: 'VAT?', expected_outcome: 'tax' }]);
  const config = write(join(directory, 'eval.yaml'), JSON.stringify({ evaluation: 'question_router', generate: true, input_path: 'data.jsonl', target: { command: ['sh', '-c', 'env | grep KEY >&2; exit 1'] } }));
  const output = join(directory, 'out');
  const run = await assay(['run', config, '--output-dir', output], { cwd: directory, env: { OPENAI_API_KEY: 'company-0a1b2c3d' } });
  assert.equal(run.code, 3, run.stderr);
  assert.ok(exists(join(output, 'results.jsonl')));
  assertNowhere(output, 'company-0a1b2c3d');
  assert.ok(!(run.stdout + run.stderr).includes('company-0a1b2c3d'));
});
