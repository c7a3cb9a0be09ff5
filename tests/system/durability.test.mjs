// kill -9 and signals at random moments, full disks, read-only directories: nothing that was kept is lost, nothing is
// asked twice beyond what was open, and the results are those of an undisturbed run.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { changesOf, killedAt, killer, mostOpen, results } from './kills.mjs';
import { assay, binary, start, simulator, scratch, seeded, writeLines, write, ragLines, ragConfig, comparable, readJson, exists, sleep, askedMore } from './harness.mjs';

const kCases = 240;
const kInFlight = 8;

async function undisturbed(t, directory, sim) {
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', `limits: {concurrency: ${kInFlight}}`));
  writeLines(join(directory, 'data.jsonl'), ragLines(kCases));
  const run = await assay(['run', config, '--output-dir', join(directory, 'whole')], { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(readJson(join(directory, 'whole/summary.json')).cases.evaluated, kCases);
  return { config, expected: comparable(join(directory, 'whole/results.jsonl')) };
}

// Kills the process when the endpoint has been asked so often, or after a time, which may be before the first request.
async function kill(run, sim, random) {
  if (random.between(0, 2) === 0) await sleep(random.between(5, 75));
  else await askedMore(sim, random.between(1, kCases / 6), run);
  run.child.kill('SIGKILL');
}

test('kill -9 at random moments loses nothing and repeats at most what was in flight or not yet durable', async (t) => {
  const directory = scratch(t);
  const random = seeded(t);
  const sim = await simulator(t, ['--latency', '4ms', '--latency-spread', '3ms']);
  const { config, expected } = await undisturbed(t, directory, sim);
  for (let round = 0; round < 6; ++round) {
    const output = join(directory, `killed-${round}`);
    await sim.reset();
    let kills = 0;
    let args = ['run', config, '--output-dir', output];
    for (;;) {
      const run = start(args, { env: sim.env });
      if (kills < 5) await kill(run, sim, random);
      const ended = await run.ended;
      if (ended.signal !== 'SIGKILL') {
        assert.equal(ended.code, 0, ended.stderr);
        break;
      }
      kills += 1;
      args = exists(join(output, 'config.yaml')) ? ['resume', output] : ['run', config, '--output-dir', output];
    }
    assert.ok(kills > 0, 'the run was too quick to be killed');
    assert.deepEqual(comparable(join(output, 'results.jsonl')), expected);
    const sent = await sim.sent();
    assert.ok(sent <= kCases + kills * mostOpen(kInFlight), `${sent} requests for ${kCases} cases, ${kills} kills, ${kInFlight} in flight`);
    assert.equal(readJson(join(output, 'summary.json')).usage.requests, kCases);
  }
});

test('kill -9 in the middle of cases that ask side by side: what was answered is not asked again', async (t) => {
  const directory = scratch(t);
  const random = seeded(t);
  const sim = await simulator(t, ['--latency', '8ms', '--latency-spread', '6ms']);
  const cases = 40;
  writeLines(join(directory, 'data.jsonl'), ragLines(cases));
  const config = write(join(directory, 'eval.yaml'), `evaluation: rag_answers
input_path: data.jsonl
judge: openai/judge
metrics: [coherence, relevance]
n_runs: 3
limits: {concurrency: ${kInFlight}}
`);
  const whole = await assay(['run', config, '--output-dir', join(directory, 'whole')], { env: sim.env });
  assert.equal(whole.code, 0, whole.stderr);
  const expected = comparable(join(directory, 'whole/results.jsonl'));
  const needed = readJson(join(directory, 'whole/summary.json')).usage.requests;
  assert.equal(needed, cases * 3 * 3, 'a rubric, and statements before verdicts, three times a case');
  await sim.reset();
  const output = join(directory, 'killed');
  let args = ['run', config, '--output-dir', output];
  for (let kills = 0; ; ++kills) {
    const run = start(args, { env: sim.env });
    if (kills < 4) {
      await askedMore(sim, random.between(20, 60), run);
      run.child.kill('SIGKILL');
    }
    const ended = await run.ended;
    if (ended.signal !== 'SIGKILL') {
      assert.equal(ended.code, 0, ended.stderr);
      const sent = await sim.sent();
      assert.ok(sent <= needed + kills * mostOpen(kInFlight), `${sent} requests where ${needed} are needed, ${kills} kills`);
      break;
    }
    args = ['resume', output];
  }
  assert.deepEqual(comparable(join(output, 'results.jsonl')), expected);
  assert.equal(readJson(join(output, 'summary.json')).usage.requests, needed);
});

// Each write, flush, rename and removal is such a change; `./dev bench kills` does this to every evaluation, many times.
test('killed before any change to the disk, a run goes on, verifies and has the results of an undisturbed one', async (t) => {
  const directory = scratch(t);
  const random = seeded(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(4));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl').replace('openai/judge-model', 'sim/judge'));
  const args = (output) => ['run', config, '--output-dir', output];
  const library = killer(directory);
  const whole = join(directory, 'whole');
  const changes = await changesOf(library, args(whole), {});
  // Once anywhere, and among the last: results and seal. How many changes there are differs a little from run to run,
  // since answers are committed in groups; a run that has fewer ends undisturbed.
  let killed = 0;
  const moments = [...Array.from({ length: 6 }, () => random.between(1, changes)), changes - 1, changes];
  for (const [round, at] of moments.entries()) {
    const output = join(directory, `killed-${round}`);
    const { kills } = await killedAt(library, args(output), output, [at, random.between(1, changes)], {});
    killed += kills;
    assert.deepEqual(results(output), results(whole), `moment ${at} of ${changes}`);
  }
  assert.ok(killed >= moments.length / 2, `${killed} kills in ${moments.length} runs`);
});

test('SIGINT waits for what is in flight, says how to resume, and nothing is asked twice', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '10ms']);
  const { config, expected } = await undisturbed(t, directory, sim);
  await sim.reset();
  const output = join(directory, 'interrupted');
  const run = start(['run', config, '--output-dir', output], { env: sim.env });
  await askedMore(sim, 20, run);
  run.child.kill('SIGINT');
  const ended = await run.ended;
  assert.equal(ended.code, 130, ended.stderr);
  assert.match(ended.stderr, new RegExp(`assay resume ${output}`));
  assert.ok(!exists(join(output, 'results.jsonl')), 'half results are not results');
  const resumed = await assay(['resume', output], { env: sim.env });
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.deepEqual(comparable(join(output, 'results.jsonl')), expected);
  assert.equal(await sim.sent(), kCases);
});

