// A cascade of judges: what it promises and refuses, what is left to people, and that a killed run goes on with the
// thresholds that it had.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { assay, scratch, start, simulator, writeLines } from './harness.mjs';

// Six of ten outputs fulfil the requirement, and people say so; the simulated judges waver, the cheap one more.
function wavering(t, { cases = 400, labels = 200, judge = {}, label = (good) => (good ? 1 : 0) } = {}) {
  const directory = scratch(t);
  const good = (i) => (i * 7) % 10 < 6;
  writeLines(join(directory, 'data.jsonl'), Array.from({ length: cases }, (_, i) => ({
    id: `c${i}`, question: `How high may shed ${i} be?`,
    output: good(i) ? `Shed ${i} may be two metres high, with a permit.` : `Nobody knows that of number ${i}.`,
  })));
  const labelled = Array.from({ length: cases }, (_, i) => i).filter((i) => (i * 13) % cases < labels);
  writeFileSync(join(directory, 'labels.csv'), ['id,label', ...labelled.map((i) => `c${i},${label(good(i), i)}`)].join('\n') + '\n');
  const config = {
    evaluation: 'custom', input_path: 'data.jsonl', seed: 4,
    judge: { cascade: ['sim/cheap?noise=0.25', { model: 'sim/strong?noise=0.02', votes: 3 }, 'people'], labels: 'labels.csv', ...judge },
    metrics: [{ name: 'permit', rubric: 'two metres high permit' }],
  };
  writeFileSync(join(directory, 'eval.yaml'), JSON.stringify(config));
  return { directory, good, labelled };
}

const results = (directory) => readFileSync(join(directory, 'out/results.jsonl'), 'utf8').trim().split('\n').map(JSON.parse);
const summary = (directory) => JSON.parse(readFileSync(join(directory, 'out/summary.json'), 'utf8'));
const deciding = (lines) => lines.map(({ id, cascade, scores }) => ({ id, by: cascade.decided_by, votes: cascade.judges.map(({ votes }) => votes), scores }));

test('each judge decides the cases that it may, and the report says who, how surely and at what cost', async (t) => {
  const { directory } = wavering(t);
  const check = await assay(['check', 'eval.yaml'], { cwd: directory });
  assert.match(check.stdout, /sim\/cheap\?noise=0.25: 2000 calls/);
  assert.match(check.stdout, /sim\/strong\?noise=0.02: up to 1200 calls/);
  assert.match(check.stdout, /the cases of 200 labels are judged first; to promise anything sim\/cheap\?noise=0.25 needs at least 36 of them/);
  const run = await assay(['run', 'eval.yaml', '-o', 'out'], { cwd: directory });
  assert.equal(run.code, 0, run.stderr);
  const { metrics, conclusions, tables } = summary(directory);
  const lines = results(directory);
  const decided = (by) => lines.filter(({ cascade }) => cascade.decided_by === by).length;
  const [cheap, strong] = ['sim_cheap_noise_0_25', 'sim_strong_noise_0_02'];
  for (const [name, by] of [[cheap, cheap], [strong, strong], ['people', 'people']])
    assert.equal(metrics[`cascade.coverage.${name}`].count, decided(by));
  assert.ok(decided(cheap) > 200 && decided(strong) > 0, `${decided(cheap)} and ${decided(strong)}`);
  assert.match(conclusions[0], /^sim\/cheap\?noise=0\.25 decided \d+\.\d% of the cases, /);
  assert.match(conclusions[1], /^With 95% confidence agreement with people is at least 90\.0% where a judge decides: /);
  // Every promise is what the tests in the table say: exact bounds above the promise until the last.
  for (const [, , cases, agreed, , shown, error, holds] of tables['cascade.tests'].rows) {
    if (cases === agreed) assert.ok(Math.abs(shown - error ** (1 / cases)) < 1e-9);
    assert.equal(holds, shown >= 0.9 ? 'yes' : 'no');
  }
  // A case ends with the first judge of whose votes enough agree.
  const needed = Object.fromEntries([cheap, strong].map((name) => [name, metrics[`cascade.threshold.${name}`].value]));
  for (const { cascade } of lines) {
    const last = cascade.judges.at(-1);
    const share = Math.max(...['pass', 'fail'].map((side) => last.votes.filter((vote) => vote === side).length)) / last.votes.length;
    if (cascade.decided_by !== 'people') assert.equal(last.judge, cascade.decided_by);
    assert.equal(share >= needed[last.judge] - 1e-9, cascade.decided_by !== 'people');
  }
  // What it took is what the journal has, and the labelled cases were asked once.
  assert.equal(metrics['cascade.requests'].value, lines.reduce((sum, { usage }) => sum + usage.requests, 0));
  assert.equal(summary(directory).usage.requests, metrics['cascade.requests'].value);
});

