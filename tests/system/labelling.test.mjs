// People judge cases of a run themselves, with the real service: sheets, tasks that give nothing away, answers that
// outlive a kill, agreement, and the labels file that a run reads.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { appendFileSync } from 'node:fs';
import { assay, readJson, readLines, root, scratch, write } from './harness.mjs';
import { apiOf } from './api_calls.mjs';
import { service } from './service_process.mjs';

const example = (name) => join(root, 'examples', name);

// A finished run of an example with the built-in model, in a results directory.
async function finished(t, config, name, flags = []) {
  const directory = scratch(t);
  const results = join(directory, 'results');
  const run = await assay(['run', example(config), ...flags, '--output-dir', join(results, name)]);
  assert.ok([0, 1].includes(run.code), run.stderr);
  return { directory, results, run: join(results, name), store: join(directory, 'store') };
}

async function labelled(t, place, more = []) {
  const running = await service(t, place.store, { args: ['--results', place.results, ...more] });
  const { call, good } = await apiOf(running);
  const [listed] = (await good('GET', '/api/runs')).runs;
  return {
    ...running, call, good, run: listed.id,
    sheet: (request) => good('POST', `/api/runs/${encodeURIComponent(listed.id)}/sheets`, request),
    next: (sheet, person) => good('GET', `/api/sheets/${sheet}/next?person=${encodeURIComponent(person)}`),
    answer: (sheet, person, key, value) => good('POST', `/api/sheets/${sheet}/answers`, { person, key, value }),
  };
}

test('two people judge blinded pairs at once, each in an order of their own, and go on after a kill', async (t) => {
  const place = await finished(t, 'custom/support_bot.yaml', 'custom/one');
  const lines = new Map(readLines(join(place.run, 'results.jsonl')).map((line) => [line.fields.question, line]));
  let served = await labelled(t, place);
  const { offers } = await served.good('GET', `/api/runs/${encodeURIComponent(served.run)}/sheets`);
  const offer = offers.find((one) => one.kind === 'pair');
  assert.deepEqual([offer.figure, offer.variants], ['better.win_rate.new', ['new', 'old']]);
  const sheet = await served.sheet({ kind: 'pair', variants: offer.variants, count: 12, seed: 3 });
  assert.equal(sheet.of, 12);

  // Both prefer the answer of `new`, which the test alone can tell by its text; Ben finds every fourth a tie.
  const seen = { Ana: [], Ben: [] };
  const seats = new Set();
  const judge = async (person, times) => {
    for (let i = 0; i < times; ++i) {
      const { task } = await served.next(sheet.id, person);
      seen[person].push(task.key);
      // Nothing but what was asked and the two answers: no name of a variant, no word of a judge, no score.
      assert.deepEqual(Object.keys(task).sort(), ['answers', 'key', 'material', 'number', 'of']);
      const question = task.material.find((field) => field.name === 'question').text;
      const line = lines.get(question);
      const outputs = (variant) => line.answers.filter((one) => one.variant === variant).map((one) => one.output);
      const first = outputs('new').includes(task.answers.A);
      assert.ok(first ? outputs('old').includes(task.answers.B) : outputs('new').includes(task.answers.B) && outputs('old').includes(task.answers.A));
      seats.add(first);
      const text = JSON.stringify(task);
      for (const { metrics } of line.answers) {
        for (const metric of metrics) assert.ok(!metric.reason || !text.includes(metric.reason), `${metric.name} in ${text}`);
      }
      assert.ok(!/better|variant|win_rate|sim\/|"(new|old)"/.test(text), text);
      const value = person === 'Ben' && seen.Ben.length % 4 === 0 ? 'tie' : first ? 'A' : 'B';
      const standing = await served.answer(sheet.id, person, task.key, value);
      assert.equal(standing.done, seen[person].length);
      // Sent again, as a browser does that has heard nothing: it counts once.
      assert.deepEqual(await served.answer(sheet.id, person, task.key, value), standing);
    }
  };
  await Promise.all([judge('Ana', 5), judge('Ben', 7)]);
  assert.equal(seats.size, 2, 'both seats occur');

  // What a kill in the middle of a write leaves.
  await served.kill();
  const file = join(place.store, 'labels', sheet.id, 'answers.jsonl');
  appendFileSync(file, '{"at":"2026-11-18T10:00:00.000Z","person":"Ana","key":"1","va');
  served = await labelled(t, place);
  await Promise.all([judge('Ana', 7), judge('Ben', 5)]);
  assert.equal((await served.next(sheet.id, 'Ana')).task, null);
  for (const person of ['Ana', 'Ben']) assert.equal(new Set(seen[person]).size, 12, `${person} saw a task twice`);
  assert.notDeepEqual(seen.Ana, seen.Ben);

  const agreement = await served.good('GET', `/api/sheets/${sheet.id}/agreement`);
  assert.deepEqual([...agreement.people].sort(), ['Ana', 'Ben']);
  assert.equal(agreement.pairs[0].n, 12);
  assert.equal(agreement.pairs[0].agreement.value, 9 / 12);
  // Wins of new: 9 by both; in 3 one says tie, and a win against a tie is a win.
  assert.equal(agreement.human.value, 1);
  assert.equal(agreement.judge.length, 2);
  assert.ok(agreement.corrected.corrected.value !== null);
  assert.ok(agreement.sentences.some((sentence) => /People prefer new to old/.test(sentence)), agreement.sentences.join('\n'));
});

