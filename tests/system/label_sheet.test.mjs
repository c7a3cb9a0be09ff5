// Sheets that work from a file: drawn by `assay label-sample`, labelled in a real browser by keys, kept there, saved,
// and read by a run.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assay, root, scratch, simulator } from './harness.mjs';
import { openBrowser, openPage } from './browser.mjs';

const hostile = '<img src=x onerror=alert(1)></script><script>alert(2)</script>';

test('a sheet is labelled by keys in a browser without a network, keeps its state, and a run reads what it saves', async (t) => {
  const directory = scratch(t);
  writeFileSync(join(directory, 'data.jsonl'), Array.from({ length: 8 }, (_, i) => JSON.stringify(
    { id: `c,"${i}`, question: `Question ${i}?`, llm_answer: i ? `Answer ${i}` : hostile, structured_contexts: [{ text: 'What it rests on', is_gold: 'of no judge' }], ideal_answer: 'What is right', model: 'the-system', secret: 'of no judge' })).join('\n'));
  writeFileSync(join(directory, 'eval.yaml'), 'evaluation: rag_answers\ngenerate: false\ninput_path: data.jsonl\njudge: sim/judge\nmetrics: [coherence, faithfulness]\nn_runs: 1\n');
  const run = (...flags) => assay(['run', 'eval.yaml', '--quiet', ...flags], { cwd: directory });
  assert.equal((await run('--output-dir', 'first')).code, 0);
  const first = JSON.parse(readFileSync(join(directory, 'first/summary.json'), 'utf8'));
  assert.equal(first.conclusions.filter((one) => /not checked against people: assay label-sample DIR --figure coherence\.mean/.test(one)).length, 1);
  const drawn = await assay(['label-sample', 'first', '--figure', 'coherence.mean', '--count', '5', '--design', 'informative', '--output', 'labels.csv'], { cwd: directory });
  assert.equal(drawn.code, 0, drawn.stderr);
  const csv = readFileSync(join(directory, 'labels.csv'), 'utf8');
  assert.match(csv, /^id,probability,asked,question,llm_answer,drawn,label\r\n[^\r]*How well can a reader follow/);
  const printed = async (figure) => (await assay(['label-sample', 'first', '--figure', figure, '--count', '5'], { cwd: directory })).stdout;
  const faithfulness = await printed('faithfulness.mean');
  assert.match(faithfulness, /^id,probability,asked,llm_answer,structured_contexts,drawn,label\r\n/);
  assert.match(await printed('coherence.pass_rate'), /^id,probability,asked,question,llm_answer,drawn,label\r\n[^\r]*Does it pass\? How well can[^\r]*judging=/);
  for (const one of [csv, faithfulness, readFileSync(join(directory, 'labels.html'), 'utf8')])
    assert.doesNotMatch(one, /of no judge|the-system|What is right/);

  const sheet = join(directory, 'labels.html');
  const { page, complaints, requests } = await openPage(await openBrowser(t), sheet, { width: 900 });
  assert.match(await page.textContent('#where'), /^Case 1 of 5, 0 labelled$/);
  assert.match(await page.textContent('header'), /How well can a reader follow/);
  assert.match(await page.textContent('#rules'), /Five levels: 1 \(0\) if it cannot be followed/);
  assert.ok(await page.locator('#rules pre').isVisible(), 'open until something is labelled');
  assert.match(await page.textContent('#material'), /Question \d/);
  for (const key of ['5', '1', 'ArrowLeft', '4']) await page.keyboard.press(key);
  for (let i = 0; i < 4; ++i) await page.keyboard.down('3');  // held, it labels one case
  await page.keyboard.up('3');
  assert.match(await page.textContent('#where'), /3 labelled/);
  await page.fill('#person', 'Ana');
  await page.reload();
  assert.match(await page.textContent('#where'), /3 labelled/, 'kept in the browser');
  assert.ok(!await page.locator('#rules pre').isVisible());
  assert.equal(await page.inputValue('#person'), 'Ana');
  const seen = new Set();
  for (let i = 0; i < 5; ++i) {
    seen.add(await page.textContent('#material'));
    await page.click('#on', { force: true, timeout: 1000 }).catch(() => {});
  }
  assert.ok(seen.size >= 2);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
  assert.equal(download.suggestedFilename(), 'labels.csv');
  await download.saveAs(join(directory, 'labels.csv'));
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:') && !url.startsWith('blob:')), []);
  const saved = readFileSync(join(directory, 'labels.csv'), 'utf8');
  assert.match(saved, /^id,probability,by Ana,drawn,label\r\n/);

  const second = await run('--output-dir', 'second', '--reuse', 'first', '--human', '{labels: labels.csv, figure: coherence.mean}');
  assert.equal(second.code, 0, second.stderr);
  const { metrics, conclusions } = JSON.parse(readFileSync(join(directory, 'second/summary.json'), 'utf8'));
  assert.deepEqual([metrics['coherence.mean.labels'].value, metrics['coherence.mean.labels_of_no_case'].value], [3, 0]);
  assert.ok(conclusions.some((one) => /neither judge nor prompts have changed since/.test(one)), conclusions.join('\n'));
  assert.ok(!conclusions.some((one) => /not checked against people/.test(one)));
  const third = await run('--output-dir', 'third', '--judge.temperature', '0.5', '--human', '{labels: labels.csv, figure: coherence.mean}');
  assert.equal(third.code, 0, third.stderr);
  assert.ok(JSON.parse(readFileSync(join(directory, 'third/summary.json'), 'utf8')).conclusions.some((one) => /before the judge, or what it is asked, changed/.test(one)));
});

