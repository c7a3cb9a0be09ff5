// assay benchmark: a score says what was compared, an answer belongs to the question that it answers, and what was cut off
// is no answer.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { appendFileSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import YAML from 'yaml';
import { assay, simulator, write, readJson, readLines, exists } from './harness.mjs';
import { readYaml, kinds, scoreMean, setUp, call, kAnswer, scripted } from './benchmark_runs.mjs';

const kFile = 'rank-tool_calling-openai-m-variation0.yaml';
const problems = (set) => readFileSync(join(set.output, 'problems.log'), 'utf8');
const result = (set) => readLines(join(set.output, 'results.jsonl'))[0];
// The same arguments for `assay check`.
const checked = ([, ...rest]) => ['check', ...rest];

test('a list of objects is scored by all its values, and check, results and report say by what', async (t) => {
  const expected = [{ id: 1, owner: 'ann', hours: 2 }, { id: 2, owner: 'bob', hours: 3 }];
  const set = setUp(t, { task: { expected_tool_calls: [], variations: [
    { data: 'values', expected_output: expected }, { data: 'order', expected_output: expected }, { data: 'ids', expected_output: ['a', 'b'] }] } });
  const block = (value) => ({ text: `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` });
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { match: 'rank values', reply: block(expected.map(({ id }) => ({ id, owner: 'zoe', hours: 99 }))) },
    { match: 'rank order', reply: block([...expected].reverse()) },
    { reply: block(['a', 'b']) },
  ])]);
  const check = await assay(checked(set.args('tool_calling', 'openai/m')), { env: sim.env });
  assert.equal(check.code, 0, check.stderr);
  assert.match(check.stdout, /rank, variations 0, 1: scored by records by `id`.*by the form of expected_output/);
  assert.match(check.stdout, /rank, variations 2: scored by ranking/);
  const run = await assay(set.args('tool_calling', 'openai/m'), { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const [values, order, ids] = readLines(join(set.output, 'results.jsonl'));
  assert.equal(values.scores['score.mean'], 0, 'right ids with every other value wrong are no right answer');
  assert.equal(values.scorer, 'records');
  assert.equal(order.scores['score.mean'], 1);
  assert.match(order.notes.join(), /another order than expected/);
  assert.equal(ids.scorer, 'ranking');
  assert.equal(readYaml(set.file(kFile)).scorer, 'records');
  const scorers = readJson(join(set.output, 'summary.json')).tables.scorers.rows;
  assert.deepEqual(scorers.map(([task, variations]) => [task, variations]), [['rank', '0, 1'], ['rank', '2']]);
  assert.match(scorers[0][2], /^records by `id`/);
  assert.match(readFileSync(join(set.output, 'report.html'), 'utf8'), /How answers are scored/);
});

for (const [what, change] of [['prompt', { tool_calling_prompt: 'rank {data} backwards' }], ['system prompt', { system_prompt: 'Be quick.' }],
  ['input', { variations: [{ data: 'the last', expected_output: ['a', 'b'] }] }]]) {
  test(`an answer to another question is not scored as one to this: the ${what} has changed`, async (t) => {
    const task = { expected_tool_calls: [], variations: [{ data: 'the first', expected_output: ['a', 'b'] }] };
    const set = setUp(t, { task });
    const sim = await simulator(t, ['--script', scripted(set.directory, [
      { times: 1, reply: { text: '```json\n["a", "b"]\n```' } }, { reply: { text: '```json\n["b", "a"]\n```' } }])]);
    const args = set.args('tool_calling', 'openai/m');
    assert.equal((await assay(args, { env: sim.env })).code, 0);
    const before = readFileSync(set.file(kFile), 'utf8');
    const path = join(set.directory, 'tasks/rank.yaml');
    write(path, YAML.stringify({ ...YAML.parse(readFileSync(path, 'utf8')), ...change }));

    const check = await assay(checked(args), { env: sim.env });
    assert.match(check.stdout, /changed since the file was written: run afresh/);
    assert.match(check.stdout, /openai\/m: 1 calls/);
    const kept = await assay([...args, '--keep-changed'], { env: sim.env });
    assert.equal(kept.code, 0, kept.stderr);
    assert.equal(await sim.sent(), 1, 'kept, because the user says so');
    assert.equal(scoreMean(set.output).value, 1);
    assert.match(problems(set), /changed since the file was written.*keep_changed/);
    assert.match(kept.stdout, /nothing was sent in this sitting/);

    const afresh = await assay(args, { env: sim.env });
    assert.equal(afresh.code, 0, afresh.stderr);
    assert.equal(await sim.sent(), 2);
    assert.equal(scoreMean(set.output).value, 0, 'what the model says to the new question');
    assert.match(problems(set), /changed since the file was written: run afresh/);
    const aside = readdirSync(set.output).filter((name) => name.includes('-replaced'));
    assert.equal(aside.length, 1);
    assert.deepEqual(readYaml(set.file(aside[0])), { ...YAML.parse(before) }, 'nothing that was paid for is lost');
    assert.equal((await assay(args, { env: sim.env })).code, 0);
    assert.equal(await sim.sent(), 2, 'and that is finished now');
  });
}

