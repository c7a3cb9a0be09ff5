// What the data service promises of records, pages, versions, jobs and their sources, times, and its files.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { assay, scratch, simulator, start } from './harness.mjs';
import { service, item, items, job, persona, perspective, fixture } from './service_process.mjs';

const open = (t, options) => service(t, join(scratch(t), 'store'), options);
async function withModel(t, count) {
  const sim = await simulator(t);
  const running = await open(t, { env: sim.env });
  if (count > 0) assert.equal((await running.post('/record-evaluation-items', { items: items(count) })).status, 201);
  return { ...running, sim };
}
// A success record of this item, under the tag.
function recordOf(id, tag) {
  const record = structuredClone(fixture('success_mode2.json'));
  record.context.contextId = `context of ${id}`;
  record.items = [{ ...record.items[0], itemId: id, tags: [tag] }];
  return record;
}

test('a client that pages with excludeExistingWithTag and records as it goes sees every item once', async (t) => {
  const running = await open(t);
  await running.post('/record-evaluation-items', { items: items(100) });
  for (const order of ['', '&mostRecent=true', '&byUuid=true']) {
    const query = `/fetch-evaluation-items?tag=source&excludeExistingWithTag=done${order.length}${order}`;
    const seen = [];
    let next = '';
    do {
      const { json, text } = await running.get(query + (next && `&cursor=${next}`));
      assert.ok(Array.isArray(json.items), text);
      for (const one of json.items) {
        const id = one.contentItemSummary.itemId;
        seen.push(id);
        assert.equal((await running.post('', recordOf(id, `done${order.length}`))).status, order === '' ? 201 : 200);
      }
      next = json.next;
    } while (next);
    assert.deepEqual([...seen].sort(), items(100).map((one) => one.contentItemSummary.itemId));
    assert.equal((await running.get(query)).json.total, 0, 'a known result gets the new tag');
  }
  const skipping = await running.get('/fetch-evaluation-items?tag=source&excludeExistingWithTag=done0&page=2');
  assert.equal(skipping.status, 400);
  assert.match(skipping.json.errors[0].message, /cursor/);
  assert.equal((await running.get('/fetch-evaluation-items?tag=source&page=2')).json.items.length, 20);
  assert.equal((await running.get('/fetch-evaluation-items?tag=source&cursor=s7')).status, 400);
});

test('a store that is not understood is refused, its password unsaid', async (t) => {
  const directory = scratch(t);
  for (const store of ['mysql://kim:s3cret@db.example/evals', 'postgres:evals', 'postgres:/evals', 'postgresql:/evals', 'Postgres:/evals', 'pg:/evals', 's3://bucket/x', 'sqlite:']) {
    const started = start(['serve', '--port', '0', '--store', store], { cwd: directory });
    started.child.stdout.on('data', () => started.child.kill('SIGKILL'));  // it listens
    const run = await started.ended;
    assert.equal(run.code, 2, store);
    assert.match(run.stderr, new RegExp(`store.*found ${store.slice(0, store.indexOf(':'))}:.*expected`));
    assert.ok(!run.stderr.includes('s3cret'));
  }
  assert.deepEqual(readdirSync(directory), []);
});

test('a store may be a file, with what else is kept beside it', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t);
  const running = await service(t, `sqlite:${join(directory, 'own.db')}`, { env: sim.env });
  await running.post('/record-evaluation-items', { items: items(2) });
  assert.equal((await running.post('/process-evals/mode2', job())).json.processed_items, 2);
  assert.ok(existsSync(join(directory, 'own.db')));
  assert.ok(existsSync(join(directory, 'jobs')));
});