test('what the judge of a guideline or an experiment says can be held against people', async (t) => {
  const directory = scratch(t);
  for (const [config, figure, label] of [['guidelines/guidelines.yaml', 'applied_rate_per_conversation', (i) => i % 2], ['experiment/experiment.yaml', 'score.test_4_tone.overall', (i) => 1 + i % 5]]) {
    const run = (...flags) => assay(['run', join(root, 'examples', config), '--limit', '8', '--quiet', ...flags], { cwd: directory });
    const name = config.split('/')[0];
    assert.equal((await run('--output-dir', name)).code, 0);
    const drawn = await assay(['label-sample', name, '--figure', figure, '--count', '5', '--output', `${name}.csv`], { cwd: directory });
    assert.equal(drawn.code, 0, drawn.stderr);
    const head = readFileSync(join(directory, `${name}.csv`), 'utf8').split('\r\n')[0];
    assert.match(head, name === 'guidelines' ? /^id,probability,asked,(agent,)?(customer,)?(context_variables,)?(glossary,)?events,guidelines(,\w+)*,drawn,label$/ : /^id,probability,asked,query(,answer( \d+)?)+,drawn,label$/);
    assert.doesNotMatch(head, /expected|made_to_show|domain/);
    let row = 0;
    const filled = readFileSync(join(directory, `${name}.csv`), 'utf8').replace(/,\r\n/g, () => `,${label(row++)}\r\n`);
    assert.equal(row, 5);
    writeFileSync(join(directory, `${name}.csv`), filled);
    const second = await run('--output-dir', `${name}2`, '--reuse', name, '--human', JSON.stringify({ labels: join(directory, `${name}.csv`), figure }));
    assert.equal(second.code, 0, second.stderr);
    const { metrics, conclusions } = JSON.parse(readFileSync(join(directory, `${name}2/summary.json`), 'utf8'));
    assert.equal(metrics[`${figure}.human_alpha`].n, 5);
    assert.equal(typeof metrics[`${figure}.corrected`].value, 'number');
    assert.ok(conclusions.some((one) => /neither judge nor prompts/.test(one)), conclusions.join('\n'));
  }
});

