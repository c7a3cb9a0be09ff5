// Anchors: labelled cases that every run has judged beside its own, and what they tell of the judge.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { assay, scratch } from './harness.mjs';
import { endpoint } from './endpoint.mjs';

const lines = (list) => list.map((line) => JSON.stringify(line)).join('\n') + '\n';
const read = (directory, file) => readFileSync(join(directory, file), 'utf8');
const rows = (directory, file) => read(directory, file).trim().split('\n').map((line) => JSON.parse(line));

// A judge of coherence that calls an answer good where it says so, and from some moment on some others too.
async function judged(t) {
  const directory = scratch(t);
  const judge = { kinder: false };
  const model = await endpoint(t, (body) => {
    const asked = body.messages.map(({ content }) => content).join('\n');
    const good = /this is good/.test(asked) || (judge.kinder && /easily taken/.test(asked));
    return { content: { score: good ? 5 : 1, reason: 'as it says' } };
  });
  writeFileSync(join(directory, 'data.jsonl'), lines([1, 2, 3].map((i) => ({ id: `c${i}`, question: `Question ${i}?`, llm_answer: i === 1 ? 'this is good' : 'not so' }))));
  writeFileSync(join(directory, 'anchors.jsonl'), lines(Array.from({ length: 30 }, (_, i) => (
    { id: `a${i}`, question: `Anchor ${i}?`, llm_answer: i % 2 ? 'this is good' : i % 4 ? 'easily taken for good' : 'bad', label: i % 2 }))));
  writeFileSync(join(directory, 'eval.yaml'), 'evaluation: rag_answers\ngenerate: false\ninput_path: data.jsonl\njudge: openai/gpt-4o\nmetrics: [coherence]\nn_runs: 1\nanchors: anchors.jsonl\n');
  let number = 0;
  const run = async (...flags) => {
    const ended = await assay(['run', 'eval.yaml', '--output-dir', `results/run${++number}`, '--quiet', ...flags], { cwd: directory, env: model.env });
    assert.equal(ended.code, 0, ended.stderr);
    return join(directory, `results/run${number}`);
  };
  const drift = async (...flags) => assay(['runs', 'results', '--drift', ...flags], { cwd: directory });
  return { directory, judge, model, run, drift };
}

test('anchors are judged in every run, and count in none of its figures', async (t) => {
  const { directory, model, run } = await judged(t);
  const first = await run('--gate', 'anchors.agreement >= 0.99');
  assert.equal(rows(first, 'results.jsonl').length, 3);
  const anchors = rows(first, 'anchors.jsonl');
  assert.equal(anchors.length, 30);
  assert.deepEqual([anchors[1].id, anchors[1].label, anchors[1].scores['coherence.mean']], ['a1', 1, 1]);
  const summary = JSON.parse(read(first, 'summary.json'));
  assert.deepEqual(summary.cases, { total: 3, evaluated: 3, errored: 0, invalid: 0 });
  assert.equal(summary.metrics['coherence.mean'].n, 3);
  assert.equal(summary.metrics['anchors.agreement'].value, 1);
  assert.equal(summary.metrics['anchors.agreement'].n, 30);
  assert.equal(summary.anchors.figure, 'coherence.mean');
  assert.equal(summary.usage.requests, 33);
  // The judge does not see the label.
  assert.ok(model.bodies.every((body) => !/label/i.test(JSON.stringify(body.messages.at(-1)))));
  // However few of the cases are taken, and whatever an earlier run has been told: the judge of today is asked.
  const before = model.bodies.length;
  const second = await run('--limit', '1', '--reuse', first, '--cache', join(directory, 'cache'));
  assert.equal(model.bodies.length - before, 30);
  assert.equal(rows(second, 'results.jsonl').length, 1);
  const third = await run('--cache', join(directory, 'cache'), '--reuse', first);
  assert.equal(model.bodies.length - before, 60);
  assert.equal((await assay(['verify', third])).code, 0);
  assert.equal((await assay(['compare', first, third, '--fail-on-regression'])).code, 0);
  const shown = await assay(['show', third, 'anchors/a2']);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /run1\/coherence[^]*\n  label: 0\n/);
  assert.doesNotMatch(shown.stdout, /under way/);
  const stopped = await run('--stop-when', 'coherence.mean width 2');
  assert.equal(rows(stopped, 'anchors.jsonl').length, 30);
  const check = await assay(['check', 'eval.yaml'], { cwd: directory, env: model.env });
  assert.match(check.stdout, /anchors: 30 calls/);
});

