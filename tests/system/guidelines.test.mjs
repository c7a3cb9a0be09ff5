// The guideline judge from its command to its files.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { assay, simulator, scratch, write, writeLines, readJson, readLines, root } from './harness.mjs';
import { csvRows } from './component_runs.mjs';
import { endpoint } from './endpoint.mjs';

const examples = join(root, 'examples/guidelines');
const message = (source, text) => ({ event_kind: 'message', event_source: source, data: { message: text } });
const guideline = (id, action) => ({ id, condition: 'always', action });

async function run(t, lines, config = {}, { env, args = [] } = {}) {
  const directory = scratch(t);
  writeLines(join(directory, 'conversations.jsonl'), lines);
  write(join(directory, 'eval.yaml'), JSON.stringify({ evaluation: 'guidelines', conversations: 'conversations.jsonl', judge: env ? 'openai/judge' : 'sim/judge', ...config }));
  const output = join(directory, 'out');
  const done = await assay(['run', 'eval.yaml', '--output-dir', output, ...args], { cwd: directory, env });
  return {
    ...done, output,
    summary: () => readJson(join(output, 'summary.json')),
    results: () => readLines(join(output, 'results.jsonl')),
    text: (name) => readFileSync(join(output, name), 'utf8'),
  };
}

const check = (id, applied, more = {}) => ({
  guideline_id: String(id), action: 'x', guideline_applied_rationale: [{ action_segment: 'x', message_index: 0, action_applied_rationale: 'SO it is' }],
  guideline_applied_degree: applied ? 'fully' : 'no', is_missing_part_functional_or_behavioral_rationale: null, is_missing_part_functional_or_behavioral: null, guideline_applied: applied, ...more,
});

test('the example runs: 75 conversations, every verdict with its evidence, the judge measured', async (t) => {
  const output = join(scratch(t), 'out');
  const done = await assay(['run', join(examples, 'guidelines.yaml'), '--output-dir', output]);
  assert.equal(done.code, 0, done.stderr);
  const { cases, metrics, tables } = readJson(join(output, 'summary.json'));
  assert.deepEqual([cases.total, cases.evaluated], [75, 75]);
  assert.equal(metrics.applied_rate.n, 370);
  assert.equal(metrics.applied_rate.method, 'wilson_clustered');
  assert.equal(metrics.skipped.value, 24);
  assert.equal(metrics.exact_set_rate.n, 75);
  assert.equal(metrics.cohen_kappa.method, 'bootstrap_clusters');
  assert.deepEqual(tables.confusion_matrix.labels, ['applied', 'not applied']);
  const rates = tables.guidelines.rows.map((row) => row[2]);
  assert.deepEqual(rates, [...rates].sort((a, b) => a - b), 'worst first');
  for (const line of readLines(join(output, 'results.jsonl'))) {
    const events = line.verdicts.flatMap((one) => one.guideline_applied_rationale ?? []);
    for (const segment of events) assert.ok(segment.message_index === null || segment.message_index >= 0);
  }
  assert.equal(csvRows(readFileSync(join(output, 'results.csv'), 'utf8')).length, 370 + 24 + 1);
  const page = readFileSync(join(output, 'conversations.html'), 'utf8');
  assert.match(page, /<section class="conversation[a-z ]*" id="c75">/);
  assert.match(page, /class="event evidence"/);
  assert.match(page, /Conversations by guidelines/);
  for (const part of [/<a href="report.html">/, /<section id="index">/, /<a href="#c75">city-11<\/a>/, /id="only-wrong"/, /expected: not applied/]) assert.match(page, part);
  assert.ok(tables.guidelines.rows.every(([, n]) => n > 1), 'every guideline is judged in several conversations');
  assert.equal(tables.conversations.rows.length, 30);
  const markdown = await assay(['report', output, '--format', 'md']);
  for (const word of [/carry-out/, /bank-0\d/, /The agent carried out/]) assert.match(markdown.stdout, word, 'names conversations and guidelines');
});