test('a sheet for criteria, or for a class, shows the answer; a cascade is checked already', async (t) => {
  const directory = scratch(t);
  writeFileSync(join(directory, 'data.jsonl'), Array.from({ length: 40 }, (_, i) => JSON.stringify({ id: `c${i}`, question: `Question ${i}?`, one: `First ${i}`, two: `Second ${i}` })).join('\n'));
  writeFileSync(join(directory, 'eval.yaml'), `evaluation: custom
input_path: data.jsonl
variants: {a: {given: one}, b: {given: two}}
judge: sim/judge
metrics:
  - {name: fits, criteria: ["Is polite.", "Is short."], shows: [question, output]}
  - {name: kind, label: {judge: "Which kind? {output}", of: [x, y], expected: x}}
  - {name: better, pairwise: {rubric: "Which is better?"}}
`);
  assert.equal((await assay(['run', 'eval.yaml', '-o', 'run', '--quiet'], { cwd: directory })).code, 0);
  for (const figure of ['fits.mean.b', 'kind.accuracy.b']) {
    const drawn = await assay(['label-sample', 'run', '--figure', figure, '--count', '3'], { cwd: directory });
    assert.equal(drawn.code, 0, drawn.stderr);
    assert.match(drawn.stdout, /Second \d+/);
    assert.doesNotMatch(drawn.stdout, /First \d+/);
    // Of a class people say whether it is right, and the judge was asked which it is.
    assert.equal(/How many of these are true|Which kind/.test(drawn.stdout), figure === 'fits.mean.b');
  }
  const pairs = await assay(['label-sample', 'run', '--figure', 'better.win_rate.b'], { cwd: directory });
  assert.equal(pairs.code, 2);
  assert.match(pairs.stderr, /says which of two answers is better; people judge such pairs, blind, on the page/);
  writeFileSync(join(directory, 'labels.csv'), `id,label\n${Array.from({ length: 40 }, (_, i) => `c${i},1`).join('\n')}\n`);
  writeFileSync(join(directory, 'cascade.yaml'), `evaluation: custom
input_path: data.jsonl
fields: {question: {}, output: {from: one}}
judge: {cascade: [sim/cheap, people], labels: labels.csv, votes: 3}
metrics:
  - {name: says, rubric: "First", shows: [output]}
`);
  const decided = await assay(['run', 'cascade.yaml', '-o', 'decided', '--quiet'], { cwd: directory });
  assert.equal(decided.code, 0, decided.stderr);
  assert.ok(!JSON.parse(readFileSync(join(directory, 'decided/summary.json'), 'utf8')).conclusions.some((one) => /not checked against people/.test(one)));
});

test('a sheet for a custom metric shows what its judge was shown, and what it looks at in the place of the answer', async (t) => {
  const directory = scratch(t);
  writeFileSync(join(directory, 'data.jsonl'), Array.from({ length: 8 }, (_, i) => JSON.stringify(
    { id: `c${i}`, question: `Question ${i}?`, reference: `Right ${i}`, number: i, must_say: `Words ${i}`, customer_id: `k${i}`, output: `Output ${i}`, contexts: [`Source ${i}`] })).join('\n'));
  writeFileSync(join(directory, 'eval.yaml'), `evaluation: custom
input_path: data.jsonl
judge: sim/judge
metrics:
  - {name: correct, rubric: "As the reference. (case {number})", shows: [question, output, reference]}
  - {name: clear, rubric: "Is clear.", of: question, shows: [output]}
  - {name: rests, rubric: "Of {question} rests on {contexts}.", shows: [output]}
  - {name: tone, judge: {prompt: "Is it kind? {output}", schema: {type: object, properties: {tone: {enum: [cold, even, warm]}}, required: [tone]}, score: /tone}}
  - {name: backed, rag: faithfulness}
`);
  assert.equal((await assay(['run', 'eval.yaml', '-o', 'run', '--quiet'], { cwd: directory })).code, 0);
  for (const [figure, columns, hidden, question] of [
    ['correct.rate', 'question,reference,number,answer', /Words|k\d|Source/, /^c(\d),[\d.]+,As the reference\. \(case \1\),Question/m],
    ['clear.rate', 'question', /Output|Right|Words|k\d|Source/, /,Is clear\.,/],
    // What an answer brings along is shown as its own part.
    ['rests.rate', 'question,contexts,answer', /Right|Words|k\d/, /,Of Question (\d)\? rests on {contexts}\.,Question \1\?,Source \1,/],
    ['tone.mean', 'answer', /Question|Right|Words|k\d|Source/, /"Is it kind\? {output}\n0 = cold; 0\.5 = even; 1 = warm"/],
    ['backed.mean', 'contexts,answer', /Question|Right|Words|k\d/, /How much of what the answer claims is backed by the contexts\?/],
  ]) {
    const drawn = await assay(['label-sample', 'run', '--figure', figure, '--count', '3'], { cwd: directory });
    assert.equal(drawn.code, 0, drawn.stderr);
    assert.equal(drawn.stdout.split('\r\n')[0], `id,probability,asked,${columns},drawn,label`);
    assert.match(drawn.stdout, question);
    assert.doesNotMatch(drawn.stdout, hidden, figure);
  }
  // On the page each case has its own question, too, and levels have their names.
  const browser = await openBrowser(t);
  const opened = async (figure) => {
    assert.equal((await assay(['label-sample', 'run', '--figure', figure, '--output', 'sheet.csv'], { cwd: directory })).code, 0);
    return (await openPage(browser, join(directory, 'sheet.html'), { width: 900 })).page;
  };
  const rubric = await opened('correct.rate');
  for (let i = 0; i < 3; ++i) {
    const [, number] = /Question (\d)/.exec(await rubric.textContent('#material'));
    assert.equal(await rubric.textContent('#asked'), `As the reference. (case ${number})`);
    await rubric.keyboard.press('y');
  }
  assert.equal(await (await opened('tone.mean')).textContent('#choices'), '1 cold2 even3 warm');
});

