// A finished run is sealed: a change of one byte in any kept file, a file too many or too few, a journal that was edited,
// cut short or put back is noticed, by `assay verify` and before a resume would write over it.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { cpSync, linkSync, mkdirSync, readFileSync, readdirSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { assay, copiedExamples, root, start, simulator, scratch, seeded, writeLines, write, ragLines, ragConfig, exists, askedMore } from './harness.mjs';
import { service, items, job } from './service_process.mjs';

// Every file below the directory, by its name there.
const filesOf = (directory) => readdirSync(directory, { recursive: true, withFileTypes: true })
  .filter((entry) => !entry.isDirectory()).map((entry) => relative(directory, join(entry.parentPath ?? entry.path, entry.name)));

// The directory again, without copying bytes: each file is the same one under a second name.
function twin(directory, name) {
  for (const file of filesOf(directory)) {
    mkdirSync(join(name, file, '..'), { recursive: true });
    linkSync(join(directory, file), join(name, file));
  }
  return name;
}

// One file of it is another one.
function replace(directory, file, bytes) {
  unlinkSync(join(directory, file));
  writeFileSync(join(directory, file), bytes);
}

function flipped(bytes, at) {
  const changed = Buffer.from(bytes);
  changed[at] ^= 1;
  return changed;
}

