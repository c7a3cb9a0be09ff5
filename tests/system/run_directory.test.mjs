// The directory of a run: never somebody else's files, seen at once when it goes away, listed and reported while the run is
// under way.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { assay, binary, start, simulator, scratch, writeLines, write, ragLines, ragConfig, readJson, exists, askedMore, sleep } from './harness.mjs';

const routed = [{ id: 'a', question: 'How?', expected_outcome: 'greetings', actual_outcome: 'greetings', llm_answer: 'So.' }];

// A directory of a user's, with a config, data that carry a name of ours, and something else.
function home(t, config) {
  const directory = scratch(t);
  writeLines(join(directory, 'results.jsonl'), routed);
  write(join(directory, 'config.yaml'), config);
  write(join(directory, 'thesis.txt'), 'years of work');
  return { directory, files: () => Object.fromEntries(readdirSync(directory).sort().map((name) => [name, readFileSync(join(directory, name), 'utf8')])) };
}

test('a run touches no file that it did not make: a directory with files of somebody else is refused', async (t) => {
  const judged = 'evaluation: rag_answers\ninput_path: results.jsonl\njudge: sim/judge\nmetrics: [coherence]\n';
  for (const config of ['evaluation: question_router\ninput_path: results.jsonl\n', judged]) {
    const { directory, files } = home(t, config);
    const before = files();
    for (const args of [['run', 'config.yaml', '--output-dir', '.'], ['run', 'config.yaml', '--output-dir', directory], ['resume', '.']]) {
      const refused = await assay(args, { cwd: directory });
      assert.equal(refused.code, 2, refused.stdout);
      assert.match(refused.stderr, /is not empty and holds no run of assay \(found config\.yaml, results\.jsonl, thesis\.txt\).*--output-dir .*run1/);
      assert.deepEqual(files(), before, args.join(' '));
    }
  }
});

test('bad data leave a directory as it was: empty, or not there', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), [{ question: 'How?' }]);
  const config = write(join(directory, 'eval.yaml'), 'evaluation: question_router\ninput_path: data.jsonl\n');
  mkdirSync(join(directory, 'empty'));
  for (const output of ['empty', 'new']) {
    const refused = await assay(['run', config, '--output-dir', join(directory, output)]);
    assert.equal(refused.code, 2, refused.stdout);
  }
  assert.deepEqual(readdirSync(join(directory, 'empty')), []);
  assert.ok(!exists(join(directory, 'new')));
});

test('a pipe that is no data of cases is told at once, with what to do', async (t) => {
  const directory = scratch(t);
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  const run = (words) => start(['-c', words], { command: 'bash', cwd: directory }).ended;
  for (const input of ['pipe', '<(cat /dev/null)', '-']) {
    const refused = await run(`"${binary}" experiment --queries ${input}`);
    assert.equal(refused.code, 2, refused.stdout);
    assert.match(refused.stderr, /--queries, queries: found (a pipe|- \(standard input\)).*write it to a file first/);
  }
});

test('a directory that is deleted under a run stops it at once, and nobody says that answers are kept', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '10ms']);
  writeLines(join(directory, 'data.jsonl'), ragLines(400));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 2}'));
  const output = join(directory, 'out');
  const run = start(['run', config, '--output-dir', output], { env: sim.env });
  await askedMore(sim, 5, run);
  rmSync(output, { recursive: true });
  const asked = await sim.sent();
  const ended = await run.ended;
  assert.equal(ended.code, 3, ended.stderr);
  assert.match(ended.stderr, /run\.db: is gone: the run's directory was deleted or moved/);
  assert.match(ended.stderr, /out is not there any more: its answers are lost/);
  assert.doesNotMatch(ended.stderr, /is kept/);
  // In flight, and not yet durable (docs/engine.md): twice the concurrency and sixteen.
  assert.ok(await sim.sent() <= asked + 2 + 2 * 2 + 16, 'nothing more is asked than was on its way');
});

