// assay benchmark: files that are the state of a run, resumed, edited, nudged and killed; scorers that need others.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, readdirSync, unlinkSync } from 'node:fs';
import YAML from 'yaml';
import { assay, start, simulator, write, writeLines, readJson, readLines, exists, sleep, askedMore, assertNowhere, casesInReport, ragLines, ragConfig } from './harness.mjs';
import { readYaml, kinds, scoreRows, scoreMean, setUp, call, kAnswer, scripted } from './benchmark_runs.mjs';

for (const [model, file] of [['openai/gpt-x', 'rank-tool_calling-openai-gpt-x-variation0.yaml'], ['anthropic/claude-x', 'rank-tool_calling-anthropic-claude-x-variation0.yaml']]) {
  test(`a conversation with calls side by side is recorded, scored and left alone afterwards (${model})`, async (t) => {
    const set = setUp(t);
    const sim = await simulator(t, ['--script', scripted(set.directory, [
      { times: 1, reply: { tool_calls: [call('look', 'one'), call('weigh', 'two')] } },
      { reply: { text: kAnswer } },
    ])]);
    const first = await assay(set.args('tool_calling', model), { env: sim.env });
    assert.equal(first.code, 0, first.stderr);
    const run = readYaml(set.file(file));
    assert.deepEqual(kinds(run), ['user_message', 'tool_call', 'tool_call', 'assistant_message']);
    const [, one, two] = run.conversation.map((entry) => entry.tool_call);
    assert.equal(one.turn, two.turn, 'calls of one turn are marked as such');
    assert.deepEqual(one.result, { noted: { q: 'one' } });
    assert.deepEqual(run.answer, [{ id: 'a' }, { id: 'b' }]);
    assert.deepEqual(run.answer_notes, ['trailing comma']);
    assert.equal(run.score, 1);
    assert.equal(run.nudges, 0);
    assert.ok(run.usage.prompt_tokens > 0 && run.seconds >= 0);
    assert.equal(scoreMean(set.output).value, 1);
    assert.deepEqual(scoreRows(set.output), [['rank', 'tool_calling', model, 0, 1, 1]]);
    assert.equal(await sim.sent(), 2);

    const before = readFileSync(set.file(file), 'utf8');
    const again = await assay(set.args('tool_calling', model), { env: sim.env });
    assert.equal(again.code, 0, again.stderr);
    assert.equal(await sim.sent(), 2, 'a finished file costs nothing');
    assert.equal(readFileSync(set.file(file), 'utf8'), before, 'and stays as it is');
    assert.match(readFileSync(join(set.output, 'transcripts.html'), 'utf8'), /tool_calling/);
    // The report is passed on: what was asked and said is in it, and nothing of this machine.
    const [[line, material]] = casesInReport(readFileSync(join(set.output, 'report.html'), 'utf8'));
    assert.deepEqual(Object.keys(material), ['question', 'expected_output', 'conversation']);
    assert.equal(material.question, run.conversation[0].user_message);
    assert.deepEqual(material.conversation.map(({ role }) => role), ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
    assert.deepEqual(JSON.parse(material.conversation[2].text), { noted: { q: 'one' } });
    assert.ok(!JSON.stringify([line, material]).includes(set.directory));
  });
}

test('a finished file is scored again without a model, by what is expected now', async (t) => {
  const set = setUp(t);
  mkdirSync(set.output);
  const name = set.file('rank-tool_calling-claude-variation0.yaml');
  write(name, YAML.stringify({ conversation: [{ user_message: 'x' }, { assistant_message: '```json\n["b", "a"]\n```' }], mine: 'kept' }));
  const env = { ANTHROPIC_API_KEY: 'unused', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
  assert.equal((await assay(set.args('tool_calling', 'claude'), { env })).code, 0);
  assert.equal(readYaml(name).score, 0);
  assert.equal(readYaml(name).mine, 'kept', 'what a person added stays');
  // An answer that a person corrected stands.
  const edited = readYaml(name);
  write(name, YAML.stringify({ ...edited, answer: ['a', 'b'] }));
  assert.equal((await assay(set.args('tool_calling', 'claude'), { env })).code, 0);
  assert.equal(readYaml(name).score, 1);
});

test('after an error the run goes on from there: results are used again, and only calls without one are run', async (t) => {
  const set = setUp(t);
  mkdirSync(set.output);
  const name = set.file('rank-tool_calling-openai-m-variation0.yaml');
  const done = { id: 'call_1', name: 'look', params: { q: 'done' }, result: { noted: 'by hand' }, turn: 1 };
  const open = { id: 'call_2', name: 'weigh', params: { q: 'open' }, turn: 1 };
  write(name, YAML.stringify({ conversation: [{ user_message: 'rank them' }, { tool_call: done }, { tool_call: open }, { error: 'HTTP 500' }] }));
  const sim = await simulator(t, ['--script', scripted(set.directory, [{ match: { contains_all: ['by hand', 'rank them'] }, in: 'conversation', reply: { text: kAnswer } }])]);
  const run = await assay(set.args('tool_calling', 'openai/m'), { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(set.tool.uses(), [{ q: 'open' }]);
  const file = readYaml(name);
  assert.deepEqual(kinds(file), ['user_message', 'tool_call', 'tool_call', 'assistant_message']);
  assert.deepEqual(file.conversation[1].tool_call.result, { noted: 'by hand' });
  assert.deepEqual(file.conversation[2].tool_call.result, { noted: { q: 'open' } });
  assert.equal(file.score, 1);
  assert.equal(await sim.sent(), 1);
});

test('a user message at the end is a nudge by hand: the conversation goes on', async (t) => {
  const set = setUp(t);
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { match: 'please be thorough', times: 1, reply: { tool_calls: [call('look', 'again'), call('weigh', 'again')] } },
    { match: 'please be thorough', reply: { text: kAnswer } },
    { reply: { text: 'I cannot do that.' } },
  ])]);
  const args = set.args('tool_calling', 'openai/m', '--max-nudges', '0');
  assert.equal((await assay(args, { env: sim.env })).code, 0);
  const name = set.file('rank-tool_calling-openai-m-variation0.yaml');
  assert.equal(readYaml(name).score, 0);
  assert.match(readYaml(name).answer_error, /^missing/);
  const edited = readYaml(name);
  edited.conversation.push({ user_message: 'please be thorough' });
  write(name, YAML.stringify(edited));
  const again = await assay(args, { env: sim.env });
  assert.equal(again.code, 0, again.stderr);
  const file = readYaml(name);
  assert.deepEqual(kinds(file), ['user_message', 'assistant_message', 'user_message', 'tool_call', 'tool_call', 'assistant_message']);
  assert.equal(file.score, 1);
  assert.equal(file.usage.requests, 5, 'the earlier sitting counts: three requests and two tools');
});

