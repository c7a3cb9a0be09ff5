// assay plan: what a small run of each evaluation tells of cases, answers and votes, and when it tells nothing.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { assay, readLines, root, scratch, simulator, write, writeLines } from './harness.mjs';

const examples = join(root, 'examples');
const kNoisy = '"sim/judge?noise=0.3"';

async function pilot(t, config) {
  const directory = scratch(t);
  const file = write(join(directory, 'eval.yaml'), config);
  return { directory, file, run: () => assay(['run', file, '-o', 'pilot', '--quiet'], { cwd: directory }) };
}

async function planned(directory, ...flags) {
  const plan = await assay(['plan', 'eval.yaml', '--pilot', 'pilot', '--format', 'json', ...flags], { cwd: directory });
  assert.equal(plan.code, 0, plan.stderr);
  return JSON.parse(plan.stdout);
}

test('an experiment is planned by its runs and evaluators, each condition by what is asked for it', async (t) => {
  const { directory, run } = await pilot(t, `evaluation: experiment
queries: ${examples}/experiment/queries/small.yaml
conditions: [{name: tone, prompt: ${examples}/experiment/prompts/t3.txt, reports_role: true}, {name: control}]
runs: 2
model: sim/writer
pairwise: {evaluators: 2, model: ${kNoisy}, swap: true}
absolute: {evaluators: 3, model: ${kNoisy}}
`);
  assert.equal((await run()).code, 0);
  const score = await planned(directory, '--width', '0.2');
  assert.equal(score.figure, 'score.tone.overall');
  assert.deepEqual([score.pilot.cases, score.pilot.answers, score.pilot.votes], [6, 2, 3]);
  assert.equal(typeof score.variance.answer.value, 'number');
  // An answer: itself, two pairs in two orders, two questions about its role. A vote: one rating.
  for (const { cases, answers, votes, requests } of score.designs)
    assert.equal(requests, cases * answers * (1 + 4 + 2 + votes));
  const wins = await planned(directory, '--figure', 'win_rate.tone', '--width', '0.2');
  assert.deepEqual([wins.pilot.answers, wins.pilot.votes], [2, 2]);
  // A pair: two answers with three ratings each, and two questions about a role; a vote is both orders.
  for (const { cases, answers, votes, requests } of wins.designs)
    assert.equal(requests, cases * answers * (2 + 6 + 2 + 2 * votes));
  const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
  const lines = readLines(join(directory, 'pilot/results.jsonl'));
  assert.ok(Math.abs(wins.pilot.mean - mean(lines.map(({ scores }) => scores['win_rate.tone']))) < 1e-9);
  assert.ok(Math.abs(score.pilot.mean - mean(lines.map(({ scores }) => scores['score.tone.overall']))) < 1e-9);
  const detect = await planned(directory, '--detect', '0.2');
  assert.match(detect.sentences[1], /two variants/, 'the control is the other system');
  const twice = await assay(['plan', 'eval.yaml', '--pilot', 'pilot', '--figure', 'win_rate.tone', '--detect', '0.1'], { cwd: directory });
  assert.deepEqual([twice.code, /says already how two systems compare/.test(twice.stderr)], [2, true]);
  const other = await assay(['plan', join(examples, 'components/rag_answers.yaml'), '--pilot', 'pilot', '--width', '0.1'], { cwd: directory });
  assert.match(other.stderr, /the pilot is a run of experiment, and the config is of rag_answers/);
});

test('votes on guidelines make a verdict, and all that is asked is votes', async (t) => {
  const { directory, run } = await pilot(t, `evaluation: guidelines
conversations: ${examples}/guidelines/conversations.jsonl
guidelines: ${examples}/guidelines/shared/city.yaml
judge: {model: ${kNoisy}}
votes: 3
skip: [continuous, no_action, low_criticality]
limit: 10
`);
  assert.equal((await run()).code, 0);
  const plan = await planned(directory, '--figure', 'applied_rate_per_conversation', '--width', '0.1');
  assert.deepEqual([plan.pilot.cases, plan.pilot.votes], [10, 3]);
  assert.match(plan.sentences[0], /^3 votes of 1 judge on 1 answer of each of \d+ cases/);
  assert.match(plan.sentences.at(-1), /Most votes make a verdict/);
  assert.ok(!plan.sentences.join().includes('one vote an answer'));
  const asked = readLines(join(directory, 'pilot/results.jsonl')).reduce((sum, { usage }) => sum + usage.requests, 0);
  for (const { cases, requests } of plan.designs) assert.ok(Math.abs(requests - cases * asked / 10) < 1e-6);
});

