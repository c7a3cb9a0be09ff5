// Kills a run before its n-th change to the disk, as often as wanted, finishes it, and holds it against an undisturbed
// one. Shared by the tests and by `./dev bench kills`.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assay, root, start, exists, readLines } from './harness.mjs';

// How many requests may be in flight, or answered and not yet durable, at one address: what a kill repeats at most.
export const mostOpen = (concurrency) => 2 * concurrency + 16;

// The library that kills, built once for a directory.
export function killer(directory) {
  const library = join(directory, 'kill_at.so');
  if (!exists(library)) execFileSync('clang-19', ['-shared', '-fPIC', '-O1', '-o', library, join(root, 'tests/system/kill_at.c'), '-ldl']);
  return library;
}

// Results without what differs from run to run, at every depth.
const passing = new Set(['latency_ms', 'usage', 'seconds', 'done', 'context_id', 'contextId', 'response_id', 'date', 'timestamp']);
const settled = (value) => {
  if (Array.isArray(value)) return value.map(settled);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !passing.has(name)).map(([name, inner]) => [name, settled(inner)]));
};
export const results = (directory) => readLines(join(directory, 'results.jsonl')).map(settled);

// How many changes to the disk the command makes.
export async function changesOf(library, args, options) {
  const count = `${library}.${process.pid}.count`;
  const run = await assay(args, { ...options, env: { ...options.env, LD_PRELOAD: library, KILL_COUNT: count } });
  assert.ok([0, 1, 3].includes(run.code), run.stderr);
  return Number(readFileSync(count, 'utf8'));
}

// Every answer that the journal holds, by its row. Read from a copy: SQLite mends what a kill has left, and that is for
// the program itself to do.
const answers = (directory) => (exists(join(directory, 'run.db'))
  ? JSON.parse(execFileSync('python3', ['-c', `import glob, json, shutil, sqlite3, sys, tempfile
with tempfile.TemporaryDirectory() as copy:
    for part in glob.glob(sys.argv[1] + '/run.db*'): shutil.copy(part, copy)
    print(json.dumps(sqlite3.connect(copy + '/run.db').execute('SELECT row_number, case_index, step, attempt, finished, kind FROM effects ORDER BY row_number').fetchall()))`,
  directory], { encoding: 'utf8', maxBuffer: 1 << 28 })) : []);

// Runs `args`, killed before the changes that `moments` names, one after the other, and then to its end; gives how often
// it was killed, and how many answers of models the journal holds. Each time the journal must fit its chain, and keep every answer that it held.
export async function killedAt(library, args, output, moments, options) {
  let kills = 0;
  let kept = [];
  let next = args;
  for (const at of [...moments, 0]) {
    const run = await start(next, { ...options, env: { ...options.env, LD_PRELOAD: library, KILL_AT: String(at) } }).ended;
    if (run.signal !== 'SIGKILL') {
      assert.ok([0, 1, 3].includes(run.code), `moment ${at} of ${moments}: ${run.stderr}`);
      break;
    }
    kills += 1;
    if (exists(join(output, 'run.db'))) {
      const now = answers(output);
      assert.deepEqual(now.slice(0, kept.length), kept, `moment ${at} of ${moments}: an answer is lost`);
      kept = now;
    }
    next = exists(join(output, 'config.yaml')) ? ['resume', output] : args;
  }
  const last = answers(output);
  assert.deepEqual(last.slice(0, kept.length), kept, `moments ${moments}: an answer is lost`);
  const verified = await assay(['verify', output]);
  assert.equal(verified.code, 0, `moments ${moments}: ${verified.stdout}${verified.stderr}`);
  return { kills, answers: last.filter(([, , , , , kind]) => kind === 'model').length };
}