test('a resumed run keeps what was said of its anchors, and other anchors are another run', async (t) => {
  const { directory, model, run } = await judged(t);
  const first = await run('--limit', '1');
  const before = model.bodies.length;
  const resumed = await assay(['resume', first, '--limit', '3', '--quiet'], { cwd: directory, env: model.env });
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(model.bodies.length - before, 2);
  assert.equal(rows(first, 'anchors.jsonl').length, 30);
  writeFileSync(join(directory, 'anchors.jsonl'), read(directory, 'anchors.jsonl').replace('"label":1', '"label":0'));
  const other = await assay(['resume', first], { cwd: directory, env: model.env });
  assert.equal(other.code, 2);
  assert.match(other.stderr, /anchors\.jsonl/);
});

test('a judge that answers otherwise is found, and one that is declared otherwise is another judge', async (t) => {
  const { directory, judge, run, drift } = await judged(t);
  for (let i = 0; i < 5; ++i) await run();
  const quiet = await drift('--fail-on-drift');
  assert.equal(quiet.code, 0, quiet.stderr);
  assert.match(quiet.stdout, /^No change of the judge is seen over 5 runs and 30 anchors/);
  judge.kinder = true;
  await run();
  await run();
  const found = JSON.parse((await drift('--format', 'json')).stdout);
  assert.equal(found.drifted, true);
  const [{ way, since, found_after, evidence, shift }] = found.series[0].drifts;
  assert.deepEqual([way, since, found_after], ['higher', 'results/run6', 'results/run6']);
  assert.ok(evidence >= 20);
  assert.equal(shift.value.toFixed(4), (7 / 30).toFixed(4));  // 7 of 30 were easily taken
  assert.ok(shift.ci[0] > 0.05 && shift.ci[1] < 0.42);
  const words = await drift('--fail-on-drift');
  assert.equal(words.code, 1);
  assert.match(words.stdout, /^The judge has changed: from results\/run6 .* higher \(95% interval .*known after results\/run6/);
  await run('--judge.max-tokens', '99');
  const other = await drift();
  assert.equal(other.code, 0);
  assert.match(other.stdout, /From results\/run8 .*judge\.max_tokens: not set → 99.*not drift, with a series of its own/);
  assert.equal(existsSync(join(directory, 'results/run8/anchors.jsonl')), true);
  // One run that cannot be read hides nothing of the others.
  writeFileSync(join(directory, 'results/run3/anchors.jsonl'), '{"id": "a0", ');
  const broken = await drift();
  assert.equal(broken.code, 0, broken.stderr);
  assert.match(broken.stdout, /From results\/run8[\s\S]*\nnot read: results\/run3: /);
  assert.deepEqual(JSON.parse((await drift('--format', 'json')).stdout).unread.map(({ directory: name }) => name), ['results/run3']);
});

test('anchors are for evaluations with a judge, and what is wrong with them is told before anything is sent', async (t) => {
  const { directory, model } = await judged(t);
  const refused = async (config, message) => {
    writeFileSync(join(directory, 'wrong.yaml'), config);
    const ended = await assay(['check', 'wrong.yaml'], { cwd: directory, env: model.env });
    assert.equal(ended.code, 2, ended.stdout);
    assert.match(ended.stderr, message);
  };
  const rag = read(directory, 'eval.yaml');
  writeFileSync(join(directory, 'router.jsonl'), lines([{ question: 'q', expected_outcome: 'a', actual_outcome: 'a' }]));
  await refused('evaluation: question_router\ninput_path: router.jsonl\nanchors: anchors.jsonl\n', /question_router has no judge/);
  await refused(rag.replace('anchors: anchors.jsonl', 'anchors: nowhere.jsonl'), /nowhere\.jsonl/);
  await refused(rag.replace('anchors: anchors.jsonl', 'anchors: {file: anchors.jsonl, figure: coherense.mean}'), /did you mean coherence\.mean/);
  await refused(rag.replace('anchors: anchors.jsonl', 'anchors: data.jsonl'), /no line has a `label`/);
  writeFileSync(join(directory, 'bad.jsonl'), lines([{ question: 'q', llm_answer: 'a', label: 'perhaps' }, { question: 'q', llm_answer: 'a', label: 7 }, { question: 'q', label: 1 }]));
  await refused(rag.replace('anchors: anchors.jsonl', 'anchors: bad.jsonl'), /line 1, label: found "perhaps"[^]*line 2, label: found 7, but coherence\.mean lies between 0 and 1[^]*llm_answer/);
  // What is wrong, once each and nothing else: a file without a good line has lines all the same.
  const told = async (text) => {
    writeFileSync(join(directory, 'bad.jsonl'), text);
    const { stderr } = await assay(['check', 'wrong.yaml'], { cwd: directory, env: model.env });
    return stderr.trim().split('\n').map((line) => line.replaceAll(`${directory}/`, ''));
  };
  assert.deepEqual(await told(lines([{ llm_answer: 'a', label: 1 }])), ['error: bad.jsonl, line 1: field question: missing, expected text']);
  assert.deepEqual(await told(lines([{ question: 'q', llm_answer: 'a', label: 'perhaps' }])), ['error: bad.jsonl, line 1, label: found "perhaps", expected a number, true or false']);
  assert.deepEqual(await told('\n'), ['error: bad.jsonl: holds no case']);
  assert.equal(model.bodies.length, 0);
  const none = await assay(['runs', '.', '--drift'], { cwd: directory });
  assert.equal(none.code, 2);
  assert.match(none.stderr, /no finished run there has anchors/);
});

test('guidelines, persona and custom have anchors too', async (t) => {
  const directory = scratch(t);
  const examples = join(import.meta.dirname, '../../examples');
  const labelled = (file, label, take) => lines(readFileSync(join(examples, file), 'utf8').trim().split('\n').slice(0, take).map((line, i) => ({ ...JSON.parse(line), label: label(i) })));
  writeFileSync(join(directory, 'conversations.jsonl'), labelled('guidelines/conversations.jsonl', (i) => i % 2, 6));
  writeFileSync(join(directory, 'items.jsonl'), labelled('persona/items.jsonl', (i) => 1 + i % 5, 4));
  writeFileSync(join(directory, 'answers.jsonl'), lines([1, 2, 3, 4].map((i) => ({ id: i, question: `q${i}`, output: `an answer of ${i} words`, label: i % 2 }))));
  writeFileSync(join(directory, 'questions.jsonl'), lines([1, 2].map((i) => ({ id: i, question: `q${i}` }))));
  writeFileSync(join(directory, 'custom.yaml'), 'evaluation: custom\ninput_path: questions.jsonl\nvariants:\n  old: {model: {model: sim/writer, prompt: "{question}"}}\n  new: {model: {model: sim/writer, prompt: "Again: {question}"}}\njudge: sim/judge\nrepeat: 2\nmetrics:\n  - {name: right, rubric: "Is it right?"}\n  - {name: better, pairwise: {rubric: "Which is better?"}}\ncase_passes: [right]\nanchors: answers.jsonl\n');
  for (const [config, anchors, figure, n] of [
    [join(examples, 'guidelines/guidelines.yaml'), 'conversations.jsonl', 'applied_rate_per_conversation', 6],
    [join(examples, 'persona/persona_mode2.yaml'), 'items.jsonl', 'likert.mean_per_request', 4],
    ['custom.yaml', 'answers.jsonl', 'right.rate', 4]]) {
    const ended = await assay(['run', config, '--anchors', JSON.stringify({ file: join(directory, anchors), figure }), '--limit', '2', '--output-dir', `out-${anchors}`, '--quiet'], { cwd: directory });
    assert.equal(ended.code, 0, `${config}: ${ended.stderr}`);
    const summary = JSON.parse(read(directory, `out-${anchors}/summary.json`));
    assert.ok(summary.anchors.cases >= n && summary.metrics['anchors.agreement'].n >= n, JSON.stringify(summary.anchors));
    assert.equal(summary.anchors.figure, figure);
  }
});

test('anchors of a benchmark are answers that its judge rates, anew wherever the judge, they or their task have changed', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  const task = (days) => writeFileSync(join(directory, 'tasks/refund.yaml'), JSON.stringify({ tool_calling_prompt: 'Answer {who}.', scorer: { name: 'rubric', criteria: [`Says that we refund the purchase within ${days} days`] }, variations: [{ who: 'Ann' }, { who: 'Bob' }] }));
  task(30);
  writeFileSync(join(directory, 'tasks/sum.yaml'), JSON.stringify({ tool_calling_prompt: 'Add.', variations: [{ expected_output: 3 }] }));
  const anchor = (i) => ({ id: `a${i}`, task: 'refund', variation: i % 2, answer: { text: i % 4 < 2 ? 'We refund the purchase within 30 days.' : 'It is on its way.' }, label: i % 4 < 2 ? 1 : 0 });
  const anchors = Array.from({ length: 8 }, (_, i) => anchor(i));
  writeFileSync(join(directory, 'anchors.jsonl'), lines(anchors));
  writeFileSync(join(directory, 'eval.yaml'), 'evaluation: benchmark\ninput_dir: tasks\nsystem: tool_calling\nmodel: sim/m\njudge: "sim/judge?noise=0"\nanchors: anchors.jsonl\n');
  const agreement = () => JSON.parse(read(directory, 'out/summary.json')).metrics['anchors.agreement'];
  const run = async (...flags) => {
    const ended = await assay(['run', 'eval.yaml', '-o', 'out', ...flags], { cwd: directory });
    assert.equal(ended.code, 0, ended.stderr);
    return Number(/(?:(\d+) requests? were|nothing was) sent in this sitting/.exec(ended.stdout)?.[1] ?? 0);
  };
  assert.match((await assay(['check', 'eval.yaml'], { cwd: directory })).stdout, /anchors: 8 calls/);
  await run();
  assert.deepEqual([agreement().value, agreement().n], [1, 8]);
  assert.equal(rows(directory, 'out/anchors.jsonl')[2].details.verdicts[0].fulfilled, 'no');
  assert.equal(await run(), 0, 'the same anchors by the same judge are judged once');
  // In one directory, whatever has changed: what was said before is said of nothing else.
  assert.equal(await run('--judge', 'sim/judge?noise=0&weak=figures'), 8);
  task(14);
  assert.equal(await run(), 8);
  assert.equal(agreement().value, 0.5);
  writeFileSync(join(directory, 'anchors.jsonl'), lines(anchors.map((one) => ({ ...one, answer: 'We refund the purchase within 14 days.' }))));
  assert.equal(await run(), 8);
  assert.ok(rows(directory, 'out/anchors.jsonl').every(({ scores }) => scores['score.mean'] === 1));
  assert.equal((await assay(['verify', 'out'], { cwd: directory })).code, 0);
  assert.match((await assay(['runs', '.', '--drift'], { cwd: directory })).stdout, /Score · mean, benchmark, judged by sim\/judge/);
  writeFileSync(join(directory, 'anchors.jsonl'), lines([{ task: 'refnd', answer: 1, label: 1 }, { task: 'sum', answer: 3, label: 1 }, { task: 'refund', variation: 'Cid', answer: 1, label: 1 }]));
  const wrong = await assay(['check', 'eval.yaml'], { cwd: directory });
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /line 1: field task: found "refnd".*did you mean refund[^]*line 2: field task: found "sum", whose answers no judge rates[^]*line 3: field variation: found "Cid"/);
  const refund = read(directory, 'tasks/refund.yaml');
  writeFileSync(join(directory, 'tasks/refund.yaml'), refund.replace(/"scorer":.*?\]\},/, ''));
  const unjudged = await assay(['check', 'eval.yaml'], { cwd: directory });
  assert.match(unjudged.stderr, /as anchors, answers: no task has the scorer `rubric`/);
});

