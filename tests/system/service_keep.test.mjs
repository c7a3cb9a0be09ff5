// How long `assay serve` keeps things: off by default, told before it is done, and done in the background.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { existsSync, readdirSync } from 'node:fs';
import { assay, scratch, simulator, sleep } from './harness.mjs';
import { apiOf } from './api_calls.mjs';
import { service, items, job } from './service_process.mjs';

// What the service says of it, held against its description; until it is as wanted.
async function retention(running, wanted = () => true) {
  const { good } = await apiOf(running);
  for (;;) {
    const json = await good('GET', '/api/retention');
    if (wanted(json)) return json;
    await sleep(10);
  }
}

test('what is older than `keep` says is told by a dry run, and goes when the service runs with it', async (t) => {
  const sim = await simulator(t);
  const store = join(scratch(t), 'store');
  const first = await service(t, store, { env: sim.env });
  await first.post('/record-evaluation-items', { items: items(30, { time: '2020-01-01T08:00:00Z' }) });
  const jobs = [];
  for (const dest of ['one', 'two']) {
    const done = await first.post('/process-evals/mode2', job({ tags_dest: [dest] }));
    assert.equal(done.json.status, 'COMPLETE', done.text);
    jobs.push(done.json.job_id);
  }
  const dry = (...flags) => assay(['serve', '--store', store, '--dry-run', ...flags]);
  const told = await dry('--keep.records', '1ms', '--keep.jobs', '1ms', '--keep.items', '1d');
  assert.equal(told.code, 0, told.stderr);
  assert.equal(told.stdout, 'keep: would remove 59 records with 118 verdicts, 29 items, 2 jobs\n', 'while the service runs');
  assert.equal((await dry('--keep.records', '300d')).stdout, 'keep: would remove nothing\n');
  assert.match((await dry()).stderr, /say how long things are kept: --keep\.records 90d/);
  assert.equal((await first.get('/get-evaluation-data')).json.total, 120, 'nothing has gone');
  const forEver = await retention(first);
  assert.deepEqual([forEver.keep, forEver.last_sweep], [{ records: null, jobs: null, items: null }, null]);
  await first.kill('SIGTERM');

  const young = await service(t, store, { env: sim.env, args: ['--keep.records', '300d', '--keep.jobs', '300d'] });
  assert.equal((await young.get('/get-evaluation-data')).json.total, 120);
  const days = 300 * 24 * 3600;
  const kept = await retention(young, (json) => json.last_sweep);
  const none = { records: 0, results: 0, failures: 0, items: 0, jobs: 0 };
  assert.deepEqual([kept.keep, kept.due, kept.last_sweep.removed], [{ records: days, jobs: days, items: null }, none, none]);
  await young.kill('SIGTERM');
  assert.doesNotMatch(young.run.stdout, /keep:/);

  const second = await service(t, store, { env: sim.env, args: ['--keep.records', '1ms', '--keep.jobs', '1ms', '--keep.items', '1d'] });
  while (!/keep:/.test(second.run.stdout)) await sleep(10);
  assert.match(second.run.stdout, /^keep: removed 59 records with 118 verdicts, 29 items, 2 jobs$/m);
  const swept = await retention(second, (json) => json.last_sweep);
  assert.deepEqual([swept.last_sweep.removed, swept.due], [
    { records: 59, results: 118, failures: 0, items: 29, jobs: 2 }, { records: 0, results: 0, failures: 0, items: 0, jobs: 0 }]);
  assert.equal((await second.get('/get-evaluation-data')).json.total, 2, 'the newest record stays');
  assert.equal((await second.get('/fetch-evaluation-items')).json.total, 1);
  assert.equal((await second.get(`/process-evals/mode2/${jobs[0]}`)).status, 404);
  assert.deepEqual(readdirSync(join(store, 'jobs')), []);
  const again = await second.post('/process-evals/mode2', job({ tags_dest: ['one'] }));
  assert.equal(again.json.processed_items, 0, 'what was judged is not asked again because its result has gone');
  assert.ok(existsSync(join(store, 'data.db')));
});
