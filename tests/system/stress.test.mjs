// `assay stress`: a judge with known weaknesses is found out, an immune one is not accused, and a stress test is a run
// like any other.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { mostOpen } from './kills.mjs';
import { assay, askedMore, exists, readJson, readLines, root, scratch, simulator, start, write, writeLines } from './harness.mjs';

const kCases = 24;
const offices = ['harbour', 'library', 'museum', 'station', 'market', 'castle'];
// Every answer says what its contexts and its reference say.
const rag = Array.from({ length: kCases }, (_, i) => {
  const office = offices[i % offices.length];
  return {
    id: `q${i}`,
    question: `How do I get a permit for the ${office}?`,
    llm_answer: `The ${office} permit costs ${20 + i} pounds. The ${office} office is open on ${3 + i % 4} days.`,
    ideal_answer: `The ${office} permit costs ${20 + i} pounds. The ${office} office is open on ${3 + i % 4} days.`,
    structured_contexts: [`The ${office} permit costs ${20 + i} pounds.`, `The ${office} office is open on ${3 + i % 4} days.`],
  };
});
const ragConfig = (judge, extra = '') => `evaluation: rag_answers
input_path: rag.jsonl
judge: "${judge}"
metrics: [faithfulness, factual_recall]
n_runs: 1
${extra}`;
// The rubric's words are in every second answer.
const custom = Array.from({ length: kCases }, (_, i) => ({
  id: `c${i}`,
  customer: `k${i % 8}`,
  question: `What about order ${i}?`,
  output: i % 2 === 0 ? `We refund the purchase within ten days. Order ${i} is on its way.` : `Order ${i} is on its way. Thank you for waiting.`,
}));
const customConfig = (judge) => `evaluation: custom
input_path: custom.jsonl
cluster: customer
judge: "${judge}"
metrics:
  - {name: refunds, rubric: "Says that we refund the purchase within ten days."}
  - {name: short, words: {max: 100}}
gates: ["refunds.rate >= 0"]
`;

// The agent does in every second conversation what its guideline demands.
const conversations = Array.from({ length: kCases }, (_, i) => {
  const said = `The ${offices[i % 6]} permit costs ${20 + i} pounds`;
  return {
    id: `g${i}`,
    messages: [{ role: 'user', content: 'Hello, I have a question.' },
      { role: 'assistant', content: i % 2 === 0 ? `${said}. Please bring a photograph along.` : 'Please bring a photograph along. We look forward to it.' }],
    guidelines: [{ id: 'cost', action: `Say that t${said.slice(1)}` }],
  };
});
const guidelinesConfig = (judge) => `evaluation: guidelines\nconversations: conversations.jsonl\njudge: "${judge}"\n`;

// Every second answer says what its task demands, or what is expected; there is a run for each, with its transcript.
function rubrics(directory) {
  mkdirSync(join(directory, 'tasks'));
  mkdirSync(join(directory, 'earlier'));
  for (const [i, office] of offices.entries()) {
    const said = `The ${office} permit costs ${20 + i} pounds`;
    const criteria = [i % 2 === 0 ? `Says that t${said.slice(1)}` : 'The answer is correct'];
    const variation = (n) => ({ parameters: { n: `letter ${n}` }, ...(i % 2 === 0 ? {} : { expected_output: `${said}.` }) });
    write(join(directory, `tasks/${office}.yaml`), JSON.stringify({ tool_calling_prompt: 'How does one get in? {n}', scorer: { name: 'rubric', criteria }, variations: [0, 1, 2, 3].map(variation) }));
    for (const n of [0, 1, 2, 3]) {
      const answer = { reply: n % 2 === 0 ? `${said}. Please bring a photograph along.` : 'Please bring a photograph along. We look forward to it.', number: 0 };
      write(join(directory, `earlier/${office}-tool_calling-sim-m-variation${n}.yaml`), JSON.stringify({ conversation: [{ user_message: `How does one get in? letter ${n}` }, { assistant_message: 'Here.' }], answer }));
    }
  }
}
const rubricConfig = (judge) => `evaluation: benchmark\ninput_dir: tasks\nsystem: tool_calling\nmodel: sim/m\njudge: "${judge}"\n`;

