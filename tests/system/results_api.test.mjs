// The results API of `assay serve`, by HTTP, with runs of the real program: every answer is held against the schema
// that the OpenAPI document gives for it.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { request as plainRequest } from 'node:http';
import { assay, askedMore, ragConfig, ragLines, readJson, scratch, simulator, sleep, start, write, writeLines } from './harness.mjs';
import { assertDescribed, assertDocument } from './openapi.mjs';

// `assay serve` for these results; every JSON answer is checked.
async function serving(t, directory, { args = [], token, env = {} } = {}) {
  const run = start(['serve', '--port', '0', '--store', join(directory, 'store'), '--results', join(directory, 'results'), ...args], { env });
  const base = await new Promise((found, failed) => {
    run.child.stdout.on('data', () => {
      const line = /the page is at (http:\S+)\//.exec(run.stdout);
      if (line) found(line[1]);
    });
    run.child.on('close', () => failed(new Error(`the service ended: ${run.stderr}`)));
  });
  t.after(async () => { run.child.kill('SIGKILL'); await run.ended; });
  const document = await (await fetch(`${base}/openapi.json`)).json();
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const call = async (method, path, more = {}) => {
    const answer = await fetch(base + path, { method, headers: { ...headers, ...more.headers }, body: more.body, redirect: 'manual' });
    const text = await answer.text();
    const json = text !== '' && answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : undefined;
    const result = { status: answer.status, headers: answer.headers, text, json };
    if (json && answer.status !== 405 && answer.status !== 404 && more.described !== false) assertDescribed(document, method, path, result);
    return result;
  };
  return { run, base, document, call, get: (path, more) => call('GET', path, more) };
}

const routed = (count, wrong = 3) => Array.from({ length: count }, (_, i) => ({
  id: `q-${i}`, question: `Where do I renew permit ${i}?`, expected_outcome: 'genuine_rag',
  actual_outcome: i % wrong === 0 ? 'non_english' : 'genuine_rag', confidence_score: 0.5 + (i % 50) / 100,
}));

async function finishedRun(directory, name, { count = 20, wrong = 3, what = name, gate = 'accuracy >= 0.1' } = {}) {
  writeLines(join(directory, `${name}.jsonl`), routed(count, wrong));
  const config = write(join(directory, `${name}.yaml`), `evaluation: question_router\nwhat: ${what}\ngenerate: false\ninput_path: ${name}.jsonl\ngates: ["${gate}"]\n`);
  const output = join(directory, 'results', name);
  const ended = await assay(['run', config, '--output-dir', output, '-q']);
  assert.ok([0, 1].includes(ended.code), ended.stderr);
  return output;
}

// Events of a stream until `enough` says so.
async function listen(url, headers, enough) {
  const stopping = new AbortController();
  const answer = await fetch(url, { headers, signal: stopping.signal });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  const events = [];
  let text = '';
  try {
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const event = lines.find((line) => line.startsWith('event: '))?.slice(7);
        if (!event) continue;
        events.push({ event, data: JSON.parse(lines.find((line) => line.startsWith('data: ')).slice(6)) });
        if (enough(events)) return events;
      }
    }
  } finally {
    stopping.abort();
  }
  return events;
}