const sql = (file, statement) => execFileSync('python3', ['-c', 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit(); c.close()', file, statement]);
const sealOf = (run) => /seal: +([0-9a-f]{64})/.exec(run.stdout)[1];

// One small example of each evaluation.
const kExamples = {
  question_router: 'components/question_router', jailbreak_guardrails: 'components/jailbreak_guardrails', output_guardrails: 'components/output_guardrails',
  retrieval: 'components/retrieval', topic_tagger: 'components/topic_tagger', rag_answers: 'components/rag_answers',
  guidelines: 'guidelines/guidelines', persona: 'persona/persona_mode2', experiment: 'experiment/experiment_from_files', benchmark: 'benchmark/benchmark', custom: 'custom/support_bot',
};

// The examples in a directory of the test's own, and how to run one.
function examples(t) {
  const directory = scratch(t);
  copiedExamples(directory);
  return { directory, output: (name) => join(directory, 'out', name), run: (name) => assay(['run', `examples/${kExamples[name]}.yaml`, '--output-dir', `out/${name}`], { cwd: directory }) };
}

test('one byte changed in any file of a finished run of any evaluation is noticed', async (t) => {
  const random = seeded(t);
  const { directory, output, run } = examples(t);
  const names = Object.keys(kExamples);
  const known = (await assay(['help'])).stdout.split('Evaluations')[1].split('\n').map((line) => /^ {2}(\w+) /.exec(line)?.[1]).filter(Boolean);
  assert.deepEqual([...names].sort(), known.sort(), 'every evaluation');
  for (const name of names) {
    const done = await run(name);
    assert.ok(done.code === 0 || done.code === 3, `${name}: ${done.stderr}`);
  }
  const sound = await assay(['verify', ...names.map(output)]);
  assert.equal(sound.code, 0, sound.stdout);
  const expected = [];
  const spoil = (from, files, place) => {
    const changed = twin(from, join(directory, `changed-${expected.length}`));
    for (const file of files) {
      const bytes = readFileSync(join(from, file));
      replace(changed, file, bytes.length === 0 ? Buffer.from('x') : flipped(bytes, place(bytes.length)));
      expected.push([changed, file]);
    }
  };
  for (const name of names) {
    const files = filesOf(output(name));
    // Each in its own place, all at once: each is named. The seal, which names them, for itself.
    spoil(output(name), files.filter((file) => file !== 'seal.sha256'), (length) => random.between(0, length - 1));
    spoil(output(name), ['seal.sha256'], (length) => random.between(0, length - 1));
  }
  // A journal by its first byte, its format, its change counter and its last byte.
  for (const at of [0, 18, 27, -1]) spoil(output('rag_answers'), ['run.db'], (length) => (at < 0 ? length + at : at));
  assert.ok(expected.length > 150, `${expected.length} files`);
  const found = await assay(['verify', ...new Set(expected.map(([changed]) => changed))]);
  assert.equal(found.code, 1, found.stderr);
  for (const [changed, file] of expected) assert.ok(found.stdout.includes(`${changed}: FAILED: files: ${file} was changed`), `${changed}/${file}`);
});

async function judged(t, { cases = 20, args = [] } = {}) {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(cases));
  const config = write(join(directory, 'eval.yaml'), `${ragConfig('data.jsonl')}`.replace('openai/judge-model', 'sim/judge'));
  const output = join(directory, 'out');
  const run = await assay(['run', config, '--output-dir', output, ...args]);
  assert.equal(run.code, 0, run.stderr);
  return { directory, config, output, run, verify: (...more) => assay(['verify', output, ...more]) };
}

test('the seal that was kept elsewhere tells a run that was changed and sealed again', async (t) => {
  const { output, run, verify } = await judged(t);
  const seal = sealOf(run);
  const good = await verify('--seal', seal);
  assert.equal(good.code, 0, good.stdout);
  assert.match(good.stdout, /ok: seal: is the one that was kept/);
  assert.match(good.stdout, /ok: journal: 20 answers and 20 outcomes/);
  const [machine] = JSON.parse((await verify('--format', 'json')).stdout);
  assert.deepEqual([machine.passed, machine.seal, machine.checks.every((check) => check.passed)], [true, seal, true]);
  // Whoever can write can forge all of it, seal included.
  writeFileSync(join(output, 'summary.json'), readFileSync(join(output, 'summary.json'), 'utf8').replace('"evaluated": 20', '"evaluated": 21'));
  const lines = readFileSync(join(output, 'seal.sha256'), 'utf8').split('\n');
  const hash = (bytes) => execFileSync('sha256sum', { input: bytes, encoding: 'utf8' }).slice(0, 64);
  const forged = lines.map((line) => (line.endsWith('  summary.json') ? `${hash(readFileSync(join(output, 'summary.json')))}  summary.json` : line)).slice(0, -2).join('\n') + '\n';
  writeFileSync(join(output, 'seal.sha256'), `${forged}# seal ${hash(forged)}\n`);
  assert.equal((await verify()).code, 0, 'nothing in the directory tells');
  const told = await verify('--seal', seal);
  assert.equal(told.code, 1);
  assert.match(told.stdout, /FAILED: seal: found [0-9a-f]{64}, expected [0-9a-f]{64}: the run was changed and sealed again/);
});

// How the rows were grouped into commits decides what stands at the end of the file, and so who notices that it was cut:
// SQLite or the chain.
for (const [grouping, args] of Object.entries({ 'few commits': [], 'many commits': ['--limits.concurrency', '1'] })) {
  test(`a run that was changed is not gone on with, unless that is accepted, and then it is noted: ${grouping}`, async (t) => {
    const { output, run, verify } = await judged(t, { args });
    const whole = `${output}.whole`;
    cpSync(output, whole, { recursive: true });
    const putBack = () => { rmSync(output, { recursive: true }); cpSync(whole, output, { recursive: true }); };
    const edits = {
      'report.html': () => replace(output, 'report.html', 'all is well'),
      'problems.log': () => replace(output, 'problems.log', 'error: none\n'),
      'notes.txt': () => write(join(output, 'notes.txt'), 'x'),
      'results.jsonl': () => unlinkSync(join(output, 'results.jsonl')),
      'row \\d+': () => sql(join(output, 'run.db'), "UPDATE outcomes SET result = result || ' ' WHERE case_index = 3"),
      'run.db': () => truncateSync(join(output, 'run.db'), readFileSync(join(output, 'run.db')).length - 1000),
    };
    for (const [what, edit] of Object.entries(edits)) {
      edit();
      const before = filesOf(output).map((file) => readFileSync(join(output, file), 'latin1'));
      const refused = await assay(['resume', output]);
      assert.equal(refused.code, 2, `${what}: ${refused.stdout}`);
      assert.match(refused.stderr, new RegExp(`${what}.*(was changed|was not there|is missing|damaged)`), what);
      assert.match(refused.stderr, /(nothing was asked or written|start a new run)/i);
      assert.deepEqual(filesOf(output).map((file) => readFileSync(join(output, file), 'latin1')), before, `${what}: nothing was touched`);
      assert.equal((await verify()).code, 1, what);
      putBack();
    }
    edits['row \\d+']();
    const accepted = await assay(['resume', output, '--accept-changes']);
    assert.equal(accepted.code, 0, accepted.stderr);
    assert.match(readFileSync(join(output, 'problems.log'), 'utf8'), /warning: run\.db: accepted as it was found: what was written from row \d+ \(.+\) to row \d+ was changed afterwards/);
    const after = await verify();
    assert.equal(after.code, 0, after.stdout);
    assert.match(after.stdout, /note: accepted as it was found/);
    assert.equal((await verify('--seal', sealOf(run))).code, 1, 'the seal of before does not fit it');
  });
}

test('a finished run that is resumed is sealed anew, and says which seal it had', async (t) => {
  const { output, run, verify } = await judged(t);
  const again = await assay(['resume', output]);
  assert.equal(again.code, 0, again.stderr);
  assert.notEqual(sealOf(again), sealOf(run));
  assert.equal((await verify('--seal', sealOf(again))).code, 0);
  const old = await verify('--seal', sealOf(run));
  assert.equal(old.code, 1);
  assert.match(old.stdout, /FAILED: seal: .*gone on with since that seal/);
});

test('a job of the service is sealed when it has ended, and a byte that changes in its directory is noticed', async (t) => {
  const store = join(scratch(t), 'store');
  const sim = await simulator(t);
  const running = await service(t, store, { env: sim.env });
  await running.post('/record-evaluation-items', { items: items(5) });
  const { json: done } = await running.post('/process-evals/mode2', job());
  assert.equal(done.status, 'COMPLETE', done.error);
  const directory = join(store, 'jobs', done.job_id);
  const sound = await assay(['verify', directory, '--seal', done.seal]);
  assert.equal(sound.code, 0, sound.stdout);
  assert.match(sound.stdout, /ok: files: \d+ files are as they were sealed/);
  assert.match(sound.stdout, /ok: journal: 5 answers and 5 outcomes/);
  const files = filesOf(directory);
  assert.ok(['items.jsonl', 'run.db', 'evaluations.jsonl', 'eval_info.jsonl'].every((name) => files.includes(name)), files.join());
  for (const name of files) {
    const changed = twin(directory, `${directory}.${name}`);
    const bytes = readFileSync(join(directory, name));
    replace(changed, name, bytes.length === 0 ? 'x' : flipped(bytes, bytes.length >> 1));
    assert.equal((await assay(['verify', changed])).code, 1, name);
  }
  assert.equal((await running.get(`/process-evals/mode2/${done.job_id}`)).json.seal, done.seal, 'which its status keeps telling');
});

test('a removed -wal and a cut journal of a killed run are noticed, a killed run is not', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '5ms']);
  writeLines(join(directory, 'data.jsonl'), ragLines(60));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 4}'));
  const output = join(directory, 'out');
  const run = start(['run', config, '--output-dir', output], { env: sim.env });
  await askedMore(sim, 20, run);
  run.child.kill('SIGKILL');
  await run.ended;
  const killed = await assay(['verify', output]);
  assert.equal(killed.code, 0, killed.stdout);
  assert.match(killed.stdout, /ok: seal: none yet: the run is not finished/);
  const asked = await sim.sent();
  for (const spoil of [(at) => unlinkSync(join(at, 'run.db-wal')), (at) => truncateSync(join(at, 'run.db-wal'), 32)]) {
    const spoilt = join(directory, 'spoilt');
    cpSync(output, spoilt, { recursive: true });
    spoil(spoilt);
    const refused = await assay(['resume', spoilt], { env: sim.env });
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /commit \d+ was written: run\.db-wal was removed.*--accept-changes/);
    assert.equal(await sim.sent(), asked, 'nothing was asked');
    rmSync(spoilt, { recursive: true });
  }
  const resumed = await assay(['resume', output], { env: sim.env });
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal((await assay(['verify', output])).code, 0);
});

