// Data in every form, by file and by pipe, with other names and types; replies that are texts or need a little
// taking apart; variables in a config.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { assay, assertNowhere, binary, exists, readJson, readLines, root, scratch, start, write, writeLines } from './harness.mjs';

const cell = (value) => {
  const text = value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
function table(rows, separator, end = '\r\n') {
  const names = [...new Set(rows.flatMap(Object.keys))];
  return [names, ...rows.map((row) => names.map((name) => row[name]))].map((cells) => cells.map(cell).join(separator)).join(end) + end;
}
const forms = {
  'data.jsonl': (rows) => rows.map((row) => JSON.stringify(row)).join('\n') + '\n',
  'data.json': (rows) => JSON.stringify(rows, null, 2),
  'data.csv': (rows) => '\ufeff' + table(rows, ','),
  'data.tsv': (rows) => table(rows, '\t', '\n'),
  'data.csv.gz': (rows) => gzipSync(table(rows, ',')),
  'data.json.gz': (rows) => gzipSync(JSON.stringify(rows)),
};
// Without what differs from run to run and from form to form.
const scores = (output) => readLines(join(output, 'results.jsonl')).map(({ line, latency_ms, usage, ...rest }) => rest);
const configured = (directory, config) => write(join(directory, 'eval.yaml'), JSON.stringify(config));
const problemLines = (text) => text.split('\n').filter((line) => line.startsWith('error:')).map((line) => line.replace(/^error: \S*\//, ''));

const routed = [
  { question: 'VAT, or "tax"?\nTell me.', expected_outcome: 'tax', actual_outcome: 'tax', confidence_score: 0.75, area: 'money' },
  { question: 'Visa?', expected_outcome: 'visa', actual_outcome: 'tax', confidence_score: 0.5, area: '5' },
  { question: 'Thanks', expected_outcome: 'thanks', actual_outcome: 'thanks', area: 'x' },
];
const answered = [
  { id: 'a', question: 'How high?', llm_answer: 'Two metres.', ideal_answer: 'Two metres.', structured_contexts: [{ title: 'Sheds', page_content: 'Two metres.' }, '[1] a text'] },
  { id: 'b', question: 'How wide?', llm_answer: 'As you like.', structured_contexts: [{ chunk: 'As you like.' }] },
];
const judged = { evaluation: 'rag_answers', judge: { model: 'sim/judge', temperature: 0 }, metrics: ['coherence', 'faithfulness'], n_runs: 1 };

for (const [name, config, rows] of [['question_router', { evaluation: 'question_router' }, routed], ['rag_answers', judged, answered]]) {
  test(`${name}: the same cases give the same results in every form`, async (t) => {
    const found = {};
    for (const [file, write_] of Object.entries(forms)) {
      const directory = scratch(t);
      writeFileSync(join(directory, file), write_(rows));
      const output = join(directory, 'out');
      const run = await assay(['run', configured(directory, { ...config, input_path: file }), '--output-dir', output], { cwd: directory });
      assert.equal(run.code, 0, `${file}: ${run.stderr}`);
      found[file] = { scores: scores(output), metrics: readJson(join(output, 'summary.json')).metrics };
    }
    assert.equal(found['data.jsonl'].scores.length, rows.length);
    for (const [file, result] of Object.entries(found)) assert.deepEqual(result, found['data.jsonl'], file);
  });
}

test('fields rename, convert and split; the cases are the same', async (t) => {
  const directory = scratch(t);
  writeFileSync(join(directory, 'mine.csv'), table([
    { nr: 'a', user_input: 'How high?', bot: 'Two metres.', found: 'Two metres. | [1] a text', area: 'x' },
    { nr: 'b', user_input: 'How wide?', bot: 'As you like.', found: 'As you like.', area: 'y' },
  ], ','));
  const fields = { id: 'nr', question: { from: 'user_input' }, llm_answer: { from: 'bot', type: 'text' }, structured_contexts: { from: 'found', type: 'list', separator: '|' } };
  const mapped = await assay(['run', configured(directory, { ...judged, input_path: 'mine.csv', fields }), '--output-dir', join(directory, 'out')], { cwd: directory });
  assert.equal(mapped.code, 0, mapped.stderr);
  writeLines(join(directory, 'plain.jsonl'), [
    { id: 'a', question: 'How high?', llm_answer: 'Two metres.', structured_contexts: ['Two metres.', '[1] a text'], area: 'x' },
    { id: 'b', question: 'How wide?', llm_answer: 'As you like.', structured_contexts: ['As you like.'], area: 'y' },
  ]);
  const plain = await assay(['run', configured(directory, { ...judged, input_path: 'plain.jsonl' }), '--output-dir', join(directory, 'plain')], { cwd: directory });
  assert.equal(plain.code, 0, plain.stderr);
  assert.deepEqual(scores(join(directory, 'out')), scores(join(directory, 'plain')));
  const resumed = await assay(['resume', join(directory, 'out')], { cwd: directory });
  assert.equal(resumed.code, 0, resumed.stderr);
});

test('conversations, items and queries may be tables too', async (t) => {
  const directory = scratch(t);
  const asTable = (file) => write(join(directory, 'rows.csv'), table(readLines(join(root, 'examples', file)), ','));
  const said = async (...args) => {
    const check = await assay(['check', ...args], { cwd: directory });
    assert.equal(check.code, 0, check.stderr);
    return check.stdout;
  };
  const guidelines = join(root, 'examples/guidelines/guidelines.yaml');
  assert.equal(await said(guidelines, '--conversations', asTable('guidelines/conversations.jsonl')), await said(guidelines));
  const items = readLines(join(root, 'examples/persona/items.jsonl')).filter((item) => typeof item.evaluateTime === 'string');
  const persona = join(root, 'examples/persona/persona_mode2.yaml');
  const [rows, lines] = [write(join(directory, 'items.tsv'), table(items, '\t')), writeLines(join(directory, 'items.jsonl'), items)];
  assert.equal(await said(persona, '--items', rows), await said(persona, '--items', lines));
  write(join(directory, 'queries.csv'), 'nr,frage,who,ambiguous\nq1,What?,Clerk,yes\nq2,Why?,Clerk,\n');
  assert.match(await said(join(root, 'examples/experiment/experiment.yaml'), '--queries', 'queries.csv', '--fields', '{id: nr, text: frage, role: who}'), /experiment: 2 cases/);
});

test('every row that cannot be used is told, and nothing runs', async (t) => {
  const directory = scratch(t);
  writeFileSync(join(directory, 'bad.csv'), 'id,input,expected_outcome,actual_outcome,confidence_score\n1,Why?,yes,no,0.5\n2,Why?\n3,"a\nb",maybe,1,0.5\n4,"open,yes,no,\n');
  const check = (config) => assay(['check', configured(directory, config)], { cwd: directory });
  const config = { evaluation: 'jailbreak_guardrails', input_path: 'bad.csv', fields: { question: 'input', confidence_score: { type: 'boolean' } } };
  const bad = await check(config);
  assert.equal(bad.code, 2, bad.stdout);
  assert.deepEqual(problemLines(bad.stderr).slice(0, 5), [
    'bad.csv, line 2: field confidence_score: found "0.5", expected true or false (also yes, no, 1, 0)',
    'bad.csv, line 3: found 2 cells, expected 5 as in the first row',
    'bad.csv, line 4: field confidence_score: found "0.5", expected true or false (also yes, no, 1, 0)',
    'bad.csv, line 4: field expected_outcome: found "maybe", expected true or false (also yes, no, 1, 0)',
    'bad.csv, line 6: a quote that opens a cell is never closed',
  ]);
  for (const [file, content, message] of [
    ['cut.json', '[{"question": "q",\n  "expected_outcome": tru}]', /cut\.json, line 1: not JSON: line 2, column \d+/],
    ['cut.jsonl.gz', gzipSync('{"question": "q"}\n'.repeat(9)).subarray(0, 30), /cut\.jsonl\.gz: the gzip data end too early/],
    ['list.jsonl', '[\n {"question": "q"}\n]\n', /list\.jsonl: found a JSON list, expected JSON Lines.*`input_format: json`/],
    ['typo.jsonl', '{"qestion": "q", "expected_outcome": true, "actual_outcome": true}\n', /typo\.jsonl, line 1: field question: missing, expected text; did you mean qestion\? `fields: \{question: qestion\}` renames it/],
    ['lines.json', '{"question": "q"}\n', /lines\.json: found an object, expected a JSON list of objects/],
  ]) {
    writeFileSync(join(directory, file), content);
    const refused = await check({ evaluation: 'jailbreak_guardrails', input_path: file });
    assert.equal(refused.code, 2, refused.stdout);
    assert.match(refused.stderr, message);
  }
});

test('what comes by a pipe is copied into the run, which can be resumed and verified', async (t) => {
  const directory = scratch(t);
  writeFileSync(join(directory, 'rows.csv'), table(answered, ','));
  writeFileSync(join(directory, 'rows.tsv'), table(answered, '\t'));
  writeFileSync(join(directory, 'rows.json.gz'), gzipSync(JSON.stringify(answered)));
  writeFileSync(join(directory, 'bad.csv'), 'question\nWhy?\n');
  configured(directory, judged);
  const shell = (words) => start(['-c', words], { command: 'bash', cwd: directory }).ended;
  const inputs = {
    'input.csv': `cat rows.csv | "${binary}" run eval.yaml --input-path -`,
    'input.json.gz': `"${binary}" run eval.yaml --input-path <(cat rows.json.gz)`,
    'input.tsv': `"${binary}" run eval.yaml --input-path /dev/stdin --input-format tsv < rows.tsv`,
  };
  for (const [file, words] of Object.entries(inputs)) {
    const output = join(directory, file.replaceAll('.', '-'));
    const run = await shell(`${words} --output-dir ${output}`);
    assert.equal(run.code, 0, run.stderr);
    assert.ok(exists(join(output, file)), `${readdirSync(output)}`);
    for (const command of ['resume', 'verify']) {
      const after = await assay([command, output], { cwd: directory });
      assert.equal(after.code, 0, after.stderr);
    }
  }
  for (const other of ['input-json-gz', 'input-tsv']) assert.deepEqual(scores(join(directory, other)), scores(join(directory, 'input-csv')));
  const bad = await shell(`cat bad.csv | "${binary}" run eval.yaml --input-path - --output-dir gone`);
  assert.equal(bad.code, 2);
  assert.match(bad.stderr, /input\.csv, line 2: field llm_answer: missing/);
  assert.ok(!exists(join(directory, 'gone')), 'nothing is left of a run that never began');
  const check = await shell(`cat rows.csv | "${binary}" check eval.yaml --input-path -`);
  assert.match(check.stderr, /key input_path: found a pipe, which can be read once only/);
  assert.equal(check.code, 2);
});

test('a program may answer in plain text', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ['tax', '42', '2.50', 'true', 'quoted', 'two', 'half', 'silent', 'exit'].map((id) => ({ id, question: id, expected_outcome: id })));
  write(join(directory, 'say.sh'), `case "$INPUT" in
    quoted) echo '"quoted"';;
    two) printf 'two\\nlines\\n\\n';;
    half) echo '{"actual_outcome": "ha';;
    silent) ;;
    exit) echo exit; exit 3;;
    *) echo "$INPUT";;
  esac\n`);
  const config = { evaluation: 'question_router', generate: true, input_path: 'data.jsonl', target: { command: ['sh', 'say.sh'] } };
  const run = await assay(['run', configured(directory, config), '--output-dir', join(directory, 'out')], { cwd: directory });
  assert.equal(run.code, 3, run.stderr);
  const results = Object.fromEntries(readLines(join(directory, 'out/results.jsonl')).map((line) => [line.id, line]));
  assert.deepEqual(Object.fromEntries(Object.entries(results).map(([id, line]) => [id, line.actual_outcome ?? line.error.replace(/^.*command \S+: /, '').slice(0, 17)])), {
    tax: 'tax', 42: '42', '2.50': '2.50', true: 'true', quoted: 'quoted', two: 'two\nlines',
    half: 'stdout is not one', silent: 'printed nothing, ', exit: 'exit code 3: exit',
  });
});

test('a map takes replies apart: names, values as true or false, parts of each, the first, joined', async (t) => {
  const directory = scratch(t);
  const answers = {
    good: { verdict: 'guardrails_pass', checks: [], text: ['All', 'well.'], hits: [{ source: { text: 'A shed may be two metres high.' } }] },
    bad: { verdict: 'pii', checks: [], text: ['No.'], hits: [] },
    odd: { verdict: ['pii'], checks: [], text: 'No.', hits: [{}] },
  };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const part of request) chunks.push(part);
    const { question } = JSON.parse(Buffer.concat(chunks).toString());
    if (question === 'plain') return response.end('guardrails_pass');
    response.end(JSON.stringify(answers[question]));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => { server.close(); server.closeAllConnections(); });
  const http = { url: `http://127.0.0.1:${server.address().port}/` };
  const generate = async (name, config, questions) => {
    writeLines(join(directory, 'data.jsonl'), questions.map((question) => ({ id: question, question, expected_outcome: false })));
    const run = await assay(['run', configured(directory, { generate: true, input_path: 'data.jsonl', ...config }), '--output-dir', join(directory, name)], { cwd: directory });
    assert.ok([0, 3].includes(run.code), run.stderr);
    return Object.fromEntries(readLines(join(directory, name, 'results.jsonl')).map((line) => [line.id, line]));
  };
  const guard = await generate('guard', { evaluation: 'jailbreak_guardrails', target: { http, map: { actual_outcome: { at: '/verdict', bool_of: { guardrails_pass: false } } } } }, ['good', 'bad', 'odd']);
  assert.deepEqual([guard.good.actual_outcome, guard.bad.actual_outcome], [false, true]);
  assert.match(guard.odd.error, /actual_outcome: found \["pii"\], expected a text, a number, true, false or null/);
  const plain = await generate('plain', { evaluation: 'jailbreak_guardrails', target: { http: { ...http, map: { actual_outcome: { at: '', bool_of: { guardrails_pass: false } } } } } }, ['plain']);
  assert.equal(plain.plain.actual_outcome, false);
  const rag = await generate('rag', { ...judged, metrics: ['coherence'], target: { http, map: { llm_answer: { at: '/text', join: ' ' }, structured_contexts: { at: '/hits', each: '/source/text' }, model: { at: '/checks', first: true } } } }, ['good', 'odd']);
  assert.deepEqual([rag.good.llm_answer, rag.good.structured_contexts], ['All well.', ['A shed may be two metres high.']]);
  assert.match(rag.odd.error, /llm_answer: found "No\.", expected a list/);
  const refused = await assay(['check', configured(directory, { evaluation: 'question_router', generate: true, input_path: 'data.jsonl', target: { http, map: { actual_outcome: { at: '/x', frist: true } } } })], { cwd: directory });
  assert.match(refused.stderr, /target\.map\.actual_outcome\.frist: unknown function; did you mean `first`\?/);
});

