// What a run prepares or brings along, labels, anchors and files, is with the workers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { renameSync } from 'node:fs';
import { assertSame, postgres, scene } from './distributed_scene.mjs';
import { askedMore, ragLines, readJson, readLines, until, write, writeLines } from './harness.mjs';

// A judge that wavers decides what it may, then a better one, then people.
const cascadeFiles = (directory) => {
  const good = (i) => (i * 7) % 10 < 6;
  writeLines(join(directory, 'data.jsonl'), Array.from({ length: 120 }, (_, i) => ({
    id: `c${i}`, question: `How high may shed ${i} be?`,
    output: good(i) ? `Shed ${i} may be two metres high, with a permit.` : `Nobody knows that of number ${i}.`,
  })));
  write(join(directory, 'labels.csv'), ['id,label', ...Array.from({ length: 60 }, (_, i) => `c${2 * i},${good(2 * i) ? 1 : 0}`)].join('\n') + '\n');
  return `evaluation: custom
input_path: data.jsonl
seed: 4
judge: {cascade: [openai/judge-cheap, {model: openai/judge-strong, votes: 3}, people], labels: labels.csv}
metrics: [{name: permit, rubric: two metres high permit}]
`;
};
const anchorFiles = (directory) => {
  writeLines(join(directory, 'cases.jsonl'), ragLines(30));
  writeLines(join(directory, 'anchors.jsonl'), ragLines(20).map((line, i) => ({ ...line, id: `a${i}`, label: i % 2 })));
  return 'evaluation: rag_answers\ninput_path: cases.jsonl\njudge: openai/judge-model\nmetrics: [coherence]\nn_runs: 1\nanchors: anchors.jsonl\n';
};

test('a cascade is calibrated by the coordinator, goes on after it was killed at that, and its cases go to the workers', async (t) => {
  const it = await scene(t, { files: cascadeFiles, coordinatorKey: true });
  const workers = [it.worker(), it.worker()];
  const first = it.coordinator();
  await askedMore(it.sim, 20, first);
  first.child.kill('SIGKILL');
  await first.ended;
  const open = await it.open();
  assert.equal(postgres.sql('SELECT count(*) FROM assay_open_runs'), '0', 'it was still calibrating');
  const ended = await it.resume().ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it, { open });
  assert.match(workers.map(({ stderr }) => stderr).join(''), /run \S+ \(custom\): taking cases/);
});

test('a cascade whose worker is killed decides every case as one machine does', async (t) => {
  const it = await scene(t, { files: cascadeFiles, coordinatorKey: true });
  const first = it.worker();
  const run = it.coordinator();
  await until(() => /taking cases/.test(first.stderr));
  await askedMore(it.sim, 5, run);
  it.worker();
  first.child.kill('SIGKILL');
  const open = await it.open();
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it, { open });
});

test('anchors are judged by the workers, whoever is killed, and count in no figure of the run', async (t) => {
  const it = await scene(t, { files: anchorFiles });
  const first = it.worker();
  const run = it.coordinator();
  await askedMore(it.sim, 10, run);
  it.worker();
  first.child.kill('SIGKILL');
  const open = await it.open();
  const ended = await run.ended;
  assert.equal(ended.code, 0, ended.stderr);
  await assertSame(it, { open, files: ['anchors.jsonl'] });
  assert.equal(readLines(join(it.out, 'anchors.jsonl')).length, 20);
  assert.equal(readJson(join(it.out, 'summary.json')).cases.total, 30);
});

// While the workers have the run, its files are away, and others lie in their places: the coordinator is stopped, so
// that it does not notice.
for (const [name, files, named] of [
  ['custom', (directory) => {
    const line = (i) => ({ id: `c${i}`, question: `How high may shed ${i} be?`, output: `Shed ${i} may be two metres high.`, area: i % 2 ? 'sheds' : 'fences', checks: [{ contains: 'metres' }] });
    writeLines(join(directory, 'data.jsonl'), Array.from({ length: 20 }, (_, i) => line(i)));
    write(join(directory, 'labels.csv'), 'id,label\nc1,1\nc2,0\nc3,1\n');
    return `evaluation: custom
input_path: data.jsonl
judge: openai/judge-model
metrics: [{name: polite, rubric: polite}, {name: shed, rubric: "is about {question}", when: area == sheds}]
human: {figure: polite.rate, labels: labels.csv}
gates: ["polite.rate.corrected >= 0"]
`;
  }, ['data.jsonl', 'labels.csv']],
  ['experiment', (directory) => {
    write(join(directory, 'queries.yaml'), Array.from({ length: 6 }, (_, i) => `- {id: q${i}, text: "How high may shed ${i} be?"}\n`).join(''));
    return `evaluation: experiment
queries: queries.yaml
model: openai/answering
conditions: [{name: plain, control: true}, {name: other, model: openai/other}]
pairwise: {model: openai/judge-model, evaluators: 1}
absolute: {model: openai/judge-model, evaluators: 1}
`;
  }, ['queries.yaml']],
  ['anchors', anchorFiles, ['cases.jsonl', 'anchors.jsonl']],
]) {
  test(`a worker has its cases, texts and what was read of other files from the two servers alone: ${name}`, async (t) => {
    const it = await scene(t, { files });
    const run = it.coordinator();
    // All of them fit into the window.
    const cases = readJson(join(it.local, 'summary.json'));
    const published = cases.cases.total + (cases.anchors?.cases ?? 0);
    await until(async () => await it.nats.messages() >= published);
    assert.equal(await it.nats.messages(), published, run.stderr);
    run.child.kill('SIGSTOP');
    for (const file of named) {
      renameSync(join(it.directory, file), join(it.directory, `${file}.away`));
      write(join(it.directory, file), file.endsWith('.jsonl') ? '{"id": "other", "output": "Something else."}\n' : 'id,label\nother,1\n');
    }
    const worker = it.worker();
    await until(async () => await it.sim.sent() >= it.asked);
    assert.equal(await it.sim.sent(), it.asked, worker.stderr);
    for (const file of named) renameSync(join(it.directory, `${file}.away`), join(it.directory, file));
    run.child.kill('SIGCONT');
    const ended = await run.ended;
    assert.equal(ended.code, 0, ended.stderr);
    if (name !== 'experiment') return assertSame(it);
    // Its names are drawn anew for every run.
    const [there, here] = [it.local, it.out].map((directory) => readJson(join(directory, 'summary.json')));
    assert.deepEqual(here.metrics, there.metrics);
  });
}