test('a model that answers without the expected tools is nudged, by name and so often', async (t) => {
  const set = setUp(t);
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { match: 'actually use the look, weigh tools', times: 1, reply: { tool_calls: [call('look', 'x')] } },
    { match: 'actually use the', reply: { text: kAnswer } },
    { reply: { text: 'It is a, then b.' } },
  ])]);
  const run = await assay(set.args('tool_calling', 'openai/m', '--max-nudges', '2'), { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const file = readYaml(set.file('rank-tool_calling-openai-m-variation0.yaml'));
  const said = file.conversation.filter((entry) => entry.user_message).map((entry) => entry.user_message);
  assert.deepEqual(said.slice(1), ['actually use the look, weigh tools to get the answer', 'actually use the weigh tools to get the answer']);
  assert.equal(file.nudges, 2, 'then it is left in peace');
  assert.equal(file.score, 1);
});

test('rounds of tool calls are bounded; then the answer is asked for, without tools', async (t) => {
  const set = setUp(t);
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { match: 'final answer', reply: { text: kAnswer } },
    { reply: { tool_calls: [call('look', 'more')] } },
  ])]);
  const run = await assay(set.args('tool_calling', 'openai/m', '--max-turns', '3'), { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const file = readYaml(set.file('rank-tool_calling-openai-m-variation0.yaml'));
  assert.equal(file.conversation.filter((entry) => entry.tool_call).length, 3);
  assert.equal(kinds(file).at(-1), 'assistant_message');
  assert.equal(file.score, 1);
});