test('runs are listed, filtered, sorted and paged; a run has its figures, plots, cases and files', async (t) => {
  const directory = scratch(t);
  await finishedRun(directory, 'first', { what: 'the old router' });
  await finishedRun(directory, 'second', { count: 30, wrong: 2, gate: 'accuracy >= 0.9' });
  const api = await serving(t, directory);
  assertDocument(api.document);

  const all = (await api.get('/api/runs')).json;
  assert.deepEqual(all.runs.map(({ id }) => id).sort(), ['first', 'second']);
  assert.deepEqual([all.fitting, all.total, all.evaluations], [2, 2, ['question_router']]);
  const [second] = all.runs.filter(({ id }) => id === 'second');
  assert.deepEqual([second.state, second.done, second.cases, second.gates, second.live], ['gate failed', 30, 30, { passed: 0, failed: 1 }, null]);
  assert.equal(second.headline.name, 'accuracy');
  assert.equal(second.headline.estimate.value, 0.5);
  const ids = async (query) => (await api.get(`/api/runs?${query}`)).json.runs.map(({ id }) => id);
  assert.deepEqual(await ids('state=done'), ['first']);
  assert.deepEqual(await ids('search=OLD%20router'), ['first']);
  assert.deepEqual(await ids('sort=cases'), ['first', 'second']);
  assert.deepEqual(await ids('sort=cases&descending=true&count=1'), ['second']);
  assert.deepEqual(await ids('sort=headline&offset=1'), ['first']);
  assert.deepEqual(await ids('evaluation=custom'), []);
  for (const wrong of ['state=foo', 'sort=size', 'count=-1', 'offset=x', 'sorted=cases']) assert.equal((await api.get(`/api/runs?${wrong}`)).status, 400, wrong);

  const { json: detail } = await api.get('/api/runs/first');
  assert.deepEqual(detail.summary, readJson(join(directory, 'results/first/summary.json')));
  assert.ok(detail.plots.length > 0 && detail.plots.every((plot) => plot.spec.$schema.includes('vega-lite') && plot.title && plot.caption), 'plots with their words');
  assert.equal(detail.plots[0].name, 'headline_shares', 'in the order of the report');
  assert.ok(detail.notable.length > 0);
  assert.match(detail.config, /evaluation: question_router/);

  const { json: page } = await api.get('/api/runs/second/cases?count=5&sort=id&descending=true');
  assert.deepEqual(page.rows.map(({ id }) => id), ['q-9', 'q-8', 'q-7', 'q-6', 'q-5']);
  assert.deepEqual([page.fitting, page.total, page.finished, page.not_begun], [30, 30, true, 0]);
  assert.equal(page.rows[0].text, 'Where do I renew permit 9?');
  const fitting = async (query) => (await api.get(`/api/runs/second/cases?${query}`)).json.fitting;
  assert.equal(await fitting('search=permit%2012%3F'), 1);
  assert.equal(await fitting('slice=actual_outcome:non_english'), 15);
  assert.equal(await fitting('label=genuine_rag'), 30, 'some trait of every case has that value');
  const [score] = page.scores;
  assert.equal(await fitting(`metric=${score}&below=0`), 15);
  assert.equal(await fitting('outcome=scored'), 30);
  for (const wrong of ['sort=size', 'slice=x', 'slice=foo:bar', 'slice=actual_outcome:foo', 'outcome=foo', 'above=1', 'count=2000']) assert.equal((await api.get(`/api/runs/second/cases?${wrong}`)).status, 400, wrong);

  const { json: one } = await api.get('/api/runs/first/case?id=q-3');
  const shown = await assay(['show', join(directory, 'results/first'), 'q-3', '--format', 'json']);
  assert.deepEqual(one, JSON.parse(shown.stdout), 'the same as assay show');
  assert.equal((await api.get('/api/runs/first/case?id=q-99')).status, 404);

  const { json: compared } = await api.get('/api/compare?base=first&new=second,first');
  assert.deepEqual(compared.comparisons.map(({ run }) => run.id), ['second', 'first']);
  const same = await assay(['compare', join(directory, 'results/first'), join(directory, 'results/second'), '--format', 'json']);
  assert.deepEqual(compared.comparisons[0].comparison.figures, JSON.parse(same.stdout).figures);
  assert.equal((await api.get('/api/compare?base=first&new=third')).status, 404);
  const needed = await api.get('/api/compare?base=first');
  assert.deepEqual([needed.status, needed.json.errors.map(({ pointer }) => pointer)], [400, ['new']]);
  const parameters = Object.fromEntries(api.document.paths['/api/runs'].get.parameters.map((one) => [one.name, one]));
  assert.deepEqual([parameters.state.schema.enum, parameters.count.schema, parameters.count.required], [
    ['running', 'unfinished', 'done', 'gate failed'], { type: 'integer', minimum: 0, maximum: 1000 }, false]);
  assert.deepEqual(api.document.paths['/api/compare'].get.parameters.map((one) => one.required), [true, true]);

  const { json: about } = await api.get('/api/about');
  assert.deepEqual([about.client, about.roles, about.data, about.starts], ['', ['read', 'label', 'write', 'run'], true, true]);
});

