// Load on the data service: N connections post records as fast as they are answered, each answer after its commit.
//   node bench/service_load.mjs [CONNECTIONS [SECONDS [INSTANCES]]]        (ASSAY_BINARY, else build/assay)
// With INSTANCES so many services share a PostgreSQL server, which is started here and flushes every commit to the
// disk; without, one has a directory with SQLite.
import { spawn } from 'node:child_process';
import { request, Agent } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresServer } from '../tests/system/postgres_server.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const connections = Number(process.argv[2] ?? 200);
const seconds = Number(process.argv[3] ?? 5);
const instances = Number(process.argv[4] ?? 0);
const place = mkdtempSync(join(tmpdir(), 'assay-load-'));
let stopServer = async () => {};
const server = instances > 0 ? await postgresServer({ after: (stop) => { stopServer = stop; } }) : undefined;
const children = [];
const serve = (args) => new Promise((found) => {
  const child = spawn(process.env.ASSAY_BINARY ?? join(root, 'build/assay'), ['serve', '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let text = '';
  child.stdout.on('data', (chunk) => { text += chunk; const line = /listening on (http:\S+)/.exec(text); if (line) found(line[1]); });
});
const bases = [];
if (!server) bases.push(await serve(['--store', join(place, 'store')]));
for (let i = 0; i < instances; ++i) bases.push(await serve(['--store', server.url(), '--work-dir', join(place, `work${i}`)]));
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const record = readFileSync(join(root, 'tests/data/persona/success_documented.json'), 'utf8');
const marker = JSON.parse(record).context.contextId;
const [before, after] = JSON.stringify(JSON.parse(record)).split(marker);
const times = [];
let wrong = 0;
let next = 0;
const post = (base) => new Promise((done) => {
  const body = `${before}load-${next++}${after}`;
  const begun = process.hrtime.bigint();
  const sent = request(base, { method: 'POST', agent, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } }, (answer) => {
    answer.resume();
    answer.on('end', () => {
      times.push(Number(process.hrtime.bigint() - begun) / 1e6);
      if (answer.statusCode !== 201) wrong += 1;
      done();
    });
  });
  sent.on('error', () => { wrong += 1; done(); });
  sent.end(body);
});
const end = Date.now() + 1000 * seconds;
const begun = Date.now();
await Promise.all(Array.from({ length: connections }, async (_, number) => { while (Date.now() < end) await post(bases[number % bases.length]); }));
const took = (Date.now() - begun) / 1000;
times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1);
const where = server ? `PostgreSQL, ${instances} instance${instances > 1 ? 's' : ''}` : 'SQLite';
console.log(`${where}, ${connections} connections, ${(before.length + after.length) / 1000} kB a record: ${Math.round(times.length / took)} durable records/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${wrong} not answered 201`);
for (const child of children) child.kill('SIGKILL');
await stopServer();
rmSync(place, { recursive: true, force: true });
process.exit(wrong === 0 ? 0 : 1);