test('what a tool cannot do goes back to the model, and the run goes on', async (t) => {
  const set = setUp(t, { config: `  - {name: crash, kind: command, command: [bash, -c, "echo broken >&2; exit 3"], description: breaks}
  - {name: hang, kind: command, command: [sleep, "60"], description: hangs, timeout: 300ms}
` });
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { times: 1, reply: { tool_calls: [{ name: 'look', arguments: { wrong: 1 } }, { name: 'no_such', arguments: {} }, { name: 'crash', arguments: {} }, { name: 'hang', arguments: {} }, call('weigh', 'fine')] } },
    { reply: { text: kAnswer } },
  ])]);
  const run = await assay(set.args('tool_calling', 'openai/m'), { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const file = readYaml(set.file('rank-tool_calling-openai-m-variation0.yaml'));
  const results = Object.fromEntries(file.conversation.filter((entry) => entry.tool_call).map(({ tool_call }) => [tool_call.name, tool_call.result]));
  assert.match(results.look.error, /do not fit.*q: missing|q.*missing/);
  assert.match(results.no_such.error, /there is no tool no_such; known: look, weigh, crash, hang/);
  assert.match(results.crash.error, /broken/);
  assert.match(results.hang.error, /300 ms|timeout|did not/);
  assert.deepEqual(results.weigh, { noted: { q: 'fine' } });
  assert.equal(file.nudges, 0, 'a call that failed is a call');
});

test('kill -9 between two tool calls: no tool is run twice and no completion paid twice', async (t) => {
  const set = setUp(t);
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { times: 1, reply: { tool_calls: [call('look', 'first')] } },
    { times: 1, reply: { tool_calls: [call('look', 'quick'), call('weigh', 'slow')] } },
    { reply: { text: kAnswer } },
  ])]);
  const run = start(set.args('tool_calling', 'openai/m'), { env: sim.env });
  const name = set.file('rank-tool_calling-openai-m-variation0.yaml');
  // Until the quick one of the two has its result in the journal, and the file says so.
  const journaled = () => ['run.db', 'run.db-wal'].map((name) => join(set.output, name))
    .some((path) => exists(path) && readFileSync(path, 'latin1').includes('{"noted":{"q":"quick"}}'));
  const told = () => exists(name) && kinds(readYaml(name)).length === 4;
  while (set.tool.uses().length < 3 || !journaled() || !told()) await sleep(20);
  run.child.kill('SIGKILL');
  assert.equal((await run.ended).signal, 'SIGKILL');
  assert.equal(await sim.sent(), 2);
  assert.deepEqual(kinds(readYaml(name)), ['user_message', 'tool_call', 'tool_call', 'tool_call']);
  assert.equal(readYaml(name).conversation[1].tool_call.result.noted.q, 'first');
  // The slow one is quick from now on.
  write(set.tool.program, readFileSync(set.tool.program, 'utf8').replace('sleep 30', 'true'));
  const again = await assay(['resume', set.output], { env: sim.env });
  assert.equal(again.code, 0, again.stderr);
  const uses = set.tool.uses().map(({ q }) => q).sort();
  assert.deepEqual(uses, ['first', 'quick', 'slow', 'slow'], 'only the one in flight was run again');
  assert.equal(await sim.sent(), 3, 'only the last completion was asked for');
  const file = readYaml(name);
  assert.equal(file.score, 1);
  assert.equal(file.usage.requests, 6);
});

test('kills at any moment end in the same file, with every completion paid once but for the one in flight', async (t) => {
  const set = setUp(t);
  const rules = Array.from({ length: 6 }, (_, i) => ({ times: 1, reply: { tool_calls: [call(i % 2 ? 'look' : 'weigh', `use ${i}`)] }, delay_ms: 40 }));
  const sim = await simulator(t, ['--script', scripted(set.directory, [...rules, { reply: { text: kAnswer } }])]);
  let kills = 0;
  for (;;) {
    const run = start(set.args('tool_calling', 'openai/m'), { env: sim.env });
    if (kills < 6) {
      await askedMore(sim, 1, run);
      await sleep(20 * (kills + 1));  // some while the model answers, some while a tool runs
      run.child.kill('SIGKILL');
    }
    const ended = await run.ended;
    if (ended.signal === 'SIGKILL') { kills += 1; continue; }
    assert.equal(ended.code, 0, ended.stderr);
    break;
  }
  assert.ok(kills > 0);
  const file = readYaml(set.file('rank-tool_calling-openai-m-variation0.yaml'));
  const uses = set.tool.uses().map(({ q }) => q);
  const calls = file.conversation.filter((entry) => entry.tool_call).map(({ tool_call }) => tool_call.params.q);
  // A completion in flight at a kill takes one of the script's rules with it.
  assert.ok(calls.length <= 6 && calls.length >= 6 - kills, `${calls.length} calls, ${kills} kills`);
  assert.deepEqual([...new Set(uses)], calls, 'every recorded call was run, in order');
  assert.ok(uses.length <= calls.length + kills);
  assert.equal(file.score, 1);
});

