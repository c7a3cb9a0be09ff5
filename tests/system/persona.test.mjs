// The persona evaluation from its command to its files, with the built-in model and over the wire.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { assay, start, simulator, scratch, write, writeLines, readJson, readLines, comparable, exists, root, askedMore } from './harness.mjs';
import { items, perspective } from './service_process.mjs';
import { csvRows } from './component_runs.mjs';
import { endpoint } from './endpoint.mjs';

const examples = join(root, 'examples/persona');
const personas = join(examples, 'personas');
const config = (more = {}) => JSON.stringify({
  evaluation: 'persona', items: 'items.jsonl', persona: [join(personas, 'ines.json')], perspectives: [perspective('fit')],
  mode: 'mode2', model: 'openai/judge', tags_dest: ['trial'], ...more,
});

async function run(t, more = {}, { data = items(6), sim, args = [] } = {}) {
  const directory = scratch(t);
  if (typeof data === 'string') write(join(directory, 'items.jsonl'), data); else writeLines(join(directory, 'items.jsonl'), data);
  write(join(directory, 'eval.yaml'), config(sim ? more : { model: 'sim/judge', ...more }));
  const output = join(directory, 'out');
  const done = await assay(['run', 'eval.yaml', '--output-dir', output, ...args], { cwd: directory, env: sim?.env });
  return { ...done, directory, output, file: (name) => join(output, name), summary: () => readJson(join(output, 'summary.json')) };
}

// A whole answer to a request of mode 2.
function verdictsFor(body) {
  const request = body.messages.filter(({ role }) => role === 'user').map(({ content }) => { try { return JSON.parse(content); } catch { return {}; } }).find(({ items }) => items);
  return { resultItems: request.items.map(({ id, classification }) => ({ id, evaluatedSelection: classification.classifiedAs, evaluationLikert: 4, evaluationText: 'So it is.' })) };
}

for (const [mode, cases, verdicts] of [['mode1', 40, 336], ['mode2', 120, 504], ['mode3', 80, 336]]) {
  test(`the example of ${mode} runs, and every verdict is in its files`, async (t) => {
    const output = join(scratch(t), 'out');
    const done = await assay(['run', join(examples, `persona_${mode}.yaml`), '--output-dir', output]);
    assert.equal(done.code, 0, done.stderr);
    const summary = readJson(join(output, 'summary.json'));
    assert.deepEqual([summary.cases.total, summary.cases.evaluated, summary.cases.errored], [cases, cases, 0]);
    assert.equal(summary.metrics.agreement_rate.n, verdicts);
    assert.equal(summary.metrics.agreement_rate.method, 'wilson_clustered');
    assert.equal(summary.metrics['likert.mean'].value === null, mode === 'mode3');
    assert.equal(summary.metrics.agreement_rate_per_request.n, cases, 'a figure that a gate may ask for is there');
    assert.equal(summary.metrics['likert.mean_per_request'].value === null, mode === 'mode3');
    const report = readFileSync(join(output, 'report.html'), 'utf8');
    for (const field of ['classification', 'chosen', 'verdict', 'reason']) assert.match(report, new RegExp(`<dt>${field}</dt>`, 'i'), 'cases with all that decides them');
    assert.equal(readLines(join(output, 'evaluation_data.jsonl')).length, cases);
    assert.equal(readFileSync(join(output, 'evaluation_failures.jsonl'), 'utf8'), '');
    assert.equal(csvRows(readFileSync(join(output, 'results.csv'), 'utf8')).length, verdicts + 1);
    const job = readJson(join(output, 'job.json'));
    assert.deepEqual([job.status, job.processed_items, job.processed_requests, job.eval_info.length, job.evaluations.length], ['COMPLETE', 40, cases, verdicts, cases]);
    assert.equal(job.usage.total_tokens, job.usage.prompt_tokens + job.usage.completion_tokens);
    if (mode !== 'mode2') return;
    assert.equal(summary.metrics['human.ratings'].value, 28);
    assert.equal(summary.metrics['human.ratings_of_no_verdict'].value, 0);
    assert.notEqual(summary.metrics['human.cohen_kappa'].value, null);
    assert.notEqual(summary.metrics['personas.krippendorff_alpha'].ci, null);
  });
}