test('an answer is taken back, a wrong one refused, and a name is needed', async (t) => {
  const place = await finished(t, 'components/question_router.yaml', 'question_router/one');
  const served = await labelled(t, place, ['--labels', join(place.directory, 'elsewhere')]);
  const sheet = await served.sheet({ kind: 'label', figure: 'accuracy', count: 6 });
  assert.ok(sheet.labels.includes('genuine_rag'));
  const first = (await served.next(sheet.id, 'Kim')).task;
  // Neither the class of the data nor that of the router, nor the answer that the router led to.
  for (const { material } of readJson(join(place.directory, 'elsewhere', sheet.id, 'sheet.json')).tasks) {
    assert.deepEqual(material.map((field) => field.name), ['question']);
  }
  await served.answer(sheet.id, 'Kim', first.key, sheet.labels[0]);
  const second = (await served.next(sheet.id, 'Kim')).task;
  await served.answer(sheet.id, 'Kim', second.key, sheet.labels[1]);
  const undone = await served.good('POST', `/api/sheets/${sheet.id}/undo`, { person: 'Kim' });
  assert.deepEqual(undone, { task: second, done: 1, of: 6 });
  assert.deepEqual((await served.next(sheet.id, 'Kim')).task, second);
  assert.equal((await served.good('POST', `/api/sheets/${sheet.id}/undo`, { person: 'Nobody' })).task, null);
  const kept = readLines(join(place.directory, 'elsewhere', sheet.id, 'answers.jsonl'));
  assert.deepEqual(kept.map((line) => line.value ?? `undo ${line.undo}`), [sheet.labels[0], sheet.labels[1], `undo ${second.key}`]);

  for (const [body, pointer] of [
    [{ person: 'Kim', key: second.key, value: 'no such class' }, '/value'],
    [{ person: 'Kim', key: '99', value: sheet.labels[0] }, '/key'],
    [{ person: ' ', key: second.key, value: sheet.labels[0] }, '/person'],
  ]) {
    const refused = await served.call('POST', `/api/sheets/${sheet.id}/answers`, body);
    assert.equal(refused.status, 400);
    assert.equal(refused.json.errors[0].pointer, pointer);
  }
  for (const [request, pointer] of [
    [{ kind: 'pair', variants: ['a', 'b'], count: 3 }, '/variants'],
    [{ kind: 'rating', figure: 'accuracy', count: 3 }, '/figure'],
    [{ kind: 'rubric', count: 3 }, '/question'],
  ]) {
    const refused = await served.call('POST', `/api/runs/${encodeURIComponent(served.run)}/sheets`, request);
    assert.equal(refused.status, 400, refused.text);
    assert.equal(refused.json.errors[0].pointer, pointer);
  }
  for (const sheetId of ['nothing', '..%2Fdata.db']) {
    assert.ok([400, 404].includes((await served.call('GET', `/api/sheets/${sheetId}/next?person=Kim`)).status));
  }
});