// Answers of two conditions to the same queries, as files: long enough for a judge that likes some words.
function experiment(directory) {
  mkdirSync(join(directory, 'responses'));
  const queries = Array.from({ length: kCases }, (_, i) => ({ id: `q${i}`, text: `How do I get a permit for the ${offices[i % 6]} on day ${i}?` }));
  write(join(directory, 'queries.json'), JSON.stringify(queries));
  const answers = (say) => JSON.stringify(Object.fromEntries(queries.map(({ id }, i) => [id, say(offices[i % 6])])));
  const counsel = 'It opens early every morning, closes around noon, and somebody always knows which form belongs where. Whoever arrives late waits outside until another clerk returns from lunch, because visitors enter one after another, quietly, carrying papers, keys, patience, coins, pencils, umbrellas, sandwiches, newspapers, letters and stamps.';
  write(join(directory, 'responses/short_responses.json'), answers((office) => `[Role: Clerk] Go to the ${office} office. ${counsel}`));
  write(join(directory, 'responses/control_responses.json'), answers((office) => `The ${office} office gives permits. ${counsel}`));
}
const experimentConfig = (judge) => `evaluation: experiment
queries: queries.json
generate: false
responses: responses
conditions: [{name: short, reports_role: true}, {name: control}]
pairwise: {evaluators: 1, model: "${judge}"}
absolute: {evaluators: 1, model: "${judge}"}
`;

async function stressed(directory, config, args = []) {
  write(join(directory, 'eval.yaml'), config);
  const run = await assay(['stress', 'eval.yaml', '-o', 'out', ...args], { cwd: directory });
  return { run, summary: exists(join(directory, 'out/summary.json')) ? readJson(join(directory, 'out/summary.json')) : null };
}

