// People judge cases of a run themselves, with the real service: sheets, tasks that give nothing away, answers that
// outlive a kill, agreement, and the labels file that a run reads.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { appendFileSync } from 'node:fs';
import { assay, nobodyThere, ragConfig, ragLines, readJson, readLines, root, scratch, simulator, write, writeLines } from './harness.mjs';
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
  // Wins of new: 9 by both; in 3 one says tie, which is half a win: (9 + 3 · 0.75)/12.
  assert.ok(Math.abs(agreement.human.value - 0.9375) < 1e-12, agreement.human.value);
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
      assert.deepEqual(task.material.map((field) => field.name).sort(), ['llm_answer', 'question']);
      const reasons = judged.flatMap((line) => line.metrics?.coherence?.runs ?? []).map((run) => run.reason).filter(Boolean);
      for (const reason of reasons) assert.ok(!JSON.stringify(task).includes(reason));
      await served.answer(sheet.id, person, task.key, ratings[person][i % 4]);
    }
  }
  const agreement = await served.good('GET', `/api/sheets/${sheet.id}/agreement`);
  const csv = await served.good('GET', `/api/sheets/${sheet.id}/labels`);
  assert.match(csv, /^id,probability,by Ana,by Ben,drawn,label\r\n/);
  const labels = write(join(place.directory, 'labels.csv'), csv);
  const again = await assay(['run', example('components/rag_answers_generate_model.yaml'), '--reuse', place.run,
    '--human', `{labels: ${labels}, figure: coherence.mean}`, '--output-dir', join(place.directory, 'again')]);
  assert.ok([0, 1].includes(again.code), again.stderr);
  const { metrics, conclusions } = readJson(join(place.directory, 'again/summary.json'));
  assert.ok(conclusions.some((one) => /neither judge nor prompts have changed since/.test(one)), conclusions.join('\n'));
  for (const part of ['judge_only', 'human_only', 'corrected']) {
    const { value, ci, n } = metrics[`coherence.mean.${part}`];
    assert.deepEqual([agreement.corrected[part].value, agreement.corrected[part].ci, agreement.corrected[part].n], [value, ci, n], part);
  }
});

test('who judges a conversation sees what its judge saw, and not what is right', async (t) => {
  const place = await finished(t, 'guidelines/guidelines.yaml', 'guidelines/one');
  const served = await labelled(t, place);
  const sheet = await served.sheet({ kind: 'rating', figure: 'applied_rate_per_conversation', count: 5 });
  for (let i = 0; i < sheet.of; ++i) {
    const { task } = await served.next(sheet.id, 'Kim');
    const shown = task.material.map((field) => field.name);
    for (const name of ['events', 'guidelines']) assert.ok(shown.includes(name), shown.join());
    for (const name of shown) assert.match(name, /^(agent|customer|context_variables|glossary|events|guidelines)$/);
    await served.answer(sheet.id, 'Kim', task.key, 3);
  }
});

test('who judges a request of a persona sees the persona, the perspective, the item and its classifications', async (t) => {
  const place = await finished(t, 'persona/persona_mode2.yaml', 'persona/one', ['--limit', '4']);
  const served = await labelled(t, place);
  const sheet = await served.sheet({ kind: 'rating', figure: 'likert.mean_per_request', count: 3 });
  assert.deepEqual(sheet.levels, ['Strongly Disagree', 'Disagree', 'Neutral', 'Agree', 'Strongly Agree']);
  assert.match(sheet.rules, /^You take the place of a person[\s\S]*5 - Strongly Agree: the persona has no doubt/);
  const reasons = readLines(join(place.run, 'results.jsonl')).flatMap((line) => line.verdicts.map((one) => one.evaluationText));
  const { task } = await served.next(sheet.id, 'Kim');
  const names = task.material.map((field) => field.name);
  assert.deepEqual(names.slice(0, 6), ['persona', 'perspective', 'item', 'classification', 'values to choose from', 'chosen by the software']);
  assert.equal(names.length % 3, 0);
  assert.ok(task.material.every(({ text }) => text !== '') && !reasons.some((reason) => JSON.stringify(task).includes(reason)));
});

test('who judges a search sees what it found, and that it found nothing', async (t) => {
  const place = await finished(t, 'components/retrieval.yaml', 'retrieval/one');
  const served = await labelled(t, place);
  const lines = new Map(readLines(join(place.run, 'results.jsonl')).map((line) => [line.id, line]));
  const { id } = await served.sheet({ kind: 'rubric', question: 'Is anything of it useful?', count: lines.size });
  const { tasks } = readJson(join(place.store, 'labels', id, 'sheet.json'));
  assert.equal(tasks.length, lines.size);
  for (const { case: name, material } of tasks) {
    const found = lines.get(name).actual_search_results;
    // Data may have their results under either name.
    assert.deepEqual(material.map((field) => field.name.replace('chunk_uids_exact_paths_and_scores', 'search_results')), ['question', 'actual_search_results'], name);
    if (found.length === 0) assert.equal(material[1].text, 'none', name);
    assert.ok(found.every((one) => material[1].text.includes(one.chunk_uid)), name);
  }
  assert.ok([...lines.values()].some((line) => line.actual_search_results.length === 0));
});

