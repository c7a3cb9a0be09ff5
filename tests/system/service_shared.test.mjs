// Several `assay serve` side by side on one PostgreSQL database.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratch, simulator, start } from './harness.mjs';
import { mostOpen } from './kills.mjs';
import { postgresServer } from './postgres_server.mjs';
import { service, items, job, fixture } from './service_process.mjs';

// A service over the server, with a place of its own for what is its machine's.
const instance = (t, server, { args = [], env = {} } = {}) =>
  service(t, server.url(), { args: ['--work-dir', join(scratch(t), 'work'), ...args], env });

function recordOf(id, tag) {
  const record = structuredClone(fixture('success_mode2.json'));
  record.context.contextId = `context of ${id}`;
  record.items = [{ ...record.items[0], itemId: id, tags: [tag] }];
  return record;
}

async function verdicts(running, query = '') {
  const list = [];
  let next = '';
  do {
    const { json, text } = await running.get(`/get-evaluation-data?count=50${query}${next && `&cursor=${next}`}`);
    assert.ok(json?.results, text);
    list.push(...json.results);
    next = json.next;
  } while (next);
  return list;
}

// Its last status, asked of any instance, also while one is away.
async function ended(running, path) {
  for (;;) {
    const { json } = await running.get(path);
    if (!['INITIATED', 'PROCESSING'].includes(json?.status)) return json;
    await sleep(100);
  }
}

const keys = (list) => list.map((one) => [one.personaId, one.itemId, one.classificationName, one.perspectiveId, one.contextId].join(' '));

test('records through one are read through the other, and a cursor misses none of what both record', async (t) => {
  const server = await postgresServer(t);
  const both = [await instance(t, server), await instance(t, server)];
  assert.equal((await both[0].post('/record-evaluation-items', { items: items(3) })).status, 201);
  assert.equal((await both[1].get('/items?tag=source')).json.total, 3);
  assert.equal((await both[0].post('', recordOf('x', 'same'))).status, 201);
  assert.equal((await both[1].post('', recordOf('x', 'same'))).status, 200, 'known there too');
  const changed = recordOf('x', 'same');
  changed.items[0].evaluationResponses[0].perspectives[0].evaluationText = 'another reason';
  assert.equal((await both[1].post('', changed)).status, 409);

  const perWriter = 60;
  let writing = 6;
  const writers = Array.from({ length: 6 }, async (_, number) => {
    for (let i = 0; i < perWriter; ++i) assert.equal((await both[number % 2].post('', recordOf(`w${number}-${i}`, 'many'))).status, 201);
    --writing;
  });
  const seen = [];
  let place = '';
  for (let last = false; !last;) {
    last = writing === 0;
    // A page that nothing follows may still grow.
    for (let next = true; next;) {
      const { json } = await both[1].get(`/get-evaluation-data?tag=many&count=7${place}`);
      next = json.next !== null;
      if (!next && !last) break;
      seen.push(...json.results.map((one) => one.resultId));
      if (next) place = `&cursor=${json.next}`;
    }
  }
  await Promise.all(writers);
  const all = await verdicts(both[0], '&tag=many');
  assert.equal(new Set(all.map((one) => one.itemId)).size, 6 * perWriter);
  assert.deepEqual(seen, all.map((one) => one.resultId), 'none missed and none twice');
});

test('a job that a killed instance had begun is finished by another, and its figures are those of one alone', async (t) => {
  const sim = await simulator(t, ['--latency', '15ms']);
  const server = await postgresServer(t);
  const options = { env: sim.env, args: ['--limits.concurrency', '4'] };
  const first = await instance(t, server, options);
  await first.post('/record-evaluation-items', { items: items(60) });
  const begun = await first.post('/process-evals/mode2?async=true', job());
  assert.equal(begun.status, 202, begun.text);
  const second = await instance(t, server, options);
  while (await sim.sent() < 15) await sleep(5);
  await first.kill();
  const path = `/process-evals/mode2/${begun.json.job_id}`;
  const status = await ended(second, path);
  assert.deepEqual([status.status, status.processed_items, status.processed_requests], ['COMPLETE', 60, 60], status.error);
  assert.ok(await sim.sent() <= 60 + mostOpen(4), 'what was durable is not asked again');
  const list = keys(await verdicts(second));
  assert.equal(list.length, 120);
  assert.equal(new Set(list).size, 120, 'a result is there twice');

  const alone = await service(t, join(scratch(t), 'store'), options);
  await alone.post('/record-evaluation-items', { items: items(60) });
  const single = await alone.post('/process-evals/mode2', job());
  const figures = async (running, id) => {
    const { json, text } = await running.get(`/process-evals/mode2/${id}/figures`);
    assert.ok(json?.metrics, text);
    return [json.cases, json.metrics, json.conclusions];
  };
  const third = await instance(t, server, options);
  assert.deepEqual(await figures(third, begun.json.job_id), await figures(alone, single.json.job_id));
  assert.deepEqual((await third.get(path)).json.evaluations_total, 60);
});