test('SIGHUP, as from a terminal that is closed, is heeded like SIGINT', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '10ms']);
  writeLines(join(directory, 'data.jsonl'), ragLines(400));
  const output = join(directory, 'out');
  const run = start(['run', write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 4}')), '--output-dir', output], { env: sim.env });
  await askedMore(sim, 5, run);
  run.child.kill('SIGHUP');
  const ended = await run.ended;
  assert.equal(ended.code, 130, ended.stderr);
  assert.match(ended.stderr, /assay resume/);
});

for (const [how, end] of [['kill -9', (child) => child.kill('SIGKILL')], ['a second SIGINT', async (child) => { child.kill('SIGINT'); while (child.exitCode === null) { await sleep(20); child.kill('SIGINT'); } }]]) {
  test(`a command does not outlive ${how}, nor do the programs that it started`, { timeout: 60_000 }, async (t) => {
    const directory = scratch(t);
    writeLines(join(directory, 'data.jsonl'), [{ id: 'a', question: 'VAT?', expected_outcome: 'tax' }]);
    write(join(directory, 'target.sh'), 'trap "" INT TERM HUP\nsleep 600 &\necho "$$ $!" > started.tmp; mv started.tmp started\nwait\nsleep 600\n');
    const config = write(join(directory, 'eval.yaml'), JSON.stringify({ evaluation: 'question_router', generate: true, input_path: 'data.jsonl', target: { command: ['sh', 'target.sh'], cwd: '.' } }));
    const run = start(['run', config, '--output-dir', join(directory, 'out')], { cwd: directory });
    while (!exists(join(directory, 'started'))) await sleep(5);
    const processes = readFileSync(join(directory, 'started'), 'utf8').trim().split(' ');
    await end(run.child);
    await run.ended;
    const lives = (pid) => { try { return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')); } catch { return false; } };
    for (let i = 0; i < 2000 && processes.some(lives); ++i) await sleep(10);
    assert.deepEqual(processes.filter(lives), []);
  });
}

test('what a killed run left half written goes with the next sitting', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(2));
  const output = join(directory, 'out');
  assert.equal((await assay(['run', write(join(directory, 'eval.yaml'), ragConfig('data.jsonl')), '--output-dir', output], { env: sim.env })).code, 0);
  rmSync(join(output, 'seal.sha256'));  // a run that was killed has none
  write(join(output, 'results.jsonl.4711.0.tmp'), 'half');
  write(join(output, 'mine.tmp'), 'not ours');
  assert.equal((await assay(['resume', output], { env: sim.env })).code, 0);
  assert.ok(!exists(join(output, 'results.jsonl.4711.0.tmp')));
  assert.ok(exists(join(output, 'mine.tmp')));
});