test('who judges is asked what the judge was asked, case by case, with its rules and the names of its levels', async (t) => {
  const directory = scratch(t);
  const results = join(directory, 'results');
  writeLines(join(directory, 'data.jsonl'), Array.from({ length: 6 }, (_, i) => ({ id: `c${i}`, sum: `${i} €`, output: `Output ${i}` })));
  write(join(directory, 'eval.yaml'), `evaluation: custom
input_path: data.jsonl
judge: sim/judge
metrics:
  - {name: right, rubric: "Says {sum}."}
  - {name: fits, criteria: ["Is polite.", "Is short."]}
`);
  const ran = await assay(['run', 'eval.yaml', '--output-dir', join(results, 'one'), '--quiet'], { cwd: directory });
  assert.equal(ran.code, 0, ran.stderr);
  const served = await labelled(t, { store: join(directory, 'store'), results });
  const right = await served.sheet({ kind: 'rubric', figure: 'right.rate', count: 4 });
  assert.match(right.rules, /^You decide whether an output fulfils one requirement/);
  const { task } = await served.next(right.id, 'Kim');
  assert.equal(task.asked, `Says ${task.material.find((field) => field.name === 'sum').text}.`);
  const own = await served.sheet({ kind: 'rubric', figure: 'right.rate', question: 'Is it right?', count: 4 });
  assert.deepEqual([own.question, own.rules, (await served.next(own.id, 'Kim')).task.asked], ['Is it right?', '', undefined]);
  const fits = await served.sheet({ kind: 'rating', figure: 'fits.mean', count: 4 });
  assert.deepEqual([fits.question, fits.scale, fits.levels], ['How many of these are true?\n1. Is polite.\n2. Is short.', [1, 3], ['0 of 2', '1 of 2', '2 of 2']]);
  await served.answer(fits.id, 'Kim', (await served.next(fits.id, 'Kim')).task.key, 2);
  assert.match(await served.good('GET', `/api/sheets/${fits.id}/labels`), /,0\.5,[^,]*,0\.5\r\n/);
});