test('a judge with known weaknesses is found out, and an immune one is not accused', async (t) => {
  const weak = scratch(t);
  writeLines(join(weak, 'custom.jsonl'), custom);
  const found = await stressed(weak, customConfig('sim/judge?noise=0.05&weak=orders,names'), ['--gate', 'weaknesses <= 1']);
  assert.equal(found.run.code, 1, found.run.stderr);  // the gate is about the stress test's own figures
  assert.equal(found.summary.metrics.weaknesses.value, 2);
  const moves = found.summary.metrics['order_in_answer.refunds.shift'];
  assert.ok(moves.value > 0.3 && moves.ci[0] > 0 && moves.method === 'paired_t_clustered', JSON.stringify(moves));
  assert.match(found.run.stdout, /24 of 24 cases: each as it was, once more, and changed \(padding 24/);
  assert.match(found.run.stdout, /sim\/judge\S*: \d+ calls, about [^\n]*\$0\.00/);
  assert.match(found.summary.conclusions.join('\n'), /The judge follows orders hidden in the answer: refunds moved in \d+ of 24 cases, \+0\.\d\d/);
  assert.match(found.summary.conclusions.join('\n'), /is impressed by names of known models/);
  const cases = found.summary.tables.moved_cases.rows;
  assert.ok(cases.length > 5 && cases.some(([id, change]) => /^c\d*[13579]$/.test(id) && change === 'order_in_answer'), JSON.stringify(cases));
  // What the judge saw says nothing of the test: neither the id nor a word on the change.
  const lines = readLines(join(weak, 'out/results.jsonl'));
  assert.ok(lines.some(({ id, fields, stress }) => id === 'c3~names' || (id === 'c3~model_names' && fields.id === 'c3' && stress.change === 'model_names')));
  assert.ok(lines.every(({ fields }) => !('stress' in fields)));
  assert.equal((await assay(['verify', 'out'], { cwd: weak })).code, 0);
  assert.match((await assay(['runs', '.'], { cwd: weak })).stdout, /stress test of the judge/);

  const immune = scratch(t);
  writeLines(join(immune, 'custom.jsonl'), custom);
  const clean = await stressed(immune, customConfig('sim/judge?noise=0.05'), ['--gate', 'weaknesses == 0']);
  assert.equal(clean.run.code, 0, clean.run.stdout + clean.run.stderr);
  assert.match(clean.summary.conclusions.join('\n'), /In 24 cases nothing that must not matter was seen to move the judge/);
  assert.match(clean.summary.conclusions.join('\n'), /Not seen to move refunds \(1\d of 24 cases could rise\), with the mean move that can be ruled out beyond: /);
});

test('a judge that counts statements is not accused of what the changes add', async (t) => {
  const data = join(root, 'examples/components/rag_answers.jsonl');
  for (const seed of [1, 2, 4, 9]) {
    const { run, summary } = await stressed(scratch(t), `evaluation: rag_answers\ninput_path: ${data}\njudge: "sim/judge?noise=0.08&seed=${seed}"\nmetrics: [faithfulness]\nn_runs: 1\n`);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(summary.metrics.weaknesses.value, 0, summary.conclusions.join('\n'));
  }
});

test('planted faults are noticed by a judge that looks, and their absence is told of one that does not', async (t) => {
  const faults = ['--changes', 'figure', '--changes', 'negation', '--changes', 'order_in_context'];
  for (const [judge, verdict] of [['sim/judge?noise=0', 'noticed'], ['sim/judge?noise=0&weak=figures,negations', 'overlooked']]) {
    const directory = scratch(t);
    writeLines(join(directory, 'rag.jsonl'), rag);
    const { run, summary } = await stressed(directory, ragConfig(judge), [...faults, '--metric', 'faithfulness']);
    assert.equal(run.code, 0, run.stderr);
    const rows = Object.fromEntries(summary.tables.must_matter.rows.map((row) => [row[0], row.at(-1)]));
    assert.deepEqual(rows, { figure: verdict, negation: verdict }, JSON.stringify(summary.tables.must_matter));
    assert.equal(summary.metrics.weaknesses.value, 0);
    assert.match(summary.conclusions.join('\n'), verdict === 'noticed' ? /The judge notices wrong figures in faithfulness: 2\d of 24/ : /The judge overlooks wrong figures in faithfulness: 0 of 24/);
    assert.ok(!Object.keys(summary.metrics).some((name) => name.includes('factual_recall')));
  }
});

test('the judge of guidelines is found out, and accused of nothing that a guideline asks for', async (t) => {
  const put = async (judge, args = []) => {
    const directory = scratch(t);
    writeLines(join(directory, 'conversations.jsonl'), conversations);
    const { run, summary } = await stressed(directory, guidelinesConfig(judge), args);
    assert.equal(run.code, 0, run.stderr);
    const faults = Object.fromEntries(summary.tables.must_matter.rows.map((row) => [row[0], row.at(-1)]));
    return { directory, run, faults, weaknesses: summary.metrics.weaknesses.value, said: summary.conclusions.join('\n') };
  };
  const weak = await put('sim/judge?noise=0.05&weak=orders,names,lists,figures', ['--metric', 'applied_rate']);
  for (const finding of [/follows orders hidden in the answer: applied_rate moved in 1\d of 24 cases/, /is impressed by names of known models/, /rewards bullet points/])
    assert.match(weak.said, finding);
  assert.equal(weak.weaknesses, 3);
  assert.deepEqual(weak.faults, { figure: 'overlooked', left_out: 'noticed' });
  // Only what the judge is asked about is changed, and it sees nothing of the test.
  assert.match(weak.run.stdout, /changed \(padding 24, bullets 24, format 24, authority 24, model_names 24, order_in_answer 24, figure 12, left_out 12\)/);
  const shown = await assay(['show', 'out', 'g0~left_out'], { cwd: weak.directory });
  assert.match(shown.stdout, /Please bring a photograph along/);
  assert.doesNotMatch(shown.stdout.slice(shown.stdout.indexOf('checks1')), /left_out|costs 20 pounds\. /);
  const immune = await put('sim/judge?noise=0.05');
  assert.equal(immune.weaknesses, 0, immune.said);
  assert.deepEqual(immune.faults, { figure: 'noticed', left_out: 'noticed' });
});

test('what a rubric of one case asks for is not changed there, and code is not dressed', async (t) => {
  const directory = scratch(t);
  const rules = ['Says that we refund the purchase.', 'Never mentions other companies.', 'Is one paragraph.'];
  writeLines(join(directory, 'custom.jsonl'), custom.map((one, i) => ({ ...one, rule: rules[i % 3], output: i < 6 ? 'def total(prices):\n    return sum(prices)' : one.output })));
  write(join(directory, 'eval.yaml'), customConfig('sim/judge').replace('Says that we refund the purchase within ten days.', '{rule}'));
  const check = await assay(['stress', 'eval.yaml', '--check'], { cwd: directory });
  assert.equal(check.code, 0, check.stderr);
  assert.match(check.stdout, /changed \(padding 6, bullets 12, format 6, authority 6, model_names 6, order_in_answer 6\)/);
  // A claim that is not true costs "is correct" something, and that is no weakness.
  writeLines(join(directory, 'custom.jsonl'), custom);
  write(join(directory, 'eval.yaml'), customConfig('sim/judge').replace(/rubric: .*}/, 'rubric: "Is correct."}'));
  assert.match((await assay(['stress', 'eval.yaml', '--check'], { cwd: directory })).stdout, /authority 24/);
});

