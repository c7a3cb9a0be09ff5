// `assay runs --prune`: shows by default, removes with --yes, and touches nothing that is not a run's.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mkdirSync, readdirSync, utimesSync, rmSync } from 'node:fs';
import { assay, start, simulator, scratch, write, writeLines, ragLines, ragConfig, exists, askedMore } from './harness.mjs';

const routed = (count) => Array.from({ length: count }, (_, i) => ({ id: `q${i}`, question: 'How?', expected_outcome: 'greetings', actual_outcome: 'greetings' }));
// As if nothing had been written to the run for so many days.
function age(directory, days) {
  const then = new Date(Date.now() - days * 86_400_000);
  for (const name of readdirSync(directory)) utimesSync(join(directory, name), then, then);
}
const tree = (directory) => readdirSync(directory, { recursive: true }).sort();

// results/ with an old and a new finished run and something that is no run.
async function home(t) {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), routed(5));
  const results = join(directory, 'results');
  for (const name of ['old', 'new']) {
    const ended = await assay(['question_router', '--input-path', join(directory, 'data.jsonl'), '--output-dir', join(results, name), '--quiet']);
    assert.equal(ended.code, 0, ended.stderr);
  }
  age(join(results, 'old'), 40);
  mkdirSync(join(results, 'notes'));
  write(join(results, 'notes/config.yaml'), 'evaluation: question_router\n');
  age(join(results, 'notes'), 400);
  return { directory, results };
}

test('without --yes it shows what would go; with it the run goes, and nothing else does', async (t) => {
  const { directory, results } = await home(t);
  const before = tree(results);
  for (const more of [[], ['--dry-run']]) {
    const shown = await assay(['runs', '--prune', '--older-than', '30d', ...more], { cwd: directory });
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /question_router +done +[\d.]+ kB +results\/old/);
    assert.doesNotMatch(shown.stdout, /results\/new|notes/);
    assert.match(shown.stdout, /would remove 1 run, [\d.]+ kB; nothing was removed: --yes does it/);
    assert.deepEqual(tree(results), before);
  }
  write(join(results, 'old/thesis.txt'), 'years of work');
  const json = JSON.parse((await assay(['runs', results, '--prune', '--older-than', '30d', '--format', 'json'])).stdout);
  const done = await assay(['runs', results, '--prune', '--older-than', '30d', '--yes']);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /stays, the run did not make it: thesis\.txt/);
  assert.match(done.stdout, /removed 1 run, /);
  assert.deepEqual([json.removed, json.count, json.runs.length, json.runs[0].left], [false, 1, 1, ['thesis.txt']]);
  assert.ok(json.bytes > 10_000 && json.bytes === json.runs[0].bytes);
  assert.deepEqual(readdirSync(join(results, 'old')), ['thesis.txt']);
  assert.deepEqual(tree(results).filter((name) => !name.startsWith('old')), before.filter((name) => !name.startsWith('old')));
  const again = await assay(['runs', results, '--prune', '--older-than', '30d', '--yes']);
  assert.match(again.stdout, /^removed 0 runs, 0 bytes\n$/);
});

test('--keep leaves the newest of each evaluation, --state takes only those in it', async (t) => {
  const { results } = await home(t);
  const kept = await assay(['runs', results, '--prune', '--keep', '1', '--yes']);
  assert.match(kept.stdout, /removed 1 run/);
  assert.deepEqual(readdirSync(results).sort(), ['new', 'notes']);
  const others = await assay(['runs', results, '--prune', '--state', 'unfinished', '--state', 'gate_failed', '--yes']);
  assert.match(others.stdout, /removed 0 runs/);
  rmSync(join(results, 'new/summary.json'));
  const unfinished = await assay(['runs', results, '--prune', '--state', 'unfinished', '--yes']);
  assert.match(unfinished.stdout, /removed 1 run/);
  assert.deepEqual(readdirSync(results), ['notes']);
});

test('a run that is under way stays; once it is interrupted it goes', async (t) => {
  const sim = await simulator(t, ['--latency', '20ms']);
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(400));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 2}'));
  const output = join(directory, 'results/one');
  const run = start(['run', config, '--output-dir', output, '--quiet'], { env: sim.env });
  await askedMore(sim, 5, run);
  const prune = () => assay(['runs', join(directory, 'results'), '--prune', '--state', 'unfinished', '--yes']);
  const busy = await prune();
  assert.equal(busy.code, 0, busy.stderr);
  assert.match(busy.stdout, /unfinished +stays +.*one\n +is under way in another process\n/);
  assert.match(busy.stdout, /removed 0 runs, 0 bytes/);
  assert.ok(exists(join(output, 'run.db')));
  run.child.kill('SIGKILL');
  await run.ended;
  const gone = await prune();
  assert.match(gone.stdout, /removed 1 run/, gone.stdout + gone.stderr);
  assert.ok(!exists(output));
});

test('what is asked must be said: which runs, and one of --yes and --dry-run', async (t) => {
  const { results } = await home(t);
  for (const [flags, words] of [
    [['--prune'], /which runs\? say --older-than 30d, --keep 10, --state unfinished/],
    [['--prune', '--yes'], /which runs\?/],
    [['--prune', '--keep', '1', '--yes', '--dry-run'], /found --yes and --dry-run/],
    [['--older-than', '30d'], /go with --prune/],
    [['--yes'], /go with --prune/],
    [['--prune', '--older-than', 'soon'], /found "soon", expected a duration/],
    [['--prune', '--state', 'broken'], /found "broken"/],
  ]) {
    const refused = await assay(['runs', results, ...flags]);
    assert.equal(refused.code, 2, `${flags}: ${refused.stdout}`);
    assert.match(refused.stderr, words);
  }
  assert.ok(exists(join(results, 'old/summary.json')));
});