test('runs are named whole, with commas in their ids too', async (t) => {
  const directory = scratch(t);
  for (const name of ['old', 'new,best', 'new']) await finishedRun(directory, name, { count: 6 });
  const api = await serving(t, directory);
  const compared = async (query) => (await api.get(`/api/compare?base=old&${query}`)).json.comparisons?.map(({ run }) => run.id);
  assert.deepEqual(await compared('new=new,best'), ['new,best']);
  assert.deepEqual(await compared('new=new,best,new'), ['new,best', 'new']);
  assert.deepEqual(await compared('new=new&new=new,best'), ['new', 'new,best']);
  assert.deepEqual((await api.get('/api/audit?runs=old,new,best')).json.runs.map(({ id }) => id), ['old', 'new,best']);
});

test('only files of the run can be read, as attachments, whole and in pieces', async (t) => {
  const directory = scratch(t);
  const output = await finishedRun(directory, 'one');
  writeFileSync(join(directory, 'secret.txt'), 'not for you');
  symlinkSync(join(directory, 'secret.txt'), join(output, 'link.txt'));
  symlinkSync(directory, join(output, 'plots', 'out'));
  mkdirSync(join(output, 'other'));
  writeFileSync(join(output, 'other/inner.txt'), 'deeper than plots');
  const odd = 'odd "näme";\u202e<script>.csv';
  writeFileSync(join(output, odd), 'a,b\n');
  const big = Buffer.alloc(3 << 20, 'assay ');
  writeFileSync(join(output, 'big.bin'), big);
  const api = await serving(t, directory);
  const { json } = await api.get('/api/runs/one/files');
  const names = json.files.map(({ name }) => name);
  for (const name of ['summary.json', 'results.jsonl', 'report.html', odd, 'plots/headline_shares.vl.json']) assert.ok(names.includes(name), name);
  for (const name of ['link.txt', 'other/inner.txt', 'run.db.lock']) assert.ok(!names.includes(name), name);
  const file = (name) => api.get(`/api/runs/one/file?name=${encodeURIComponent(name)}`);
  const summary = await fetch(`${api.base}/api/runs/one/file?name=summary.json`);
  assert.equal(await summary.text(), readFileSync(join(output, 'summary.json'), 'utf8'));
  assert.equal(summary.headers.get('x-content-type-options'), 'nosniff');
  const page = await file('report.html');
  assert.equal(page.headers.get('content-type'), 'application/octet-stream', 'never shown as a page of ours');
  assert.equal(page.headers.get('content-disposition'), 'attachment; filename="report.html"; filename*=UTF-8\'\'report.html');
  assert.equal((await file(odd)).text, 'a,b\n');
  assert.doesNotMatch((await file(odd)).headers.get('content-disposition'), /[^\x20-\x7e]/);
  const whole = await fetch(`${api.base}/api/runs/one/file?name=big.bin`);
  assert.ok(Buffer.from(await whole.arrayBuffer()).equals(big));
  for (const name of ['../secret.txt', 'link.txt', 'plots/../../../secret.txt', 'plots/out/secret.txt', '/etc/passwd', 'other/inner.txt', 'plots', '.', '..', 'summary.json\u0000', './summary.json', 'plots//headline_shares.vl.json']) {
    assert.ok([400, 404].includes((await file(name)).status), name);
  }
  for (const run of ['..', '.', '%2e%2e', '..%2fresults%2fone', 'one%2f..', 'one:..', 'one@2', '%00', '%ff', 'x'.repeat(3000)]) {
    const answer = await fetch(`${api.base}/api/runs/${run}/file?name=summary.json`);
    assert.ok([400, 404, 414, 431].includes(answer.status), `${run}: ${answer.status}`);
    assert.doesNotMatch(await answer.text(), /not for you|accuracy/);
  }
});