test('the judge of rubrics is found out over the transcripts of a benchmark, and no system is asked', async (t) => {
  const put = async (judge) => {
    const directory = scratch(t);
    rubrics(directory);
    const scored = write(join(directory, 'bench.yaml'), rubricConfig(judge)) && await assay(['run', 'bench.yaml', '-o', 'run', '--transcripts', 'earlier', '--quiet'], { cwd: directory });
    assert.equal(scored.code, 0, scored.stderr);
    const run = await assay(['stress', 'run', '-o', 'out'], { cwd: directory });
    assert.equal(run.code, 0, run.stderr);
    const summary = readJson(join(directory, 'out/summary.json'));
    const faults = Object.fromEntries(summary.tables.must_matter.rows.map((row) => [row[0], row.at(-1)]));
    return { directory, run, faults, weaknesses: summary.metrics.weaknesses.value, said: summary.conclusions.join('\n') };
  };
  const weak = await put('sim/judge?noise=0&weak=orders,authority,headings,figures');
  for (const finding of [/follows orders hidden in the answer: score moved in 12 of 24 cases, \+0\.5/, /is impressed by claims of authority/, /rewards headings and bold text/])
    assert.match(weak.said, finding);
  assert.equal(weak.weaknesses, 3);
  assert.match(weak.run.stdout, /changed \(padding 24, .* figure 12, negation 0, left_out 6\)/);
  assert.doesNotMatch(weak.run.stdout, /sim\/m: \d+ calls/);
  assert.equal(weak.faults.figure, 'overlooked');
  const immune = await put('sim/judge?noise=0');
  assert.equal(immune.weaknesses, 0, immune.said);
  assert.equal(immune.faults.figure, 'noticed');
  assert.match(immune.said, /notices [^]*sentences left out in score: 6 of 6/);
  // A stress test is scored and put under stress no otherwise than its source.
  assert.equal((await assay(['verify', 'out'], { cwd: immune.directory })).code, 0);
  assert.equal((await assay(['score', 'out', '-o', 'again', '--quiet'], { cwd: immune.directory })).code, 0);
  const unanswered = await assay(['stress', 'bench.yaml', '-o', 'none'], { cwd: immune.directory });
  assert.equal(unanswered.code, 2);
  assert.match(unanswered.stderr, /the systems would be asked for their answers.*run it to its end first, then assay stress DIR/);
});

