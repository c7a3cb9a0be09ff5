// The data service: records that were answered are there, whatever comes; jobs ask about each item once.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { assay, scratch, simulator, sleep, askedMore } from './harness.mjs';
import { mostOpen } from './kills.mjs';
import { service, item, items, job, persona, perspective, fixture } from './service_process.mjs';

async function withJobs(t, { count = 0, sim = [], args = [] } = {}) {
  const simulated = await simulator(t, sim);
  const store = join(scratch(t), 'store');
  const running = await service(t, store, { env: simulated.env, args });
  if (count > 0) assert.equal((await running.post('/record-evaluation-items', { items: items(count) })).status, 201);
  return { ...running, store, sim: simulated };
}

// How often each item × classification × perspective × persona has a result.
async function resultCounts(running) {
  const { json } = await running.get('/get-evaluation-data?count=0');
  const counts = new Map();
  for (const one of json.results) {
    const key = [one.personaId, one.itemId, one.classificationName, one.perspectiveId].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

for (const count of [45, 100]) {
  test(`a job over ${count} items with exclusion evaluates each exactly once`, async (t) => {
    const running = await withJobs(t, { count });
    const first = await running.post('/process-evals/mode2?items_to_process=30', job());
    assert.equal(first.status, 200, first.text);
    assert.deepEqual([first.json.status, first.json.processed_items, first.json.skipped_items, first.json.stop_reason], ['COMPLETE', 30, count - 30, 'limit']);
    const rest = await running.post('/process-evals/mode2', job());
    assert.deepEqual([rest.json.processed_items, rest.json.remaining, rest.json.stop_reason], [count - 30, 0, 'exhausted']);
    assert.equal(await running.sim.sent(), count);
    const counts = await resultCounts(running);
    assert.equal(counts.size, 2 * count);
    assert.ok([...counts.values()].every((n) => n === 1));
    const again = await running.post('/process-evals/mode2', job());
    assert.equal(again.json.processed_items, 0, 'all of them exist');
    assert.equal((await running.post('/process-evals/mode2?items_to_process=5', job({ exclude_existing: false }))).json.processed_items, 5);
  });
}

test('two perspectives count items once and requests twice; another persona is not excluded', async (t) => {
  const running = await withJobs(t, { count: 7 });
  const two = await running.post('/process-evals/mode3', job({ perspectives: [perspective('fit'), perspective('attention')] }));
  assert.equal(two.status, 200, two.text);
  assert.deepEqual([two.json.processed_items, two.json.processed_requests, two.json.failed_requests], [7, 14, 0]);
  assert.equal(two.json.eval_info.length, 28, 'one entry for each verdict');
  assert.match(two.json.eval_info[0].classification, /^(WORK - work-pers|NOT - urgency)$/);
  const other = await running.post('/process-evals/mode3', job({ persona: persona('tobias') }));
  assert.equal(other.json.processed_items, 7);
  const otherMode = await running.post('/process-evals/mode1', job());
  assert.equal(otherMode.json.processed_items, 7, 'exclusion is for one persona and one mode');
  assert.equal((await running.get('/get-evaluation-data?persona=tobias')).json.total, 14);
});

test('kill -9 in the middle of a job: after a restart it completes, and nothing is there twice', async (t) => {
  const simulated = await simulator(t, ['--latency', '15ms']);
  const store = join(scratch(t), 'store');
  const options = { env: simulated.env, args: ['--limits.concurrency', '4'] };
  let running = await service(t, store, options);
  await running.post('/record-evaluation-items', { items: items(60) });
  const begun = await running.post('/process-evals/mode2?async=true', job());
  assert.equal(begun.status, 202);
  assert.equal(begun.json.status, 'INITIATED');
  for (let kills = 0; kills < 2; ++kills) {
    await askedMore(simulated, 10);
    await running.kill();
    running = await service(t, store, options);
  }
  let status;
  do {
    await sleep(50);
    status = (await running.get(`/process-evals/mode2/${begun.json.job_id}`)).json;
  } while (status.status === 'PROCESSING' || status.status === 'INITIATED');
  assert.deepEqual([status.status, status.processed_items, status.processed_requests], ['COMPLETE', 60, 60], status.error);
  const counts = await resultCounts(running);
  assert.equal(counts.size, 120);
  assert.ok([...counts.values()].every((n) => n === 1), 'a result is there twice');
  assert.ok(await simulated.sent() <= 60 + 2 * mostOpen(4), 'only what was in flight or not yet durable is asked again');
});

test('a dry run asks, stores nothing and returns what would have been stored; a cancelled job says so', async (t) => {
  const running = await withJobs(t, { count: 40, sim: ['--latency', '20ms'], args: ['--limits.concurrency', '2'] });
  const dry = await running.post('/process-evals/mode2?dry_run=true&items_to_process=3', job());
  assert.equal(dry.status, 200, dry.text);
  assert.equal(dry.json.evaluation_success_data.length, 3);
  assert.equal((await running.get('/get-evaluation-data')).json.total, 0);
  assert.equal((await running.get('/get-evaluation-jobs')).json.total, 0);
  assert.equal((await running.get(`/process-evals/mode2/${dry.json.job_id}`)).json.status, 'COMPLETE');
  const begun = await running.post('/process-evals/mode2?async=true', job());
  await askedMore(running.sim, 2);
  const cancelled = await running.post(`/process-evals/mode2/${begun.json.job_id}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.json.status, cancelled.json.stop_reason], [200, 'CANCELLED', 'cancelled']);
  assert.ok(cancelled.json.processed_items < 40);
  const later = await running.post('/process-evals/mode2', job());
  assert.equal(later.json.processed_items, 40 - cancelled.json.processed_items, 'what was done is not done again');
  assert.equal((await running.post('/process-evals/mode2/none/cancel')).status, 404);
  assert.equal((await running.get(`/process-evals/mode1/${begun.json.job_id}`)).status, 404);
});

test('answers that do not count become failures, and the job goes on', async (t) => {
  const directory = scratch(t);
  const script = join(directory, 'script.jsonl');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(script, [
    { match: 'item-0001', in: 'conversation', reply: { text: 'I agree with everything.' } },
    { match: 'item-0002', in: 'conversation', reply: { tool_calls: [{ name: 'get_evaluations', arguments: { resultItems: [] } }] } },
    { match: 'item-0003', in: 'conversation', reply: { tool_calls: [{ name: 'get_evaluations', arguments: {} }] }, finish_reason: 'length' },
  ].map((rule) => JSON.stringify(rule)).join('\n'));
  const running = await withJobs(t, { count: 5, sim: ['--script', script] });
  const done = await running.post('/process-evals/mode2', job());
  assert.deepEqual([done.json.status, done.json.processed_items, done.json.failed_requests, done.json.is_error], ['COMPLETE', 5, 3, true]);
  assert.equal(done.json.eval_info.length, 4, 'only results that counted');
  const { json } = await running.get('/get-evaluation-failures?count=0');
  assert.equal(json.total, 3);
  const byItem = Object.fromEntries(json.failures.map((one) => [one.items[0], one]));
  assert.equal(byItem['item-0001'].rawResponseText, 'I agree with everything.');
  assert.match(byItem['item-0001'].error, /the answer was not JSON/);
  assert.equal(byItem['item-0003'].finishReason, 'length');
  assert.equal((await running.get('/get-evaluation-data')).json.total, 4);
});

test('records: told apart by shape, idempotent, versioned, and every defect with its pointer', async (t) => {
  const running = await service(t, join(scratch(t), 'store'));
  const record = fixture('success_mode2.json');
  assert.equal((await running.post('', record)).status, 201);
  const again = await running.post('/record-evaluation-data', record);
  assert.deepEqual([again.status, again.json.known, again.json.resultsAdded], [200, true, 0]);
  const changed = structuredClone(record);
  changed.evaluationPersona.definition.age += 1;
  const version = await running.post('', changed);
  assert.deepEqual([version.status, version.json.personaVersion], [201, 2]);
  for (const name of ['failure_documented.json', 'failure_misspelt.json', 'failure_processor.json', 'failure_both.json']) {
    for (const context of [name, name]) assert.equal((await running.post('', { ...fixture(name), contextIdentifier: context })).status, 201, name);
  }
  assert.equal((await running.get('/get-evaluation-failures')).json.total, 4);
  const bad = structuredClone(record);
  bad.items[0].evaluationResponses[0].perspectives[0].evaluationLikertVal = 6;
  delete bad.agent;
  const refused = await running.post('', bad);
  assert.equal(refused.status, 400);
  const pointers = refused.json.errors.map((error) => error.pointer);
  assert.ok(pointers.includes('/agent'), pointers.join());
  assert.ok(pointers.some((pointer) => pointer.startsWith('/items/0/evaluationResponses/0/perspectives/0')), pointers.join());
  const stranger = structuredClone(record);
  stranger.items[0].evaluationResponses[0].perspectives[0].perspectiveId = 'nobody';
  assert.match((await running.post('', stranger)).json.errors[0].message, /none of evaluationPerspectives/);
  const { results } = (await running.get('/get-evaluation-data?count=1')).json;
  assert.equal(results[0].evaluatedSelectionAgreesWithOrig, true);
  assert.equal((await running.post('/feedback', { resultId: results[0].resultId, person: 'kim', likert: 4 })).status, 201);
  assert.equal((await running.post('/feedback', { resultId: 999999, person: 'kim', likert: 4 })).status, 404);
  assert.equal((await running.post('/feedback', { resultId: 1, person: 'kim', likert: 0 })).status, 400);
  assert.equal((await running.post('/feedback', { resultId: 1, person: 'kim', likert: 4, agreement: 'AGREE' })).status, 400);
});

test('items: tags add up, filters, order, subsets and pages', async (t) => {
  const running = await service(t, join(scratch(t), 'store'));
  const dated = Array.from({ length: 50 }, (_, i) => item(`i-${i % 10}${Math.floor(i / 10)}`, { time: new Date(Date.UTC(2026, 10, 1, i)).toISOString() }));
  assert.deepEqual((await running.post('/record-evaluation-items', { items: dated })).json, { added: 50, known: 0 });
  assert.deepEqual((await running.post('/record-evaluation-items', { items: [item('i-00', { tags: ['more'] })] })).json, { added: 0, known: 1 });
  const tagged = (await running.get('/fetch-evaluation-items?tag=more')).json;
  assert.deepEqual([tagged.total, tagged.items[0].tags.sort()], [1, ['more', 'source']]);
  const ids = async (query) => (await running.get(`/fetch-evaluation-items?tag=source&${query}`)).json.items.map((one) => one.contentItemSummary.itemId);
  const sorted = await ids('byUuid=true&count=0');
  assert.deepEqual(sorted, [...sorted].sort());
  assert.equal((await ids('mostRecent=true&count=1'))[0], 'i-94');
  const pages = [];
  for (let page = 1; page <= 3; ++page) pages.push(...await ids(`byUuid=true&page=${page}`));
  assert.deepEqual(pages, sorted, 'pages of 20');
  assert.deepEqual((await running.post('/create-subset', { tag: 'source', percent: 10 })).json, { members: 5, of: 50 });
  const subset = await ids('subsetTag=source&subsetPercent=10&count=0');
  assert.equal(subset.length, 5);
  assert.equal((await running.get('/fetch-evaluation-items?subsetTag=source')).status, 400);
  assert.equal((await running.get('/fetch-evaluation-items?count=minus')).status, 400);
  const wrong = await running.post('/record-evaluation-items', { items: [item('fine'), { ...item('x'), evaluateTime: 'soon' }] });
  assert.equal(wrong.status, 400);
  assert.equal(wrong.json.errors[0].pointer, '/items/1/evaluateTime');
  assert.equal((await running.get('/fetch-evaluation-items?tag=source')).json.total, 50, 'all or nothing');
});

test('wrong requests are told apart: method, path, type, size, JSON, parameters, models', async (t) => {
  const running = await service(t, join(scratch(t), 'store'), { args: ['--max-body', '2000'] });
  assert.equal((await running.get('/nothing')).status, 404);
  const method = await running.call('DELETE', '/create-subset');
  assert.deepEqual([method.status, method.headers.get('allow')], [405, 'POST']);
  assert.equal((await running.post('', '{}', { 'content-type': 'text/plain' })).status, 415);
  assert.equal((await running.post('', '{"a": ')).status, 400);
  assert.equal((await running.post('', JSON.stringify({ a: 'x'.repeat(4000) }))).status, 413);
  assert.match((await running.get('/get-evaluation-jobs?staus=x')).json.errors[0].message, /did you mean status/);
  for (const wrong of ['/get-evaluation-jobs?status=foo', '/get-evaluation-jobs?mode=mode9', '/get-evaluation-data?agreement=maybe', '/item']) assert.equal((await running.get(wrong)).status, 400, wrong);
  assert.equal((await running.post('/process-evals/mode9', {})).status, 404);
  const short = { tags_dest: ['x'], persona: { id: 'p', name: 'P', definition: {} }, perspectives: [perspective('fit')] };
  const unknown = await running.post('/process-evals/mode2', { ...short, model: 'nobody/nothing' });
  assert.equal(unknown.status, 400, unknown.text);
  const defects = await running.post('/process-evals/mode2', { ...short, model: 'sim/judge', tags_dest: [], subset_percent: 300, params: { temperature: 9 } });
  assert.deepEqual(defects.json.errors.map((error) => error.pointer).sort(), ['/subset_percent', '/tags_dest']);
  for (const error of [unknown, defects]) assert.equal(typeof error.json.message, 'string');
});

test('tokens: refused without, hashed at rest, both forms of header; no open door beyond loopback', async (t) => {
  const directory = scratch(t);
  const file = join(directory, 'tokens');
  const open = await assay(['serve', '--host', '0.0.0.0', '--port', '0', '--store', join(directory, 'a')]);
  assert.equal(open.code, 2);
  assert.match(open.stderr, /no tokens/);
  const made = await assay(['serve', '--tokens', file, '--new-token', 'kim']);
  const token = made.stdout.trim();
  assert.match(token, /^assay_[0-9a-f]{48}$/);
  assert.ok(!readFileSync(file, 'utf8').includes(token.slice(6)), 'the token itself is not kept');
  const running = await service(t, join(directory, 'store'), { args: ['--tokens', file, '--host', '0.0.0.0'] });
  const local = running.base.replace('0.0.0.0', '127.0.0.1');
  const status = async (headers) => (await fetch(`${local}/get-evaluation-jobs`, { headers })).status;
  assert.equal(await status({}), 401);
  assert.equal(await status({ authorization: 'Bearer wrong' }), 401);
  assert.equal(await status({ 'x-client-id': 'eve', 'x-client-token': token }), 401);
  assert.equal(await status({ authorization: `Bearer ${token}` }), 200);
  assert.equal(await status({ 'x-client-id': 'kim', 'x-client-token': token }), 200);
});

test('every record that was answered is there after kill -9', async (t) => {
  const store = join(scratch(t), 'store');
  const running = await service(t, store);
  const record = fixture('success_mode3.json');
  const acknowledged = new Set();
  let stop = false;
  const writer = async (number) => {
    for (let i = 0; !stop; ++i) {
      const own = structuredClone(record);
      own.context.contextId = `c-${number}-${i}`;
      const answer = await running.post('', own).catch(() => undefined);
      if (answer?.status === 201) acknowledged.add(own.context.contextId);
    }
  };
  const writers = Array.from({ length: 16 }, (_, number) => writer(number));
  while (acknowledged.size < 100) await sleep(5);
  await running.kill();
  stop = true;
  await Promise.all(writers);
  const again = await service(t, store);
  const { json } = await again.get('/get-evaluation-data?count=0');
  const there = new Set(json.results.map((one) => one.contextId));
  assert.deepEqual([...acknowledged].filter((id) => !there.has(id)), []);
});

test('slow and broken clients hold up nobody', async (t) => {
  const running = await service(t, join(scratch(t), 'store'), { args: ['--request-timeout', '1s', '--threads', '1'] });
  const { port, hostname } = new URL(running.base);
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.resume();
    socket.write('POST /data/eval HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a"');
    return socket;
  });
  const closed = Promise.all(sockets.map((socket) => new Promise((done) => socket.on('close', done))));
  assert.equal((await running.get('/get-evaluation-jobs')).status, 200);
  await closed;
  assert.equal((await running.get('/get-evaluation-jobs')).status, 200);
  const garbage = connect(Number(port), hostname);
  garbage.on('error', () => {});
  garbage.resume();
  garbage.write('\x16\x03\x01\x02\x00 this is not HTTP\r\n\r\n');
  await new Promise((done) => garbage.on('close', done));
  assert.equal((await running.get('/get-evaluation-jobs')).status, 200);
});

test('the OpenAPI document names the routes that there are', async (t) => {
  const running = await service(t, join(scratch(t), 'store'));
  const { json } = await running.get('/openapi.json');
  assert.equal(json.openapi, '3.1.0');
  let operations = 0;
  for (const [path, methods] of Object.entries(json.paths).filter(([one]) => one.startsWith('/data/eval'))) {
    const own = path.replace('/data/eval', '').replace('{mode}', 'mode2').replace('{job_id}', 'none');
    for (const [method, operation] of Object.entries(methods)) {
      operations += 1;
      const answer = await running.call(method.toUpperCase(), own, operation.requestBody ? {} : undefined);
      assert.ok(String(answer.status) in operation.responses, `${method} ${path}: ${answer.status}`);
      assert.notEqual(answer.status, 405);
    }
    const other = await running.call('PATCH', own, {});
    assert.equal(other.status, 405, path);
  }
  assert.equal(operations, 33);
});

test('an item is done when every perspective of the job has a result; dry_run in the body is one; unknown members are errors', async (t) => {
  const script = join(scratch(t), 'script.jsonl');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(script, JSON.stringify({ match: 'seen as second', in: 'conversation', times: 15, reply: { text: 'no' } }));
  const running = await withJobs(t, { count: 5, sim: ['--script', script] });
  const both = job({ perspectives: [perspective('first'), perspective('second')] });
  const first = await running.post('/process-evals/mode2', both);
  assert.deepEqual([first.json.processed_items, first.json.failed_requests], [5, 5]);
  assert.equal((await running.post('/process-evals/mode2', { ...both, dry_run: true })).json.is_dry_run, true);
  assert.equal((await running.get('/get-evaluation-data')).json.total, 10, 'the dry run stored nothing');
  const again = await running.post('/process-evals/mode2', both);
  assert.deepEqual([again.json.processed_items, again.json.failed_requests], [5, 0], 'they were not done');
  assert.equal((await running.post('/process-evals/mode2', both)).json.processed_items, 0);
  const typo = await running.post('/process-evals/mode2', { ...both, exclude_existng: false });
  assert.deepEqual([typo.status, typo.json.errors[0].pointer], [400, '/exclude_existng']);
  assert.equal((await running.get('/get-evaluation-failures?tag=x')).status, 400);
  assert.equal((await running.get(`/process-evals/mode2/${again.json.job_id}`)).json.eval_info.length, 20);
  assert.equal('eval_info' in (await running.get('/get-evaluation-jobs')).json.jobs[0], false);
});

test('a record that judges twice, or judges what is not there, is refused; a failure that then succeeded is none', async (t) => {
  const running = await service(t, join(scratch(t), 'store'));
  const record = fixture('success_mode2.json');
  const twice = structuredClone(record);
  twice.items[0].evaluationResponses.push(structuredClone(twice.items[0].evaluationResponses[0]));
  assert.match((await running.post('', twice)).json.errors[0].message, /more than once/);
  const unknown = structuredClone(record);
  unknown.items[0].evaluationResponses[0].classificationName = 'colour';
  assert.match((await running.post('', unknown)).json.errors[0].message, /none of the item's classifications/);
  const failure = { ...fixture('failure_both.json'), agent: record.agent, contextIdentifier: record.context.contextId };
  assert.equal((await running.post('', failure)).status, 201);
  assert.equal((await running.post('', { ...failure, mode: 'mode1' })).status, 201);
  assert.equal((await running.get('/get-evaluation-failures')).json.total, 2, 'another mode is another failure');
  assert.equal((await running.post('', record)).status, 201);
  assert.equal((await running.get('/get-evaluation-failures')).json.total, 0);
  const big = await service(t, join(scratch(t), 'other'), { args: ['--max-body', '2000'] });
  assert.match((await big.post('', JSON.stringify({ a: 'x'.repeat(4000) }))).json.message, /too large/);
});
