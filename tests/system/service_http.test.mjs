// How `assay serve` and `assay sim` take HTTP: any cut of a request, what could be read in two ways, names and
// origins that are not theirs, bodies before the token, the end.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { assay, scratch, simulator, sleep, start, askedMore } from './harness.mjs';
import { service, items, job, fixture } from './service_process.mjs';

// A plain socket to the address; `text` is all that has come.
function socketTo(t, url) {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''));
  socket.setNoDelay(true);
  const peer = { socket, text: '' };
  socket.on('data', (chunk) => { peer.text += chunk; });
  peer.closed = new Promise((done) => socket.on('close', done));
  peer.until = (mark) => new Promise((done, failed) => {
    const look = () => { if (peer.text.includes(mark)) done(peer.text); };
    socket.on('data', look);
    peer.closed.then(() => (peer.text.includes(mark) ? done(peer.text) : failed(new Error(`closed after: ${peer.text}`))));
    look();
  });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  return peer;
}

// All that is answered to these bytes until the connection closes.
async function answer(t, url, bytes) {
  const peer = socketTo(t, url);
  peer.socket.write(bytes);
  await peer.closed;
  return peer.text;
}
const statuses = (text) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((found) => Number(found[1]));

test('a chunked body whose end comes in packets of its own is answered, and so is everything after it', async (t) => {
  const running = await service(t, join(scratch(t), 'store'));
  const sim = await simulator(t);
  const record = JSON.stringify(fixture('success_mode2.json'));
  const ask = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
  for (const [base, path, body, expected] of [[running.base, '/data/eval', record, 201], [sim.url, '/v1/chat/completions', ask, 200]]) {
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const size = Buffer.byteLength(body).toString(16);
    for (const [status, pieces] of [
      [expected, [head, `${size}\r\n`, body, '\r\n', '0\r\n', '\r', '\n']],
      [400, [head, '0\r\n', '\r', '\n']],  // no body is no JSON
      [400, [head, '0;an=extension\r', '\nTrailer: x\r\n', '\r', '\n']],
    ]) {
      const peer = socketTo(t, base);
      for (const piece of pieces) {
        peer.socket.write(piece);
        await sleep(10);  // for packets of their own; the answer is the same without
      }
      assert.match(await peer.until('\r\n\r\n'), new RegExp(`^HTTP/1.1 ${status} `));
    }
  }
  assert.equal((await running.get('/get-evaluation-data')).json.total, 2);
  assert.equal((await fetch(`${sim.url}/sim/stats`)).status, 200);
});

test('what could be read in two ways is refused, and nothing of it is a second request', async (t) => {
  const running = await service(t, join(scratch(t), 'store'));
  const hidden = 'GET /data/eval/get-evaluation-jobs HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const post = 'POST /data/eval HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  const cases = [
    [`${post}Transfer-Encoding: xchunked\r\n\r\n${hidden}`, 501],
    [`${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${hidden}`, 501],
    [`${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`, 400],
    [`${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ${hidden}`, 400],
    [`${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`, 400],
    [`GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n${hidden}`, 400],
    [`${post}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20000)}\r\n{}\r\n0\r\n\r\n${hidden}`, 400],
  ];
  for (const [bytes, status] of cases) {
    const text = await answer(t, running.base, bytes);
    assert.deepEqual(statuses(text), [status], text);
    assert.match(text, /Connection: close/);
  }
});

test('only names of its own and pages of its own: no DNS rebinding, no other origin', async (t) => {
  const running = await service(t, join(scratch(t), 'store'), { args: ['--names', 'assay.example'] });
  const { port } = new URL(running.base);
  const ask = async (host, headers = '', line = 'GET /data/eval/get-evaluation-jobs') =>
    statuses(await answer(t, running.base, `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`))[0];
  for (const host of ['localhost', `127.0.0.1:${port}`, '[::1]:80', 'assay.example', 'ASSAY.example.:443']) assert.equal(await ask(host), 200, host);
  for (const host of ['evil.example', 'localhost.evil.example', '10.1.2.3', `127.0.0.1.evil.example:${port}`]) assert.equal(await ask(host), 421, host);
  assert.equal(await ask('localhost', '', 'GET http://evil.example/data/eval/get-evaluation-jobs'), 421, 'the whole address counts');
  assert.equal(await ask(`localhost:${port}`, `Origin: http://localhost:${port}\r\n`), 200);
  assert.equal(await ask('127.0.0.1', 'Origin: https://assay.example\r\n'), 200);
  for (const origin of ['http://evil.example', 'null', 'http://localhost:1', 'https://assay.example.evil.example']) {
    assert.equal(await ask(`localhost:${port}`, `Origin: ${origin}\r\n`), 403, origin);
    assert.equal(await ask(`localhost:${port}`, `Origin: ${origin}\r\n`, 'POST /data/eval/process-evals/mode2/x/cancel'), 403, origin);
  }
  assert.match((await answer(t, running.base, 'GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')), /--names evil\.example/);
});

