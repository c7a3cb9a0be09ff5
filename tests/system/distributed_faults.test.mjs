// Whatever of a run over several machines is killed, stopped or away: every case ends once, no kept answer is asked for
// again, and the results are those of a run on one machine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { assertSame, kAtOnce, kCases, postgres, scene } from './distributed_scene.mjs';
import { askedMore, assay, sleep, start, until } from './harness.mjs';
import { nats } from '../../bench/cluster.mjs';
import { natsServer } from './nats_server.mjs';
import { postgresServer } from './postgres_server.mjs';

test('a worker that is killed loses nothing, and its cases go to the other', async (t) => {
  const it = await scene(t);
  const first = it.worker();
  const run = it.coordinator();
  await askedMore(it.sim, 12, run);
  it.worker();
  first.child.kill('SIGKILL');
  const open = await it.open();
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it, { open });
});

test('a worker that was stopped asks nothing for cases that others have by then', async (t) => {
  const it = await scene(t);
  const stopped = it.worker();
  const run = it.coordinator();
  await askedMore(it.sim, kAtOnce, run);
  stopped.child.kill('SIGSTOP');
  const open = await it.open();
  it.worker();
  const ended = await run.ended;
  stopped.child.kill('SIGCONT');
  stopped.child.kill('SIGTERM');
  await stopped.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it, { open });
});

test('cases are kept on three nodes, and one of them may go', async (t) => {
  const cluster = await nats(3);
  t.after(cluster.end);
  const queue = { server: cluster.nodes[0], flags: ['--queue', cluster.nodes.map(({ port }) => `nats://127.0.0.1:${port}`).join(',')] };
  const it = await scene(t, { queue });
  it.worker();
  it.worker();
  const run = it.coordinator(['--replicas', '3']);
  await askedMore(it.sim, 12, run);
  await cluster.nodes[0].kill();
  const open = await it.open();
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it, { open });
});

test('a coordinator that is killed goes on where it was', async (t) => {
  const it = await scene(t);
  it.worker();
  const run = it.coordinator();
  await askedMore(it.sim, 15, run);
  run.child.kill('SIGKILL');
  const open = await it.open();
  await run.ended;
  const ended = await it.resume().ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it, { open });
});

test('a queue that forgets everything is filled again', async (t) => {
  const it = await scene(t);
  it.worker();
  it.worker();
  const run = it.coordinator();
  await askedMore(it.sim, 15, run);
  await it.nats.kill();
  const open = await it.open();
  it.nats.forget();
  await it.nats.begin();
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it, { open });
});

test('an outage of PostgreSQL is told by coordinator and worker, who wait for its end', async (t) => {
  const it = await scene(t, { latency: '100ms', cases: 30 });
  const worker = it.worker();
  const run = it.coordinator();
  await askedMore(it.sim, 8, run);
  await postgres.crash();
  for (const one of [worker, run]) {
    await until(() => /trying again/.test(one.stderr));
    assert.match(one.stderr, /connection to server .*; trying again/);
  }
  await postgres.begin();
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it);
});

test('an interrupted run lets the workers finish what they have, and goes on later', async (t) => {
  // A worker hears of it within a second; what it has by then is a part of the cases on a slow machine, too.
  const it = await scene(t, { latency: '200ms' });
  const worker = it.worker();
  const run = it.coordinator();
  await askedMore(it.sim, 10, run);
  run.child.kill('SIGINT');
  const stopped = await run.ended;
  assert.equal(stopped.code, 130, stopped.stderr);
  assert.match(stopped.stderr, new RegExp(`assay resume ${it.out}`));
  const sent = await it.sim.sent();
  await sleep(300);
  assert.equal(await it.sim.sent(), sent, 'nothing is asked after the end');
  assert.ok(sent < kCases);
  const ended = await it.resume().ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it);
  worker.child.kill('SIGTERM');
  assert.equal((await worker.ended).code, 0);
});

test('servers that are away at the beginning are waited for, by coordinator, worker and resume', async (t) => {
  const it = await scene(t, { cases: 8 });
  const away = await postgresServer(t);
  const nats = await natsServer(t);
  const port = nats.port();
  const where = ['--store', away.url(), '--queue', nats.url()];
  await away.crash();
  await nats.kill();
  // Not for ever: unreachable is no bad input, since it may be there the next time.
  const gaveUp = await Promise.all([['worker'], ['run', it.config, '--output-dir', it.out], ['resume', '--run', 'some-run'].concat(['--output-dir', join(it.directory, 'never')])]
    .map((words) => assay([...words, ...(words[0] === 'resume' ? where.slice(0, 2) : where), '--connect-within', '200ms'], { env: it.sim.env })));
  for (const { code, stderr } of gaveUp) {
    assert.equal(code, 3, stderr);
    assert.match(stderr, /cannot connect to postgres:.*trying again for 200 ms[^]*\(tried for 200 ms\)/);
  }
  const begin = (words) => {
    const process_ = start([...words, ...where], { env: it.sim.env });
    t.after(async () => { process_.child.kill('SIGKILL'); await process_.ended; });
    return process_;
  };
  const told = async (process_, pattern) => {
    await until(() => pattern.test(process_.stderr));
    assert.match(process_.stderr, pattern);
  };
  const worker = begin(['worker']);
  const run = begin(['run', it.config, '--output-dir', it.out]);
  for (const process_ of [worker, run]) await told(process_, /cannot connect to postgres:/);
  await away.begin();
  for (const process_ of [worker, run]) await told(process_, /the queue at nats:.*trying again for/);
  await nats.begin();
  assert.equal(nats.port(), port);
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it);
  worker.child.kill('SIGTERM');
  assert.equal((await worker.ended).code, 0);
});