test('a deleted file is run afresh, not answered from the journal', async (t) => {
  const set = setUp(t);
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { times: 1, reply: { text: '```json\n["b", "a"]\n```' } },
    { reply: { text: kAnswer } },
  ])]);
  const args = set.args('tool_calling', 'openai/m', '--max-nudges', '0');
  await assay(args, { env: sim.env });
  const name = set.file('rank-tool_calling-openai-m-variation0.yaml');
  assert.equal(readYaml(name).score, 0);
  unlinkSync(name);
  await assay(args, { env: sim.env });
  assert.equal(readYaml(name).score, 1);
  assert.equal(await sim.sent(), 2);
});

test('a file that cannot be read is never overwritten, and the others are run', async (t) => {
  const set = setUp(t, { task: { variations: [{ data: 'x', expected_output: ['a'] }, { data: 'y', expected_output: ['a'] }] } });
  mkdirSync(set.output);
  const broken = 'conversation:\n  - user_message: x\n   - oops: [\n';
  const name = set.file('rank-tool_calling-openai-m-variation0.yaml');
  write(name, broken);
  const sim = await simulator(t, ['--script', scripted(set.directory, [{ reply: { text: '```json\n["a"]\n```' } }])]);
  const run = await assay(set.args('tool_calling', 'openai/m', '--max-nudges', '0'), { env: sim.env });
  assert.equal(run.code, 3, run.stderr);
  assert.equal(readFileSync(name, 'utf8'), broken);
  assert.equal(readYaml(set.file('rank-tool_calling-openai-m-variation1.yaml')).score, 1);
  const log = readFileSync(join(set.output, 'problems.log'), 'utf8');
  assert.match(log, /rank-tool_calling-openai-m-variation0\.yaml, line \d+, column \d+.*left as it is/);
  assert.deepEqual(scoreRows(set.output).map((row) => row[5]), [null, 1], 'unreadable is not zero');
  assert.equal(scoreMean(set.output).n, 1);
});

test('a file that was unreadable and is deleted is run afresh', async (t) => {
  const set = setUp(t);
  const sim = await simulator(t, ['--script', scripted(set.directory, [{ times: 1, reply: { text: '```json\n["b", "a"]\n```' } }, { reply: { text: kAnswer } }])]);
  const args = set.args('tool_calling', 'openai/m', '--max-nudges', '0');
  const name = set.file('rank-tool_calling-openai-m-variation0.yaml');
  await assay(args, { env: sim.env });
  write(name, 'conversation: [');
  assert.equal((await assay(args, { env: sim.env })).code, 3);
  unlinkSync(name);
  assert.equal((await assay(args, { env: sim.env })).code, 0);
  assert.equal(readYaml(name).score, 1);
  assert.equal(await sim.sent(), 2);
});

test('a refusal stays a refusal, however often one looks', async (t) => {
  const set = setUp(t);
  mkdirSync(set.output);
  const name = set.file('rank-tool_calling-openai-m-variation0.yaml');
  write(name, YAML.stringify({ conversation: [{ user_message: 'x' }, { assistant_message: 'No. ```json\n["a", "b"]\n```' }], refused: true }));
  const run = await assay(set.args('tool_calling', 'openai/m'), { env: { OPENAI_API_KEY: 'unused', OPENAI_BASE_URL: 'http://127.0.0.1:9' } });
  assert.equal(run.code, 3, run.stderr);
  assert.equal(readYaml(name).score, 0);
  assert.equal(readLines(join(set.output, 'results.jsonl'))[0].outcome, 'refused');
});