test('what no judge decides is a sheet for people, and has no figure until they have said', async (t) => {
  // Two votes that differ decide nothing; one judge only, so that they are left.
  const { directory, good } = wavering(t, { judge: { cascade: ['sim/cheap?noise=0.15', 'people'], votes: 2 } });
  const run = await assay(['run', 'eval.yaml', '-o', 'out'], { cwd: directory });
  assert.equal(run.code, 0, run.stderr);
  const lines = results(directory);
  const open = lines.filter(({ scores }) => scores['permit.rate'] === null);
  assert.ok(open.length > 10);
  assert.ok(open.every(({ cascade, outcome }) => cascade.decided_by === 'people' && outcome === 'scored'));
  const { metrics, conclusions } = summary(directory);
  assert.equal(metrics['permit.rate'].missing.skipped, open.length);
  assert.equal(metrics['cascade.left_to_people'].value, open.length);
  assert.match(conclusions[0], new RegExp(`${open.length} cases have no figure yet`));
  const sheet = readFileSync(join(directory, 'out/for_people.csv'), 'utf8').trim().split('\r\n');
  assert.equal(sheet[0], 'id,question,output,label');
  assert.deepEqual(sheet.slice(1).map((row) => row.split(',')[0]), open.map(({ id }) => id));
  assert.ok(sheet.slice(1).every((row) => row.endsWith(',')), 'the label is empty');
  // Filled in, it decides them; the thresholds stay what the random labels gave.
  const filled = sheet.map((row, i) => (i === 0 ? row : row + (good(Number(row.split(',')[0].slice(1))) ? 1 : 0)));
  writeFileSync(join(directory, 'sheet.csv'), filled.join('\n'));
  const again = await assay(['run', 'eval.yaml', '-o', 'again', '--reuse', 'out', '--judge.people', 'sheet.csv'], { cwd: directory });
  assert.equal(again.code, 0, again.stderr);
  const whole = JSON.parse(readFileSync(join(directory, 'again/summary.json'), 'utf8'));
  assert.equal(whole.metrics['permit.rate'].n, 400);
  assert.equal(whole.metrics['cascade.left_to_people'].value, 0);
  assert.equal(whole.usage.requests, 0, 'nobody was asked again');
  assert.deepEqual(whole.metrics['cascade.threshold.sim_cheap_noise_0_15'], metrics['cascade.threshold.sim_cheap_noise_0_15']);
});

test('what cannot be promised is refused, with the number of labels that are missing', async (t) => {
  const few = wavering(t, { labels: 20 });
  const refused = await assay(['run', 'eval.yaml', '-o', 'out'], { cwd: few.directory });
  assert.equal(refused.code, 2, refused.stdout);
  assert.match(refused.stderr, /labels\.csv.*found 20 labelled cases, expected at least 36.*16 labels are missing; nothing was asked/s);
  // Labels of cases that are not there do not count.
  const strange = wavering(t, { labels: 40, cases: 400 });
  writeFileSync(join(strange.directory, 'labels.csv'), 'id,label\n' + Array.from({ length: 40 }, (_, i) => `${i < 30 ? 'c' : 'x'}${i},1`).join('\n'));
  const missing = await assay(['check', 'eval.yaml'], { cwd: strange.directory });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /found 30 labelled cases, expected at least 36/);
  // Labels that contradict both judges: nothing is decided, however many there are.
  const against = wavering(t, { label: (good) => (good ? 0 : 1) });
  const contrary = await assay(['run', 'eval.yaml', '-o', 'out'], { cwd: against.directory });
  assert.equal(contrary.code, 3);
  assert.match(contrary.stderr, /no judge can be shown to agree with people on 90\.0% of the cases.*more labels would not help/s);
  // Everything else that is wrong, at once.
  const wrong = wavering(t, { judge: { cascade: ['people', 'sim/cheap'], model: 'sim/other', labels: undefined } });
  const told = await assay(['check', 'eval.yaml'], { cwd: wrong.directory });
  assert.equal(told.code, 2);
  assert.match(told.stderr, /found a model and a cascade/);
  assert.match(told.stderr, /people have the last word; expected them at the end/);
  assert.match(told.stderr, /judge\.labels.*missing/);
  writeFileSync(join(wrong.directory, 'guidelines.yaml'), JSON.stringify({ evaluation: 'guidelines', conversations: 'data.jsonl', judge: { cascade: ['sim/cheap', 'people'] } }));
  const elsewhere = await assay(['check', 'guidelines.yaml'], { cwd: wrong.directory });
  assert.equal(elsewhere.code, 2);
  assert.match(elsewhere.stderr, /judge\.cascade: guidelines takes one judge; a cascade decides rag_answers and custom/);
});

