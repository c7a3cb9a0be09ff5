// A small cluster on one machine, to break: PostgreSQL, NATS nodes, and between them and each process of ours a proxy
// that can fall silent or hang up, as a network does.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../tests/system/harness.mjs';

const isRoot = process.getuid() === 0;

export async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

// A process that can be killed, stopped and begun again.
class Killable {
  constructor(begin) { this.begin_ = begin; }
  // In a group of its own, so that what it has begun goes with it.
  launch(command, args) {
    this.child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command, ...args], { stdio: 'ignore', detached: true, cwd: '/' });
    this.closed = new Promise((done) => this.child.on('close', done));
  }
  begin() { return this.begin_(this); }
  async kill() {
    try { process.kill(-this.child.pid, 'SIGKILL'); } catch { /* it has ended */ }
    await this.closed;
  }
  signal(name) {
    try { process.kill(-this.child.pid, name); } catch { /* it has ended */ }
  }
}

export async function postgres() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).filter((version) => existsSync(join(root, version, 'bin/initdb'))) : [];
  if (versions.length === 0) throw new Error('no server in /usr/lib/postgresql: install the package postgresql');
  const bin = join(root, versions.at(-1), 'bin');
  const directory = mkdtempSync(join(tmpdir(), 'assay-pg-'));
  const owner = isRoot ? ['--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  if (isRoot) chownSync(directory, ...['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'postgres']).stdout)));
  const made = spawnSync('setpriv', [...owner, '--no-new-privs', join(bin, 'initdb'), '-D', join(directory, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'], { cwd: '/' });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const ready = () => spawnSync(join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0;
  const server = new Killable(async (self) => {
    for (let tries = 0; tries < 200; ++tries) {
      // What a killed server leaves is mended, once its last process has gone.
      if (!self.child || self.child.exitCode !== null || self.child.signalCode !== null)
        self.launch([...owner, join(bin, 'postgres')], ['-D', join(directory, 'data'), '-k', directory, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'shared_buffers=16MB']);
      if (ready()) return;
      await sleep(100);
    }
    throw new Error('PostgreSQL does not start');
  });
  await server.begin();
  server.port = port;
  // One session, so that an answer says how things are now, and not how they were before a client had begun. Nothing if
  // the server is away, or stopped: whoever is to begin it again must not wait for it.
  let session = null;
  server.sql = async (statement) => {
    if (!session) {
      const psql = spawn(join(bin, 'psql'), ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'], { stdio: ['pipe', 'pipe', 'ignore'] });
      const mine = { psql, said: '', heard: () => {} };
      session = mine;
      psql.stdout.setEncoding('utf8').on('data', (text) => { mine.said += text; mine.heard(); });
      psql.stdin.on('error', () => {});
      psql.on('close', () => { if (session === mine) session = null; mine.heard(); });
    }
    const asked = session;
    asked.said = '';
    asked.psql.stdin.write(`${statement};\n\\echo ~\n`);
    const done = await Promise.race([sleep(1000), new Promise((heard) => { asked.heard = () => { if (asked.said.endsWith('~\n') || session !== asked) heard(true); }; })]);
    if (done && session === asked) return asked.said.slice(0, -2).trim();
    asked.psql.kill('SIGKILL');
    if (session === asked) session = null;
    return null;
  };
  server.end = async () => { session?.psql.kill('SIGKILL'); await server.kill(); rmSync(directory, { recursive: true, force: true }); };
  return server;
}

// So many nodes that keep everything on all of them; one by itself keeps it alone.
export async function nats(count) {
  const directory = mkdtempSync(join(tmpdir(), 'assay-nats-'));
  const ports = [];
  const routes = [];
  const monitors = [];
  for (let i = 0; i < count; ++i) {
    ports.push(await freePort());
    routes.push(await freePort());
    monitors.push(await freePort());
  }
  const nodes = ports.map((port, i) => {
    const store = join(directory, `store-${i}`);
    mkdirSync(store);
    const cluster = count === 1 ? [] : ['--cluster_name', 'faults', '--cluster', `nats://127.0.0.1:${routes[i]}`, '--no_advertise', '--routes', routes.map((route) => `nats://127.0.0.1:${route}`).join(',')];
    const node = new Killable(async (self) => {
      self.launch(['nats-server'], ['-js', '-a', '127.0.0.1', '-p', String(port), '-m', String(monitors[i]), '-n', `node-${i}`, '-sd', store, '-l', join(directory, `log-${i}`), ...cluster]);
      for (let tries = 0; tries < 200; ++tries) {
        if (await new Promise((done) => { const socket = connect(port, '127.0.0.1', () => { socket.destroy(); done(true); }); socket.on('error', () => done(false)); })) return;
        await sleep(50);
      }
      throw new Error('nats-server does not start');
    });
    node.port = port;
    const told = async (what) => (await fetch(`http://127.0.0.1:${monitors[i]}/${what}`)).json();
    // Messages since its start, and what it holds now.
    node.account = () => told('varz');
    node.waiting = async () => { const { bytes, messages } = await told('jsz'); return { bytes, messages }; };
    node.forget = () => rmSync(store, { recursive: true, force: true });
    return node;
  });
  await Promise.all(nodes.map((node) => node.begin()));
  return { nodes, end: async () => { for (const node of nodes) await node.kill(); rmSync(directory, { recursive: true, force: true }); } };
}

// The way of one process to one server.
export async function proxy(port) {
  const pairs = new Set();
  let silent = false;
  const server = createServer((socket) => {
    const other = connect(port, '127.0.0.1');
    const pair = [socket, other];
    pairs.add(pair);
    const end = () => { socket.destroy(); other.destroy(); pairs.delete(pair); };
    for (const [from, to] of [[socket, other], [other, socket]]) {
      from.on('data', (bytes) => { if (!to.write(bytes)) { from.pause(); to.once('drain', () => { if (!silent) from.resume(); }); } });
      from.on('error', end);
      from.on('close', end);
    }
    if (silent) for (const one of pair) one.pause();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: server.address().port,
    // Nothing goes through, and nobody is told.
    fall_silent() { silent = true; for (const pair of pairs) for (const one of pair) one.pause(); },
    speak() { silent = false; for (const pair of pairs) for (const one of pair) one.resume(); },
    hang_up() { for (const pair of [...pairs]) for (const one of pair) one.destroy(); },
    end: () => { server.close(); for (const pair of [...pairs]) for (const one of pair) one.destroy(); },
  };
}