test('the same key with another verdict is 409, and what was recorded stays', async (t) => {
  const running = await open(t);
  const record = fixture('success_mode2.json');
  assert.equal((await running.post('', record)).status, 201);
  const other = structuredClone(record);
  const verdict = other.items[0].evaluationResponses[0].perspectives[0];
  const was = verdict.evaluationLikertVal;
  verdict.evaluationLikertVal = was === 1 ? 2 : 1;
  verdict.evaluationLikertText = ['Strongly Disagree', 'Disagree'][verdict.evaluationLikertVal - 1];
  const refused = await running.post('', other);
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.json.message, new RegExp(`found ${verdict.evaluationLikertVal}, recorded is ${was}`));
  const { results } = (await running.get('/get-evaluation-data')).json;
  assert.equal(results[0].evaluationLikertVal, was);
  assert.equal((await running.post('', record)).json.known, true);
  other.context.contextId = 'asked again';
  assert.equal((await running.post('', other)).status, 201, 'a new judgement has a context of its own');
});

test('a changed persona judges anew; a source that is not there, or not said, is an error', async (t) => {
  const running = await withModel(t, 5);
  assert.equal((await running.post('/process-evals/mode2', job())).json.processed_items, 5);
  assert.equal((await running.post('/process-evals/mode2', job())).json.processed_items, 0);
  const older = persona('ines');
  older.definition.age = 71;
  const changed = await running.post('/process-evals/mode2', job({ persona: older }));
  assert.deepEqual([changed.json.status, changed.json.processed_items], ['COMPLETE', 5]);
  const versions = new Set((await running.get('/get-evaluation-data?count=0')).json.results.map((one) => one.personaVersion));
  assert.deepEqual([...versions].sort(), [1, 2]);
  const sent = await running.sim.sent();
  const { tag_source: _, ...unsaid } = job({ tags_dest: ['elsewhere'] });
  for (const [body, pattern] of [
    [unsaid, /all_items: true/],
    [{ ...unsaid, tag_source: null }, /all_items: true/],
    [job({ tag_source: 'sauce' }), /no item has the tag "sauce"/],
    [job({ subset_tag: 'source', subset_percent: 50 }), /no subset of 50 percent/],
  ]) {
    const refused = await running.post('/process-evals/mode2', body);
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text.replaceAll('\\"', '"'), pattern);
  }
  assert.equal(await running.sim.sent(), sent, 'nothing was asked');
  assert.equal((await running.post('/process-evals/mode2', { ...unsaid, all_items: true })).json.processed_items, 5);
  assert.equal((await running.post('/create-subset', { tag: 'sauce', percent: 10 })).status, 404);
  assert.equal((await running.get('/fetch-evaluation-items?subsetTag=source&subsetPercent=50')).status, 404);
});

test('an item of any year has the time that it says', async (t) => {
  const running = await open(t);
  const times = ['1600-01-01T00:00:00Z', '1677-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2263-01-01T00:00:00Z', '9999-12-31T23:59:59Z'];
  const stored = await running.post('/record-evaluation-items', { items: times.map((time) => item(time.slice(0, 4), { time })) });
  assert.equal(stored.status, 201, stored.text);
  const ids = async (query) => (await running.get(`/fetch-evaluation-items?${query}`)).json.items.map((one) => one.contentItemSummary.itemId);
  assert.deepEqual(await ids('mostRecent=true'), ['9999', '2263', '2026', '1677', '1600']);
  assert.deepEqual((await ids('lastNHours=1')).sort(), ['2263', '9999'], 'those of the past are not of the last hour');
  const record = fixture('success_mode2.json');
  record.items[0].evaluateTimeMs = 1e300;
  const refused = await running.post('', record);
  assert.deepEqual([refused.status, refused.json.errors[0].pointer], [400, '/items/0/evaluateTimeMs']);
});