test('whether the judge is as good as one more person is told as figures, of a labels file and of a sheet alike', async (t) => {
  const directory = scratch(t);
  const results = join(directory, 'results');
  // Forty answers, right or wrong in turn; each who judges errs where it says so.
  const wrong = { Ana: (i) => i % 7 === 0, Ben: (i) => i % 5 === 0, Cleo: (i) => i === 1, judge: (i) => i % 6 === 3 };
  const says = (who, i) => (wrong[who](i) ? 1 - i % 2 : i % 2);
  const cases = Array.from({ length: 40 }, (_, i) => i);
  writeLines(join(directory, 'data.jsonl'), cases.map((i) => ({ id: `c${i}`, output: `${i}: the judge says ${says('judge', i) ? 'fulfilled' : 'missed'}` })));
  write(join(directory, 'eval.yaml'), 'evaluation: custom\ninput_path: data.jsonl\njudge: openai/judge\nmetrics:\n  - {name: right, rubric: "Is right."}\n');
  write(join(directory, 'labels.csv'), `id,by Ana,by Ben,by Cleo,label\n${cases.map((i) => [`c${i}`, says('Ana', i), says('Ben', i), says('Cleo', i), i % 2].join()).join('\n')}\n`);
  writeLines(join(directory, 'script.jsonl'), [
    { match: 'the judge says fulfilled', in: 'conversation', reply: { json: { reason: 'as it stands', fulfilled: true } } },
    { reply: { json: { reason: 'as it stands', fulfilled: false } } },
  ]);
  const sim = await simulator(t, ['--script', join(directory, 'script.jsonl')]);
  const ran = await assay(['run', 'eval.yaml', '--human', '{labels: labels.csv, figure: right.rate}', '--output-dir', join(results, 'one'), '--quiet'], { cwd: directory, env: sim.env });
  assert.equal(ran.code, 0, ran.stderr);
  // By a few lines of Python from the paper's formulas (t with 39 degrees of freedom, epsilon 0.2, Benjamini and Yekutieli).
  const byHand = {
    rate: 1 / 3, advantage: 0.875,
    people: { Ana: [0.05, 0.02076128121071824, 0.05709352332947516, false], Ben: [0, 0.008407556461766552, 0.04624156053971604, true], Cleo: [0.1, 0.051558927095949114, 0.09452469967590671, false] },
  };
  const { metrics, conclusions } = readJson(join(results, 'one/summary.json'));
  assert.ok(Math.abs(metrics['right.rate.alt_test.winning_rate'].value - byHand.rate) < 1e-9);
  assert.equal(metrics['right.rate.alt_test.advantage'].value, byHand.advantage);
  assert.ok(metrics['right.rate.alt_test.advantage'].ci[0] < 0.875 && metrics['right.rate.alt_test.advantage'].ci[1] > 0.875);
  assert.ok(conclusions.some((one) => /the judge of Right · rate is not shown to be as good as one more person: it stands up to 1 of 3 people/.test(one)), conclusions.join('\n'));

  const served = await labelled(t, { store: join(directory, 'store'), results });
  const sheet = await served.sheet({ kind: 'rubric', figure: 'right.rate', count: 40 });
  const agreement = () => served.good('GET', `/api/sheets/${sheet.id}/agreement`);
  const label = async (person) => {
    for (;;) {
      const { task } = await served.next(sheet.id, person);
      if (task === null) return;
      const i = Number(task.material.find((field) => field.name === 'answer').text.split(':')[0]);
      await served.answer(sheet.id, person, task.key, says(person, i) ? 'yes' : 'no');
    }
  };
  await label('Ana');
  assert.equal((await agreement()).annotator, null);
  await label('Ben');
  const two = (await agreement()).annotator;
  assert.equal(two.as_good, null);
  assert.match(two.no_verdict, /^two people show only which of them the judge is nearer to/);
  await label('Cleo');
  const { annotator } = await agreement();
  assert.deepEqual([annotator.winning_rate.count, annotator.winning_rate.n, annotator.advantage.value], [1, 3, byHand.advantage]);
  assert.deepEqual([annotator.epsilon, annotator.rate, annotator.fewest_cases, annotator.as_good, annotator.no_verdict], [0.2, 0.05, 30, false, '']);
  for (const one of annotator.people) {
    const [difference, p, adjusted, standsUp] = byHand.people[one.name];
    assert.ok(Math.abs(one.difference - difference) < 1e-12 && Math.abs(one.p - p) < 1e-6 && Math.abs(one.p_adjusted - adjusted) < 1e-6, JSON.stringify(one));
    assert.deepEqual([one.stands_up, one.advantage.value, one.advantage.n], [standsUp, 0.875, 40]);
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
  // The labels file of the sheet is one that a run reads, with the same figures as on the page.
  for (let i = 0; i < sheet.of; ++i) await served.answer(sheet.id, 'Lea', (await served.next(sheet.id, 'Lea')).task.key, 'A');
  const figure = 'win_rate.test_4_tone';
  const judged = await served.good('GET', `/api/sheets/${sheet.id}/agreement`);
  const labels = write(join(place.directory, 'pairs.csv'), await served.good('GET', `/api/sheets/${sheet.id}/labels`));
  const again = await assay(['run', example('experiment/experiment_from_files.yaml'), '--reuse', place.run, '--human', `{labels: ${labels}, figure: ${figure}}`, `--gates=["${figure}.corrected >= 0.1"]`, '--output-dir', join(place.directory, 'again')]);
  assert.ok([0, 1].includes(again.code), again.stderr);
  const { metrics } = readJson(join(place.directory, 'again/summary.json'));
  for (const part of ['judge_only', 'human_only', 'corrected']) {
    const { value, ci, n } = metrics[`${figure}.${part}`];
    assert.deepEqual([judged.corrected[part].value, judged.corrected[part].ci, judged.corrected[part].n], [value, ci, n], part);
  }
  assert.equal(metrics[`${figure}.labels`].value, 4);
  assert.equal(typeof metrics[`${figure}.people_alpha`].value, 'number');
  const verified = await assay(['verify', join(place.directory, 'again')]);
  assert.equal(verified.code, 0, verified.stdout);
  const refused = await assay(['label-sample', place.run, '--figure', figure]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /people judge such pairs, blind, on the page.*its labels file is what `human` reads/);
});

test('a run that is not finished says that it can be judged later', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'd.jsonl'), ragLines(30));
  const results = join(directory, 'results');
  const stopped = await assay(['run', write(join(directory, 'c.yaml'), ragConfig('d.jsonl')), '--output-dir', join(results, 'stopped')], { env: nobodyThere });
  assert.match(stopped.stderr, /When the cause is mended: assay resume/);
  const { good } = await apiOf(await service(t, join(directory, 'store'), { args: ['--results', results] }));
  const { offers, no_offers } = await good('GET', '/api/runs/stopped/sheets');
  assert.deepEqual([offers, no_offers], [[], 'The run is not finished yet: its cases can be judged when it is.']);
});