test('a benchmark goes on with files that people have changed, tells it, and never with an edited journal', async (t) => {
  const { output: outputOf, run } = examples(t);
  const output = outputOf('benchmark');
  const again = () => run('benchmark');
  assert.equal((await again()).code, 0);
  const state = filesOf(output).find((file) => file.endsWith('variation0.yaml'));
  unlinkSync(join(output, state));
  const afresh = await again();
  assert.equal(afresh.code, 0, afresh.stderr);
  assert.match(afresh.stderr, new RegExp(`note: ${state} is missing`));
  assert.match(readFileSync(join(output, 'problems.log'), 'utf8'), new RegExp(`${state} is missing`));
  assert.equal((await assay(['verify', output, '--seal', sealOf(afresh)])).code, 0);
  sql(join(output, 'run.db'), "UPDATE outcomes SET result = replace(result, 'score', 'store') WHERE row_number = (SELECT max(row_number) FROM outcomes)");
  const refused = await again();
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /was changed afterwards/);
});

test('a report that is written into the run belongs to it from then on', async (t) => {
  const { output, verify } = await judged(t);
  const to = (file, format = 'md') => assay(['report', output, '--format', format, '--output', join(output, file)]);
  assert.equal((await to('report.md')).code, 0);
  assert.equal((await verify()).code, 0);
  assert.equal((await to('report.md')).code, 0, 'the same again');
  const over = await to('summary.json', 'csv');
  assert.equal(over.code, 2);
  assert.match(over.stderr, /summary\.json: is a file of the run.*choose another name/);
  replace(output, 'report.html', 'forged');
  const refused = await to('report.xml', 'junit');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /report\.html was changed/);
  assert.ok(!exists(join(output, 'report.xml')));
  assert.equal((await verify()).code, 1, 'and was not covered up');
});

test('answers are not taken from a run whose journal was changed', async (t) => {
  const { config, output } = await judged(t);
  sql(join(output, 'run.db'), "UPDATE effect_rows SET reply = reply || ' ' WHERE case_index = 3");
  const refused = await assay(['run', config, '--output-dir', `${output}.second`, '--reuse', output]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /reuse.*was changed afterwards; its answers cannot be relied on/);
  assert.ok(!exists(`${output}.second`));
});
