// `assay import`: a promptfoo suite with 3 prompts, 2 models and 50 rows gives the verdicts that the real promptfoo gave
// (tests/data/promptfoo/verdicts.json, made by promptfoo_verdicts.mjs), assertion by assertion; logs become cases.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assay, exists, readJson, readLines, scratch, simulator, write } from './harness.mjs';
import { copySuite, csvRows, providers, script, suite } from './promptfoo_suite.mjs';

async function importedSuite(t) {
  const directory = scratch(t);
  const urls = {};
  for (const name of providers) {
    const answers = write(join(directory, `${name}.jsonl`), script(name));
    urls[name] = (await simulator(t, ['--script', answers])).url;
  }
  urls.judge = (await simulator(t, ['--noise', '0'])).url;
  const config = copySuite(join(directory, 'suite'), urls);
  const output = join(directory, 'imported');
  const result = await assay(['import', 'promptfoo', config, '--output', output]);
  return { directory, output, config, result };
}

test('an imported suite gives the verdicts of the real promptfoo on every row', async (t) => {
  const { directory, output, result } = await importedSuite(t);
  assert.equal(result.code, 0, result.stdout + result.stderr);
  assert.match(result.stdout, /3 prompts, 2 providers: 6 variants\n50 tests, 222 assertions: 14 metrics/);
  const env = { OPENAI_API_KEY: 'test' };
  const checked = await assay(['check', join(output, 'assay.yaml')], { env });
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  const run = await assay(['run', join(output, 'assay.yaml'), '-o', join(directory, 'run')], { env });
  assert.equal(run.code, 0, run.stdout + run.stderr);

  const passed = new Map();  // of each metric that applies, by row
  for (const row of csvRows(readFileSync(join(directory, 'run/results.csv'), 'utf8'))) {
    const key = `${row.id} ${row.variant}`;
    if (!passed.has(key)) passed.set(key, new Map());
    if (row.passed !== '') passed.get(key).set(row.metric, row.passed === 'true');
  }
  const { rows } = readJson(join(suite, 'verdicts.json'));
  assert.equal(rows.length, 300);
  assert.equal(passed.size, rows.length);
  for (const row of rows) {
    const ours = passed.get(`${row.id} ${row.prompt}-${row.provider}`);
    const theirs = new Map();  // two assertions of one kind are metrics NAME and NAME_2
    for (const { type, pass } of row.asserts) {
      const name = type.replaceAll('-', '_');
      theirs.set(theirs.has(name) ? `${name}_2` : name, pass);
    }
    assert.deepEqual(new Map([...ours].sort()), new Map([...theirs].sort()), `row ${row.id}, ${row.prompt}, ${row.provider}: ${row.output}`);
    assert.equal([...ours.values()].every(Boolean), row.pass);
  }
});

test('what is there is not written over, and a suite that cannot be taken whole says so by its exit code', async (t) => {
  const { config, output } = await importedSuite(t);
  const again = await assay(['import', 'promptfoo', config, '--output', output]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /assay\.yaml is there already, and 9 more; name another --output, or --force/);
  assert.equal((await assay(['import', 'promptfoo', config, '--output', output, '--force'])).code, 0);

  writeFileSync(config, readFileSync(config, 'utf8') + 'derivedMetrics: []\n');
  const part = await assay(['import', 'promptfoo', config, '--output', join(output, 'part')]);
  assert.equal(part.code, 3);
  assert.match(part.stdout, /Left out:\n  promptfooconfig\.yaml, line 23: derivedMetrics: /);
  const told = await assay(['import', 'promptfoo', config, '--output', join(output, 'part'), '--force', '--format', 'json']);
  assert.equal(told.code, 3);
  const { files, cases, left_out } = JSON.parse(told.stdout);
  assert.deepEqual([cases, left_out.length, left_out[0].place], [50, 1, 'promptfooconfig.yaml, line 23']);
  assert.ok(files.every((file) => file.startsWith(join(output, 'part'))));
  assert.ok(exists(join(output, 'part/assay.yaml')));
  const none = await assay(['import', 'promptfoo', join(output, 'gone.yaml')]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /gone\.yaml: .*no such file/);
});