test('any instance takes a job, tells of it, cancels it and removes it', async (t) => {
  const sim = await simulator(t, ['--latency', '250ms']);
  const server = await postgresServer(t);
  const options = { env: sim.env, args: ['--limits.concurrency', '2', '--jobs', '1'] };
  const [one, two] = [await instance(t, server, options), await instance(t, server, options)];
  await one.post('/record-evaluation-items', { items: items(80) });
  const slow = (await one.post('/process-evals/mode2?async=true', job({ tags_dest: ['slow'] }))).json.job_id;
  // The first has no room: the second takes it, and who waits at the first gets his answer.
  const waited = await one.post('/process-evals/mode3?items_to_process=5', job({ tags_dest: ['quick'] }));
  assert.deepEqual([waited.status, waited.json.status, waited.json.processed_items], [200, 'COMPLETE', 5], waited.text);
  assert.equal(waited.json.eval_info.length, 10);
  const path = `/process-evals/mode2/${slow}`;
  assert.equal((await two.get(path)).json.status, 'PROCESSING');
  assert.equal((await two.call('DELETE', path)).status, 409, 'it runs');
  const cancelled = await two.post(`${path}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.json.status], [200, 'CANCELLED'], cancelled.text);
  assert.ok(cancelled.json.processed_items < 80);
  assert.equal((await one.get(path)).json.status, 'CANCELLED');
  assert.equal((await two.call('DELETE', path)).status, 200);
  assert.equal((await one.get(path)).status, 404);
});

test('an instance that is told to stop lets go of its jobs at once', async (t) => {
  const sim = await simulator(t, ['--latency', '250ms']);
  const server = await postgresServer(t);
  const options = { env: sim.env, args: ['--limits.concurrency', '2'] };
  const first = await instance(t, server, options);
  await first.post('/record-evaluation-items', { items: items(40) });
  const begun = await first.post('/process-evals/mode2?async=true', job());
  while (await sim.sent() < 4) await sleep(5);
  await first.kill('SIGTERM');
  assert.equal(server.sql('SELECT count(*) FROM assay_data.jobs WHERE holder IS NOT NULL'), '0', 'nobody need wait until the hold ends');
  const second = await instance(t, server, options);
  const status = await ended(second, `/process-evals/mode2/${begun.json.job_id}`);
  assert.deepEqual([status.status, status.processed_items], ['COMPLETE', 40], status.error);
  assert.equal(await sim.sent(), 40, 'nothing was cut off, so nothing is asked again');
});

test('a server that is started again under load has every record that was answered, and nobody need do anything', async (t) => {
  const server = await postgresServer(t);
  const both = [await instance(t, server), await instance(t, server)];
  const answered = [];
  const refused = [];
  let stop = false;
  const writers = Array.from({ length: 8 }, async (_, number) => {
    for (let i = 0; !stop; ++i) {
      const id = `w${number}-${i}`;
      const { status } = await both[number % 2].post('', recordOf(id, 'load'));
      (status === 201 ? answered : refused).push([id, status]);
    }
  });
  for (let time = 0; time < 2; ++time) {
    const before = answered.length;
    while (answered.length < before + 40) await sleep(5);
    await server.restart();
  }
  const before = answered.length;
  while (answered.length < before + 40) await sleep(5);
  stop = true;
  await Promise.all(writers);
  assert.deepEqual(refused, [], 'it was back before patience ended');
  const there = (await verdicts(both[1], '&tag=load')).map((one) => `${one.itemId} ${one.classificationName}`);
  assert.deepEqual(there.sort(), answered.flatMap(([id]) => [`${id} urgency`, `${id} work-pers`]).sort());
});

test('a password is shown nowhere, and a place that another instance has is refused', async (t) => {
  const directory = scratch(t);
  const refused = await start(['serve', '--port', '0', '--store', 'postgres://kim:s3cret-word@127.0.0.1:1/evals', '--work-dir', join(directory, 'a')], { cwd: directory }).ended;
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /cannot connect to postgres:\/\/kim/);
  assert.ok(!refused.stderr.includes('s3cret'));
  const unset = await start(['serve', '--port', '0', '--store', 'postgres://kim:${NOT_THERE}@127.0.0.1:1/evals'], { cwd: directory }).ended;
  assert.equal(unset.code, 2);
  assert.match(unset.stderr, /NOT_THERE/);
  const server = await postgresServer(t);
  const place = join(directory, 'work');
  await service(t, server.url(), { args: ['--work-dir', place] });
  const second = await start(['serve', '--port', '0', '--store', server.url(), '--work-dir', place]).ended;
  assert.equal(second.code, 2);
  assert.match(second.stderr, /another assay process/);
  assert.ok(!readdirSync(place).includes('data.db'));
});