test('the token is asked for before the body, with WWW-Authenticate; bodies have a bound together', async (t) => {
  const directory = scratch(t);
  const file = join(directory, 'tokens');
  const token = (await assay(['serve', '--tokens', file, '--new-token', 'kim'])).stdout.trim();
  const running = await service(t, join(directory, 'store'), { args: ['--tokens', file, '--max-buffered', '3000000'] });
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.run.child.pid}/status`, 'utf8'))[1]);
  const before = memory();
  const head = (extra) => `POST /data/eval HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16000000\r\n${extra}\r\n`;
  // Only the head is sent; the answer does not wait for what follows.
  const texts = await Promise.all(Array.from({ length: 40 }, async () => {
    const peer = socketTo(t, running.base);
    peer.socket.write(head(''));
    return peer.until('\r\n\r\n');
  }));
  for (const text of texts) {
    assert.deepEqual(statuses(text), [401]);
    assert.match(text, /WWW-Authenticate: Bearer realm="assay"\r\n/);
  }
  // With a token a body is read, but all of them together have a bound.
  const bodies = Array.from({ length: 4 }, () => socketTo(t, running.base));
  for (const peer of bodies) peer.socket.write(head(`Authorization: Bearer ${token}\r\n`) + 'x'.repeat(2_000_000));
  const first = await Promise.any(bodies.map((peer) => peer.until('"errors"')));
  assert.match(first, /^HTTP\/1.1 503 /);
  assert.match(first, /Retry-After: 1\r\n/);
  assert.ok(memory() - before < 60_000, `grew from ${before} to ${memory()} kB`);
  for (const peer of bodies) peer.socket.destroy();
  assert.equal((await running.get('/get-evaluation-jobs', { authorization: `Bearer ${token}` })).status, 200);
});

test('SIGTERM: requests in progress are answered, none is cut off', async (t) => {
  const sim = await simulator(t, ['--latency', '40ms']);
  const running = await service(t, join(scratch(t), 'store'), { env: sim.env, args: ['--limits.concurrency', '1', '--jobs', '1'] });
  await running.post('/record-evaluation-items', { items: items(60) });
  const half = socketTo(t, running.base);
  half.socket.write('POST /data/eval HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n');
  await half.until('100 Continue');
  half.socket.write('{"a"');
  const waiting = [running.post('/process-evals/mode2', job()), running.post('/process-evals/mode2', job({ tags_dest: ['other'] }))];
  await askedMore(sim, 2);
  const ended = running.kill('SIGTERM');
  for (const one of await Promise.all(waiting)) {
    assert.equal(one.status, 503, one.text);
    assert.match(one.json.message, /goes on when it starts again/);
  }
  await half.closed;
  assert.deepEqual(statuses(half.text), [100, 503], half.text);
  assert.equal((await ended).code, 0);
});

test('an IPv6 address is shown as one', async (t) => {
  const run = start(['serve', '--host', '::1', '--port', '0', '--store', join(scratch(t), 'store')]);
  t.after(() => run.child.kill('SIGKILL'));
  while (!/listening/.test(run.stdout) && run.child.exitCode === null) await sleep(5);
  const base = /listening on (http:\/\/\[::1\]:\d+\S*)/.exec(run.stdout)?.[1];
  assert.ok(base, run.stdout + run.stderr);
  assert.equal((await fetch(`${base}/get-evaluation-jobs`)).status, 200);
});