test('the worked example of the page comes out', async (t) => {
  const judged = { c1: [true, true, true], c2: [true, true, false], c3: [false, null, false], c4: [false, false, true] };
  const expected = { c1: [true, true, false], c2: [true, true, false], c3: [false, true, false], c4: [true, false, true] };
  const ids = ['g1', 'g2', 'g3'];
  const lines = Object.keys(judged).map((id) => ({ id, events: [message('ai_agent', `Hello from ${id}.`)], guidelines: ids.map((one) => guideline(one, `Do ${one}`)), expected: Object.fromEntries(ids.map((one, i) => [one, expected[id][i]])) }));
  const script = Object.entries(judged).map(([id, verdicts]) => JSON.stringify({
    match: `Hello from ${id}.`, in: 'conversation',
    reply: { json: { checks: verdicts.map((verdict, i) => (verdict === null ? check(i + 1, true, { guideline_applied: false }) : check(i + 1, verdict))) } },
  })).join('\n');
  const sim = await simulator(t, ['--script', write(join(scratch(t), 'script.jsonl'), script)]);
  const done = await run(t, lines, { attempts: 2 }, { env: sim.env });
  assert.equal(done.code, 3, 'one guideline stays undetermined');
  const { metrics } = done.summary();
  const value = (name) => Number(metrics[name].value.toFixed(3));
  const interval = (name) => metrics[name].ci.map((bound) => Number(bound.toFixed(3)));
  assert.equal(value('undetermined'), 1);
  assert.ok(done.summary().conclusions.some((one) => one.startsWith('The agent carried out 54.5% (95% interval 12.5% – 91.0%, n = 11) of the actions asked of it, in 4 conversations.')), done.summary().conclusions);
  assert.equal(value('applied_rate'), 0.545);
  assert.deepEqual(metrics.applied_rate.bounds.map((bound) => Number(bound.toFixed(3))), [0.5, 0.583]);
  assert.deepEqual(interval('applied_rate'), [0.125, 0.91]);
  assert.equal(value('applied_rate.g2'), 0.667);
  assert.deepEqual(interval('applied_rate.g2'), [0.208, 0.939]);
  assert.equal(value('accuracy'), 0.818);
  assert.deepEqual(interval('accuracy'), [0.358, 0.973]);
  assert.equal(value('precision'), 0.833);
  assert.equal(value('f1'), 0.833);
  assert.equal(value('cohen_kappa'), 0.633);
  assert.equal(value('exact_set_rate'), 0.333);
  assert.equal(await sim.sent(), 4 + 1, 'one repair request, for the one contradiction');
  const c3 = done.results().find((line) => line.id === 'c3');
  assert.deepEqual([c3.outcome, c3.verdicts[1].applied], ['judge_failed', null]);
  assert.match(c3.verdicts[1].undetermined, /^its degree is "fully"/);
  assert.match(done.text('problems.log'), /guideline g2 is undetermined: its degree is "fully"/, 'the user’s id, not the number in the chunk');
  assert.deepEqual([c3.verdicts[0].applied, c3.verdicts[2].applied], [false, false], 'its neighbours count');
});

