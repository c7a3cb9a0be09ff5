// A PostgreSQL server of the test's own on a socket in a temporary directory, from Debian's package.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from './harness.mjs';

function programs() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).filter((version) => existsSync(join(root, version, 'bin/initdb'))) : [];
  if (versions.length === 0) throw new Error('no server in /usr/lib/postgresql: install the package postgresql (./dev test does)');
  return join(root, versions.sort((a, b) => Number(a) - Number(b)).at(-1), 'bin');
}

// The server refuses to run as root.
const asOwner = process.getuid() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--pdeathsig', 'KILL'] : ['setpriv', '--pdeathsig', 'KILL'];

export async function postgresServer(t) {
  const bin = programs();
  const directory = mkdtempSync(join(tmpdir(), 'assay-pg-'));
  if (process.getuid() === 0) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'postgres']).stdout));
    chownSync(directory, uid, gid);
  }
  const run = (program, args) => {
    const done = spawnSync(asOwner[0], [...asOwner.slice(1, -2), join(bin, program), ...args], { encoding: 'utf8', cwd: '/' });
    if (done.status !== 0) throw new Error(`${program}: ${done.stderr}`);
    return done.stdout;
  };
  run('initdb', ['-D', join(directory, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']);
  let server = null;
  const begin = async () => {
    server = spawn(asOwner[0], [...asOwner.slice(1), join(bin, 'postgres'), '-D', join(directory, 'data'), '-k', directory, '-c', 'listen_addresses=', '-c', 'shared_buffers=16MB'], { stdio: 'ignore', cwd: '/' });
    for (let i = 0; i < 600; ++i) {
      if (spawnSync(join(bin, 'pg_isready'), ['-q', '-h', directory]).status === 0) return;
      await sleep(50);
    }
    throw new Error('the server does not start');
  };
  // At once, as a power cut would.
  const crash = () => new Promise((done) => {
    if (server.exitCode !== null || server.signalCode !== null) return done();
    server.on('close', done);
    server.kill('SIGQUIT');
  });
  await begin();
  t.after(async () => { await crash(); rmSync(directory, { recursive: true, force: true }); });
  return {
    url: (user = 'postgres', database = 'postgres') => `postgres://${user}@/${database}?host=${directory}`,
    sql: (statements) => run('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-h', directory, '-U', 'postgres', '-c', statements]).trim(),
    crash, begin,
    restart: async () => { await crash(); await begin(); },
  };
}
