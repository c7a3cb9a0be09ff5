// A run over a coordinator and workers gives what one machine gives, within its limits; who works on it is shown, and
// what cannot work is told.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { assertSame, kAtOnce, kCases, kKey, postgres, scene } from './distributed_scene.mjs';
import { askedMore, assay, assertNowhere, binary, exists, ragConfig, ragLines, scratch, simulator, sleep, start, until, write, writeLines } from './harness.mjs';
import { openBrowser } from './browser.mjs';
import { natsServer } from './nats_server.mjs';
import { assertAccessible, openTab, overflow, screenshots } from './page_browser.mjs';
import { service } from './service_process.mjs';

// The id of the run that is open, as soon as there is one.
async function openRun() {
  let id = '';
  await until(() => {
    if (postgres.sql("SELECT to_regclass('assay_open_runs') IS NOT NULL") === 't') id = postgres.sql('SELECT run_id FROM assay_open_runs');
    return id !== '';
  });
  return id;
}

test('two workers give what one machine gives', async (t) => {
  // Long enough for the second one, which waits until the first has made room.
  const it = await scene(t, { latency: '200ms' });
  const workers = [it.worker(), it.worker()];
  const run = await it.coordinator().ended;
  assert.equal(run.code, 0, run.stderr);
  await assertSame(it);
  for (const worker of workers) {
    worker.child.kill('SIGTERM');
    const ended = await worker.ended;
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, /[1-9]\d* cases ended here/, 'both took part');
  }
  assert.equal(postgres.sql('SELECT count(*) FROM assay_open_runs'), '0');
  const { in_flight } = await it.sim.stats();
  assert.ok(in_flight.most <= kAtOnce, `${in_flight.most} requests at once over all workers, ${kAtOnce} allowed`);
});

test('a worker whose key is refused stops the run with that message', async (t) => {
  const it = await scene(t, { cases: 12, sim: ['--require-key', kKey] });
  const wrong = it.worker([], { ...it.sim.env, JUDGE_KEY: 'another-key-77aa' });
  const run = await it.coordinator().ended;
  assert.equal(run.code, 3, run.stderr);
  assert.match(run.stderr, /error: .*stopped: .*401/);
  assert.match(run.stderr, /assay resume/);
  assert.ok(!`${run.stderr}${wrong.stderr}`.includes('another-key-77aa'));
  wrong.child.kill('SIGKILL');
  await wrong.ended;
  it.worker();
  const ended = await it.resume().ended;
  assert.equal(ended.code, 0, ended.stderr);
});

test('a worker that is told to stop finishes what it has, and the other does the rest', async (t) => {
  const it = await scene(t, { latency: '150ms' });
  const [first] = [it.worker(), it.worker()];
  const run = it.coordinator();
  // It has taken some, and not all of them.
  await until(() => /taking cases/.test(first.stderr));
  await askedMore(it.sim, 4, run);
  first.child.kill('SIGTERM');
  assert.equal((await first.ended).code, 0, first.stderr);
  assert.match(first.stderr, /finishing what is under way/);
  assert.ok(Number(/(\d+) cases ended here/.exec(first.stderr)[1]) < kCases, 'the other has some left');
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it);
});

test('a worker takes no more cases than it is told to, and those of the run that it is told of', async (t) => {
  const it = await scene(t, { cases: 12 });
  const run = it.coordinator();
  const id = await openRun();
  const other = it.worker(['--run', '20260101T000000Z-00000000', '--exit-when-idle', '100ms']);
  assert.equal((await other.ended).code, 0, other.stderr);
  assert.equal(await it.sim.sent(), 0);
  it.worker(['--run', id, '--max-cases', '1']);
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it);
  assert.equal((await it.sim.stats()).in_flight.most, 1);
});

test('who joins a run of slow calls ends its part of the cases, and no limit is passed', async (t) => {
  const it = await scene(t, { latency: '700ms', cases: 28 });
  const workers = [it.worker()];
  const run = it.coordinator();
  await askedMore(it.sim, kAtOnce, run);
  workers.push(it.worker(), it.worker());
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it);
  const parts = [];
  for (const worker of workers) {
    worker.child.kill('SIGTERM');
    parts.push(Number(/(\d+) cases ended here/.exec((await worker.ended).stderr)?.[1] ?? 0));
  }
  assert.equal(parts.reduce((sum, part) => sum + part), 28);
  assert.ok(Math.min(...parts) >= 1, `they ended ${parts}`);
  const { in_flight } = await it.sim.stats();
  assert.ok(in_flight.most <= kAtOnce, `${in_flight.most} requests at once over all workers, ${kAtOnce} allowed`);
});