test('a decision of a guideline judge is labelled by itself, with its conversation and that one guideline', async (t) => {
  const directory = scratch(t);
  const run = (...flags) => assay(['run', join(root, 'examples/guidelines/guidelines.yaml'), '--limit', '12', '--quiet', ...flags], { cwd: directory });
  assert.equal((await run('-o', 'first')).code, 0);
  const lines = readFileSync(join(directory, 'first/results.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const judged = new Map(lines.flatMap(({ id, parts }) => Object.entries(parts.applied_rate).map(([guideline, value]) => [`${id}/${guideline}`, value])));
  assert.ok(JSON.parse(readFileSync(join(directory, 'first/summary.json'), 'utf8')).conclusions.some((one) => one.includes('label-sample DIR --figure applied_rate draws')));
  const drawn = await assay(['label-sample', 'first', '--figure', 'applied_rate', '--count', '20', '--output', 'all.csv'], { cwd: directory });
  assert.equal(drawn.code, 0, drawn.stderr);
  const sheet = readFileSync(join(directory, 'all.csv'), 'utf8');
  assert.match(sheet, /^id,probability,(\w+,)*events,guideline,(\w+,)*drawn,label\r\n/);
  assert.doesNotMatch(sheet.split('\r\n')[0], /guidelines|expected|made_to_show/);
  const ids = [...sheet.matchAll(/(?:^|\r\n)([\w-]+\/[\w-]+),0\./g)].map((match) => match[1]);
  assert.equal(ids.length, 20);
  for (const id of ids) assert.ok(judged.has(id), id);
  assert.equal(sheet.match(/Action: /g).length, 20, 'one guideline a decision');
  const page = readFileSync(join(directory, 'all.html'), 'utf8');
  assert.match(page, /Has the agent carried out all of the guideline/);

  // People say the opposite of the judge in one decision of the sheet, and the same in the others.
  let row = 0;
  const label = () => { const score = judged.get(ids[row]); return `,${row++ === 0 ? 1 - score : score}\r\n`; };
  writeFileSync(join(directory, 'all.csv'), sheet.replace(/,\r\n/g, label));
  const one = await assay(['label-sample', 'first', '--figure', 'applied_rate.cost', '--count', '3', '--output', 'cost.csv'], { cwd: directory });
  assert.equal(one.code, 0, one.stderr);
  const cost = readFileSync(join(directory, 'cost.csv'), 'utf8');
  assert.equal([...cost.matchAll(/(?:^|\r\n)[\w-]+\/cost,/g)].length, 3);
  writeFileSync(join(directory, 'cost.csv'), cost.replace(/,\r\n/g, ',1\r\n'));
  const place = (name) => join(directory, name);
  const second = await run('-o', 'second', '--reuse', 'first', '--human', `[{labels: ${place('all.csv')}, figure: applied_rate}, {labels: ${place('cost.csv')}, figure: applied_rate.cost}]`,
    '--gate', 'applied_rate.corrected >= 0', '--gate', 'applied_rate.cost.corrected >= 0');
  assert.equal(second.code, 0, second.stderr);
  const { metrics, conclusions } = JSON.parse(readFileSync(join(directory, 'second/summary.json'), 'utf8'));
  assert.deepEqual([metrics['applied_rate.labels'].value, metrics['applied_rate.labels_of_no_case'].value], [20, 0]);
  assert.equal(metrics['applied_rate.human_agreement'].value, 0.95);
  assert.equal(metrics['applied_rate.human_agreement'].method, 'wilson_clustered');
  assert.equal(metrics['applied_rate.corrected'].method, 'ppi_plus_plus_weighted');
  assert.ok(Math.abs(metrics['applied_rate.judge_only'].value - metrics.applied_rate.value) < 1e-12);
  assert.equal(metrics['applied_rate.cost.human_only'].value, 1);
  assert.ok(conclusions.some((one) => /labels of 20 decisions, Applied rate is/.test(one)), conclusions.join('\n'));
  const refused = await assay(['label-sample', 'first', '--figure', 'applied_rate.costs'], { cwd: directory });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /no case has a score applied_rate\.costs; did you mean applied_rate\.cost\?/);
});

test('several figures have labels, and several people a file each', async (t) => {
  const directory = scratch(t);
  const ids = Array.from({ length: 40 }, (_, i) => `c${i}`);
  writeFileSync(join(directory, 'data.jsonl'), ids.map((id) => JSON.stringify({ id, output: `Output ${id}.` })).join('\n'));
  writeFileSync(join(directory, 'eval.yaml'), `evaluation: custom
input_path: data.jsonl
judge: openai/judge
metrics:
  - {name: good, rubric: "Is good."}
  - {name: kind, rubric: "Is kind."}
human:
  - {labels: [ann.csv, bo.csv, third.csv], figure: good.rate}
  - {labels: kind.csv, figure: kind.rate}
gates: ["good.rate.corrected >= 0.9", "kind.rate.corrected <= 0.9", "good.rate.people_alpha >= -1"]
`);
  // The judge says yes to all. Ann and Bo say no to c0 to c9, Cem to c10 to c19: most say no to c0 to c9 only.
  const labels = (head, label) => `${head}\n${ids.map((id, i) => `${id},${label(i)}`).join('\n')}\n`;
  writeFileSync(join(directory, 'ann.csv'), labels('id,label', (i) => (i < 10 ? 0 : 1)));
  writeFileSync(join(directory, 'bo.csv'), labels('id,label', (i) => (i < 10 ? 0 : 1)));
  writeFileSync(join(directory, 'third.csv'), labels('id,by Cem,label', (i) => (i >= 10 && i < 20 ? '0,0' : '1,1')));
  writeFileSync(join(directory, 'kind.csv'), 'id,label,drawn\nc0,1,2026-01-01T00:00:00Z judging=a prompts=b\nc1,0,2026-01-01T00:00:00Z judging=a prompts=b\n');
  writeFileSync(join(directory, 'script.jsonl'), JSON.stringify({ reply: { json: { reason: 'so it is', fulfilled: true } } }));
  const sim = await simulator(t, ['--script', join(directory, 'script.jsonl')]);
  const run = (...flags) => assay(['run', 'eval.yaml', '--quiet', ...flags], { cwd: directory, env: sim.env });
  assert.equal((await run('-o', 'run')).code, 1);
  const { metrics, gates, conclusions } = JSON.parse(readFileSync(join(directory, 'run/summary.json'), 'utf8'));
  assert.deepEqual(gates.map((gate) => gate.passed), [false, true, true]);
  assert.equal(metrics['good.rate.corrected'].value, 0.75);
  assert.equal(metrics['kind.rate.human_only'].value, 0.5);
  assert.equal(metrics['good.rate.alt_test.winning_rate'].n, 3);
  // By hand: of 40 cases 10 are 0 0 1 and 10 are 1 1 0, 20 are 1 1 1; 30 zeros and 90 ones of 120.
  // Observed 2·20·2/2/120, expected 2·30·90/(120·119).
  assert.ok(Math.abs(metrics['good.rate.people_alpha'].value - (1 - (40 / 120) / (5400 / 14280))) < 1e-12);
  const corrected = conclusions.filter((one) => one.startsWith('Corrected by'));
  assert.deepEqual(corrected.map((one) => one.match(/labels of (\w+ cases), (\w+)/).slice(1)), [['40 cases', 'Good'], ['2 cases', 'Kind']]);
  assert.ok(conclusions.some((one) => /^The labels in .*ann\.csv, .*third\.csv do not say/.test(one)), conclusions.join('\n'));
  assert.ok(conclusions.some((one) => /^The labels in .*kind\.csv are from 2026-01-01, before/.test(one)));

  const again = await run('-o', 'again', '--reuse', 'run', '--human', '{labels: kind.csv, figure: kind.rate}', '--human', '{labels: [ann.csv], figure: good.rate}', '--gate', 'good.rate.corrected >= 0');
  assert.equal(again.code, 0, again.stderr);
  const refused = await assay(['check', 'eval.yaml', '--human', '[{labels: ann.csv, figure: good.rate}, {labels: bo.csv, figure: good.rate}]'], { cwd: directory, env: sim.env });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--human.*human\[1\]\.figure.*good\.rate has labels in human\[0\] already/);
});