test('figures that a person has spoilt are told, and cost only their own run', async (t) => {
  const set = setUp(t, { task: { variations: [{ data: 'x', expected_output: ['a'] }, { data: 'y', expected_output: ['a'] }] } });
  mkdirSync(set.output);
  const finished = [{ user_message: 'x' }, { assistant_message: '```json\n["a"]\n```' }];
  write(set.file('rank-tool_calling-openai-m-variation0.yaml'), YAML.stringify({ conversation: finished, usage: 'much' }));
  write(set.file('rank-tool_calling-openai-m-variation1.yaml'), YAML.stringify({ conversation: finished, usage: { prompt_tokens: 1e300, requests: -4 } }));
  const run = await assay(set.args('tool_calling', 'openai/m'), { env: { OPENAI_API_KEY: 'unused' } });
  assert.equal(run.code, 3, run.stderr);
  assert.match(readFileSync(join(set.output, 'problems.log'), 'utf8'), /usage.*found "much"/);
  assert.deepEqual(scoreRows(set.output).map((row) => row[5]), [null, 1]);
});

test('a run that the budget stops is not reported by what it came to before', async (t) => {
  const set = setUp(t, { config: 'prices: {openai/m: {prompt: 1000000, completion: 1000000}}\n' });
  mkdirSync(set.output);
  const name = set.file('rank-tool_calling-openai-m-variation0.yaml');
  const env = { OPENAI_API_KEY: 'unused', OPENAI_BASE_URL: 'http://127.0.0.1:9' };
  write(name, YAML.stringify({ conversation: [{ user_message: 'x' }, { assistant_message: kAnswer }] }));
  assert.equal((await assay(set.args('tool_calling', 'openai/m'), { env })).code, 0);
  const edited = readYaml(name);
  write(name, YAML.stringify({ ...edited, conversation: [...edited.conversation, { user_message: 'go on' }] }));
  const stopped = await assay(set.args('tool_calling', 'openai/m', '--budget.usd', '0.001'), { env });
  assert.equal(stopped.code, 3, stopped.stderr);
  assert.match(stopped.stderr, /budget/);
  assert.equal(readJson(join(set.output, 'summary.json')).cases.errored, 1);
});

test('the directory of another evaluation, or of the tasks, is left alone', async (t) => {
  const set = setUp(t);
  writeLines(join(set.directory, 'data.jsonl'), ragLines(2));
  write(join(set.directory, 'rag.yaml'), ragConfig('data.jsonl').replace('openai/judge-model', 'sim/judge'));
  assert.equal((await assay(['run', join(set.directory, 'rag.yaml'), '--output-dir', set.output])).code, 0);
  const before = readFileSync(join(set.output, 'config.yaml'), 'utf8');
  const taken = await assay(set.args('tool_calling', 'sim/m'));
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /holds a run already/);
  assert.equal(readFileSync(join(set.output, 'config.yaml'), 'utf8'), before);
  const same = await assay([...set.args('tool_calling', 'sim/m'), '--output-dir', join(set.directory, 'tasks')]);
  assert.equal(same.code, 2);
  assert.match(same.stderr, /output files would be taken for tasks/);
  assert.ok(!exists(join(set.directory, 'tasks/config.yaml')));
});

test('keys that PromptQL needs are missed before anything is sent', async (t) => {
  const set = setUp(t, { config: 'promptql: {ddn: {url: "https://data.example/v1/sql"}}\n' });
  const run = await assay(set.args('promptql', 'claude'));
  assert.equal(run.code, 2);
  assert.match(run.stderr, /PROMPTQL_API_KEY/);
  assert.match(run.stderr, /ANTHROPIC_API_KEY/);
  assert.ok(!exists(set.output));
});

test('a failed run has the score 0, stays in the mean, and is taken up again', async (t) => {
  const set = setUp(t, { task: { variations: [{ data: 'good', expected_output: ['a'] }, { data: 'bad', expected_output: ['a'] }] } });
  const script = (bad) => scripted(set.directory, [{ match: 'rank bad', times: bad, reply: { error: { status: 400 } } }, { reply: { text: '```json\n["a"]\n```' } }]);
  const sim = await simulator(t, ['--script', script(1)]);
  const args = set.args('tool_calling', 'openai/m', '--max-nudges', '0');
  const run = await assay(args, { env: sim.env });
  assert.equal(run.code, 3, run.stderr);
  const name = set.file('rank-tool_calling-openai-m-variation1.yaml');
  assert.deepEqual(kinds(readYaml(name)), ['user_message', 'error']);
  assert.equal(readYaml(name).score, 0);
  assert.equal(scoreMean(set.output).value, 0.5);
  const again = await assay(args, { env: sim.env });
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual(kinds(readYaml(name)), ['user_message', 'assistant_message']);
  assert.equal(scoreMean(set.output).value, 1);
});