test('a run that is killed goes on with the same thresholds and asks nothing twice', async (t) => {
  const { directory } = wavering(t, { cases: 200, labels: 120 });
  const sim = await simulator(t, ['--noise', '0.1', '--seed', '3', '--latency', '3ms']);
  const config = JSON.parse(readFileSync(join(directory, 'eval.yaml'), 'utf8'));
  config.judge.cascade = ['openai/cheap', { model: 'openai/strong', votes: 3 }, 'people'];
  config.limits = { concurrency: 16 };
  writeFileSync(join(directory, 'eval.yaml'), JSON.stringify(config));
  const whole = await assay(['run', 'eval.yaml', '-o', 'whole'], { cwd: directory, env: sim.env });
  assert.equal(whole.code, 0, whole.stderr);
  const asked = await sim.sent();
  // Killed while the labelled cases are judged, then while the others are.
  for (const after of [200, 800]) {
    await sim.reset();
    const out = `killed${after}`;
    const run = start(['run', 'eval.yaml', '-o', out], { cwd: directory, env: sim.env });
    while (await sim.sent() < after) await new Promise((soon) => setTimeout(soon, 5));
    run.child.kill('SIGKILL');
    await run.ended;
    const resumed = await assay(['resume', out], { cwd: directory, env: sim.env });
    assert.equal(resumed.code, 0, resumed.stderr);
    const lines = (of) => readFileSync(join(directory, of, 'results.jsonl'), 'utf8').trim().split('\n').map(JSON.parse);
    assert.deepEqual(deciding(lines(out)), deciding(lines('whole')));
    assert.ok(await sim.sent() <= asked + 2 * 16 + 16, 'at most what was in flight is asked again');
    const verified = await assay(['verify', out], { cwd: directory });
    assert.equal(verified.code, 0, verified.stdout);
  }
});

test('a metric of rag_answers may be decided by a cascade, and its middle vote is the score', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), Array.from({ length: 120 }, (_, i) => ({
    id: `c${i}`, question: 'How high may my shed be?', llm_answer: `Your shed may be two metres high, says rule ${i}.`, ideal_answer: 'Two metres.',
  })));
  writeFileSync(join(directory, 'labels.csv'), 'id,label\n' + Array.from({ length: 100 }, (_, i) => `c${i},0.25`).join('\n'));
  const coherence = (score) => ({ json: { reason: 'Because.', score } });
  const about = (text) => ({ contains_all: [text] });
  // Of case 7 the votes are 2, 2, 4 of five levels: 0.25, 0.25, 0.75.
  const sim = await simulator(t, ['--script', writeLines(join(directory, 'rules.jsonl'), [
    { match: about('rule 7.'), times: 2, in: 'conversation', reply: coherence(2) },
    { match: about('rule 7.'), times: 1, in: 'conversation', reply: coherence(4) },
    { match: about('rule'), in: 'conversation', reply: coherence(2) },
  ])]);
  const config = { evaluation: 'rag_answers', input_path: 'data.jsonl', generate: false, metrics: ['coherence'],
    judge: { cascade: ['openai/cheap', 'people'], votes: 3, labels: 'labels.csv' } };
  writeFileSync(join(directory, 'eval.yaml'), JSON.stringify(config));
  const run = await assay(['run', 'eval.yaml', '-o', 'out'], { cwd: directory, env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const torn = results(directory)[7];
  assert.equal(torn.cascade.decided_by, 'openai_cheap');
  assert.deepEqual(torn.cascade.judges[0].votes.toSorted(), ['fail', 'fail', 'pass']);
  assert.equal(torn.metrics.coherence.mean, 0.25);
  assert.equal(torn.metrics.coherence.passed, false);
  assert.equal(summary(directory).metrics['cascade.agreement.openai_cheap'].count, 100);
  assert.match(readFileSync(join(directory, 'out/for_people.csv'), 'utf8'), /^id,question,llm_answer,label\r\n/, 'what coherence is judged by');
  const several = await assay(['check', 'eval.yaml', '--metrics', '[coherence, relevance]'], { cwd: directory, env: sim.env });
  assert.equal(several.code, 2);
  assert.match(several.stderr, /found 2, expected one: labels are of one metric/);
});

test('where nothing reaches the last judge, the cost says so; labels of no case and cases left unlabelled are told', async (t) => {
  const { directory } = wavering(t, { cases: 80, labels: 80, judge: { cascade: ['sim/cheap?noise=0', 'sim/strong'] } });
  const file = join(directory, 'labels.csv');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^c7,\d$/m, 'c7,') + 'elsewhere,1\n');
  const run = await assay(['run', 'eval.yaml', '-o', 'out'], { cwd: directory });
  assert.equal(run.code, 0, run.stderr);
  assert.match(summary(directory).conclusions.join('\n'), /^Judging took 400 requests, calibration included; sim\/strong was never asked, so what it alone would have cost is not known\.$/m);
  const { metrics, conclusions } = summary(directory);
  assert.deepEqual([metrics['cascade.labels'].value, metrics['cascade.labels'].missing, metrics['cascade.labels_of_no_case'].value], [79, { not_labelled: 1 }, 1]);
  assert.match(conclusions.join('\n'), /^1 of 80 labels is of no case of this run, and nothing follows from it\.$/m);
  assert.match(conclusions.join('\n'), /^Of 80 cases that were drawn to be labelled 1 has no label: the promise holds as far as it was chance/m);
});