test('cases that the judge failed on are missing beside the corrected figure, and their labels are of a case', async (t) => {
  const directory = scratch(t);
  writeFileSync(join(directory, 'data.jsonl'), Array.from({ length: 10 }, (_, i) => JSON.stringify({ id: `c${i}`, output: `Output ${i}` })).join('\n'));
  writeFileSync(join(directory, 'eval.yaml'), 'evaluation: custom\ninput_path: data.jsonl\njudge: openai/judge\nmetrics:\n  - {name: good, rubric: "Is good."}\nhuman: {labels: labels.csv, figure: good.rate}\n');
  writeFileSync(join(directory, 'labels.csv'), 'id,label\nc0,1\nc1,0\nc2,1\nc8,1\nelsewhere,1\n');
  writeFileSync(join(directory, 'script.jsonl'), [
    { match: 'Output 8', in: 'conversation', reply: { text: 'I would rather not say.' } },
    { match: 'Output 9', in: 'conversation', reply: { text: 'I would rather not say.' } },
    { match: 'Output 1', reply: { json: { reason: 'as it stands', fulfilled: false } } },
    { reply: { json: { reason: 'as it stands', fulfilled: true } } },
  ].map((rule) => JSON.stringify(rule)).join('\n'));
  const sim = await simulator(t, ['--script', join(directory, 'script.jsonl')]);
  const ran = await assay(['run', 'eval.yaml', '--quiet', '-o', 'run'], { cwd: directory, env: sim.env });
  assert.equal(ran.code, 3, ran.stderr);
  const { metrics } = JSON.parse(readFileSync(join(directory, 'run/summary.json'), 'utf8'));
  assert.deepEqual(metrics['good.rate'].missing, { judge_failed: 2 });
  for (const part of ['judge_only', 'human_only', 'corrected']) {
    const { value, missing, bounds } = metrics[`good.rate.${part}`];
    assert.deepEqual(missing, { judge_failed: 2 }, part);
    assert.ok(Math.abs(bounds[0] - value * 0.8) < 1e-12 && Math.abs(bounds[1] - (value * 0.8 + 0.2)) < 1e-12, part);
  }
  assert.deepEqual([metrics['good.rate.labels'].value, metrics['good.rate.labels'].missing], [3, { judge_failed: 1 }]);
  assert.equal(metrics['good.rate.labels_of_no_case'].value, 1);
});