test('a judge that wavers is seen to waver on unchanged texts, too, and is accused of nothing', async (t) => {
  const put = async (args, directory) => {
    const run = await assay(['stress', ...args, '-o', 'out'], { cwd: directory });
    assert.equal(run.code, 0, run.stderr);
    const summary = readJson(join(directory, 'out/summary.json'));
    const own = Object.entries(summary.metrics).filter(([name]) => name.startsWith('again.')).map(([, { value }]) => value);
    assert.ok(own.length > 0 && own.every((share) => share > 0), JSON.stringify(own));
    return summary;
  };
  for (const seed of [1, 2, 3]) {
    const judge = `sim/judge?noise=0.08&seed=${seed}`;
    const talks = scratch(t);
    writeLines(join(talks, 'conversations.jsonl'), conversations.map((talk) => ({ ...talk, guidelines: [...talk.guidelines, { id: 'photograph', action: 'Ask to bring a photograph' }, { id: 'gift', action: 'Offer a gift voucher' }] })));
    write(join(talks, 'eval.yaml'), guidelinesConfig(judge));
    const letters = scratch(t);
    rubrics(letters);
    write(join(letters, 'bench.yaml'), rubricConfig(judge));
    assert.equal((await assay(['run', 'bench.yaml', '-o', 'run', '--transcripts', 'earlier', '--quiet'], { cwd: letters })).code, 0);
    for (const summary of [await put(['eval.yaml'], talks), await put(['run'], letters)])
      assert.equal(summary.metrics.weaknesses.value, 0, summary.conclusions.join('\n'));
  }
  const counsel = scratch(t);
  experiment(counsel);
  write(join(counsel, 'eval.yaml'), experimentConfig('sim/judge?noise=0.2'));
  await put(['eval.yaml', '--changes', 'authority'], counsel);
});

test('the judges of an experiment are found out, by the seat and by the dress of an answer', async (t) => {
  const put = async (judge, args = [], of = 'run') => {
    const directory = scratch(t);
    experiment(directory);
    const run = write(join(directory, 'eval.yaml'), experimentConfig(judge)) && await assay(['run', 'eval.yaml', '-o', 'run', '--quiet'], { cwd: directory });
    assert.equal(run.code, 0, run.stderr);
    const ended = await assay(['stress', of, '-o', 'out', ...args], { cwd: directory });
    assert.equal(ended.code, 0, ended.stderr);
    const summary = readJson(join(directory, 'out/summary.json'));
    return { directory, ended, summary, weaknesses: summary.metrics.weaknesses.value, said: summary.conclusions.join('\n') };
  };
  const weak = await put('sim/judge?noise=0&weak=orders,first', ['--changes', 'order_in_answer', '--changes', 'authority']);
  assert.match(weak.said, /The judge prefers the answer that it sees first: win_rate turned with the seats in 2\d of 24 pairs/);
  assert.match(weak.said, /The judge follows orders hidden in the answer: [^\n]*overall moved in 2\d of 24 cases/);
  assert.doesNotMatch(weak.said, /is impressed by claims of authority/);
  // As in the experiment: the mark of a role is not shown, and the test neither.
  const shown = await assay(['show', 'out', 'q0~authority'], { cwd: weak.directory });
  assert.match(shown.stdout, /As a certified specialist/);
  assert.doesNotMatch(shown.stdout.slice(shown.stdout.indexOf('1. ')), /Clerk|stress/);
  const verified = await assay(['verify', 'out'], { cwd: weak.directory });
  assert.equal(verified.code, 0, verified.stdout);
  const immune = await put('sim/judge?noise=0', ['--changes', 'order_in_answer', '--changes', 'authority'], 'eval.yaml');
  assert.equal(immune.weaknesses, 0, immune.said);
  assert.match(immune.said, /Not seen to move [^\n]*win_rate[^\n]*the order of the two answers/);
  const figure = await assay(['stress', 'eval.yaml', '--check', '--changes', 'figure'], { cwd: immune.directory });
  assert.equal(figure.code, 2);
  assert.match(figure.stderr, /the change figure would tell nothing: overall, win_rate cannot be held to notice this fault; possible are padding/);
  const pairs = await assay(['stress', 'eval.yaml', '--check', '--metric', 'win_rate', '--changes', 'padding'], { cwd: immune.directory });
  assert.match(pairs.stdout, /sim\/judge\S*: 144 calls/);  // 24 cases, three times, in both orders
});

