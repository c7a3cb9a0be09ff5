// The program as a benchmark sees it: from outside, with its wall time, CPU time and memory. Directories of runs go
// when the benchmark ends.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answered, lines } from './inputs.mjs';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
export const binary = process.env.ASSAY_BINARY ?? join(root, 'build/assay');
// endpoint, floor and measure, as the target `bench` has built them
export const tool = (name) => join(process.env.ASSAY_BUILD ?? join(root, 'build'), 'bench', name);

export const scratch = mkdtempSync(join(tmpdir(), 'assay-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

// Wall and CPU seconds of one command and its children, and the largest resident size in MB of any of them.
export function measure(command, args, { env = {}, cwd = scratch } = {}) {
  const figures = join(scratch, 'figures.json');
  rmSync(figures, { force: true });
  const run = spawnSync(tool('measure'), [figures, command, ...args], { cwd, encoding: 'utf8', env: { ...process.env, ...env }, maxBuffer: 1 << 26 });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new Error(`${command} ${args.join(' ')}: exit ${run.status}\n${run.stdout.slice(-2000)}${run.stderr.slice(-4000)}`);
  const { wall, user, system, megabytes } = JSON.parse(readFileSync(figures, 'utf8'));
  return { wall, cpu: user + system, megabytes };
}

export const assay = (args, env) => measure(binary, args, { env });

// How often each figure is taken; ASSAY_BENCH_ROUNDS says otherwise.
export const rounds = (usual) => Number(process.env.ASSAY_BENCH_ROUNDS ?? usual);

export const quickest = (runs) => runs.reduce((a, b) => (a.wall <= b.wall ? a : b));
export const best = (times, work) => quickest(Array.from({ length: times }, work));

let sequence = 0;
// A directory for a run that is not kept after `work`, which gets its path.
export function inDirectory(work) {
  const directory = join(scratch, `run-${sequence++}`);
  try {
    return work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

// Arguments of a run of rag_answers: coherence makes one call a case, relevance two, the second built on the first.
export const judgedArguments = ({ input, output, inFlight, metric = 'coherence', model = 'openai/judge', threads }) => [
  'rag_answers', '--input-path', input, '--judge', model, '--metrics', `[${metric}]`, '--n-runs', '1',
  '--limits.concurrency', String(inFlight), '--output-dir', output, '--quiet', ...(threads ? ['--threads', String(threads)] : [])];

// What one judged run cost, with the bytes of its journal.
export const judgedRun = (settings, env) => inDirectory((output) => ({
  ...assay(judgedArguments({ ...settings, output }), env),
  journal: statSync(join(output, 'run.db')).size,
}));

// The numbers of threads that a table is over: those wanted if the program lets one choose, else its own choice alone.
export async function threadChoices(wanted) {
  const input = await lines(scratch, 'two.jsonl', 2, answered);
  return inDirectory((output) => {
    const { status } = spawnSync(binary, judgedArguments({ input, output, inFlight: 2, model: 'sim/judge', threads: 1 }), { stdio: 'ignore' });
    return status === 0 ? wanted : [undefined];
  });
}