test('a task that was corrected, in what is expected or in what is asked, is no drift of the judge', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  const task = (prompt, days) => writeFileSync(join(directory, 'tasks/refund.yaml'), JSON.stringify({ tool_calling_prompt: prompt, scorer: { name: 'rubric', criteria: ['The answer is correct'] }, variations: [{ expected_output: `We refund within ${days} days.` }] }));
  writeFileSync(join(directory, 'anchors.jsonl'), lines([0, 1, 2, 3].map((i) => ({ id: `a${i}`, task: 'refund', answer: 'We refund within 30 days.', label: 1 }))));
  writeFileSync(join(directory, 'eval.yaml'), 'evaluation: benchmark\ninput_dir: tasks\nsystem: tool_calling\nmodel: sim/m\njudge: "sim/judge?noise=0"\nanchors: anchors.jsonl\n');
  for (const [place, [prompt, days]] of [['Answer.', 30], ['Answer.', 30], ['Answer.', 14], ['Answer in full.', 14]].entries()) {
    task(prompt, days);
    const ended = await assay(['run', 'eval.yaml', '-o', `results/run${place}`, '--quiet'], { cwd: directory });
    assert.equal(ended.code, 0, ended.stderr);
  }
  const { series, sentences } = JSON.parse((await assay(['runs', 'results', '--drift', '--format', 'json'], { cwd: directory })).stdout);
  assert.deepEqual(series.map(({ runs, differs }) => [runs.length, differs]),
    [[2, []], ...Array(2).fill([1, ['what the judge is shown with 4 anchors differs: a0, a1, a2, a3']])]);
  assert.match(sentences.at(-1), /From results\/run3 .* not drift/);
});