test('a worker that drains ends no more cases than it had begun, and the others come soon to somebody else', async (t) => {
  const it = await scene(t, { latency: '1s', cases: 16 });
  const first = it.worker();
  const run = it.coordinator();
  // Requests that have come in, answered or not.
  const begun = async () => (await it.sim.stats()).bodies.distinct;
  await until(async () => await begun() >= kAtOnce);
  first.child.kill('SIGTERM');
  await until(() => /stopping: /.test(first.stderr));
  const most = await begun();
  const drained = await first.ended;
  assert.equal(drained.code, 0, drained.stderr);
  assert.equal(Number(/(\d+) cases ended here/.exec(drained.stderr)?.[1]), most, drained.stderr);
  assert.equal(await begun(), most);
  it.worker();
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it);
});

test('over TLS both sides show their certificates, and a queue of another authority is no queue', async (t) => {
  const directory = scratch(t);
  const made = (name) => join(directory, name);
  const openssl = (...args) => assert.equal(spawnSync('openssl', args, { cwd: directory, encoding: 'utf8' }).status, 0, args.join(' '));
  for (const authority of ['ours', 'theirs'])
    openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${authority}`, '-keyout', `${authority}.key`, '-out', `${authority}.pem`);
  write(made('names'), 'subjectAltName=IP:127.0.0.1\n');
  for (const name of ['server', 'client']) {
    openssl('req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    openssl('x509', '-req', '-in', `${name}.csr`, '-CA', 'ours.pem', '-CAkey', 'ours.key', '-CAcreateserial', '-days', '2', '-extfile', 'names', '-out', `${name}.pem`);
  }
  const server = await natsServer(t, ['--tlsverify', '--tlscert', made('server.pem'), '--tlskey', made('server.key'), '--tlscacert', made('ours.pem')]);
  const shown = ['--queue-cert', made('client.pem'), '--queue-key', made('client.key')];
  const address = ['--queue', `TLS://127.0.0.1:${server.port()}`];
  const it = await scene(t, { cases: 8, queue: { server, flags: [...address, '--queue-ca', made('ours.pem'), ...shown] } });
  const refused = await assay(['worker', '--store', postgres.url(), ...address, '--queue-ca', made('theirs.pem'), ...shown]);
  assert.equal(refused.code, 2, refused.stderr);
  assert.match(refused.stderr, /SSL handshake error: .*CN=server/);
  it.worker();
  const ended = await it.coordinator().ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it);
});

test('a worker without the key says so and leaves the run to others; no key is in store or queue', async (t) => {
  const it = await scene(t, { cases: 12 });
  const without = it.worker([], { OPENAI_BASE_URL: it.sim.env.OPENAI_BASE_URL });
  const run = it.coordinator();
  const told = async (process_, pattern) => {
    await until(() => pattern.test(process_.stderr));
    assert.match(process_.stderr, pattern);
  };
  await told(without, /left to others: .*JUDGE_KEY/);
  await told(run, /leaves this run to others: .*JUDGE_KEY/);
  it.worker();
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it);
  assertNowhere(it.out, kKey);
  assert.equal(postgres.sql(`SELECT count(*) FROM assay_effects WHERE position('${kKey}'::bytea IN request || reply) > 0`), '0');
});

test('builds that differ do not work together, and both say so', async (t) => {
  const it = await scene(t, { cases: 5 });
  const run = it.coordinator();
  await openRun();
  const own = postgres.sql('SELECT assay FROM assay_open_runs');
  assert.equal(own, (await assay(['--version'])).stdout.split('\n')[0].replace('assay ', ''));
  postgres.sql(`UPDATE assay_open_runs SET assay = '${own.split(' ')[0]} (commit 0000009)'`);
  const worker = it.worker();
  await until(() => /0000009/.test(run.stderr));
  assert.ok(worker.stderr.includes(`left to others: it is coordinated by assay ${own.split(' ')[0]} (commit 0000009), and this worker is assay ${own}`), worker.stderr);
  assert.match(run.stderr, /leaves this run to others: it is coordinated by assay .*0000009/);
  run.child.kill('SIGINT');
  assert.equal((await run.ended).code, 130);
  assert.equal(await it.sim.sent(), 0);
});