test('an unfinished run is listed with its time and progress, and reported as far as it is', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '5ms']);
  writeLines(join(directory, 'data.jsonl'), ragLines(60));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'what: permits\nlimits: {concurrency: 2}\n'));
  const output = join(directory, 'mine/out');
  const run = start(['run', config, '--output-dir', output], { env: sim.env });
  await askedMore(sim, 20, run);
  run.child.kill('SIGSTOP');
  const live = JSON.parse((await assay(['report', output, '--format', 'json'], { env: sim.env })).stdout);
  assert.match(live.conclusions[0], /^The run goes on: \d+ of 60 cases have an outcome so far\.$/, 'nobody can resume it now');
  run.child.kill('SIGCONT');
  run.child.kill('SIGINT');
  assert.equal((await run.ended).code, 130);
  const [found, ...others] = JSON.parse((await assay(['runs', join(directory, 'mine'), '--format', 'json'])).stdout);
  assert.deepEqual(others, []);
  assert.deepEqual([found.directory, found.evaluation, found.what, found.complete, found.cases, found.models], [output, 'rag_answers', 'permits', false, 60, ['openai/judge-model']]);
  assert.ok(found.done > 5 && found.done < 60, `${found.done} of 60`);
  assert.match(found.started, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  const table = await assay(['runs', join(directory, 'mine')]);
  assert.match(table.stdout, new RegExp(`${found.started} +rag_answers +${found.done}/60 .*unfinished +${output}\n  permits\n  by openai/judge-model\n  go on with: assay resume ${output}\n`));
  const none = await assay(['runs', join(directory, 'nowhere')]);
  assert.equal(none.code, 2);
  const report = await assay(['report', output], { env: sim.env });
  assert.equal(report.code, 0, report.stderr);
  const json = JSON.parse((await assay(['report', output, '--format', 'json'])).stdout);
  assert.match(json.conclusions[0], new RegExp(`^The run is not finished: ${found.done} of 60 cases have an outcome so far\\. Go on with: assay resume ${output}$`));
  assert.equal(json.metrics['coherence.mean'].n, found.done);
  // A test per gate and per case that has an outcome; the others are one that was skipped and says how many they are.
  const junit = (await assay(['report', output, '--format', 'junit'])).stdout;
  assert.equal(junit.match(/classname="rag_answers\.cases" name="case-\d+"/g).length, found.done);
  assert.match(junit, new RegExp(`name="the run is not finished"[^>]*>\\s*<skipped message="${60 - found.done} cases? ha(s|ve) no outcome yet"/>`));
  assert.match(junit, /<property name="conclusion" value="The run is not finished: /);
  const page = (await assay(['report', output, '--format', 'html'])).stdout;
  assert.match(page, /The run is not finished: /);
  assert.ok(!exists(join(output, 'summary.json')), 'nothing is written');
  const finished = await assay(['resume', output, '--format', 'json'], { env: sim.env });
  assert.equal(finished.code, 0, finished.stderr);
  const told = JSON.parse(finished.stdout);
  assert.deepEqual(told.summary, readJson(join(output, 'summary.json')));
  assert.deepEqual([told.directory, told.pages], [output, [`${output}/report.html`]]);
  assert.ok(told.sent > 0 && told.sent <= told.summary.usage.requests);
});

test('a run took as long as it worked, over all its sittings', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '10ms']);
  writeLines(join(directory, 'data.jsonl'), ragLines(40));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 2}'));
  const output = join(directory, 'out');
  const began = Date.now();
  const run = start(['run', config, '--output-dir', output], { env: sim.env });
  await askedMore(sim, 10, run);
  run.child.kill('SIGKILL');
  await run.ended;
  const first = Date.now() - began;
  await sleep(1000);  // the user is away: this is what must not count
  const back = Date.now();
  assert.equal((await assay(['resume', output], { env: sim.env })).code, 0);
  const second = Date.now() - back;
  const summary = readJson(join(output, 'summary.json'));
  assert.ok(Date.parse(summary.finished) - Date.parse(summary.started) > 1000);
  assert.ok(summary.worked_seconds * 1000 <= first + second, `${summary.worked_seconds} s in ${first} + ${second} ms`);
  assert.ok(summary.worked_seconds >= 0.2, 'forty answers of ten milliseconds, two at a time');
});

test('a file name that is too long is told before anything is asked', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  const long = 'x'.repeat(215);
  write(join(directory, `tasks/${long}.yaml`), 'tool_calling_prompt: How many?\nvariations: [{expected_output: 1}]\n');
  const benchmark = await assay(['benchmark', '--input-dir', join(directory, 'tasks'), '--system', 'tool_calling', '--model', 'sim/m', '--output-dir', join(directory, 'out')]);
  assert.equal(benchmark.code, 2, benchmark.stdout);
  assert.match(benchmark.stderr, /x-tool_calling-sim-m-variation0\.yaml would be the name of its output: found \d+ bytes, expected at most 220/);
  write(join(directory, 'queries.yaml'), '- How?\n');
  const experiment = await assay(['run', write(join(directory, 'eval.yaml'), JSON.stringify({
    evaluation: 'experiment', queries: 'queries.yaml', model: 'sim/writer', conditions: [{ name: 'control' }, { name: long }], absolute: { model: 'sim/judge', evaluators: 1 },
  })), '--output-dir', join(directory, 'out')]);
  assert.equal(experiment.code, 2, experiment.stdout);
  assert.match(experiment.stderr, /conditions\[1\]\.name: found 215 bytes, expected at most 180/);
  assert.ok(!exists(join(directory, 'out')));
});