test('PromptQL: another prompt is another question, too', async (t) => {
  const set = setUp(t);
  const reply = (ids) => ({ json: { assistant_actions: [{ message: 'done', code: 'x' }], modified_artifacts: [{ identifier: 'ranked', title: 'x', artifact_type: 'table', data: ids.map((id) => ({ id })) }] } });
  const sim = await simulator(t, ['--script', scripted(set.directory, [{ times: 1, reply: reply(['a', 'b']) }, { reply: reply(['b', 'a']) }])]);
  appendFileSync(join(set.directory, 'eval.yaml'), `promptql: {url: "${sim.url}/query", version: v2}\n`);
  const args = set.args('promptql', 'claude');
  assert.equal((await assay(args, { env: sim.env })).code, 0);
  assert.equal(scoreMean(set.output).value, 1);
  const path = join(set.directory, 'tasks/rank.yaml');
  write(path, readFileSync(path, 'utf8').replace('rank {data}; put', 'rank {data} backwards; put'));
  assert.equal((await assay(args, { env: sim.env })).code, 0);
  assert.equal(scoreMean(set.output).value, 0);
});

test('a file that a person made is taken as it is, and that its question differs is told', async (t) => {
  const set = setUp(t);
  mkdirSync(set.output);
  write(set.file(kFile), YAML.stringify({ conversation: [{ user_message: 'something else' }, { assistant_message: kAnswer }] }));
  const run = await assay(set.args('tool_calling', 'openai/m'), { env: { OPENAI_API_KEY: 'unused', OPENAI_BASE_URL: 'http://127.0.0.1:9' } });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(readYaml(set.file(kFile)).score, 1);
  assert.match(problems(set), /first message is not the prompt/);
});

test('an answer that the token limit cut off is an outcome of its own, and asked again once the limit is larger', async (t) => {
  const set = setUp(t, { task: { variations: [{ data: 'the first', expected_output: ['a', 'b'] }] } });
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { times: 1, reply: { tool_calls: [call('look', 'one')] } },
    { times: 1, reply: { text: 'Let me see:\n```json\n["a", ' }, finish_reason: 'length' },
    { times: 1, reply: { tool_calls: [call('weigh', 'two')] } },
    { reply: { text: kAnswer } },
  ])]);
  const args = (tokens) => set.args('tool_calling', 'openai/m', '--max-tokens', tokens);
  const cut = await assay(args('16'), { env: sim.env });
  assert.equal(cut.code, 3, cut.stderr);
  assert.equal(result(set).outcome, 'limit_hit');
  assert.match(result(set).error, /cut off at the limit of 16 tokens; raise max_tokens/);
  assert.equal(readYaml(set.file(kFile)).limit_hit, 16);
  assert.equal(readYaml(set.file(kFile)).score, 0, 'it stays in the mean');
  assert.equal(readJson(join(set.output, 'summary.json')).metrics.completed.value, 0);

  const same = await assay(args('16'), { env: sim.env });
  assert.equal(same.code, 3);
  assert.equal(await sim.sent(), 2, 'the same limit would cut it off again');
  assert.match(problems(set), /limit of 16 tokens, which has not been raised since/);

  const raised = await assay(args('4000'), { env: sim.env });
  assert.equal(raised.code, 0, raised.stderr);
  const file = readYaml(set.file(kFile));
  assert.deepEqual(kinds(file), ['user_message', 'tool_call', 'tool_call', 'assistant_message'], 'the part of a message is gone, the results are used');
  assert.equal(file.limit_hit, undefined);
  assert.equal(file.score, 1);
  assert.deepEqual(set.tool.uses().map(({ q }) => q), ['one', 'two']);
});

