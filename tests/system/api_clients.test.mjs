// The clients in examples/api against a running service: they list runs, wait for one that runs, and read its figures.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { assay, askedMore, sleep, ragConfig, ragLines, root, scratch, simulator, start, write, writeLines } from './harness.mjs';

test('the clients in Python and JavaScript read the same', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '60ms']);
  writeLines(join(directory, 'data.jsonl'), ragLines(24));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 2}\n'));
  const tokens = join(directory, 'tokens');
  const token = (await assay(['serve', '--tokens', tokens, '--new-token', 'reader', '--roles', 'read'])).stdout.trim();
  const service = start(['serve', '--port', '0', '--store', join(directory, 'store'), '--results', join(directory, 'results'), '--tokens', tokens]);
  t.after(() => service.child.kill('SIGKILL'));
  const address = await new Promise((found) => service.child.stdout.on('data', () => {
    const line = /the page is at (http:\S+)/.exec(service.stdout);
    if (line) found(line[1]);
  }));
  const run = start(['run', config, '--output-dir', join(directory, 'results/live run'), '-q'], { env: sim.env });
  await askedMore(sim, 4, run);
  const clients = [['python3', join(root, 'examples/api/client.py')], [process.execPath, join(root, 'examples/api/client.mjs')]];
  const ask = ([command, script], args, env = { ASSAY_TOKEN: token }) => start([script, address, ...args], { command, env }).ended;
  // The run stands still, and is under way, until both have seen it.
  run.child.kill('SIGSTOP');
  const waiting = clients.map(([command, script]) => start([script, address, 'live run'], { command, env: { ASSAY_TOKEN: token } }));
  for (const one of waiting) while (!/^running: /.test(one.stderr) && one.child.exitCode === null) await sleep(10);
  run.child.kill('SIGCONT');
  const waited = await Promise.all(waiting.map(({ ended }) => ended));
  assert.equal((await run.ended).code, 0);
  for (const { code, stdout, stderr } of waited) {
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^running: \d+ of 24 cases\n/);
    assert.match(stderr, /done: 24 of 24 cases\n$/);
    assert.match(stdout, /^coherence\.pass_rate\t1 \([\d.]+ to 1\), n = 24$/m);
    assert.match(stdout, /^worst: case-\d+\t/m);
  }
  assert.equal(waited[0].stdout, waited[1].stdout);
  const listed = await Promise.all(clients.map((client) => ask(client, [])));
  for (const { stdout } of listed) assert.match(stdout, /^live run\tdone\t24\/24\tcoherence\.mean [\d.]+/);
  for (const client of clients) {
    const refused = await ask(client, [], {});
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /401: a token is needed/);
  }
});