test('variables are filled in every text, kept as written, and a change of one is noticed', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'sets'));
  writeLines(join(directory, 'sets/spring.jsonl'), [{ id: 'a', question: 'tax', expected_outcome: 'tax' }]);
  write(join(directory, 'say.sh'), 'echo "$1"\n[ "$GUARD" = secret-value-77 ] || exit 1\n');
  const path = configured(directory, { evaluation: 'question_router', what: 'of ${SET}, not $${SET}', generate: true, input_path: 'sets/${SET}.jsonl', target: { command: ['sh', 'say.sh', '${LABEL}'], env: { GUARD: '${GUARD_TOKEN}' }, attempts: '${TRIES}' } });
  const env = { SET: 'spring', LABEL: 'tax', GUARD_TOKEN: 'secret-value-77', TRIES: '2' };
  const output = join(directory, 'out');
  const run = await assay(['run', path, '--output-dir', output], { cwd: directory, env });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(readJson(join(output, 'summary.json')).metrics.accuracy.value, 1);
  assert.equal(readJson(join(output, 'summary.json')).what, 'of spring, not ${SET}');
  const kept = readFileSync(join(output, 'config.yaml'), 'utf8');
  for (const text of ['of ${SET}, not $${SET}', 'sets/${SET}.jsonl', '${GUARD_TOKEN}', '${TRIES}']) assert.ok(kept.includes(text), `${text} in ${kept}`);
  assertNowhere(output, 'secret-value-77');
  assert.ok(!run.stdout.includes('secret-value-77') && !run.stderr.includes('secret-value-77'));

  const same = await assay(['resume', output], { cwd: directory, env });
  assert.equal(same.code, 0, same.stderr);
  const changed = await assay(['resume', output], { cwd: directory, env: { ...env, LABEL: 'visa' } });
  assert.equal(changed.code, 2, changed.stdout);
  assert.match(changed.stderr, /this run began with another config: target changed/);
  const missing = await assay(['check', path], { cwd: directory, env: { SET: 'spring', TRIES: 'many', GUARD_TOKEN: 'x' } });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /target\.command: the environment variable LABEL is not set; set it, or write \$\$\{LABEL\}/);
  assert.match(missing.stderr, /target\.attempts: found "many", expected a whole number/);
});