// The line protocol of scorers, spoken by the adapters themselves.
test('adapters read what an assertion gives as promptfoo does', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'suite.yaml'), `prompts: ['Say {{q}}']
providers: [echo]
tests:
  - vars: {q: a}
    assert:
      - {type: python, metric: py, value: "file://s.py", threshold: 0.5}
      - {type: not-python, metric: no, value: "'b' in output"}
      - {type: python, metric: lines, value: "print('talk')\\nx = len(output)\\nreturn x"}
      - {type: javascript, metric: js, value: "const n = output.length; n > 3 ? {pass: false, score: 0.9, reason: context.prompt} : 0.2"}
      - {type: javascript, metric: own, value: "file://s.mjs"}
      - {type: javascript, metric: parsed, value: "output.n > 1", transform: "JSON.parse(output)"}
      - {type: python, metric: parsed_too, value: "output['n'] > 1", transform: "JSON.parse(output)"}
      - {type: javascript, metric: loads, value: "process.mainModule.require('path').basename(output) === context.vars.q"}
`);
  write(join(directory, 's.py'), "def get_assert(output, context):\n    if output == 'bad': raise ValueError(context['vars']['q'])\n    return 0.5 if output == 'half' else {'pass': True, 'score': 0.4, 'reason': 'why'}\n");
  write(join(directory, 's.mjs'), 'export default (output, { vars }) => output === vars.q;\n');
  const result = await assay(['import', 'promptfoo', join(directory, 'suite.yaml')]);
  assert.equal(result.code, 0, result.stdout + result.stderr);
  const ask = (metric, ...outputs) => {
    const [program, ...args] = ['js', 'own', 'loads', 'parsed'].includes(metric) ? ['node', 'scorers/javascript_assert.mjs'] : ['python3', 'scorers/python_assert.py'];
    const said = spawnSync(program, [...args, `scorers/${metric}.json`], {
      cwd: join(directory, 'assay'), encoding: 'utf8',
      input: outputs.map((output, i) => `${JSON.stringify({ id: `q${i}`, case: '1', variant: 'prompt_1', repeat: 1, fields: { q: 'a' }, output, meta: null, trace: null })}\n`).join(''),
    });
    assert.equal(said.status, 0, said.stderr);
    return said.stdout.trim().split('\n').map((line) => JSON.parse(line));
  };
  assert.deepEqual(ask('py', 'half', 'other', 'bad'), [
    { id: 'q0', score: 0.5, passed: true, reason: '' },
    { id: 'q1', score: 0.4, passed: false, reason: 'why' },
    { id: 'q2', score: 0, passed: false, reason: 'Python code execution failed: ValueError: a' }]);
  assert.deepEqual(ask('no', 'abc', 'xyz'), [{ id: 'q0', score: 0, passed: false, reason: '' }, { id: 'q1', score: 1, passed: true, reason: '' }]);
  assert.deepEqual(ask('lines', 'abc', ''), [{ id: 'q0', score: 1, passed: true, reason: 'score 3' }, { id: 'q1', score: 0, passed: false, reason: '' }]);
  assert.deepEqual(ask('js', 'abc', 'abcd'), [{ id: 'q0', score: 0.2, passed: true, reason: '' }, { id: 'q1', score: 0.9, passed: false, reason: 'Say a' }]);
  for (const metric of ['parsed', 'parsed_too'])
    assert.deepEqual(ask(metric, '{"n": 2}', { n: 1 }, 'no').map(({ passed, score }) => [passed, score]), [[true, 1], [false, 0], [false, 0]], metric);
  assert.deepEqual(ask('loads', '/x/a', '/a/x').map(({ passed }) => passed), [true, false]);
  assert.deepEqual(ask('own', 'a', 'b'), [{ id: 'q0', score: 1, passed: true, reason: '' }, { id: 'q1', score: 0, passed: false, reason: '' }]);
});

test('a log becomes cases, and lines that cannot are told with their numbers', async (t) => {
  const directory = scratch(t);
  const log = write(join(directory, 'log.jsonl'), [
    { messages: [{ role: 'user', content: 'Q' }, { role: 'assistant', content: 'A' }] }, 'no', { messages: [] },
  ].map((line) => JSON.stringify(line)).join('\n'));
  const result = await assay(['import', 'openai', log]);
  assert.equal(result.code, 3);
  assert.match(result.stderr, /log\.jsonl, line 2: found a text[\s\S]*log\.jsonl, line 3: nothing was asked/);
  assert.match(result.stdout, /^1 case into .*cases\.jsonl; 2 left out\n/);
  assert.deepEqual(readLines(join(directory, 'cases.jsonl')), [{ id: '1', input: 'Q', output: 'A', trace: [], messages: [{ role: 'user', content: 'Q' }] }]);
  assert.equal((await assay(['import', 'openai', log])).code, 2);
  const empty = await assay(['import', 'otel', write(join(directory, 'spans.json'), '{}'), '--output', join(directory, 'none.jsonl')]);
  assert.equal(empty.code, 2);
  assert.ok(!exists(join(directory, 'none.jsonl')));
});