test('the service shows how far a run over workers is, while it goes on', async (t) => {
  const it = await scene(t);
  // Slow enough that it goes on until it was looked at often enough.
  const slow = await simulator(t, ['--latency', '1s']);
  const shown = await service(t, join(it.directory, 'store'), { args: ['--results', it.directory] });
  it.worker([], { ...slow.env, JUDGE_KEY: kKey });
  const run = it.coordinator();
  const looks = [];
  const seen = await until(async () => {
    const { runs } = await (await fetch(new URL('/api/runs', shown.base))).json();
    const one = runs.find(({ id }) => id === 'out');
    if (one?.live) looks.push({ done: one.done, ...one.live });
    return new Set(looks.map(({ done }) => done)).size >= 3 || run.child.exitCode !== null;
  });
  assert.ok(seen && run.child.exitCode === null, JSON.stringify(looks.slice(-3)) + run.stderr);
  assert.ok(looks.at(-1).rate > 0 && looks.at(-1).requests > looks[0].requests, JSON.stringify(looks.at(-1)));
});

test('who works on a run is shown where its directory is, and where only its store is known', async (t) => {
  const it = await scene(t, { cases: 40 });
  // Slow enough that it goes on until all of it was looked at.
  const slow = await simulator(t, ['--latency', '2s']);
  slow.env.JUDGE_KEY = kKey;
  const chromium = await openBrowser(t);
  const here = await service(t, join(it.directory, 'store'), { args: ['--results', it.directory] });
  const elsewhere = await service(t, postgres.url(), { args: ['--results', join(it.directory, 'none'), '--work-dir', join(it.directory, 'own')] });
  const workers = [it.worker([], slow.env), it.worker([], slow.env), it.worker([], { OPENAI_BASE_URL: slow.env.OPENAI_BASE_URL })];
  // script(1) gives it a terminal.
  const words = ['run', it.config, '--output-dir', it.out, '--store', `'${postgres.url()}'`, '--queue', it.nats.url()];
  const run = start(['-qfec', `exec ${binary} ${words.join(' ')}`, '/dev/null'], { command: 'script', env: { OPENAI_BASE_URL: it.sim.env.OPENAI_BASE_URL } });
  const kill = async () => { spawnSync('pkill', ['-KILL', '-P', String(run.child.pid)]); await run.ended; };
  t.after(kill);
  const looked = async ({ base }, path = '/api/runs') => (await fetch(new URL(path, base))).json();
  const seen = async (from) => {
    for (const end = Date.now() + 60_000; Date.now() < end && run.child.exitCode === null;) {
      const one = (await looked(from)).runs.find(({ state }) => state === 'running');
      if (one?.live.workers.length === 3 && one.done > 0) return one;
      await sleep(50);
    }
    assert.fail(`never seen: ${JSON.stringify(await looked(from))} ${run.stderr}`);
  };
  const [near, far] = [await seen(here), await seen(elsewhere)];
  for (const { live, evaluation, cases, models } of [near, far]) {
    assert.deepEqual(live.workers.map(({ share }) => share).sort(), [0, 0.5, 0.5]);
    assert.match(live.workers.find(({ share }) => share === 0).why_not, /JUDGE_KEY/);
    assert.ok(live.workers.every(({ name, silent_seconds }) => /\/\d+-/.test(name) && silent_seconds < 10), JSON.stringify(live));
    assert.deepEqual([evaluation, cases, models], ['rag_answers', 40, ['judge']]);
  }
  await Promise.all([['workers', here, near], ['elsewhere', elsewhere, far]].map(async ([name, { base }, { id }]) => {
    const { page, close } = await openTab(chromium, new URL(base).origin, `/runs/${id}`);
    await page.locator('table.workers tbody tr').nth(2).waitFor();
    assert.match(await page.locator('table.workers').innerText(), /50 %[^]*takes no cases: [^]*JUDGE_KEY/);
    await page.screenshot({ path: join(screenshots, `page-run-${name}.png`), fullPage: true });
    assert.ok(await overflow(page) <= 0);
    await assertAccessible(page, name);
    await close();
  }));
  const detail = await looked(elsewhere, `/api/runs/${far.id}`);
  assert.equal(detail.summary, null);
  assert.match(detail.problems[0].message, /the files of this run are not here, and postgres:\/\/.* holds its journal/);
  for (const path of ['/cases', '/files', '/files/etc/passwd'])
    assert.equal((await fetch(new URL(`/api/runs/${far.id}${path}`, elsewhere.base))).status, 404, path);
  assert.match(await (await fetch(new URL('/metrics', elsewhere.base))).text(), /assay_workers 3/);
  assert.match(run.stdout, /\/40 cases[^\r]* · 2 workers · /);
  await kill();
  for (const from of [here, elsewhere]) {
    let left;
    await until(async () => {
      left = (await looked(from)).runs.find(({ evaluation, state }) => evaluation === 'rag_answers' && state !== 'done');
      return left?.state === 'unfinished';
    });
    assert.deepEqual([left.state, left.live], ['unfinished', null]);
    assert.match(left.resume, from === here ? /\/out$/ : /^--run \S+ --store postgres:/);
  }
});