test('the worked example of the page comes out', async (t) => {
  // Eight items, one classification each, judged 5, 5, 4, 3, 2, 5, 1, 4; a person rated the first six.
  const judged = [5, 5, 4, 3, 2, 5, 1, 4];
  const data = items(8).map((one) => ({ ...one, evaluateClassifications: [one.evaluateClassifications[0]] }));
  const directory = scratch(t);
  const script = write(join(directory, 'script.jsonl'), data.map((one, i) => JSON.stringify({
    match: one.contentItemSummary.itemId,
    reply: { tool_calls: [{ name: 'get_evaluations', arguments: { resultItems: [{ id: { itemId: one.contentItemSummary.itemId, perspectiveId: 'fit', classificationId: 'work-pers' }, evaluatedSelection: i === 0 ? 'Work' : 'work', evaluationLikert: judged[i], evaluationText: 'So it is.' }] } }] },
  })).join('\n'));
  const human = write(join(directory, 'human.jsonl'), [5, 4, 4, 2, 1, 4].map((likert, i) => JSON.stringify({ itemId: data[i].contentItemSummary.itemId, classificationName: 'work-pers', personaId: 'ines', perspectiveId: 'fit', likert })).join('\n'));
  const sim = await simulator(t, ['--script', script]);
  const done = await run(t, { human }, { data, sim });
  assert.equal(done.code, 0, done.stderr);
  const { metrics } = done.summary();
  const near = (name, value, ci) => {
    assert.ok(Math.abs(metrics[name].value - value) < 6e-4, `${name}: ${metrics[name].value}`);
    if (ci) ci.forEach((bound, i) => assert.ok(Math.abs(metrics[name].ci[i] - bound) < 6e-4, `${name}: ${metrics[name].ci}`));
  };
  assert.match(done.summary().conclusions.join('\n'), /^Ines agrees with 62\.5% \(95% interval 30\.6% – 86\.3%, n = 8\) of the classifications\.$/m);
  near('likert.mean', 3.625, [2.366, 4.884]);
  near('likert.median', 4);
  near('agreement_rate', 0.625, [0.306, 0.863]);
  near('weighted_agreement', 0.656, [0.342, 0.971]);
  near('agreement_rate.work-pers', 0.625);
  near('human.pearson', 0.945);
  near('human.spearman', 0.871);
  near('human.cohen_kappa', 0.818);
  near('human.point_biserial', 0.919);
  near('human.exact_match', 0.333);
  near('human.mean_difference', 0.667);
  near('selection_mismatches', 1);
  assert.match(readFileSync(done.file('problems.log'), 'utf8'), /warning: case item-0000\/ines\/fit: .*evaluatedSelection is "Work", but "work" was sent/);
});

test('an incomplete answer is asked for again with its defects; then it is a failure record, and costs its own verdicts only', async (t) => {
  const directory = scratch(t);
  const script = write(join(directory, 'script.jsonl'), JSON.stringify({ match: 'item-0002', in: 'conversation', reply: { tool_calls: [{ name: 'get_evaluations', arguments: { resultItems: [] } }] }, usage: { prompt_tokens: 100, completion_tokens: 1 } }));
  const sim = await simulator(t, ['--script', script]);
  const done = await run(t, { gates: ['errored == 0'] }, { sim });
  assert.equal(done.code, 1, 'the gate fails');
  const { cases, metrics } = done.summary();
  assert.deepEqual([cases.evaluated, cases.errored], [5, 1]);
  assert.deepEqual(metrics.agreement_rate.missing, { judge_failed: 2 });
  assert.ok(metrics.agreement_rate.bounds[0] < metrics.agreement_rate.value && metrics.agreement_rate.value < metrics.agreement_rate.bounds[1]);
  const [failure] = readLines(done.file('evaluation_failures.jsonl'));
  assert.equal(failure.rawResponseText, '{"resultItems":[]}');
  assert.equal(failure.usage.prompt_tokens, 300, 'all three attempts');
  const job = readJson(done.file('job.json'));
  assert.deepEqual([job.failed_requests, job.is_error, job.eval_info.length], [1, true, 10]);
});

test('a finish reason that does not say that the answer is whole makes a failure; records keep what the provider said', async (t) => {
  const reasons = [null, 'eos_unknown', 'tool_calls'];
  const model = await endpoint(t, (body) => {
    const item = Number(/item-000(\d)/.exec(JSON.stringify(body.messages))[1]);
    return { tool: verdictsFor(body), finish_reason: reasons[item], id: `chatcmpl-${item}`, created: 1763000000, system_fingerprint: 'fp_7' };
  });
  const done = await run(t, { params: { max_tokens: 700, temperature: 0 } }, { data: items(3), sim: model });
  assert.equal(done.code, 3, done.stderr);
  assert.equal(model.bodies.length, 3 + 3 + 1);
  const failures = readLines(done.file('evaluation_failures.jsonl'));
  assert.deepEqual(failures.map((one) => [one.finishReason, one.queryState.id, one.statusCode]), [[null, 'chatcmpl-0', 200], ['eos_unknown', 'chatcmpl-1', 200]]);
  assert.match(failures[1].error, /the answer ended with the finish reason "eos_unknown"/);
  const [{ context }] = readLines(done.file('evaluation_data.jsonl'));
  const { maxTokens, promptText, promptQueryJson } = context.openaiApiCompletionsQueryInfo;
  assert.equal(maxTokens, 700);
  assert.ok(promptText.includes('item-0002'));
  assert.deepEqual(promptQueryJson.messages, model.bodies.find(({ messages }) => messages.at(-1).content.includes('item-0002')).messages);
  assert.equal(promptQueryJson.tools[0].function.name, 'get_evaluations');
  assert.deepEqual([context.queryState.id, context.queryState.system_fingerprint, context.queryState.created, context.queryState.finish_reason, context.queryState.statusCode], ['chatcmpl-2', 'fp_7', 1763000000, 'tool_calls', 200]);
  assert.equal(readJson(done.file('job.json')).finish_reason, 'tool_calls');
});