test('failures are found by each item, and go when all of it has a result; a mode that was not said is not made up', async (t) => {
  const running = await open(t);
  const failure = { ...fixture('failure_both.json'), agent: 'kim', items: ['first', 'second'], itemCount: 2, contextIdentifier: 'earlier' };
  delete failure.evaluationItem;
  failure.evaluationItem = { contentItemSummary: { itemId: 'first' } };
  const posted = await running.post('', failure);
  assert.equal(posted.status, 201, posted.text);
  const total = async (query) => (await running.get(`/get-evaluation-failures?${query}`)).json.total;
  assert.deepEqual([await total('itemId=first'), await total('itemId=second'), await total('itemId=third')], [1, 1, 0]);
  for (const id of failure.items) {
    assert.equal(await total(''), 1);
    const good = { ...recordOf(id, 'done'), agent: 'kim', evaluationPersona: failure.evaluationPersona, evaluationPerspectives: failure.evaluationPerspectives };
    for (const response of good.items[0].evaluationResponses) {
      response.perspectives = response.perspectives.map((one) => ({ ...one, mode: failure.mode, perspectiveId: failure.evaluationPerspectives[0].perspectiveId }));
    }
    const recorded = await running.post('', good);
    assert.equal(recorded.status, 201, recorded.text);
  }
  assert.equal(await total(''), 0);
  assert.equal(await total('resolved=true'), 1, 'it is not lost');
  assert.equal((await running.post('', { ...fixture('success_documented.json'), agent: 'lee' })).status, 201);
  const { results } = (await running.get('/get-evaluation-data?agent=lee')).json;
  assert.deepEqual([...new Set(results.map((one) => one.mode))], [null]);
});

test('a token records for its own agents; the store is its owner\'s', async (t) => {
  const directory = scratch(t);
  const file = join(directory, 'tokens');
  const token = (await assay(['serve', '--tokens', file, '--new-token', 'kim'])).stdout.trim();
  const store = join(directory, 'store');
  const running = await service(t, store, { args: ['--tokens', file] });
  const post = (agent, body = fixture('success_mode2.json')) => running.post('', { ...body, agent }, { authorization: `Bearer ${token}` });
  assert.equal((await post('kim')).status, 201);
  assert.equal((await post('kim/second judge')).status, 201);
  for (const agent of ['lee', 'kimberley', 'assay']) {
    const refused = await post(agent);
    assert.deepEqual([refused.status, refused.json.errors[0].pointer], [403, '/agent'], agent);
    assert.equal((await post(agent, fixture('failure_both.json'))).status, 403);
  }
  const check = (path) => {
    const mode = statSync(path).mode & 0o777;
    assert.equal(mode & 0o077, 0, `${path} is ${mode.toString(8)}`);
    if (statSync(path).isDirectory()) for (const name of readdirSync(path)) check(join(path, name));
  };
  assert.ok(existsSync(join(store, 'data.db')));
  check(store);
  const { json } = await running.get('/openapi.json', { authorization: `Bearer ${token}` });
  assert.deepEqual(json.security, [{ bearer: [] }, { clientId: [], clientToken: [] }]);
  for (const [path, methods] of Object.entries(json.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation['x-role'] === 'none') assert.deepEqual(operation.security, [], `${path} needs no token`);
      else assert.ok(operation.responses['401'].headers['WWW-Authenticate'], path);
      const good = Object.entries(operation.responses).filter(([status]) => status < '3');
      for (const [, response] of good) assert.ok(Object.keys(Object.values(response.content)[0].schema).length > 0, `${method} ${path}`);
    }
  }
});

test('a job\'s status is small at each poll; what a limit leaves out remains', async (t) => {
  const running = await withModel(t, 60);
  const done = await running.post('/process-evals/mode2?items_to_process=45', job({ perspectives: [perspective('fit')] }));
  assert.deepEqual([done.json.processed_items, done.json.remaining, done.json.skipped_items, done.json.stop_reason], [45, 15, 15, 'limit']);
  assert.equal(done.json.eval_info.length, 90, 'who waited gets all of it');
  const path = `/process-evals/mode2/${done.json.job_id}`;
  const { json } = await running.get(path);
  assert.deepEqual([json.eval_info.length, json.eval_info_total, json.evaluations.length, json.evaluations_total], [20, 90, 20, 45]);
  const last = (await running.get(`${path}?page=5&count=20`)).json;
  assert.deepEqual(last.eval_info, done.json.eval_info.slice(80));
  assert.deepEqual(last.evaluations, []);
});