test('anchors of an experiment are answers that its judges rate, and compare with another', async (t) => {
  const directory = scratch(t);
  cpSync(join(import.meta.dirname, '../../examples/experiment'), directory, { recursive: true });
  const anchor = (i, more = {}) => ({ id: `a${i}`, query: 'How do I appeal?', answer: i % 2 ? 'Write to the office within 28 days. State your name and what is wrong.' : 'No.', label: 1 + i % 5, ...more });
  const run = async (out, anchors, figure) => {
    writeFileSync(join(directory, 'anchors.jsonl'), lines(anchors));
    const ended = await assay(['run', 'experiment_from_files.yaml', '-o', out, '--quiet', '--anchors', JSON.stringify({ file: 'anchors.jsonl', figure })], { cwd: directory });
    return { ended, summary: ended.code === 0 ? JSON.parse(read(directory, `${out}/summary.json`)) : null };
  };
  const rated = await run('rated', [0, 1, 2, 3].map((i) => anchor(i)), undefined);
  assert.equal(rated.ended.code, 0, rated.ended.stderr);
  assert.deepEqual([rated.summary.anchors.figure, rated.summary.anchors.range], ['overall.mean', [1, 5]]);
  assert.equal(rated.summary.metrics['anchors.difference'].n, 4);
  assert.equal(rated.summary.cases.total, 6);
  assert.equal((await assay(['verify', 'rated'], { cwd: directory })).code, 0);
  assert.match((await assay(['runs', '.', '--drift'], { cwd: directory })).stdout, /Overall · mean, experiment/);
  const compared = await run('compared', [0, 1].map((i) => anchor(i, { against: 'Ask somebody.', label: i })), 'win_rate.mean');
  assert.equal(compared.ended.code, 0, compared.ended.stderr);
  assert.equal(rows(directory, 'compared/anchors.jsonl')[0].pairs.length, 6);  // three evaluators, both orders
  assert.equal(compared.summary.anchors.figure, 'win_rate.mean');
  // Without another answer none is won or lost: every such line would be paid for in vain.
  const alone = await run('alone', [anchor(0, { label: 0 }), anchor(1, { against: 'Ask somebody.', label: 1 }), anchor(2, { against: '', label: 1 })], 'win_rate.mean');
  assert.equal(alone.ended.code, 2);
  assert.deepEqual(alone.ended.stderr.trim().split('\n').map((line) => line.replace(`${directory}/`, '')),
    ['error: anchors.jsonl, line 1: field against: found nothing, expected text, for win_rate.mean', 'error: anchors.jsonl, line 3: field against: found "", expected text']);
  const wrong = await run('wrong', [anchor(0, { answer: null }), anchor(4, { label: 7 })], undefined);
  assert.equal(wrong.ended.code, 2);
  assert.match(wrong.ended.stderr, /line 1: field answer: found null, expected text[^]*line 2, label: found 7, but overall\.mean lies between 1 and 5/);
});

