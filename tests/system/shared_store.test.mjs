// A run whose journal is in PostgreSQL: its directory says where, everything reads it, whatever is killed is gone on
// with, and in the end the directory is that of a local run.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { assay, start, simulator, scratch, write, writeLines, ragLines, readJson, readLines, exists, askedMore, assertNowhere } from './harness.mjs';
import { postgresServer } from './postgres_server.mjs';

const kCases = 40;
const configOf = (directory) => {
  writeLines(join(directory, 'data.jsonl'), ragLines(kCases));
  return write(join(directory, 'eval.yaml'), `evaluation: rag_answers
input_path: data.jsonl
judge: {model: openai/judge-model, temperature: 0}
metrics: [coherence, relevance]
n_runs: 1
limits: {concurrency: 4}
prices: {"*": {prompt: 2, completion: 8}}
`);
};
// Results and figures without what differs from run to run: times.
const results = (output) => readLines(join(output, 'results.jsonl')).map(({ latency_ms, ...rest }) => rest);
const figures = (output) => {
  const { cases, metrics, tables, usage, gates } = readJson(join(output, 'summary.json'));
  return { cases, metrics: Object.fromEntries(Object.entries(metrics).filter(([name]) => !name.includes('latency'))), tables, usage, gates };
};

test('killed with kill -9 and after a crash of the server, a run in PostgreSQL ends as a local one', async (t) => {
  const directory = scratch(t);
  const config = configOf(directory);
  const sim = await simulator(t, ['--latency', '5ms']);
  const postgres = await postgresServer(t);
  const local = join(directory, 'local');
  const run = async (words, code = 0) => {
    const ended = await assay(words, { env: sim.env, cwd: directory });
    assert.equal(ended.code, code, ended.stderr);
    return ended;
  };
  await run(['run', config, '--output-dir', local]);
  const before = await sim.sent();

  const shared = join(directory, 'shared');
  const killed = start(['run', config, '--output-dir', shared, '--store', postgres.url()], { env: sim.env, cwd: directory });
  await askedMore(sim, kCases, killed);
  killed.child.kill('SIGKILL');
  await killed.ended;
  assert.ok(exists(join(shared, 'run.db.at')) && !exists(join(shared, 'run.db')));
  const kept = Number(postgres.sql('SELECT count(*) FROM assay_effects'));
  assert.ok(kept > 0 && kept < 2 * kCases, `${kept} answers kept`);
  // What reads a run reads this one.
  assert.match((await run(['runs', directory])).stdout, /shared/);
  assert.match((await run(['verify', shared])).stdout, /answers and \d+ outcomes are as they were put into postgres:\/\//);
  assert.ok((await run(['show', shared])).stdout.length > 0);
  assert.match((await run(['report', shared])).stdout, /not finished/);
  // A sitting in which the server dies.
  const second = start(['resume', shared], { env: sim.env, cwd: directory });
  await askedMore(sim, kCases / 2, second);
  await postgres.restart();
  const ended = await second.ended;
  assert.equal(ended.code, 0, ended.stderr);

  assert.equal(postgres.sql('SELECT count(*) FROM assay_outcomes'), String(kCases));
  const asked = await sim.sent() - before;
  const answers = Number(postgres.sql('SELECT count(*) FROM assay_effects'));
  assert.ok(asked - answers <= 2 * 4 + 16, `${asked} asked for ${answers} answers: no kept answer is asked again`);
  assert.deepEqual(results(shared), results(local));
  assert.deepEqual(figures(shared), figures(local));
  assert.ok(!exists(join(shared, 'run.db.at')) && exists(join(shared, 'run.db')));
  const copy = join(directory, 'copy');
  cpSync(shared, copy, { recursive: true });
  assert.match((await run(['verify', copy])).stdout, /fit their chain/);
  // Its answers are taken from the directory, and from the store while they are there.
  const reused = join(directory, 'reused');
  const sent = await sim.sent();
  await run(['run', config, '--output-dir', reused, '--reuse', copy, '--store', postgres.url()]);
  assert.equal(await sim.sent(), sent);
  // Finished, it can be gone on with: in the store, or alone.
  await run(['resume', shared]);
  await run(['resume', copy, '--store', '']);
  assert.deepEqual(results(shared), results(local));
  assert.deepEqual(results(copy), results(local));
});

test('a run whose directory has gone is gone on with from the store, and nothing is asked twice', async (t) => {
  const directory = scratch(t);
  const postgres = await postgresServer(t);
  const sim = await simulator(t, ['--latency', '20ms']);
  const config = configOf(directory);
  const [local, lost, again] = ['local', 'lost', 'again'].map((name) => join(directory, name));
  const run = async (words, code = 0) => {
    const ended = await assay(words, { env: sim.env, cwd: directory });
    assert.equal(ended.code, code, ended.stderr);
    return ended;
  };
  await run(['run', config, '--output-dir', local]);
  const alone = await sim.sent();
  const killed = start(['run', config, '--output-dir', lost, '--store', postgres.url()], { env: sim.env, cwd: directory });
  await askedMore(sim, kCases, killed);
  killed.child.kill('SIGKILL');
  await killed.ended;
  rmSync(lost, { recursive: true });
  const kept = Number(postgres.sql('SELECT count(*) FROM assay_effects'));
  assert.ok(kept > 0 && kept < alone, `${kept} answers kept`);

  const listed = await run(['runs', '--store', postgres.url()]);
  const [, id] = /assay resume --run (\S+) --store postgres:/.exec(listed.stdout);
  assert.match(listed.stdout, /rag_answers +\d+\/40/);
  assert.deepEqual(JSON.parse((await run(['runs', '--store', postgres.url(), '--format', 'json'])).stdout).map((one) => [one.run_id, one.directory, one.complete]), [[id, '', false]]);
  assert.match((await run(['resume', '--run', id], 2)).stderr, /say which, --store postgres:/);
  assert.match((await run(['resume', '--run', 'no-such-run', '--store', postgres.url()], 2)).stderr, /holds no run no-such-run/);
  assert.match((await run(['resume', '--run', id, '--store', postgres.url(), '--output-dir', local], 2)).stderr, /is not empty/);
  const before = await sim.sent();
  await run(['resume', '--run', id, '--store', postgres.url(), '--output-dir', again]);
  assert.equal(await sim.sent() - before, alone - kept, 'what was kept is not asked again');
  assert.ok(before - alone - kept <= 2 * 4 + 16);
  assert.deepEqual(results(again), results(local));
  assert.deepEqual(figures(again), figures(local));
  assert.match((await run(['verify', again])).stdout, /fit their chain/);
  assert.match((await run(['resume', '--run', id, '--store', postgres.url()], 2)).stderr, /has ended: its journal and its files are in the directory/);
});

test('what a run had prepared before its first request comes back with its directory', async (t) => {
  const directory = scratch(t);
  const postgres = await postgresServer(t);
  const sim = await simulator(t, ['--latency', '20ms']);
  write(join(directory, 'queries.yaml'), Array.from({ length: 8 }, (_, i) => `- {id: q${i}, text: "How high may shed ${i} be?"}\n`).join(''));
  const config = write(join(directory, 'eval.yaml'), `evaluation: experiment
queries: queries.yaml
model: openai/answering
conditions: [{name: plain, control: true}, {name: other, model: openai/other}]
pairwise: {model: openai/judge-model, evaluators: 1}
absolute: {model: openai/judge-model, evaluators: 1}
limits: {concurrency: 4}
`);
  const [lost, again] = [join(directory, 'lost'), join(directory, 'again')];
  const killed = start(['run', config, '--output-dir', lost, '--store', postgres.url()], { env: sim.env, cwd: directory });
  await askedMore(sim, 10, killed);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const key = readFileSync(join(lost, 'randomization_key.json'), 'utf8');
  rmSync(lost, { recursive: true });
  const id = postgres.sql('SELECT run_id FROM assay_runs');
  const ended = await assay(['resume', '--run', id, '--store', postgres.url(), '--output-dir', again], { env: sim.env, cwd: directory });
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(readFileSync(join(again, 'randomization_key.json'), 'utf8'), key);
});

test('what is no store, and one that cannot be reached, is told before anything is sent, and no password is shown', async (t) => {
  const directory = scratch(t);
  const config = configOf(directory);
  const sim = await simulator(t);
  const output = join(directory, 'never');
  for (const [store, words, code = 2] of [
    ['mysql://me:pa55word@db/x', /key store|store: /],
    ['postgres:/x', /without \/\//],
    ['results', /expected postgres:\/\/USER@HOST\/DATABASE: a run keeps its journal in its own directory/],
    ['postgres://me:pa55word@127.0.0.1:9/evals', /cannot connect to postgres:\/\/me@127\.0\.0\.1/, 3],
  ]) {
    const run = await assay(['run', config, '--output-dir', output, '--store', store, '--connect-within', '0s'], { env: sim.env, cwd: directory });
    assert.equal(run.code, code, `${store}: ${run.stderr}`);
    assert.match(run.stderr, words);
    assert.ok(!run.stderr.includes('pa55word'), run.stderr);
    assert.ok(!exists(join(output, 'run.db.at')));
  }
  assert.equal(await sim.sent(), 0);
});

test('a password in the address stands in no file and in no list of processes', async (t) => {
  const directory = scratch(t);
  const config = configOf(directory);
  const sim = await simulator(t, ['--latency', '20ms']);
  const postgres = await postgresServer(t);
  postgres.sql("CREATE ROLE worker LOGIN PASSWORD 'pa55word'");
  postgres.sql('CREATE DATABASE evals OWNER worker');
  const output = join(directory, 'shared');
  const run = start(['run', config, '--output-dir', output, '--store', postgres.url('worker:pa55word', 'evals')], { env: sim.env, cwd: directory });
  await askedMore(sim, 4, run);
  assert.ok(!readFileSync(`/proc/${run.child.pid}/cmdline`, 'latin1').includes('pa55word'));
  assertNowhere(output, 'pa55word');
  run.child.kill('SIGINT');
  const interrupted = await run.ended;
  assert.equal(interrupted.code, 130, interrupted.stderr);
  assertNowhere(output, 'pa55word');
  // The directory asks for it in libpq's own ways, or on the command line.
  const resumed = await assay(['resume', output, '--store', postgres.url('worker:pa55word', 'evals')], { env: sim.env, cwd: directory });
  assert.equal(resumed.code, 0, resumed.stderr);
  assertNowhere(output, 'pa55word');
  assert.ok(!(resumed.stdout + resumed.stderr + interrupted.stderr).includes('pa55word'));
});
