// How long `assay serve` keeps things: off by default, told before it is done, and done in the background.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { existsSync, readdirSync } from 'node:fs';
import { assay, scratch, simulator, sleep } from './harness.mjs';
import { service, items, job } from './service_process.mjs';

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
  await first.kill('SIGTERM');

  const young = await service(t, store, { env: sim.env, args: ['--keep.records', '300d', '--keep.jobs', '300d'] });
  assert.equal((await young.get('/get-evaluation-data')).json.total, 120);
  await young.kill('SIGTERM');
  assert.doesNotMatch(young.run.stdout, /keep:/);

  const second = await service(t, store, { env: sim.env, args: ['--keep.records', '1ms', '--keep.jobs', '1ms', '--keep.items', '1d'] });
  while (!/keep:/.test(second.run.stdout)) await sleep(10);
  assert.match(second.run.stdout, /^keep: removed 59 records with 118 verdicts, 29 items, 2 jobs$/m);
  assert.equal((await second.get('/get-evaluation-data')).json.total, 2, 'the newest record stays');
  assert.equal((await second.get('/fetch-evaluation-items')).json.total, 1);
  assert.equal((await second.get(`/process-evals/mode2/${jobs[0]}`)).status, 404);
  assert.deepEqual(readdirSync(join(store, 'jobs')), []);
  const again = await second.post('/process-evals/mode2', job({ tags_dest: ['one'] }));
  assert.equal(again.json.processed_items, 0, 'what was judged is not asked again because its result has gone');
  assert.ok(existsSync(join(store, 'data.db')));
});