test('verdicts of a persona are drawn one by one, shown as their judge saw them, and read back with their chances', async (t) => {
  const directory = scratch(t);
  for (const [mode, figure, label, asked] of [
    ['mode1', 'likert.mean', (i) => 1 + i % 5, /Does the persona agree with the value that the software chose\?\n1 = Strongly Disagree; 2 = Disagree; 3 = Neutral; 4 = Agree; 5 = Strongly Agree/],
    ['mode2', 'agreement_rate', (i) => (i % 2 ? 5 : 2), /1 = Strongly Disagree/],
    ['mode3', 'agreement_rate', (i) => i % 2, /,Does the persona agree with the value that the software chose\?,/],
  ]) {
    const run = (...flags) => assay(['run', join(root, `examples/persona/persona_${mode}.yaml`), '--limit', '8', '--quiet', ...flags], { cwd: directory });
    const ran = await run('-o', mode);
    assert.equal(ran.code, 0, ran.stderr);
    const sheet = `${mode}.csv`;
    const drawn = await assay(['label-sample', mode, '--figure', figure, '--count', '9', '--design', 'informative', '--output', sheet], { cwd: directory });
    assert.equal(drawn.code, 0, drawn.stderr);
    const csv = readFileSync(join(directory, sheet), 'utf8');
    assert.match(csv, /^id,probability,asked,persona,perspective,item,classification,values to choose from,chosen by the software,drawn,label\r\n/);
    assert.match(csv, asked);
    assert.match(csv, /\r\nmail-\w+\/(ines|tobias|lerato)\/(classification|attention)\/[\w-]+,0\.\d+,/);
    const reasons = readFileSync(join(directory, mode, 'results.jsonl'), 'utf8').trim().split('\n').flatMap((line) => JSON.parse(line).verdicts).map((one) => one.evaluationText);
    for (const file of [csv, readFileSync(join(directory, `${mode}.html`), 'utf8')]) assert.ok(!reasons.some((reason) => file.includes(reason)));
    let row = 0;
    writeFileSync(join(directory, sheet), csv.replace(/,\r\n/g, () => `,${label(row++)}\r\n`));
    assert.equal(row, 9);
    const again = await run('-o', `${mode}-again`, '--reuse', mode, '--human', join(directory, sheet));
    assert.equal(again.code, 0, again.stderr);
    const { metrics, conclusions } = JSON.parse(readFileSync(join(directory, `${mode}-again/summary.json`), 'utf8'));
    assert.deepEqual([metrics['human.ratings'].value, metrics['human.ratings_of_no_verdict'].value], [9, 0]);
    assert.equal(typeof metrics['agreement_rate.corrected'].value, 'number');
    assert.equal(typeof metrics['likert.mean.corrected']?.value, mode === 'mode3' ? 'undefined' : 'number');
    assert.ok(conclusions.some((one) => /neither judge nor prompts have changed since/.test(one)), conclusions.join('\n'));
    // By hand: what people say, each weighted by 1 / probability (Hájek).
    const chances = [...csv.matchAll(/\r\nmail-[^,]*,(0?\.?\d[\d.]*),/g)].map((one) => Number(one[1]));
    const says = chances.map((_, i) => (mode === 'mode3' ? label(i) : label(i) >= 4 ? 1 : 0));
    const sum = (list) => list.reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(metrics['agreement_rate.human_only'].value - sum(says.map((one, i) => one / chances[i])) / sum(chances.map((one) => 1 / one))) < 1e-9);
  }
  const refused = await assay(['label-sample', 'mode1', '--figure', 'agreement_rate_per_request'], { cwd: directory });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /found agreement_rate_per_request, expected agreement_rate or likert\.mean/);
});