test('the labels file goes back into a run, which finds the same corrected figure', async (t) => {
  const place = await finished(t, 'components/rag_answers_generate_model.yaml', 'rag_answers/one');
  const served = await labelled(t, place);
  const { offers } = await served.good('GET', `/api/runs/${encodeURIComponent(served.run)}/sheets`);
  const offer = offers.find((one) => one.figure === 'coherence.mean');
  assert.deepEqual([offer.kind, offer.scale], ['rating', [1, 5]]);
  const sheet = await served.sheet({ kind: 'rating', figure: offer.figure, count: Math.ceil(offer.cases / 2) });
  const ratings = { Ana: [5, 3, 4, 2], Ben: [4, 3, 5, 2] };
  const judged = readLines(join(place.run, 'results.jsonl'));
  for (const person of Object.keys(ratings)) {
    for (let i = 0; ; ++i) {
      const { task } = await served.next(sheet.id, person);
      if (task === null) break;
      assert.ok(task.material.some((field) => field.name === 'llm_answer'));
      const reasons = judged.flatMap((line) => line.metrics?.coherence?.runs ?? []).map((run) => run.reason).filter(Boolean);
      for (const reason of reasons) assert.ok(!JSON.stringify(task).includes(reason));
      await served.answer(sheet.id, person, task.key, ratings[person][i % 4]);
    }
  }
  const agreement = await served.good('GET', `/api/sheets/${sheet.id}/agreement`);
  const csv = await served.good('GET', `/api/sheets/${sheet.id}/labels`);
  assert.match(csv, /^id,probability,by Ana,by Ben,label\r\n/);
  const labels = write(join(place.directory, 'labels.csv'), csv);
  const again = await assay(['run', example('components/rag_answers_generate_model.yaml'), '--reuse', place.run,
    '--human', `{labels: ${labels}, figure: coherence.mean}`, '--output-dir', join(place.directory, 'again')]);
  assert.ok([0, 1].includes(again.code), again.stderr);
  const { metrics } = readJson(join(place.directory, 'again/summary.json'));
  for (const part of ['judge_only', 'human_only', 'corrected']) {
    const { value, ci, n } = metrics[`coherence.mean.${part}`];
    assert.deepEqual([agreement.corrected[part].value, agreement.corrected[part].ci, agreement.corrected[part].n], [value, ci, n], part);
  }
});

test('conditions of an experiment are compared without the roles that they speak in', async (t) => {
  const place = await finished(t, 'experiment/experiment_from_files.yaml', 'experiment/one');
  const served = await labelled(t, place);
  const { offers } = await served.good('GET', `/api/runs/${encodeURIComponent(served.run)}/sheets`);
  assert.deepEqual(offers.filter((one) => one.kind === 'pair').map((one) => one.figure),
    ['win_rate.test_2_predefined', 'win_rate.test_4_tone', null]);
  const sheet = await served.sheet({ kind: 'pair', variants: ['test_4_tone', 'control'], count: 4 });
  for (let i = 0; i < sheet.of; ++i) {
    const { task } = await served.next(sheet.id, 'Kim');
    assert.deepEqual(task.material.map((field) => field.name), ['query']);
    assert.ok(!/\[Role|test_4|control/.test(JSON.stringify(task)), JSON.stringify(task));
    assert.notEqual(task.answers.A, task.answers.B);
    await served.answer(sheet.id, 'Kim', task.key, 'tie');
  }
  const agreement = await served.good('GET', `/api/sheets/${sheet.id}/agreement`);
  assert.equal(agreement.human.value, 0.5);
  assert.equal(agreement.judge[0].n, 4);
});
