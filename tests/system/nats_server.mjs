// A NATS server with JetStream of the test's own, on a loopback port that it keeps when it is begun again.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from './harness.mjs';

export async function natsServer(t, more = []) {
  const directory = mkdtempSync(join(tmpdir(), 'assay-nats-'));
  const ports = join(directory, 'ports');
  let server = null;
  let port = -1;
  const begin = async () => {
    rmSync(ports, { recursive: true, force: true });
    mkdirSync(ports);
    server = spawn('setpriv', ['--pdeathsig', 'KILL', 'nats-server', '-js', '-a', '127.0.0.1', '-p', String(port), '-sd', join(directory, 'store'), '-l', join(directory, 'log'), '--ports_file_dir', ports, ...more], { stdio: 'ignore' });
    let failure = null;
    server.on('error', (error) => { failure = error; });
    for (let i = 0; i < 400; ++i) {
      const [file] = readdirSync(ports);
      const told = file ? readFileSync(join(ports, file), 'utf8') : '';
      if (/\/\/[^"]*:\d/.test(told)) {
        port = Number(/:(\d+)/.exec(JSON.parse(told).nats[0])[1]);
        return;
      }
      if (failure || server.exitCode !== null) break;
      await sleep(25);
    }
    const log = existsSync(join(directory, 'log')) ? readFileSync(join(directory, 'log'), 'utf8') : '';
    throw new Error(`nats-server does not start; install the package nats-server (./dev test does): ${failure ?? log}`);
  };
  const kill = () => new Promise((done) => {
    if (server.exitCode !== null || server.signalCode !== null) return done();
    server.on('close', done);
    server.kill('SIGKILL');
  });
  // What is in the stream of runs, as the server says it; 0 if there is none.
  const messages = () => new Promise((done, failed) => {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.setTimeout(5000, () => socket.destroy(new Error('the queue does not answer')));
    socket.on('error', failed);
    socket.on('data', (bytes) => {
      heard += bytes;
      const count = /"messages":(\d+)/.exec(heard);
      if (!count && !heard.includes('"error"')) return;
      socket.destroy();
      done(count ? Number(count[1]) : 0);
    });
    socket.write('CONNECT {"verbose":false}\r\nSUB answer 1\r\nPUB $JS.API.STREAM.INFO.ASSAY answer 0\r\n\r\n');
  });
  await begin();
  t.after(async () => { await kill(); rmSync(directory, { recursive: true, force: true }); });
  return {
    url: () => `nats://127.0.0.1:${port}`,
    port: () => port,
    messages,
    kill,
    begin,
    forget: () => rmSync(join(directory, 'store'), { recursive: true, force: true }),
    signal: (name) => server.kill(name),
  };
}