test('hostile ids and texts go through as they are', async (t) => {
  const directory = scratch(t);
  const ids = ['<script>alert(1)</script>', 'a/b?c#d&e=f', '\u202egnp.exe', '"quoted"\\', '%2e%2e', 'tab\there', 'ä𝄞'];
  writeLines(join(directory, 'data.jsonl'), ids.map((id) => ({ id, question: `<img src=x onerror=alert(1)> ${id}`, expected_outcome: 'a', actual_outcome: 'b' })));
  const config = write(join(directory, 'eval.yaml'), 'evaluation: question_router\nwhat: "<b>bold</b>"\ngenerate: false\ninput_path: data.jsonl\n');
  const output = join(directory, 'results', 'a b%c', 'r<1>');
  assert.equal((await assay(['run', config, '--output-dir', output, '-q'])).code, 0);
  const api = await serving(t, directory);
  const { json } = await api.get('/api/runs');
  assert.equal(json.runs[0].id, 'a b%c:r<1>');
  assert.equal(json.runs[0].what, '<b>bold</b>');
  const run = `/api/runs/${encodeURIComponent(json.runs[0].id)}`;
  const { json: page } = await api.get(`${run}/cases`);
  assert.deepEqual(page.rows.map(({ id }) => id), ids);
  for (const id of ids) {
    const { status, json: view, headers } = await api.get(`${run}/case?id=${encodeURIComponent(id)}`);
    assert.equal(status, 200, id);
    assert.equal(view.id, id);
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
});

test('a run of another process is seen while it runs, when it is killed, and when it goes on', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '100ms']);
  writeLines(join(directory, 'data.jsonl'), ragLines(40));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 2}\n'));
  const output = join(directory, 'results', 'live');
  const api = await serving(t, directory);
  const heard = listen(`${api.base}/api/events`, {}, (events) => events.some(({ data }) => data.live?.rate > 0 && data.done > 2));
  const run = start(['run', config, '--output-dir', output, '-q'], { env: sim.env });
  await askedMore(sim, 6, run);
  const { json } = await api.get('/api/runs');
  assert.equal(json.runs[0].state, 'running');
  assert.equal(json.runs[0].cases, 40);
  const events = await heard;
  const { data: told } = events.at(-1);
  assert.deepEqual([told.id, told.state], ['live', 'running']);
  assert.ok(told.live.requests > 0 && told.live.tokens > 0 && told.live.seconds_left > 0, JSON.stringify(told.live));
  const { json: page } = await api.get('/api/runs/live/cases');
  assert.equal(page.finished, false);
  assert.ok(page.total + page.not_begun === 40, JSON.stringify(page.outcomes));
  const { json: detail } = await api.get('/api/runs/live');
  assert.match(detail.summary.conclusions[0], /^The run goes on: /);

  const killed = listen(`${api.base}/api/events?run=live`, {}, (all) => all.at(-1).data.state === 'unfinished');
  run.child.kill('SIGKILL');
  await run.ended;
  assert.equal((await killed).at(-1).data.id, 'live');
  // Looked at all the time, and nobody who looks is in its way.
  let looking = true;
  const looks = Promise.all([1, 2, 3].map(async () => { while (looking) await api.get('/api/runs'); }));
  const done = listen(`${api.base}/api/events`, {}, (all) => all.some(({ data }) => data.state === 'done'));
  const resumed = await assay(['resume', output, '-q'], { env: sim.env });
  assert.equal(resumed.code, 0, resumed.stderr);
  const last = (await done).at(-1).data;
  assert.deepEqual([last.done, last.live], [40, null]);
  looking = false;
  await looks;
  assert.equal((await api.get('/api/runs/live/cases')).json.finished, true, 'what was read of it before is not shown any more');
  const gone = listen(`${api.base}/api/events`, {}, (all) => all.at(-1).event === 'gone');
  await sleep(700);
  rmSync(output, { recursive: true });
  assert.deepEqual((await gone).at(-1).data, { id: 'live' });
  assert.equal((await api.get('/api/runs/live')).status, 404);
});