test('answers in the source’s own form are read; of an answer with one bad check only that one is asked again, by its number', async (t) => {
  const reason = (words) => [{ action_segment: words, action_applied_rationale: words }];
  const model = await endpoint(t, (body, number) => ({ content: { checks: number > 1 ? [
    { guideline_id: '2', action: 'Do g2', guideline_applied_rationale: reason('no DO'), guideline_applied_degree: 'no', guideline_applied: false }] : [
    { guideline_id: '1', action: 'Do g1', guideline_applied_rationale: reason('DO'), guideline_applied_degree: 'fully', guideline_applied: true },
    { guideline_id: '2', action: 'Do g2', guideline_applied_rationale: reason('DO'), guideline_applied_degree: 'mostly', guideline_applied: true },
    { guideline_id: 3, action: 'Do g3', guideline_applied_rationale: reason('DO'), guideline_applied_degree: 'Fully', guideline_applied: 'true' },
    { guideline_id: '4', action: 'Do g4', guideline_applied_rationale: reason('DO'), guideline_applied_degree: 'partially', is_missing_part_functional_or_behavioral_rational: 'only manner', is_missing_part_functional_or_behavioral: 'behavioral', guideline_applied: true }] } }));
  const ids = ['g1', 'g2', 'g3', 'g4'];
  const done = await run(t, [{ id: 'c', events: [message('user', 'Hi'), message('ai_agent', 'Hello.')], guidelines: ids.map((id) => guideline(id, `Do ${id}`)) }], {}, { env: model.env });
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(done.results()[0].verdicts.map((one) => one.applied), [true, false, true, true]);
  assert.equal(model.bodies.length, 2);
  const asked = model.bodies[1].messages.at(-1).content;
  assert.match(asked, /guideline 2: its guideline_applied_degree is "mostly"/);
  assert.match(asked, /the checks of guideline 2 only/);
  assert.doesNotMatch(asked, /guideline [134]:/);
});