test('what workers cannot do is told before anything is sent', async (t) => {
  const directory = scratch(t);
  const data = writeLines(join(directory, 'cases.jsonl'), ragLines(3));
  const config = write(join(directory, 'run.yaml'), ragConfig(data));
  for (const [flags, pattern] of [
    [['--queue', 'nats://127.0.0.1:1'], /store: is missing/],
    [['--queue', 'nats://127.0.0.1:1', '--store', postgres.url(), '--limits.batch'], /limits\.batch: requests of several workers/],
    [['--queue', 'nats://127.0.0.1:1', '--store', postgres.url(), '--cache', 'here'], /cache: names a directory of this machine/],
    [['--queue', 'nats://127.0.0.1:1', '--store', postgres.url(), '--queue-lease', '48h'], /queue_lease: found .*, expected 500 ms to /],
    [['--queue', 'nats://127.0.0.1:1', '--store', postgres.url(), '--reuse', directory], /reuse: names a directory of this machine/],
  ]) {
    const run = await assay(['run', config, '--output-dir', join(directory, 'out'), ...flags], { env: { OPENAI_API_KEY: 'test-key-5e0c' } });
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, pattern);
    assert.ok(!exists(join(directory, 'out', 'config.yaml')));
  }
});

test('an address that is none is refused by worker and coordinator, and nothing is made of it', async (t) => {
  const directory = scratch(t);
  const config = write(join(directory, 'run.yaml'), ragConfig(writeLines(join(directory, 'cases.jsonl'), ragLines(3))));
  const good = { store: postgres.url(), queue: 'nats://127.0.0.1:1' };
  for (const [wrong, pattern] of [
    [{ store: 'postgres:/x' }, /store: found postgres: without \/\//],
    [{ store: 'mysql:/x' }, /store: found mysql:/],
    [{ store: 'here' }, /store: found here, expected postgres:\/\//],
    [{ queue: 'TLS:/127.0.0.1:1' }, /queue: found TLS:\/127\.0\.0\.1:1, expected nats:\/\//],
    [{ queue: 'natss://127.0.0.1:1' }, /queue: found natss:\/\/127\.0\.0\.1:1, expected nats:\/\//],
    [{ queue: 'ann:s3cret-word@127.0.0.1:1' }, /queue: found 127\.0\.0\.1:1, which does not say/],
    [{ store: 'here', queue: 'there' }, /store: found here[^]*queue: found there/],
  ]) {
    const { store, queue } = { ...good, ...wrong };
    for (const words of [['worker'], ['run', config, '--output-dir', join(directory, 'out')]]) {
      const run = await assay([...words, '--store', store, '--queue', queue], { env: { OPENAI_API_KEY: 'test-key-5e0c' }, cwd: directory });
      assert.equal(run.code, 2, run.stderr);
      assert.match(run.stderr, pattern);
      assert.ok(!run.stderr.includes('s3cret-word'), run.stderr);
    }
  }
  const without = await assay(['worker', '--queue', good.queue], { cwd: directory });
  assert.equal(without.code, 2);
  assert.match(without.stderr, /store: missing/);
  assert.doesNotMatch(without.stderr, /sqlite/);
  assert.deepEqual(readdirSync(directory).sort(), ['cases.jsonl', 'run.yaml']);
});