test('a second SIGINT does not wait', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--rate-stall', '1']);
  writeLines(join(directory, 'data.jsonl'), ragLines(20));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl'));
  const run = start(['run', config, '--output-dir', join(directory, 'out')], { env: sim.env });
  await askedMore(sim, 1, run);
  run.child.kill('SIGINT');
  await sleep(200);
  assert.equal(run.child.exitCode, null, 'the first one waits');
  run.child.kill('SIGINT');
  assert.equal((await run.ended).code, 130);
});

test('a full disk is a clear error, the journal stays intact, and resume goes on', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t);
  const { config, expected } = await undisturbed(t, directory, sim);
  const output = join(directory, 'full');
  await sim.reset();
  // The size limit of the process makes writes fail like a full disk.
  const run = await start(['-c', `ulimit -f 160; exec "${binary}" run "${config}" --output-dir "${output}"`], { env: sim.env, command: 'bash' }).ended;
  assert.equal(run.code, 3, run.stderr);
  assert.match(run.stderr, /run\.db/);
  assert.match(run.stderr, new RegExp(`assay resume ${output}`));
  const resumed = await assay(['resume', output], { env: sim.env });
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.deepEqual(comparable(join(output, 'results.jsonl')), expected);
  const sent = await sim.sent();
  assert.ok(sent <= kCases + 3 * mostOpen(kInFlight), `${sent} requests`);
});

test('a directory that cannot be written is told before anything is sent', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(3));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl'));
  // A path below a file cannot become a directory, whoever asks; root writes to read-only directories.
  write(join(directory, 'file'), '');
  const below = await assay(['run', config, '--output-dir', join(directory, 'file/out')], { env: sim.env });
  assert.equal(below.code, 2);
  assert.match(below.stderr, /a part of the path is a file|not a directory/i);
  if (process.getuid() !== 0) {
    const locked = join(directory, 'locked');
    mkdirSync(locked);
    chmodSync(locked, 0o555);
    const run = await assay(['run', config, '--output-dir', join(locked, 'out')], { env: sim.env });
    assert.equal(run.code, 2);
    assert.match(run.stderr, /permission denied/);
  }
  assert.equal(await sim.sent(), 0);
});

test('two processes cannot work on one run', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '500ms']);
  writeLines(join(directory, 'data.jsonl'), ragLines(60));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 2}'));
  const output = join(directory, 'out');
  const first = start(['run', config, '--output-dir', output], { env: sim.env });
  while (!exists(join(output, 'run.db'))) await sleep(10);
  const second = await assay(['resume', output], { env: sim.env });
  assert.equal(second.code, 2);
  assert.match(second.stderr, /another assay process is working on this run/);
  first.child.kill('SIGKILL');
  await first.ended;
});

test('a finished run leaves one journal file that can be copied', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t);
  const { expected } = await undisturbed(t, directory, sim);
  const files = readdirSync(join(directory, 'whole')).sort();
  assert.deepEqual(files.filter((name) => name.startsWith('run.db')), ['run.db', 'run.db.head', 'run.db.lock']);
  await sim.reset();
  const reused = await assay(['run', join(directory, 'eval.yaml'), '--output-dir', join(directory, 'again'), '--reuse', join(directory, 'whole')], { env: sim.env });
  assert.equal(reused.code, 0, reused.stderr);
  assert.deepEqual(comparable(join(directory, 'again/results.jsonl')), expected);
  assert.equal(readJson(join(directory, 'again/summary.json')).usage.cached, kCases);
  assert.equal(await sim.sent(), 0);
});