test('check counts only what would be asked', async (t) => {
  const set = setUp(t, { task: { scorer: { name: 'rubric', criteria: ['is sorted'] }, variations: [{ data: 'one' }, { data: 'two' }, { data: 'three' }] }, config: 'judge: openai/judge\n' });
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { match: 'is sorted', in: 'conversation', reply: { json: { verdicts: [{ criterion: 1, reason: 'yes', fulfilled: 'yes' }] } } },
    { reply: { text: kAnswer } },
  ])]);
  const args = set.args('tool_calling', 'openai/m', '--max-nudges', '0');
  const calls = async () => Object.fromEntries([...(await assay(checked(args), { env: sim.env })).stdout.matchAll(/^(\S+): (\d+) calls/gm)].map(([, model, count]) => [model, Number(count)]));
  assert.deepEqual(await calls(), { 'openai/judge': 3, 'openai/m': 9 });
  assert.ok(!exists(set.output), 'and makes no directory');
  assert.equal((await assay(args, { env: sim.env })).code, 0);
  assert.deepEqual(await calls(), {}, 'everything is finished and judged');
  const name = set.file('rank-tool_calling-openai-m-variation1.yaml');
  const file = readYaml(name);
  write(name, YAML.stringify({ ...file, conversation: [...file.conversation, { user_message: 'look again' }] }));
  assert.deepEqual(await calls(), { 'openai/judge': 1, 'openai/m': 3 }, 'one conversation goes on');
});

test('PromptQL that only proposes a plan is told once to carry it out', async (t) => {
  const set = setUp(t, { task: { variations: [{ data: 'gladly', expected_output: ['a', 'b'] }, { data: 'never', expected_output: ['a', 'b'] }] } });
  const reply = (actions, artifacts) => ({ json: { assistant_actions: actions, modified_artifacts: artifacts } });
  const plan = reply([{ message: 'Shall I?', plan: '1. sort', code: null }], []);
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { match: { contains_all: ['rank gladly', 'Shall I?', "artifact 'ranked'"] }, in: 'conversation', reply: reply([{ message: 'done', code: 'x' }], [{ identifier: 'ranked', title: 'x', artifact_type: 'table', data: ['a', 'b'] }]) },
    { reply: plan },
  ])]);
  appendFileSync(join(set.directory, 'eval.yaml'), `promptql: {url: "${sim.url}/query", ddn: {url: "https://data.example/v1/sql"}, ai_primitives_llm: openai/gpt-4o}\n`);
  const queries = async () => (await sim.stats()).requests.by_status['200'] ?? 0;
  const args = set.args('promptql', 'claude');
  const run = await assay(args, { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const file = readYaml(set.file('rank-promptql-claude-variation0.yaml'));
  assert.equal(file.score, 1);
  assert.equal(file.proposed.assistant_actions[0].plan, '1. sort');
  assert.equal(file.nudges, 1);
  assert.equal(readYaml(set.file('rank-promptql-claude-variation1.yaml')).score, 0);
  assert.equal(await queries(), 4, 'two each: it is asked once more, not for ever');
  assert.equal((await assay(args, { env: sim.env })).code, 0);
  assert.equal(await queries(), 4);
});

test('the transcripts lead back, have an index and choices, and show what was expected beside the answer', async (t) => {
  const set = setUp(t, { task: { variations: [{ data: 'x', expected_output: ['a', 'b'] }, { data: 'y', expected_output: ['<c>'] }] } });
  const run = await assay(set.args('tool_calling,tool_calling_python', 'sim/one', '--max-nudges', '0'));
  assert.equal(run.code, 0, run.stderr);
  const page = readFileSync(join(set.output, 'transcripts.html'), 'utf8');
  assert.match(page, /<a href="report\.html">/);
  assert.equal(page.match(/<tr class="run /g).length, 4, 'every run is in the index');
  for (const [, anchor] of page.matchAll(/<td><a href="#(run\d+)">/g)) assert.ok(page.includes(`id="${anchor}"`));
  for (const choice of ['s-1', 'v-2']) assert.ok(page.includes(`id="${choice}"`) && page.includes(`body:has(#${choice}:checked)`), choice);
  assert.ok(!page.includes('<script src') && page.includes("default-src 'none'"));
  assert.match(page, /expected<\/div><pre>\[\s*&quot;&lt;c&gt;|expected<\/div><pre>\[\s*"&lt;c&gt;/);
  const summary = readJson(join(set.output, 'summary.json'));
  assert.equal(Object.keys(summary.metrics)[0], 'score.mean.tool_calling/sim-one', 'rivals first, not their mean');
});