test('the judge of a benchmark is held against people, who see what it saw', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  for (let i = 0; i < 8; ++i)
    writeFileSync(join(directory, `tasks/t${i}.yaml`), 'tool_calling_prompt: |\n  Name the capital of country ' + i + '.\nscorer: {name: rubric, criteria: ["Names the capital."]}\nvariations:\n  - expected_output: {capital: "City ' + i + '"}\n');
  writeFileSync(join(directory, 'eval.yaml'), 'evaluation: benchmark\ninput_dir: tasks\nsystem: tool_calling\nmodel: openai/agent\njudge: openai/judge\n');
  const verdict = (fulfilled) => ({ json: { verdicts: [{ criterion: 1, reason: 'as it stands', fulfilled }] } });
  writeFileSync(join(directory, 'script.jsonl'), [
    { match: { contains_all: ['Names the capital.', 'country 3'] }, in: 'conversation', reply: verdict('no') },
    { match: 'Names the capital.', in: 'conversation', reply: verdict('yes') },
    { reply: { text: '```json\n{"capital": "Some City"}\n```' } },
  ].map((rule) => JSON.stringify(rule)).join('\n'));
  const sim = await simulator(t, ['--script', join(directory, 'script.jsonl')]);
  const run = (...flags) => assay(['run', 'eval.yaml', '--quiet', ...flags], { cwd: directory, env: sim.env });
  assert.equal((await run('-o', 'first')).code, 0);
  const conclusions = (name) => JSON.parse(readFileSync(join(directory, name, 'summary.json'), 'utf8')).conclusions;
  assert.ok(conclusions('first').some((one) => /not checked against people: assay label-sample DIR --figure score\.mean/.test(one)));
  const drawn = await assay(['label-sample', 'first', '--figure', 'score.mean', '--count', '5', '--output', 'labels.csv'], { cwd: directory });
  assert.equal(drawn.code, 0, drawn.stderr);
  const sheet = readFileSync(join(directory, 'labels.csv'), 'utf8');
  assert.match(sheet, /^id,probability,asked,task,expected,criteria,answer,drawn,label\r\n/);
  assert.match(sheet, /Name the capital of country \d[\s\S]*City \d[\s\S]*Names the capital\./);
  assert.doesNotMatch(sheet, /fulfilled|reason/);
  writeFileSync(join(directory, 'labels.csv'), sheet.replace(/,\r\n/g, ',1\r\n'));
  const second = await run('-o', 'second', '--reuse', 'first', '--human', '{labels: labels.csv, figure: score.mean}');
  assert.equal(second.code, 0, second.stderr);
  const { metrics } = JSON.parse(readFileSync(join(directory, 'second/summary.json'), 'utf8'));
  assert.equal(metrics['score.mean.labels'].value, 5);
  assert.equal(typeof metrics['score.mean.corrected'].value, 'number');
  assert.match(conclusions('second')[0], /^Corrected by people's labels of 5 cases/);
  assert.ok(conclusions('second').some((one) => /neither judge nor prompts have changed since/.test(one)));
});

