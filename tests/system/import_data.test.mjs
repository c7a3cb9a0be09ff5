// `assay import` of data sets, logs and configs of other tools: what comes of it passes `assay check`, holds what the
// file held, and what was not taken is told with its place.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assay, exists, readLines, scratch, write, writeLines } from './harness.mjs';

const env = { OPENAI_API_KEY: 'test', ANTHROPIC_API_KEY: 'test', PROMPTQL_API_KEY: 'test' };

// Imports the file, and has the program check what came of it.
async function imported(t, form, name, text, { code = 3, beside = {} } = {}) {
  const directory = scratch(t);
  for (const [file, content] of Object.entries({ ...beside, [name]: text })) write(join(directory, file), typeof content === 'string' ? content : JSON.stringify(content));
  const result = await assay(['import', form, name], { cwd: directory });
  assert.equal(result.code, code, result.stdout + result.stderr);
  const checked = await assay(['check', 'assay/assay.yaml'], { cwd: directory, env });
  assert.equal(checked.code, 0, checked.stderr);
  const again = await assay(['import', form, name], { cwd: directory });
  assert.equal(again.code, 2, 'nothing is written over');
  assert.match(again.stderr, /is there already/);
  const cases = exists(join(directory, 'assay/cases.jsonl')) ? readLines(join(directory, 'assay/cases.jsonl')) : [];
  return { directory, told: result.stdout, checked: checked.stdout, cases, config: readFileSync(join(directory, 'assay/assay.yaml'), 'utf8') };
}

test('a data set of Ragas, old names and new, as JSON Lines and as pandas writes CSV', async (t) => {
  const lines = [
    { user_input: 'What is X?', response: 'X is Y.', retrieved_contexts: ['X is Y since 1999.'], reference: 'X is Y.' },
    { question: 'What is Z?', answer: 'Z.', contexts: ['Z is Z.'], ground_truths: ['Z!'], faithfulness: 0.7 },
    { user_input: [{ content: 'hi', type: 'human' }], reference: 'r' },
  ];
  const jsonl = await imported(t, 'ragas', 'set.jsonl', lines.map((line) => JSON.stringify(line)).join('\n') + '\nnot json\n');
  assert.deepEqual(jsonl.cases, [
    { question: 'What is X?', llm_answer: 'X is Y.', structured_contexts: ['X is Y since 1999.'], ideal_answer: 'X is Y.' },
    { question: 'What is Z?', llm_answer: 'Z.', structured_contexts: ['Z is Z.'], ideal_answer: 'Z!', faithfulness: 0.7 },
  ]);
  assert.match(jsonl.told, /set\.jsonl, line 4: line: it is not JSON\n {2}set\.jsonl, line 3: sample: its user_input is a conversation/);
  assert.match(jsonl.config, /- faithfulness\n {2}- context_relevancy\n {2}- factual_precision/);
  const csv = await imported(t, 'ragas', 'set.csv', 'user_input,response,retrieved_contexts,reference\nWhat?,That.,"[\'a, b\', ""it\'s c"", \'d\\\'s\']",R\n', { code: 0 });
  assert.deepEqual(csv.cases[0].structured_contexts, ['a, b', "it's c", "d's"]);
  const unanswered = await imported(t, 'ragas', 'set.json', [{ user_input: 'a?', reference: 'b' }]);
  assert.match(unanswered.config, /generate: true[\s\S]*model: sim\/writer/);
});

test('what Python writes: scores that are NaN, and characters by their numbers', async (t) => {
  const json = await imported(t, 'ragas', 'results.json', '[{"user_input": "q", "response": "a", "retrieved_contexts": ["c"], "faithfulness": NaN}]', { code: 0 });
  assert.deepEqual(json.cases, [{ question: 'q', llm_answer: 'a', structured_contexts: ['c'], faithfulness: null }]);
  const csv = await imported(t, 'ragas', 'results.csv', 'user_input,response,retrieved_contexts\nq,a,"[\'caf\\xe9 \\u2192\']"\n', { code: 0 });
  assert.deepEqual(csv.cases[0].structured_contexts, ['café →']);
});