test('a judge whose own prompt or persona has another text in the same file is another judge', async (t) => {
  const directory = scratch(t);
  const examples = join(import.meta.dirname, '../../examples');
  for (const [from, config, file, change] of [
    ['custom', 'support_bot.yaml', 'prompts/tone.txt', (text) => `Be strict.\n${text}`],
    ['persona', 'persona_mode2.yaml', 'personas/ines.json', (text) => JSON.stringify({ ...JSON.parse(text), name: 'Ines, who is strict' })]]) {
    cpSync(join(examples, from), join(directory, from), { recursive: true });
    const run = async (name) => {
      const ended = await assay(['run', `${from}/${config}`, '--limit', '4', '--output-dir', name, '--quiet'], { cwd: directory });
      assert.ok([0, 1].includes(ended.code), ended.stderr);
    };
    await run(`${from}1`);
    writeFileSync(join(directory, from, file), change(read(directory, `${from}/${file}`)));
    await run(`${from}2`);
    const compared = await assay(['compare', `${from}1`, `${from}2`, '--fail-on-regression'], { cwd: directory });
    assert.equal(compared.code, 0);
    assert.match(compared.stdout, /judged differently \(prompt [^)]*(tone\/judge\/prompt|personas\/)[^)]*: its text differs\)/);
  }
});