test('PromptQL: the artifact is the answer; an error is tried again, anything else is left', async (t) => {
  const config = (url, version) => `promptql: {url: "${url}", version: ${version}, timezone: Europe/London, ddn: ${version === 'v1' ? '{url: "https://data.example/v1/sql"}' : '{build_version: b1}'}}\nlimits: {attempts: 1}\n`;
  for (const version of ['v1', 'v2']) {
    const set = setUp(t);
    const reply = (ids) => ({ json: { thread_id: '1', assistant_actions: [{ message: 'done', plan: null, code: null, code_output: null, code_error: null }], modified_artifacts: [
      { identifier: 'ranked', title: 'x', artifact_type: 'table', data: [] }, { identifier: 'ranked', title: 'x', artifact_type: 'table', data: ids.map((id) => ({ id })) }] } });
    const sim = await simulator(t, ['--script', scripted(set.directory, [{ times: 1, reply: { error: { status: 500 } } }, { reply: reply(['a', 'b']) }])]);
    appendFileSync(join(set.directory, 'eval.yaml'), config(`${sim.url}/query`, version));
    const env = { ...sim.env, PROMPTQL_API_KEY: 'secret-key-77' };
    const queries = async () => Object.entries((await sim.stats()).requests.by_route).filter(([route]) => /query/.test(route)).flatMap(([, by]) => Object.values(by)).reduce((a, b) => a + b, 0);
    const first = await assay(set.args('promptql', 'claude'), { env });
    assert.equal(first.code, 3, first.stderr);
    const name = set.file('rank-promptql-claude-variation0.yaml');
    assert.match(readYaml(name).error, /500/);
    assert.equal(readYaml(name).score, 0);
    const second = await assay(set.args('promptql', 'claude'), { env });
    assert.equal(second.code, 0, second.stderr);
    assert.equal(readYaml(name).error, undefined);
    assert.deepEqual(readYaml(name).answer, [{ id: 'a' }, { id: 'b' }], 'of two artifacts of one name the last counts');
    assert.equal(readYaml(name).score, 1);
    assert.equal(readYaml(name).output.thread_id, '1');
    assert.deepEqual(readJson(join(set.output, 'summary.json')).simulated, ['sim/promptql'], 'told from a real service over HTTP too');
    assert.match(second.stdout, /Simulated: answers of sim\/promptql/);
    assert.equal(await queries(), 2);
    assert.equal((await assay(set.args('promptql', 'claude'), { env })).code, 0);
    assert.equal(await queries(), 2, 'a file without error is left');
    assertNowhere(set.output, 'secret-key-77');
  }
});