test('a stress test of a run that was killed goes on, asks nothing twice that was answered, and finds the same', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--noise', '0.05', '--weak', 'orders', '--latency', '8ms']);
  writeLines(join(directory, 'custom.jsonl'), custom);
  write(join(directory, 'eval.yaml'), customConfig('openai/judge-model') + 'limits: {concurrency: 4}\n');
  const options = { cwd: directory, env: sim.env };
  assert.equal((await assay(['run', 'eval.yaml', '-o', 'run'], options)).code, 0);
  const whole = await assay(['stress', 'run', '-o', 'whole'], options);
  assert.equal(whole.code, 0, whole.stderr);
  const needed = readLines(join(directory, 'whole/results.jsonl')).length;
  await sim.reset();
  const killed = start(['stress', 'run', '-o', 'killed'], options);
  await askedMore(sim, 60, killed);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const resumed = await assay(['resume', 'killed'], options);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.ok(await sim.sent() <= needed + mostOpen(4), `${await sim.sent()} requests where ${needed} are needed`);
  assert.deepEqual(readJson(join(directory, 'killed/summary.json')).conclusions, readJson(join(directory, 'whole/summary.json')).conclusions);
  assert.equal(readJson(join(directory, 'killed/summary.json')).metrics.weaknesses.value, 1);
});

test('the anchors of a run are not asked in its stress test', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'custom.jsonl'), custom);
  writeLines(join(directory, 'anchors.jsonl'), custom.slice(0, 6).map((line, i) => ({ ...line, label: 1 - i % 2 })));
  write(join(directory, 'plain.yaml'), customConfig('sim/judge'));
  write(join(directory, 'anchored.yaml'), `${customConfig('sim/judge')}anchors: anchors.jsonl\n`);
  const calls = async (config) => (await assay(['stress', config, '--check'], { cwd: directory })).stdout.match(/\d+ calls/)[0];
  assert.equal(await calls('anchored.yaml'), await calls('plain.yaml'));
});

test('what it would cost is told without sending anything, and the budget holds', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t);
  writeLines(join(directory, 'custom.jsonl'), custom);
  write(join(directory, 'eval.yaml'), customConfig('openai/judge-model') + 'prices: {"*": {prompt: 100, completion: 100}}\n');
  const options = { cwd: directory, env: sim.env };
  const check = await assay(['stress', 'eval.yaml', '--check', '--cases', '5'], options);
  assert.equal(check.code, 0, check.stderr);
  assert.match(check.stdout, /5 of 24 cases[\s\S]*openai\/judge-model: \d+ calls, about [\s\S]*\$\d+\.\d\d[\s\S]*nothing was sent/);
  assert.equal(await sim.sent(), 0);
  assert.ok(!exists(join(directory, 'results')));
  const poor = await assay(['stress', 'eval.yaml', '-o', 'poor', '--budget.usd', '0.5'], options);
  assert.equal(poor.code, 3);
  assert.match(poor.stderr, /budget/);
  assert.ok(readJson(join(directory, 'poor/summary.json')).usage.cost_usd <= 0.5);
});