test('a model without tools is asked in another way, and an answer in the content counts', async (t) => {
  const refusing = await endpoint(t, (body) => (body.tools
    ? { status: 500, error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } }  // llama.cpp
    : { content: verdictsFor(body) }));
  const done = await run(t, {}, { data: items(14), sim: refusing });
  assert.equal(done.code, 0, done.stderr);
  assert.equal(done.summary().cases.evaluated, 14);
  assert.ok(refusing.bodies.filter(({ tools }) => !tools).every(({ response_format }) => response_format.type === 'json_schema'));
  const [{ context }] = readLines(done.file('evaluation_data.jsonl'));
  assert.deepEqual([context.additionalQueryInfo.structured, context.additionalQueryInfo.tools], ['json_schema', []]);

  const ignoring = await endpoint(t, (body) => ({ content: `Here you are:\n\`\`\`json\n${JSON.stringify(verdictsFor(body))}\n\`\`\`` }));
  const taken = await run(t, {}, { data: items(2), sim: ignoring });
  assert.equal(taken.code, 0, taken.stderr);
  assert.equal(ignoring.bodies.length, 2, 'not asked again');
  const models = (structured) => ({ model: 'own', models: { own: { provider: 'openai', name: 'own', structured } } });
  for (const structured of ['json_schema', 'text']) {
    const before = ignoring.bodies.length;
    const pinned = await run(t, models(structured), { data: items(1), sim: ignoring });
    assert.equal(pinned.code, 0, pinned.stderr);
    const [body] = ignoring.bodies.slice(before);
    assert.deepEqual([body.tools, body.response_format?.type], [undefined, structured === 'text' ? undefined : 'json_schema']);
  }
});

test('killed and resumed it gives the same results', async (t) => {
  const sim = await simulator(t, ['--latency', '5ms']);
  const whole = await run(t, { limits: { concurrency: 4 } }, { data: items(40), sim });
  assert.equal(whole.code, 0, whole.stderr);
  const output = join(whole.directory, 'killed');
  let args = ['run', 'eval.yaml', '--output-dir', output];
  for (let kills = 0; ; ++kills) {
    const running = start(args, { cwd: whole.directory, env: sim.env });
    if (kills < 3) {
      await askedMore(sim, 8, running);
      running.child.kill('SIGKILL');
    }
    const ended = await running.ended;
    if (ended.signal !== 'SIGKILL') { assert.equal(ended.code, 0, ended.stderr); break; }
    args = exists(join(output, 'config.yaml')) ? ['resume', output] : args;
  }
  assert.deepEqual(comparable(join(output, 'results.jsonl')), comparable(whole.file('results.jsonl')));
});

test('bad items, personas, ratings and keys are told completely, and nothing is sent', async (t) => {
  const bad = [items(1)[0], { ...items(2)[1], evaluateTime: 'soon' }, { contentItemSummary: { itemId: 'x' } }, items(1)[0]].map((one) => JSON.stringify(one)).join('\n') + '\nnot json\n';
  const done = await run(t, {}, { data: bad });
  assert.equal(done.code, 2);
  for (const words of [/line 2: \/evaluateTime/, /line 3: \/evaluateTime: missing/, /line 3: \/evaluateClassifications: missing/, /line 4: the id "item-0000" is there on an earlier line/, /line 5: not JSON/]) assert.match(done.stderr, words);
  const directory = scratch(t);
  const file = write(join(directory, 'persona.json'), '{"id": "", "name": "x"}');
  const ratings = write(join(directory, 'human.jsonl'), '{"itemId": "a"}\n{"itemId": "a", "classificationName": "b", "personaId": "c", "perspectiveId": "d", "likert": 7}\n');
  const wrong = await run(t, { persona: [file], human: ratings, mode: 'mode4', perspectives: [{ id: 'x', name: 'X' }] });
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /mode.*mode4/);
  const more = await run(t, { persona: [file], human: ratings, send_request_schema: true });
  for (const words of [/persona.*\/id/, /line 1: field classificationName: missing/, /line 2: field likert: found 7/, /send_request_schema.*mode1 only/]) assert.match(more.stderr, words);
});

test('check counts the requests and sends nothing', async (t) => {
  const done = await assay(['check', join(examples, 'persona_mode2.yaml')]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /persona: 120 cases/);
  assert.match(done.stdout, /sim\/judge: 120 calls/);
});
