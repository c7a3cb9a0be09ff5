// Load on the data service: N connections post records as fast as they are answered, each answer after its commit.
//   node bench/service_load.mjs [CONNECTIONS [SECONDS]]        (ASSAY_BINARY, else build/assay)
import { spawn } from 'node:child_process';
import { request, Agent } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const connections = Number(process.argv[2] ?? 200);
const seconds = Number(process.argv[3] ?? 5);
const store = mkdtempSync(join(tmpdir(), 'assay-load-'));
const child = spawn(process.env.ASSAY_BINARY ?? join(root, 'build/assay'), ['serve', '--port', '0', '--store', store], { stdio: ['ignore', 'pipe', 'inherit'] });
const base = await new Promise((found) => {
  let text = '';
  child.stdout.on('data', (chunk) => { text += chunk; const line = /listening on (http:\S+)/.exec(text); if (line) found(line[1]); });
});
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const record = readFileSync(join(root, 'tests/data/persona/success_documented.json'), 'utf8');
const marker = JSON.parse(record).context.contextId;
const [before, after] = JSON.stringify(JSON.parse(record)).split(marker);
const times = [];
let wrong = 0;
let next = 0;
const post = () => new Promise((done) => {
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
await Promise.all(Array.from({ length: connections }, async () => { while (Date.now() < end) await post(); }));
const took = (Date.now() - begun) / 1000;
times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1);
console.log(`${connections} connections, ${(before.length + after.length) / 1000} kB a record: ${Math.round(times.length / took)} durable records/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${wrong} not answered 201`);
child.kill('SIGKILL');
rmSync(store, { recursive: true, force: true });
process.exit(wrong === 0 ? 0 : 1);
