// Measures the whole program from outside, with the simulator as the endpoint, and sets the figures beside the goals.
// Machines are noisy: each figure is the best of a few runs, and ratios are taken within one run.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, createWriteStream, statSync, existsSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir, cpus } from 'node:os';
import { join, resolve, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kills } from './kills.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const binary = process.env.ASSAY_BINARY ?? join(root, 'build/assay');
const scratch = mkdtempSync(join(tmpdir(), 'assay-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const rows = [];
const report = (what, figure, goal) => { rows.push([what, figure, goal]); console.log(`${what}: ${figure}${goal ? ` (goal ${goal})` : ''}`); };

// Wall seconds, CPU seconds and the largest resident size in MB of one command.
function measure(args, env = {}) {
  const run = spawnSync('/usr/bin/time', ['-f', '%e %U %S %M', binary, ...args], { encoding: 'utf8', env: { ...process.env, ...env }, maxBuffer: 1 << 26 });
  const line = run.stderr.trim().split('\n').at(-1);
  const [wall, user, system, kilobytes] = line.split(' ').map(Number);
  if (run.status !== 0) throw new Error(`${args.join(' ')}: exit ${run.status}\n${run.stderr}`);
  return { wall, cpu: user + system, megabytes: kilobytes / 1024 };
}
const best = (times, work) => Array.from({ length: times }, work).reduce((a, b) => (a.wall <= b.wall ? a : b));

async function simulator(args) {
  const child = spawn(binary, ['sim', '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk] = await once(child.stdout, 'data');
  const url = /http:\S+/.exec(chunk.toString())[0];
  return { env: { OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: `${url}/v1` }, stop: () => child.kill() };
}

async function lines(name, count, row) {
  const path = join(scratch, name);
  if (existsSync(path)) return path;
  const out = createWriteStream(path);
  let buffer = '';
  for (let i = 0; i < count; ++i) {
    buffer += `${JSON.stringify(row(i))}\n`;
    if (buffer.length > 1 << 20) {
      if (!out.write(buffer)) await once(out, 'drain');
      buffer = '';
    }
  }
  out.end(buffer);
  await once(out, 'close');
  return path;
}

const labels = ['genuine_rag', 'unclear_intent', 'greetings', 'about_chat', 'character_fun', 'non_english'];
const routed = (i) => ({
  question: `Question number ${i}: how long does it take to renew a passport for a child who lives abroad with one parent?`,
  expected_outcome: labels[i % 6], actual_outcome: labels[(i % 7 === 0 ? i + 1 : i) % 6], confidence_score: (i % 100) / 100,
});
const answered = (i) => ({ id: `c${i}`, question: `How do I renew permit ${i}?`, llm_answer: `You renew permit ${i} online. It takes ${i % 30} days.` });
let sequence = 0;
const output = () => join(scratch, `out-${sequence++}`);
const judged = (input, concurrency, model = 'openai/judge') => ['rag_answers', '--input-path', input, '--judge', model, '--metrics', '[coherence]',
  '--n-runs', '1', '--limits.concurrency', String(concurrency), '--output-dir', output(), '--quiet'];

const benches = {
  kills: () => kills(scratch, report),
  async startup() {
    const version = best(20, () => measure(['--version']));
    report('assay --version', `${(version.wall * 1000).toFixed(0)} ms`, '≤ 10 ms');
    const input = await lines('ten.jsonl', 10, answered);
    const ten = best(5, () => measure(judged(input, 64, 'sim/judge')));
    report('rag_answers on 10 cases, built-in model', `${(ten.wall * 1000).toFixed(0)} ms`, '≤ 100 ms plus the model');
  },
  async judged() {
    const count = 20000;
    const sim = await simulator(['--threads', '1']);
    const input = await lines('judged.jsonl', count, answered);
    const run = best(3, () => measure(judged(input, 64), sim.env));
    sim.stop();
    const rate = count / run.wall;
    report('judged cases a second, instant endpoint on the same two cores', rate.toFixed(0), '≥ 50 × 145 = 7,250');
    report('CPU per judged case, journal included', `${(run.cpu / count * 1e6).toFixed(0)} µs`, '≤ 120 µs');
  },
  async latency() {
    const count = 20000;
    const sim = await simulator(['--latency', '50ms', '--threads', '1']);
    const input = await lines('judged.jsonl', count, answered);
    const run = best(2, () => measure(judged(input, 500), sim.env));
    sim.stop();
    const ideal = count * 0.05 / 500;
    report('wall time against the ideal, 50 ms × 500 in flight, 20,000 cases', `${(100 * ideal / run.wall).toFixed(0)} % (${run.wall.toFixed(2)} s, ideal ${ideal.toFixed(2)} s)`, '≥ 95 %');
  },
  async memory() {
    for (const count of [10000, 1000000]) {
      const routes = await lines(`routes-${count}.jsonl`, count, routed);
      const pure = measure(['question_router', '--input-path', routes, '--output-dir', output(), '--quiet']);
      report(`memory, question_router, ${count.toLocaleString('en')} lines`, `${pure.megabytes.toFixed(0)} MB`, 'flat, ≤ 150 MB');
    }
    for (const count of [10000, Number(process.env.ASSAY_BENCH_JUDGED ?? 200000)]) {
      const input = await lines(`answers-${count}.jsonl`, count, answered);
      const run = measure(judged(input, 64, 'sim/judge'));
      report(`memory, rag_answers judged by the built-in model, ${count.toLocaleString('en')} cases`, `${run.megabytes.toFixed(0)} MB (${(count / run.wall).toFixed(0)} cases/s)`, 'flat, ≤ 150 MB');
    }
  },
  async throughput() {
    const routes = await lines('routes-1000000.jsonl', 1000000, routed);
    const bytes = statSync(routes).size;
    const run = best(3, () => measure(['question_router', '--input-path', routes, '--output-dir', output(), '--quiet']));
    report('JSONL classification, 1,000,000 lines, all files written', `${(bytes / run.wall / 1e9).toFixed(2)} GB/s of wall time, ${(bytes / run.cpu / 1e9).toFixed(2)} GB/s of CPU time (${run.wall.toFixed(2)} s, ${run.cpu.toFixed(2)} s CPU, ${(1e6 / run.wall / 1e6).toFixed(2)} M lines/s)`, '≥ 0.5 GB/s a core');
  },
  // What comes behind the last answer, against all that comes before it: the last commit is the first thing that
  // collecting does, and the seal the last.
  async end() {
    const count = Number(process.env.ASSAY_BENCH_JUDGED ?? 200000);
    const input = await lines(`clustered-${count}.jsonl`, count, (i) => ({ ...answered(i), document: `d${Math.floor(i / 5)}` }));
    for (const [words, more] of [['', []], [`, in ${(count / 5).toLocaleString('en')} clusters`, ['--cluster', 'document']]]) {
      const args = [...judged(input, 64, 'sim/judge'), ...more];
      const run = measure(args);
      const directory = args[args.indexOf('--output-dir') + 1];
      const end = (statSync(join(directory, 'seal.sha256')).mtimeMs - statSync(join(directory, 'run.db.head')).mtimeMs) / 1000;
      report(`the end of a run of ${count.toLocaleString('en')} judged cases${words}`, `${end.toFixed(1)} s of ${run.wall.toFixed(1)} s, ${run.megabytes.toFixed(0)} MB`, 'below the run itself, ≤ 150 MB');
    }
  },
};

const chosen = process.argv.slice(2);
for (const [name, bench] of Object.entries(benches)) if (chosen.length === 0 || chosen.includes(name)) await bench();
console.log(`\nOn ${cpus().length} × ${cpus()[0].model}:\n\n| what | measured | goal |\n| --- | --- | --- |`);
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