test('scorers that need others: a program, and a judge with a rubric', async (t) => {
  const set = setUp(t, { task: { scorer: { name: 'command', command: ['./score.sh'] } }, config: 'judge: openai/judge\n' });
  write(join(set.directory, 'tasks/score.sh'), '#!/bin/bash\nnode -e \'let s="";process.stdin.on("data",d=>s+=d).on("end",()=>{const j=JSON.parse(s);console.log(JSON.stringify({score:j.answer.length/4,expected:j.expected.length,data:j.parameters.data}))})\'\n');
  chmodSync(join(set.directory, 'tasks/score.sh'), 0o755);
  write(join(set.directory, 'tasks/tone.yaml'), YAML.stringify({ tool_calling_prompt: 'say hello to everyone', scorer: { name: 'rubric', criteria: ['is polite', 'is short'] } }));
  const sim = await simulator(t, ['--script', scripted(set.directory, [
    { match: 'is polite', in: 'conversation', reply: { json: { verdicts: [{ criterion: 1, reason: 'it greets', fulfilled: 'yes' }, { criterion: 2, reason: 'half', fulfilled: 'partly' }] } } },
    { match: 'hello', reply: { text: '```json\n{"greeting": "hello"}\n```' } },
    { reply: { text: kAnswer } },
  ])]);
  const args = set.args('tool_calling', 'openai/m', '--max-nudges', '0');
  const run = await assay(args, { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const program = readYaml(set.file('rank-tool_calling-openai-m-variation0.yaml'));
  assert.equal(program.score, 0.5);
  assert.deepEqual(program.score_details, { expected: 2, data: 'the first' });
  const judged = readYaml(set.file('tone-tool_calling-openai-m-variation0.yaml'));
  assert.equal(judged.score, 0.75);
  assert.equal(judged.score_details.verdicts[1].criterion, 'is short');
  const sent = await sim.sent();
  write(join(set.directory, 'tasks/score.sh'), '#!/bin/bash\necho 0.25\n');
  assert.equal((await assay(args, { env: sim.env })).code, 0);
  assert.equal(await sim.sent(), sent, 'a verdict on the same answer is not paid twice');
  assert.equal(readYaml(set.file('rank-tool_calling-openai-m-variation0.yaml')).score, 0.25, 'a program that was mended counts at once');
});

test('repeats have files of their own, and their agreement is a figure; several systems are compared', async (t) => {
  const set = setUp(t, { task: { variations: ['x', 'y', 'z'].map((data) => ({ data, expected_output: ['a', 'b'] })) } });
  const run = await assay(set.args('tool_calling,tool_calling_python', 'sim/one,sim/two', '--repeat', '2'));
  assert.equal(run.code, 0, run.stderr);
  const files = readdirSync(set.output).filter((name) => name.startsWith('rank-'));
  assert.equal(files.length, 24);
  assert.ok(files.includes('rank-tool_calling_python-sim-two-variation2-run2.yaml'));
  const summary = readJson(join(set.output, 'summary.json'));
  assert.equal(summary.tables.scores.rows.length, 24);
  assert.equal(summary.metrics.repeatability.n, 12);
  assert.equal(summary.tables.comparison.rows.length, 6);
  assert.equal(summary.tables.systems.rows.length, 4);
});

test("the source's sample: as printed it is told by line and column, repaired it runs", async (t) => {
  const sample = (indent) => `promptql_prompt: |
  prioritize {data} open tickets for me
  put the result in a artifact with identifier 'prioritized_support_tickets'
tool_calling_prompt: |
  prioritize {data} open tickets for me. put your result in the following format:
  \`\`\`json
  [{
    "ticket_id": "123",
    "priority_score": 84.1,
  }]
  \`\`\`
expected_tool_calls:
 - look
expected_promptql_artifact: prioritized_support_tickets
variations:
 - parameters:
     data: last 20
   expected_output:
    - ticket_id: 123
${indent}project_id: 456
 - data: last 30
 - data: all
`;
  const set = setUp(t);
  const path = join(set.directory, 'tasks/rank.yaml');
  write(path, sample('        '));
  const broken = await assay(set.args('tool_calling', 'sim/m'));
  assert.equal(broken.code, 2);
  assert.match(broken.stderr, /rank\.yaml, line 20, column \d+/);
  assert.ok(!exists(join(set.output, 'run.db')));
  write(path, sample('      '));
  const run = await assay(set.args('tool_calling,promptql', 'sim/m', '--promptql.url', 'sim', '--promptql.version', 'v2'));
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(scoreRows(set.output).map((row) => row[5] === null), [false, false, true, true, true, true], 'nothing expected, no score');
});

test('check names every problem of config, tools and tasks at once', async (t) => {
  const set = setUp(t, { config: `  - {name: "bad name", kind: sql, database: "mysql://x"}
  - {name: two, kind: mcp, command: [x], url: "http://x"}
` });
  write(join(set.directory, 'tasks/other.yaml'), 'tool_calling_prompt: "{missing} {used}"\nexpected_tool_calls: [lok]\nvariations: [{used: 1, unused: 2}]\n');
  const run = await assay(['check', join(set.directory, 'eval.yaml'), '--system', 'tool_caling', '--model', 'nonsense']);
  assert.equal(run.code, 2);
  for (const words of [/did you mean tool_calling\?/, /nonsense/, /bad name/, /mysql|sqlite:FILE/, /not both/]) assert.match(run.stderr, words);
  write(join(set.directory, 'eval.yaml'), readFileSync(join(set.directory, 'eval.yaml'), 'utf8').split('\n').filter((line) => !/bad name|two/.test(line)).join('\n'));
  const tasks = await assay(['check', join(set.directory, 'eval.yaml'), '--system', 'tool_calling', '--model', 'sim/m']);
  assert.equal(tasks.code, 2);
  for (const words of [/there is no tool lok; did you mean look\?/, /missing/, /unused/]) assert.match(tasks.stderr, words);
});

test('a scorer whose program is not there is told by task and field before anything is run', async (t) => {
  const set = setUp(t, { task: { scorer: { name: 'command', command: ['./nosuch.sh'] } } });
  write(join(set.directory, 'tasks/other.yaml'), YAML.stringify({ tool_calling_prompt: 'x', scorer: { name: 'command', command: ['python3', './nosuch.py'] } }));
  write(join(set.directory, 'tasks/shell.yaml'), YAML.stringify({ tool_calling_prompt: 'x', scorer: { name: 'command', command: ['sh', '-c', 'echo 1 > out.py'] } }));
  for (const command of ['check', 'run']) {
    const ended = await assay([command, ...set.args('tool_calling', 'sim/m').slice(1)]);
    assert.equal(ended.code, 2, ended.stdout);
    const told = ended.stderr.trim().split('\n').map((line) => line.replaceAll(set.directory, ''));
    assert.equal(told.length, 2, ended.stderr);
    assert.match(told[0], /input_dir: \/tasks\/other\.yaml: scorer\.command: there is no file \.\/nosuch\.py for python3 to run$/);
    assert.match(told[1], /input_dir: \/tasks\/rank\.yaml: scorer\.command: there is no program \/tasks\/nosuch\.sh$/);
  }
});

test('a run is scored anew by another judge without asking a system, the failed ones too', async (t) => {
  const set = setUp(t, { task: { scorer: { name: 'rubric', criteria: ['is sorted'] }, variations: ['one', 'two', 'three'].map((data) => ({ data })) }, config: 'judge: openai/judge\nrepeat: 2\n' });
  const verdict = (fulfilled) => ({ json: { verdicts: [{ criterion: 1, reason: 'as it is', fulfilled }] } });
  const rules = [
    { match: 'is sorted', in: 'conversation', reply: verdict('yes') },
    { match: 'rank three', in: 'conversation', reply: { error: { status: 400 } } },
    { match: 'rank two', in: 'conversation', times: 1, reply: { error: { status: 400 } } },
    { reply: { text: kAnswer } },
  ];
  const sim = await simulator(t, ['--script', scripted(set.directory, rules)]);
  const run = () => assay(set.args('tool_calling', 'openai/m', '--max-nudges', '0', '--limits.concurrency', '1'), { env: sim.env });
  assert.equal((await run()).code, 3);
  assert.equal((await run()).code, 3, 'a second sitting asks for what failed');
  const scores = (directory) => readLines(join(directory, 'results.jsonl')).map(({ id, outcome, scores }) => [id, outcome === 'scored', scores['score.mean']]);
  const before = await sim.sent();
  const other = join(set.directory, 'other');
  const scored = await assay(['score', set.output, '--judge', 'openai/other', '-o', other], { env: sim.env });
  assert.equal(scored.code, 3, scored.stderr);
  assert.equal(await sim.sent() - before, 4, 'four verdicts and nothing of the system');
  assert.deepEqual(scores(other), scores(set.output));
  assert.equal(readYaml(join(other, 'rank-tool_calling-openai-m-variation1.yaml')).score, 1, 'and the transcripts are there to be read');
  // The lines hold the answers; one that was changed is another answer, whatever is thought of it.
  const judges = async () => JSON.parse((await assay(['compare', set.output, other, '--format', 'json'])).stdout).judges;
  const { answers_known: known, same_answers: same, other_answers: differ } = await judges();
  assert.deepEqual([known, same, differ], [true, 6, 0]);
  const kept = readFileSync(join(other, 'results.jsonl'), 'utf8');
  write(join(other, 'results.jsonl'), kept.replace('"answer":[{"id":"a"}', '"answer":[{"id":"z"}'));
  assert.equal((await judges()).other_answers, 1);
  write(join(other, 'results.jsonl'), kept);
  const { error } = readLines(join(other, 'results.jsonl')).find(({ id }) => id.includes('variation2'));
  assert.match(error, /the transcript in .*out did not come to its end: /);
  assert.equal((await assay(['score', set.output, '-o', join(set.directory, 'same')], { env: sim.env })).code, 3);
  assert.equal(await sim.sent() - before, 4, 'the same judge has said it already');
});