test('answers that stand in a file are shown to people as their judge saw them, and are no system that could be audited', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  writeFileSync(join(directory, 'tasks/refund.yaml'), JSON.stringify({ tool_calling_prompt: 'Answer Ann.', scorer: { name: 'rubric', criteria: ['Says that it is refunded'] }, variations: [{ expected_output: 'It is refunded.' }] }));
  const line = (more) => `${JSON.stringify({ id: 'a', answer: '[Role: Clerk] It is refunded today.', note: 'of no judge', ...more })}\n`;
  writeFileSync(join(directory, 'rubric.jsonl'), line({ task: 'refund' }));
  writeFileSync(join(directory, 'rated.jsonl'), line({ query: 'What now?', against: 'Ask somebody.' }));
  writeFileSync(join(directory, 'rubric.yaml'), 'evaluation: benchmark\ninput_dir: tasks\nsystem: tool_calling\nmodel: sim/m\njudge: sim/judge\nanswers: rubric.jsonl\n');
  writeFileSync(join(directory, 'rated.yaml'), 'evaluation: experiment\nqueries: nowhere.yaml\nconditions: [{name: a}, {name: control}]\npairwise: {model: sim/judge, evaluators: 1}\nabsolute: {model: sim/judge, evaluators: 1}\nanswers: rated.jsonl\n');
  for (const [name, figure, sheet] of [
    ['rubric', 'score.mean', /^id,probability,asked,task,expected,answer,criteria,drawn,label\r\na,1,How much of the criteria does the answer fulfil[^,]*,Answer Ann\.,It is refunded\.,\[Role: Clerk\] It is refunded today\.,Says that it is refunded,/],
    ['rated', 'overall.mean', /^id,probability,query,answer,drawn,label\r\na,1,What now\?,It is refunded today\.,/]]) {
    const run = await assay(['run', `${name}.yaml`, '-o', name, '--quiet'], { cwd: directory });
    assert.equal(run.code, 0, run.stderr);
    const drawn = await assay(['label-sample', name, '--figure', figure], { cwd: directory });
    assert.equal(drawn.code, 0, drawn.stderr);
    assert.match(drawn.stdout, sheet);
    const scored = await assay(['score', name, '-o', `${name}-again`, '--quiet'], { cwd: directory });
    assert.equal(scored.code, 0, scored.stderr);
    const audit = await assay(['audit', name, name], { cwd: directory });
    assert.equal(audit.code, 2);
    assert.match(audit.stderr, /its answers stand in a file and are no system's/);
  }
});