test('without a token no data; a role for everything; a changed file counts at once', async (t) => {
  const directory = scratch(t);
  await finishedRun(directory, 'one');
  const tokens = join(directory, 'tokens');
  const make = async (client, ...more) => {
    const made = await assay(['serve', '--tokens', tokens, '--new-token', client, ...more]);
    assert.equal(made.code, 0, made.stderr);
    return made.stdout.trim();
  };
  const reader = await make('reader', '--roles', 'read');
  const old = await make('old');
  const operator = await make('operator', '--roles', 'run');
  assert.equal((await assay(['serve', '--tokens', tokens, '--new-token', 'x', '--roles', 'read,owner'])).code, 2);
  const api = await serving(t, directory, { args: ['--tokens', tokens] });
  const as = (token) => ({ headers: { authorization: `Bearer ${token}` } });
  for (const path of ['/', '/runs/one', '/compare?base=a&new=b', '/new', '/health', '/openapi.json', '/data/eval/openapi.json']) {
    assert.equal((await api.get(path)).status, 200, path);
  }
  const page = await api.get('/');
  assert.match(page.headers.get('content-type'), /^text\/html/);
  assert.match(page.headers.get('content-security-policy'), /^default-src 'none'; script-src 'self';/);
  assert.doesNotMatch(page.text, /q-1|accuracy|results\/one/, 'no data in the page');
  const secured = Object.entries(api.document.paths).filter(([, methods]) => methods.get && methods.get['x-role'] !== 'none');
  assert.ok(secured.length > 8);
  for (const [path] of secured) {
    const { status, json } = await api.get(path.replace('{run}', 'one').replace('{mode}', 'mode1').replace('{job_id}', 'x'));
    assert.equal(status, 401, path);
    assert.deepEqual(Object.keys(json), ['message', 'errors']);
  }
  assert.equal((await api.get('/api/nothing', { described: false })).status, 401, 'nor what there is not');
  assert.equal((await api.get('/api/runs', as(reader))).status, 200);
  assert.deepEqual((await api.get('/api/about', as(reader))).json.roles, ['read']);
  assert.deepEqual((await api.get('/api/about', as(old))).json.roles, ['read', 'label', 'write'], 'a line without roles');
  assert.deepEqual((await api.get('/api/about', as(operator))).json.roles, ['read', 'label', 'write', 'run']);
  const post = (token) => api.call('POST', '/data/eval/create-subset', { headers: { ...as(token).headers, 'content-type': 'application/json' }, body: '{"tag":"t","percent":5}' });
  const refused = await post(reader);
  assert.equal(refused.status, 403);
  assert.match(refused.json.message, /role write; yours has read/);
  assert.equal((await post(old)).status, 404, 'it may, and there is no such tag');

  const late = await make('late', '--roles', 'read');
  assert.equal((await api.get('/api/runs', as(late))).status, 200, 'made while the service runs');
  const listening = await fetch(`${api.base}/api/events`, as(reader));
  assert.equal(listening.status, 200);
  const lines = readFileSync(tokens, 'utf8').split('\n').filter((line) => !line.startsWith('reader '));
  writeFileSync(tokens, lines.join('\n'));
  assert.match(await listening.text(), /^: listening/, 'and a stream that it opened ends');
  assert.equal((await api.get('/api/runs', as(reader))).status, 401, 'taken away while the service runs');
  appendFileSync(tokens, 'no hash\n');
  assert.equal((await api.get('/api/runs', as(late))).status, 200);
  assert.match(api.run.stderr, /line \d+: expected a client's name/);
  writeFileSync(tokens, '');
  assert.equal((await api.get('/api/runs', as(late))).status, 401, 'an empty file lets nobody in');
});

test('other origins only if they are named, and state is changed from nowhere else', async (t) => {
  const directory = scratch(t);
  await finishedRun(directory, 'one');
  const friend = 'https://dashboard.example';
  const api = await serving(t, directory, { args: ['--cors', `${friend}/`] });
  // fetch does not send every header that a browser would.
  const raw = (method, path, headers) => new Promise((done, failed) => {
    const sent = plainRequest(`${api.base}${path}`, { method, headers }, (answer) => { answer.resume(); answer.on('end', () => done(answer)); });
    sent.on('error', failed).end();
  });
  const read = await raw('GET', '/api/runs', { origin: friend });
  assert.deepEqual([read.statusCode, read.headers['access-control-allow-origin'], read.headers.vary], [200, friend, 'Origin']);
  const before = await raw('OPTIONS', '/api/runs', { origin: friend, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' });
  assert.equal(before.statusCode, 204);
  assert.equal(before.headers['access-control-allow-origin'], friend);
  assert.match(before.headers['access-control-allow-methods'], /GET/);
  assert.match(before.headers['access-control-allow-headers'], /authorization/);
  for (const foreign of ['https://evil.example', 'null', `${friend}.evil.example`, `${friend}:8443`]) {
    const answer = await raw('GET', '/api/runs', { origin: foreign });
    assert.deepEqual([answer.statusCode, answer.headers['access-control-allow-origin']], [403, undefined], foreign);
    const asked = await raw('OPTIONS', '/api/runs', { origin: foreign, 'access-control-request-method': 'GET' });
    assert.deepEqual([asked.statusCode, asked.headers['access-control-allow-origin']], [403, undefined], foreign);
  }
  assert.equal((await raw('POST', '/data/eval/create-subset', { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' })).statusCode, 403);
  assert.equal((await raw('GET', '/api/runs', { origin: api.base })).statusCode, 200, 'its own page');
  assert.equal((await assay(['serve', '--cors', '*', '--store', join(directory, 's2')])).code, 2);
});

test('404, 405, 304, HEAD, health and metrics', async (t) => {
  const directory = scratch(t);
  await finishedRun(directory, 'one');
  const api = await serving(t, directory);
  const nothing = await api.get('/api/nothing');
  assert.equal(nothing.status, 404);
  assert.deepEqual(Object.keys(nothing.json), ['message', 'errors']);
  for (const [method, path] of [['POST', '/api/compare'], ['DELETE', '/api/runs/one'], ['PUT', '/'], ['POST', '/health']]) {
    const wrong = await api.call(method, path);
    assert.equal(wrong.status, 405, path);
    assert.match(wrong.headers.get('allow'), /GET/);
  }
  assert.deepEqual((await api.get('/health')).json, { status: 'ok', assay: JSON.parse((await assay(['--version', '--format', 'json'])).stdout).assay });
  const head = await api.call('HEAD', '/api/runs');
  assert.deepEqual([head.status, head.text], [200, '']);
  const page = await api.get('/');
  assert.equal((await api.get('/', { headers: { 'if-none-match': page.headers.get('etag') } })).status, 304);
  assert.equal((await api.get('/assets/..%2fopenapi.json')).status, 404);
  assert.equal((await api.get('/assets/index.html')).status, 404);
  const { text, headers } = await api.get('/metrics');
  assert.match(headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  const value = (name) => Number(text.split('\n').find((line) => line.startsWith(`${name} `))?.split(' ').at(-1));
  assert.equal(value('assay_runs{state="done"}'), 1);
  assert.equal(value('assay_requests_total{method="POST",route="another method",status="405"}'), 2);
  assert.equal(value('assay_requests_total{method="GET",route="none",status="404"}'), 2, 'nothing, and a way out of the assets');
  assert.equal(value('assay_jobs{status="COMPLETE"}'), 0);
  assert.ok(value('assay_data_bytes') > 0 && value('assay_connections') > 0);
  for (const line of text.trimEnd().split('\n')) assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? [-+.e\d]+)$/);
});

test('results directories that share a name, and assay view', async (t) => {
  const directory = scratch(t);
  const output = await finishedRun(directory, 'one');
  cpSync(output, join(directory, 'more', 'one'), { recursive: true });
  const api = await serving(t, directory, { args: ['--results', join(directory, 'more')] });
  assert.deepEqual((await api.get('/api/runs')).json.runs.map(({ id }) => id).sort(), ['one', 'one@2']);
  assert.equal((await api.get('/api/runs/one@2')).json.run.directory, join(directory, 'more/one'));

  const said = join(directory, 'said');
  const browser = write(join(directory, 'browser.sh'), `#!/bin/sh\necho "$1" > ${said}.new && mv ${said}.new ${said}\n`);
  execFileSync('chmod', ['+x', browser]);
  const view = start(['view', join(directory, 'results')], { env: { BROWSER: browser } });
  t.after(() => view.child.kill('SIGKILL'));
  while (!/http:\S+/.test(view.stdout)) await sleep(10);
  const [address] = /http:\S+/.exec(view.stdout);
  assert.equal((await (await fetch(`${address}api/runs`)).json()).total, 1);
  const about = await (await fetch(`${address}api/about`)).json();
  assert.deepEqual([about.data, about.starts, about.configs], [false, false, false], 'it shows what is here and starts nothing');
  for (let i = 0; i < 200; i += 1) {
    try { assert.equal(readFileSync(said, 'utf8').trim(), address); break; } catch (error) { if (i === 199) throw error; await sleep(10); }
  }
  const stopped = new Promise((done) => view.child.on('close', done));
  view.child.kill('SIGTERM');
  assert.equal(await stopped, 0);
  assert.equal((await assay(['view', join(directory, 'nowhere')])).code, 2);
});