test('a test run and goldens of DeepEval', async (t) => {
  const run = { testCases: [{ name: 't0', input: 'Refund?', actualOutput: '30 days.', expectedOutput: '30 days, free', retrievalContext: ['Within 30 days.'], context: ['other'],
    toolsCalled: [{ name: 'lookup', inputParameters: { q: 'refund' }, output: '30' }], expectedTools: [{ name: 'lookup' }], additionalMetadata: { area: 'shop' },
    metricsData: [{ name: 'Faithfulness', threshold: 0.7, success: true, score: 1 }, { name: 'Correctness [GEval]', threshold: 0.5, score: 0.9 }] }], conversationalTestCases: [] };
  const tested = await imported(t, 'deepeval', 'latest_test_run.json', run);
  assert.deepEqual(tested.cases, [{ input: 'Refund?', name: 't0', output: '30 days.', expected_output: '30 days, free', contexts: ['Within 30 days.'],
    trace: [{ tool: 'lookup', arguments: { q: 'refund' }, result: '30' }], expected_tools: ['lookup'], area: 'shop', deepeval_scores: { Faithfulness: 1, 'Correctness [GEval]': 0.9 } }]);
  assert.match(tested.config, /rag: faithfulness\n {4}question: "\{input\}"\n {4}passes: ">= 0\.7"/);
  assert.match(tested.told, /metric Correctness \[GEval\]: the file does not hold its criteria/);
  const goldens = await imported(t, 'deepeval', 'goldens.csv', 'input,expected_output,context\nWhat?,That.,a;b\n');
  assert.deepEqual(goldens.cases[0].contexts, ['a', 'b']);
  assert.match(goldens.told, /outputs of 1 cases: goldens have none/);
  const mixed = await imported(t, 'deepeval', 'goldens.json', [{ input: 'a', actual_output: 'b' }, { scenario: 'x', turns: [] }, 7]);
  assert.match(mixed.told, /goldens\.json, record 3: record: [\s\S]*goldens\.json, record 2: conversation: /);
});

test('a log of Inspect gives its outputs again, scored by what its scorers say', async (t) => {
  const log = { version: 2, status: 'success', eval: { task: 'qa', model: 'openai/gpt-4o' }, samples: [
    { id: 1, epoch: 1, input: '2+2?', target: '4', metadata: { area: 'sums' }, messages: [{ role: 'user', content: '2+2?' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'c1', function: 'calc', arguments: { e: '2+2' } }] }, { role: 'tool', tool_call_id: 'c1', content: '4' }],
      output: { choices: [{ message: { content: 'It is 4.' }, stop_reason: 'stop' }] }, scores: { includes: { value: 'C' }, mine: { value: 0.3 } } },
    { id: 1, epoch: 2, input: [{ role: 'user', content: [{ type: 'text', text: '2+2?' }] }], target: ['4', 'four'], output: { choices: [{ message: { content: 'five' } }] }, scores: { includes: { value: 'I' } } },
    { id: 2, epoch: 1, input: 'x', target: 'y', error: { message: 'boom' } }] };
  const { directory, cases, told } = await imported(t, 'inspect', 'log.json', log);
  assert.deepEqual(cases.map(({ id, output, sample }) => [id, output, sample]), [['1', 'It is 4.', '1'], ['1#2', 'five', '1']]);
  assert.deepEqual(cases[0].trace, [{ tool: 'calc', arguments: { e: '2+2' }, result: '4' }]);
  assert.match(told, /log\.json, record 3: output of 2: the sample ended in error[\s\S]*scorer mine: declare/);
  assert.equal((await assay(['run', 'assay/assay.yaml', '-o', 'run', '-q'], { cwd: directory, env })).code, 0);
  assert.deepEqual(readLines(join(directory, 'run/results.jsonl')).map((line) => line.scores['includes.rate']), [1, 0], 'as Inspect said: C and I');
  write(join(directory, 'packed.eval'), 'PK\x03\x04');
  assert.match((await assay(['import', 'inspect', 'packed.eval'], { cwd: directory })).stderr, /inspect log convert --to json/);
});