test('tool parts of Anthropic’s form reach the judge, and only the agent’s own doing is evidence', async (t) => {
  const model = await endpoint(t, (body, number) => ({ content: { checks: [check(1, true, { action: 'Open a ticket', guideline_applied_rationale: [{ action_segment: 'OPEN', message_index: number === 1 ? 0 : 1, action_applied_rationale: 'OPENED' }] })] } }));
  const messages = [
    { role: 'user', content: 'I have opened a ticket for the heating myself.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'tu_1', name: 'open_ticket', input: { flat: '3B' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'tu_1', content: [{ type: 'text', text: '{"ticket": "R-88"}' }] }, { type: 'image', source: { type: 'url', url: 'http://x/y.png' } }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Noted.' }] }];
  const line = { id: 'c', messages, guidelines: [guideline('ticket', 'Open a ticket')] };
  const done = await run(t, [line], {}, { env: model.env });
  assert.equal(done.code, 0, done.stderr);
  assert.match(model.bodies[0].messages.at(-1).content, /"tool_id":"open_ticket","arguments":\{"flat":"3B"\},"result":\{"ticket":"R-88"\}/);
  assert.match(model.bodies[1].messages.at(-1).content, /guideline 1: message 0 is not the agent's doing but of user/);
  assert.equal(done.results()[0].verdicts[0].guideline_applied_rationale[0].message_index, 1);
  assert.match(done.text('problems.log'), /case c: messages\[2\]\.content\[1\]: the judge does not see what is in a part of type image/);
  const unknown = await run(t, [{ ...line, messages: [{ role: 'assistant', content: [{ type: 'hologram' }] }] }]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /line 1: field messages\[0\]\.content\[0\]\.type: found "hologram"/);
});

test('chunks: a bad one costs its own guidelines only, and usage counts all attempts', async (t) => {
  const script = JSON.stringify({ match: 'Do g7', in: 'conversation', reply: { text: 'I cannot say.' }, usage: { prompt_tokens: 1000, completion_tokens: 1 } });
  const sim = await simulator(t, ['--script', write(join(scratch(t), 'script.jsonl'), script)]);
  const lines = [{ id: 'c', events: [message('user', 'Hi'), message('ai_agent', 'Hello, how can I help?')], guidelines: Array.from({ length: 12 }, (_, i) => guideline(`g${i}`, `Do g${i}`)) }];
  const done = await run(t, lines, {}, { env: sim.env });
  assert.equal(done.code, 3);
  const [line] = done.results();
  assert.deepEqual(line.verdicts.map((one) => one.applied === null), [false, false, false, false, false, true, true, true, true, true, false, false]);
  assert.ok(line.usage.prompt_tokens > 3000, 'three attempts of the bad chunk');
  assert.equal(await sim.sent(), 3 + 2);
});

test('hostile texts, long conversations, many guidelines, an empty one and one that the agent opens', async (t) => {
  const lines = [
    ...readLines(join(root, 'tests/data/guidelines/hostile.jsonl')),
    { id: 'long', events: Array.from({ length: 200 }, (_, i) => message(i % 2 ? 'ai_agent' : 'user', `Message ${i} about {braces} and "quotes"\n</conversation>`)), guidelines: [guideline('a', 'Say {this} \\ "that"\nand more')] },
    { id: 'many', events: [message('ai_agent', 'I speak first. 🙂 مرحبا')], guidelines: Array.from({ length: 50 }, (_, i) => guideline(`m${i}`, `Do thing ${i}`)) },
    { id: 'empty', events: [], guidelines: [guideline('a', 'Greet')] },
  ];
  const done = await run(t, lines, { skip: ['continuous', 'no_action', 'low_criticality'] });
  assert.ok([0, 3].includes(done.code), done.stderr);
  const results = done.results();
  assert.equal(results.length, lines.length);
  assert.equal(results.find((line) => line.id === 'many').verdicts.length, 50);
  assert.equal(results.find((line) => line.id === 'many').usage.requests >= 10, true);
  const page = done.text('conversations.html');
  assert.ok(!page.includes('<script>alert'), 'foreign text is escaped');
});

test('votes: the majority counts, with its share', async (t) => {
  const done = await run(t, readLines(join(examples, 'conversations.jsonl')).filter((line) => line.guidelines).slice(0, 20), { votes: 3 });
  const verdicts = done.results().flatMap((line) => line.verdicts);
  assert.ok(verdicts.every((one) => one.votes.length === 3));
  assert.ok(verdicts.some((one) => one.confidence < 1), 'votes differ');
  for (const one of verdicts.filter((verdict) => verdict.applied !== null)) {
    const yes = one.votes.filter((vote) => vote === one.applied).length;
    assert.ok(Math.abs(one.confidence - yes / one.votes.filter((vote) => vote !== null).length) < 1e-9);
  }
  assert.notEqual(done.summary().metrics.self_consistency.value, null);
});

test('transcripts in OpenAI’s form are judged with one command', async (t) => {
  const output = join(scratch(t), 'out');
  const done = await assay(['guidelines', '--conversations', join(examples, 'openai_transcripts.jsonl'), '--guidelines', join(examples, 'shared/city.yaml'), '--skip', '[continuous, no_action, low_criticality]', '--judge', 'sim/judge', '--output-dir', output]);
  assert.equal(done.code, 0, done.stderr);
  assert.equal(readJson(join(output, 'summary.json')).cases.evaluated, 5);
});

test('wrong lines and wrong shared guidelines are told completely, and nothing is sent', async (t) => {
  const directory = scratch(t);
  const shared = write(join(directory, 'g.yaml'), '- {id: a, action: x}\n- {id: a, criticality: urgent}\n');
  const done = await run(t, [{ id: 'x', events: 'no', expected: { q: 1 } }], { guidelines: shared, skip: ['sometimes'] });
  assert.equal(done.code, 2);
  assert.match(done.stderr, /skip.*sometimes/);
  const more = await run(t, [{ id: 'x', events: 'no', expected: { q: 1 } }], { guidelines: shared });
  assert.match(more.stderr, /guidelines\[1\]\.criticality/);
  assert.match(more.stderr, /guidelines\[1\]\.id: found "a", which an earlier guideline has/);
  const lines = await run(t, [{ id: 'x', events: 'no', guidelines: [guideline('a', 'b')], expected: { q: 1 } }, { id: 'x', events: [] }]);
  assert.equal(lines.code, 2);
  for (const words of [/line 1: field events: found "no", expected a list/, /line 1: field expected.q/, /line 2: field guidelines: found nothing/]) assert.match(lines.stderr, words);
});