async function benchmark(t, scorer) {
  const found = await pilot(t, `evaluation: benchmark
input_dir: tasks
system: [tool_calling, tool_calling_python]
model: openai/agent
judge: openai/judge
repeat: 2
max_nudges: 0
`);
  mkdirSync(join(found.directory, 'tasks'));
  for (const i of [1, 2, 3, 4, 5])
    write(join(found.directory, `tasks/t${i}.yaml`), `tool_calling_prompt: "Name the capital of {c}."\n${scorer(i)}variations:\n  - {parameters: {c: X${i}}, expected_output: {capital: Y}}\n`);
  const verdict = (fulfilled) => ({ json: { verdicts: [{ criterion: 1, reason: 'as it stands', fulfilled }] } });
  writeLines(join(found.directory, 'script.jsonl'), [
    { match: { contains_all: ['Is short.', 'X3'] }, in: 'conversation', reply: verdict('no') },
    { match: 'Is short.', in: 'conversation', reply: verdict('yes') },
    { reply: { text: '```json\n{"capital": "Some City"}\n```' } },
  ]);
  const sim = await simulator(t, ['--script', join(found.directory, 'script.jsonl')]);
  const run = await assay(['run', 'eval.yaml', '-o', 'pilot', '--quiet'], { cwd: found.directory, env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  return found.directory;
}

const kRubric = 'scorer: {name: rubric, criteria: ["Is short."]}\n';

test('a benchmark is planned one system at a time, where a rubric judges it, and refused where none does', async (t) => {
  const judged = await benchmark(t, () => kRubric);
  const plan = await planned(judged, '--width', '0.3');
  assert.equal(plan.figure, 'score.mean.tool_calling/openai-agent');
  assert.deepEqual([plan.pilot.cases, plan.pilot.answers, plan.pilot.votes, plan.pilot.mean], [5, 2, 1, 0.8]);
  for (const { cases, answers, requests } of plan.designs) assert.equal(requests, cases * answers * 2, 'the answer and its verdict');
  const mixed = await assay(['plan', 'eval.yaml', '--pilot', 'pilot', '--figure', 'score.mean', '--width', '0.3'], { cwd: judged });
  assert.deepEqual([mixed.code, /no plan can be made for score\.mean[,;]/.test(mixed.stderr)], [2, true]);
  const counted = await benchmark(t, (i) => (i === 1 ? kRubric : ''));
  const refused = await assay(['plan', 'eval.yaml', '--pilot', 'pilot', '--width', '0.3'], { cwd: counted });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /of the 10 scored runs of tool_calling\/openai-agent 8 are scored without a judge/);
});

test('the default figure has scores, and several personas are no votes of one judge', async (t) => {
  const config = (personas) => `evaluation: persona
items: ${examples}/persona/items.jsonl
persona: [${personas.map((name) => `${examples}/persona/personas/${name}.json`)}]
perspectives: [{id: classification, name: Classification, text: "Is the chosen value the right one?"}]
mode: mode3
model: ${kNoisy}
`;
  const one = await pilot(t, config(['ines']));
  assert.equal((await one.run()).code, 0);
  const plan = await planned(one.directory, '--width', '0.2');
  assert.equal(plan.figure, 'agreement_rate_per_request');
  assert.ok(plan.designs.every(({ cases, requests }) => requests >= cases));
  const two = await pilot(t, config(['ines', 'tobias']));
  assert.equal((await two.run()).code, 0);
  const refused = await assay(['plan', 'eval.yaml', '--pilot', 'pilot', '--width', '0.2'], { cwd: two.directory });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /2 personas judge every item/);
});