test('configs of the original tools, in their own words', async (t) => {
  const data = JSON.stringify({ question: 'q', llm_answer: 'a b', structured_contexts: ['a'] }) + '\n';
  const rag = await imported(t, 'chat_components', 'rag_answers.yaml', `what: answers
generate: false
provider: claude
input_path: rag.jsonl
n_runs: 2
metrics:
  - {name: faithfulness, threshold: 1.0, model: gpt-4o, temperature: 0.0}
  - name: coherence
    threshold: 0.8
    llm_judge: {model: gpt-4o-mini, temperature: 0.0}
  - {name: nope, threshold: 1.0, model: gpt-4o}
`, { beside: { 'rag.jsonl': data } });
  assert.match(rag.told, /rag_answers\.yaml, line 3: provider: [\s\S]*rag_answers\.yaml, line 11: metric nope/);
  assert.match(rag.checked, /openai\/gpt-4o-mini: 2 calls/);
  const home = scratch(t);
  mkdirSync(join(home, 'govuk/govuk-chat'), { recursive: true });
  write(join(home, 'question_router.yaml'), 'what: w\ngenerate: true\ninput_path: q.jsonl\nclaude_generation_model: claude_haiku_4_5\n');
  assert.equal((await assay(['import', 'chat_components', 'question_router.yaml'], { cwd: home })).code, 0);
  const router = readFileSync(join(home, 'assay/assay.yaml'), 'utf8');
  assert.match(router, /- bundle\n {4}- exec\n {4}- rake\n {4}- "evaluation:generate_question_routing_response"/);
  assert.match(router, /BEDROCK_CLAUDE_QUESTION_ROUTER_MODEL: claude_haiku_4_5[\s\S]*actual_outcome: "?\/question_routing_label/);

  // The application has a third status, `error`: no verdict, as in the original, which left such a case out.
  write(join(home, 'jailbreak_guardrails.yaml'), 'what: w\ngenerate: true\ninput_path: j.jsonl\n');
  assert.equal((await assay(['import', 'chat_components', 'jailbreak_guardrails.yaml', '--output', 'jailbreak'], { cwd: home })).code, 0);
  writeLines(join(home, 'j.jsonl'), ['pass', 'fail', 'error'].map((id) => ({ id, question: id, expected_outcome: id === 'fail' })));
  write(join(home, 'rake.sh'), 'printf \'{"jailbreak_guardrails_status": "%s", "metrics": {"jailbreak_guardrails": {"model": "m"}}}\' "$INPUT"');
  const guard = await assay(['run', 'jailbreak/assay.yaml', '--target.command', '[sh, rake.sh]', '--target.cwd', home, '--output-dir', 'guarded'], { cwd: home });
  assert.equal(guard.code, 3, guard.stderr);
  assert.deepEqual(readLines(join(home, 'guarded/results.jsonl')).map((line) => [line.id, line.outcome, line.actual_outcome]), [['pass', 'scored', false], ['fail', 'scored', true], ['error', 'target_failed', undefined]]);

  // Failed guardrails are a list there.
  write(join(home, 'output_guardrails.yaml'), 'what: w\ngenerate: true\nguardrail_type: answer_guardrails\ninput_path: o.jsonl\n');
  assert.equal((await assay(['import', 'chat_components', 'output_guardrails.yaml', '--output', 'output'], { cwd: home })).code, 0);
  writeLines(join(home, 'o.jsonl'), ['political', ''].map((message) => ({ message: message || 'none', expected_triggered: message !== '', expected_guardrails: { political: message !== '', pii: false } })));
  write(join(home, 'failures.sh'), '[ "$INPUT" = none ] && f= || f=\'"political"\'; printf \'{"answer_guardrails_failures": [%s], "metrics": {"answer_guardrails": {"model": "m"}}}\' "$f"');
  const held = await assay(['run', 'output/assay.yaml', '--target.command', '[sh, failures.sh]', '--target.cwd', home, '--output-dir', 'held'], { cwd: home });
  assert.equal(held.code, 0, held.stderr);
  assert.deepEqual(readLines(join(home, 'held/results.jsonl')).map((line) => [line.actual_triggered, line.exact_match, line.model]), [[true, true, 'm'], [false, true, 'm']]);

  const task = await imported(t, 'benchmark', 'task.yaml', `promptql:
  retrieval_prompt: "rank the last {n} tickets"
  result_artifact_name: ranked
  result_artifact_key: ticket_id
tool_calling:
  retrieval_prompt: 'rank the last {n} tickets as {{"ticket_id": 1}}'
  result_tag_name: result
variations:
  - {name: ten, parameters: {n: 10}, ground_truth_path: truth.json}
  - {name: gone, parameters: {n: 20}, ground_truth_path: nowhere.json}
`, { beside: { 'truth.json': [{ ticket_id: 3 }, { ticket_id: 1 }] } });
  assert.match(readFileSync(join(task.directory, 'assay/tasks/task.yaml'), 'utf8'), /as \{"ticket_id": 1\}[\s\S]*expected_promptql_artifact: ranked[\s\S]*- ticket_id: 3/);
  assert.match(task.told, /task\.yaml, line 4: result_artifact_key[\s\S]*task\.yaml, line 10: ground_truth_path: .*nowhere\.json/);

  const alone = await imported(t, 'benchmark', 'alone.yaml', 'promptql_prompt: rank the tickets\nllm_prompt: rank them\nresult_artifact_name: ranked\n');
  assert.match(alone.checked, /benchmark: 3 cases/);

  const job = await imported(t, 'persona', 'job.json', { tag_source: 'a', tags_dest: ['t'], model: 'gpt-4o', persona: { id: 'k', name: 'Kenton', definition: { type: 'x', does: 'sells' } },
    perspectives: [{ perspectiveId: 'c', perspectiveName: 'C', perspectiveText: 'Right?' }], openai_params: { temperature: 0 },
    items: [{ id: 'm1', sent: 1700000000, title: 'T', content: 'Call me', classifications: [{ id: 'urgency', desc: 'urgent?', available: ['urgent', 'not'], selected: 'urgent' }] }] });
  assert.match(job.told, /tag_source: items come from a file here/);
  assert.deepEqual(readLines(join(job.directory, 'assay/items.jsonl'))[0].evaluateClassifications, [{ classificationName: 'urgency', classificationDesc: 'urgent?', classificationValue: 'urgent', classificationOptions: ['urgent', 'not'] }]);
});

test('of records with and without an output, those without are left out and told; the others keep theirs', async (t) => {
  const deepeval = await imported(t, 'deepeval', 'cases.json', [{ input: 'a', actual_output: 'A', expected_output: 'A' }, { input: 'b' }, { input: 'c', actual_output: 'C' }]);
  assert.deepEqual(deepeval.cases.map(({ input, output }) => [input, output]), [['a', 'A'], ['c', 'C']]);
  assert.match(deepeval.told, /cases\.json, record 2: test case: it has no output, and other cases have one/);
  assert.doesNotMatch(deepeval.config, /variants/);
  const ragas = await imported(t, 'ragas', 'set.json', [{ user_input: 'a', response: 'A', retrieved_contexts: ['x'] }, { user_input: 'b', retrieved_contexts: ['y'] }]);
  assert.deepEqual(ragas.cases, [{ question: 'a', llm_answer: 'A', structured_contexts: ['x'] }]);
  assert.match(ragas.told, /set\.json, record 2: sample: it has no output/);
  assert.doesNotMatch(ragas.config, /generate/);
  const asked = await imported(t, 'ragas', 'set.json', [{ user_input: 'b', retrieved_contexts: ['y'] }]);
  assert.match(asked.told, /answers of 1 samples: [\s\S]*contexts of 1 samples: an answer that is asked for rests on its own/);
  const said = (text) => ({ choices: [{ message: { content: text } }] });
  const inspect = await imported(t, 'inspect', 'log.json', { samples: [{ id: 1, input: 'a', target: 'A', output: said('A') }, { id: 2, input: 'b', target: 'B', output: { choices: [] } }] });
  assert.deepEqual(inspect.cases.map(({ id, output }) => [id, output]), [['1', 'A']]);
  assert.match(inspect.told, /log\.json, record 2: sample 2: it has no output/);
});

test('a metric of DeepEval that is not taken is told, and a maximum becomes the least that is left', async (t) => {
  const run = (metrics, more = {}) => ({ testCases: [{ input: 'a', actualOutput: 'b', ...more, metricsData: metrics.map(([name, threshold]) => ({ name, threshold, score: 1 })) }] });
  const contexts = { context: ['c'] };
  const alone = await imported(t, 'deepeval', 'run.json', run([['Hallucination', 0.7], ['Bias', 0.2]], contexts), { code: 0 });
  assert.match(alone.config, /rag: bias\n.*\n {4}passes: "<= 0\.2"[\s\S]*rag: faithfulness\n.*\n {4}passes: ">= 0\.3"/);
  const both = await imported(t, 'deepeval', 'run.json', run([['Hallucination', 0.2], ['Faithfulness', 0.9]], contexts));
  assert.match(both.config, /rag: faithfulness\n.*\n {4}passes: ">= 0\.9"/);
  assert.match(both.told, /metric Hallucination: `faithfulness` measures it already, with the threshold of the other/);
  const without = await imported(t, 'deepeval', 'run.json', run([['Faithfulness', 0.9], ['Answer Relevancy', 0.5]]));
  assert.match(without.told, /metric Faithfulness: `faithfulness` is held against contexts, and no case has/);
  assert.doesNotMatch(without.config, /faithfulness/);
});

test('a component task that asks no judge has neither metrics nor n_runs', async (t) => {
  const data = JSON.stringify({ question: 'q', expected_outcome: 'genuine_rag', actual_outcome: 'genuine_rag', confidence_score: 0.9 }) + '\n';
  const { told } = await imported(t, 'chat_components', 'question_router.yaml', 'what: w\ngenerate: false\ninput_path: q.jsonl\nn_runs: 3\nmetrics: [{name: faithfulness, threshold: 0.5}]\n', { beside: { 'q.jsonl': data } });
  assert.match(told, /question_router\.yaml, line 4: n_runs: question_router asks no judge[\s\S]*line 5: metrics: question_router asks no judge/);
});

test('what is none of these is refused with what was expected, and nothing is written', async (t) => {
  const directory = scratch(t);
  const cases = [['ragas', 'x.json', '{"a": 1}', /is it a data set of Ragas/], ['deepeval', 'x.json', '[]', /is it a data set or a test run of DeepEval/], ['inspect', 'x.jsonl', 'no\n', /found no record/],
    ['chat_components', 'x.yaml', 'what: x\n', /named after it: jailbreak_guardrails/], ['benchmark', 'x.yaml', '- 1\n', /is it a task of the benchmark/], ['persona', 'x.json', '{}', /found no persona/],
    ['ragas', 'x.csv', 'user_input,user_input\na,b\n', /x\.csv/], ['other', 'x.json', '', /assay import promptfoo\|deepeval/]];
  for (const [form, name, text, message] of cases) {
    write(join(directory, name), text);
    const refused = await assay(['import', form, name], { cwd: directory });
    assert.equal(refused.code, 2, form);
    assert.match(refused.stderr, message);
  }
  assert.ok(!exists(join(directory, 'assay')));
});