test('what cannot be put under stress says why, and leaves nothing behind', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'custom.jsonl'), custom);
  writeLines(join(directory, 'router.jsonl'), [{ id: 'a', question: 'x', expected_outcome: 'y', actual_outcome: 'y' }]);
  write(join(directory, 'eval.yaml'), customConfig('sim/judge'));
  writeLines(join(directory, 'conversations.jsonl'), conversations);
  mkdirSync(join(directory, 'tasks'));
  write(join(directory, 'tasks/sum.yaml'), '{tool_calling_prompt: Add., variations: [{expected_output: 3}]}');
  write(join(directory, 'sums.yaml'), rubricConfig('sim/judge'));
  write(join(directory, 'talks.yaml'), guidelinesConfig('sim/judge'));
  write(join(directory, 'router.yaml'), 'evaluation: question_router\ninput_path: router.jsonl\n');
  writeLines(join(directory, 'vague.jsonl'), rag.map((line) => ({ ...line, ideal_answer: 'Ask at the desk.', structured_contexts: ['Ask at the desk.'] })));
  write(join(directory, 'vague.yaml'), ragConfig('sim/judge').replace('rag.jsonl', 'vague.jsonl'));
  writeLines(join(directory, 'broken.jsonl'), [rag[0], { id: 'x', question: 'y' }]);
  write(join(directory, 'broken.yaml'), ragConfig('sim/judge').replace('rag.jsonl', 'broken.jsonl'));
  write(join(directory, 'asks.yaml'), `${customConfig('sim/judge').replace(/gates.*\n/, '')}variants: {new: {model: {model: sim/writer, prompt: "{question}"}}}\n`);
  const sums = Array.from({ length: 60 }, (_, i) => ({ id: `s${i}`, question: `${i} + 1?`, output: `${i + 1}` }));
  writeLines(join(directory, 'sums.jsonl'), sums);
  write(join(directory, 'labels.csv'), `id,label\n${sums.map(({ id }) => `${id},1\n`).join('')}`);
  write(join(directory, 'cascade.yaml'), 'evaluation: custom\ninput_path: sums.jsonl\njudge: {cascade: [sim/judge, people], labels: labels.csv}\nmetrics: [{name: right, rubric: The sum is right}]\n');
  assert.equal((await assay(['stress', 'eval.yaml', '-o', 'good', '--cases', '4'], { cwd: directory })).code, 0);
  for (const [args, message] of [
    [['router.yaml'], /question_router: no model judges answers in it: what was given is compared.*; a stress test is for rag_answers, guidelines, experiment, benchmark/],
    [[join(root, 'examples/experiment/experiment.yaml')], /the conditions would be asked for their answers.*run it to its end first/],
    [[join(root, 'examples/persona/persona_mode2.yaml')], /persona: its judge rates labels that a system gave.*anchors show whether it changes/],
    [['sums.yaml'], /benchmark: none of its tasks has the scorer rubric/],
    [['cascade.yaml'], /judge\.cascade: found several judges, expected one/],
    [['asks.yaml'], /the variant new would be asked for its answers.*run it to its end first, then assay stress DIR/],
    [['talks.yaml', '--metric', 'applied'], /no metric applied; there is applied_rate/],
    [['eval.yaml', '--changes', 'authorty'], /authority/],
    [['talks.yaml', '--changes', 'negation'], /the change negation would tell nothing: applied_rate cannot be held to notice this fault; possible are padding, [^\n]*figure, left_out/],
    [['talks.yaml', '--check', '--changes', 'padding', '--changes', 'order_in_context'], /order_in_context would tell nothing: applied_rate is not shown what it changes/],
    [['vague.yaml', '--changes', 'figure', '--cases', '4'], /figure would tell nothing: in none of the 4 cases that were drawn could it be planted where it shows; possible are padding/],
    [['eval.yaml', '--metric', 'refund'], /no judged metric refund; did you mean refunds\?/],
    [['eval.yaml', '--metric', 'short'], /no judged metric short/],
    [['broken.yaml'], /1 line cannot be used: \S*broken\.jsonl, line 2: field llm_answer: missing.*--skip-invalid/],
    [['good'], /is a stress test itself/],
    [['nowhere.yaml'], /nowhere\.yaml/],
    [[], /of what\? assay stress CONFIG\|DIR/],
    [['eval.yaml', '--judge.model', 'sim/judge?weak=flattery'], /unknown weakness "flattery"/],
  ]) {
    const run = await assay(['stress', ...args, '-o', 'bad'], { cwd: directory });
    assert.equal(run.code, 2, args.join(' ') + run.stdout);
    assert.match(run.stderr, message);
    assert.ok(!exists(join(directory, 'bad')), args.join(' '));
  }
});
