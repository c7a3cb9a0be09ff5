// The blinded experiment from its command to its files.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { assay, casesInReport, simulator, scratch, write, readJson, readLines, exists, root } from './harness.mjs';

const examples = join(root, 'examples/experiment');
const queries = [
  { id: 'query_1', text: 'How do I bake bread?', query_type: 'practical', role: 'Baker' },
  { id: 'query_2', text: 'Why is the sky blue?', query_type: 'science', role: 'Physicist', ambiguous: true },
];

// Every journaled effect: step and request as it was sent.
const effects = (output) => JSON.parse(execFileSync('python3', ['-c', `
import json, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute('SELECT step, attempt, request, reply FROM effects ORDER BY row_number')
print(json.dumps([{'step': s, 'attempt': a, 'request': q, 'reply': r} for s, a, q, r in rows]))`, join(output, 'run.db')], { encoding: 'utf8', maxBuffer: 1 << 28 }));

function setUp(t, config, { answers, list = queries, prompts = {} } = {}) {
  const directory = scratch(t);
  write(join(directory, 'queries.json'), JSON.stringify(list));
  for (const [name, text] of Object.entries(prompts)) write(join(directory, name), text);
  if (answers) {
    mkdirSync(join(directory, 'answers'));
    for (const [name, content] of Object.entries(answers)) write(join(directory, 'answers', name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  write(join(directory, 'eval.yaml'), JSON.stringify({
    evaluation: 'experiment', queries: 'queries.json', seed: 7,
    ...(answers ? { generate: false, responses: 'answers' } : { model: 'sim/writer' }),
    pairwise: { evaluators: 2, model: 'sim/judge' }, absolute: { evaluators: 2, model: 'sim/judge' }, ...config,
  }));
  const output = join(directory, 'out');
  return {
    directory, output,
    run: (options = {}) => assay(['run', 'eval.yaml', '--output-dir', output, ...(options.args ?? [])], { cwd: directory, env: options.env }),
    verify: () => assay(['experiment', '--verify', output]),
    json: (name) => readJson(join(output, name)),
    text: (name) => readFileSync(join(output, name), 'utf8'),
  };
}

const marked = {
  'zebra.A1_responses.json': { query_1: '[Role: Master Baker]\n\nMix flour, water and salt, and let it rest.', query_2: 'Air scatters blue light most. **[role - Sky Person]**' },
  'quux-7_responses.json': { query_1: 'Knead the dough for ten minutes, then bake it.', query_2: 'Role: Optics Teacher\nShort waves are scattered more than long ones.' },
  'Kontrolle_responses.json': { query_1: 'Use a recipe from a book that you trust.', query_2: 'It looks blue because of scattering in the air.' },
};
const oddNames = { conditions: [{ name: 'zebra.A1', reports_role: true, tone: true }, { name: 'quux-7', reports_role: true }, { name: 'Kontrolle', control: true }] };

test('no judge is sent a condition, a file, a run or a role, whatever their names', async (t) => {
  const run = setUp(t, { ...oddNames, pairwise: { evaluators: 3, model: 'sim/judge', against: 'all' } }, { answers: marked });
  const done = await run.run();
  assert.equal(done.code, 0, done.stderr);
  const sent = effects(run.output);
  const count = (kind) => sent.filter(({ step }) => step.startsWith(kind)).length;
  assert.deepEqual([count('pair/'), count('rating/'), count('role/')], [2 * 3 * 3 * 2, 2 * 3 * 2, 3 * 3], 'three pairs both ways, three answers, three roles named');
  for (const { step, request } of sent) {
    const text = request.toLowerCase();
    for (const word of ['zebra', 'quux', 'kontrolle', 'responses.json', 'dataset_', 'run 1', 'run1', 'run_1', 'control']) assert.ok(!text.includes(word), `${step} holds ${word}`);
    if (step.startsWith('role/')) continue;
    for (const word of ['master baker', 'sky person', 'optics teacher', '[role', 'role:']) assert.ok(!text.includes(word), `${step} holds ${word}`);
  }
});

test('the files of the contract, and what they hold', async (t) => {
  const run = setUp(t, oddNames, { answers: marked });
  const done = await run.run();
  assert.equal(done.code, 0, done.stderr);
  const { salt, ...key } = run.json('randomization_key.json');
  assert.match(salt, /^[0-9a-f]{32}$/);
  assert.deepEqual(Object.keys(key).sort(), Object.keys(marked).sort());
  const commitment = run.json('blinding_commitment.json');
  assert.equal(commitment.sha256, createHash('sha256').update(run.text('randomization_key.json')).digest('hex'));
  assert.equal(commitment.started, run.json('summary.json').started);
  assert.ok(run.text('report.html').includes(commitment.sha256), 'the report names it');
  // The report opens each query with its answers, who preferred which and why, and every mark.
  const [[, { query, trials }]] = casesInReport(run.text('report.html'));
  assert.equal(query, 'How do I bake bread?');
  assert.deepEqual(trials.answers.map(({ condition, text }) => [condition, text]), Object.entries(marked).map(([file, texts]) => [file.replace('_responses.json', ''), texts.query_1]));
  assert.deepEqual([trials.preferences.length, trials.marks.length, trials.roles.length], [2 * 2 * 2, 3 * 7 * 2, 2], 'both pairs both ways; five criteria and two of tone; one answer names its role');
  const [preferred] = trials.preferences;
  assert.deepEqual([preferred.conditions.length, preferred.criteria.length], [2, 5]);
  assert.ok([...preferred.conditions, 'tie'].includes(preferred.winner) && preferred.criteria.every(({ reason }) => reason !== ''));
  const notable = run.json('notable_cases.json');
  assert.ok(notable.length > 0 && notable.every(({ why, fields }) => / was rated .* of 5$| won .*% of its pairs with control$/.test(why) && fields.some(({ name }) => name.startsWith('answer of'))), JSON.stringify(notable));
  for (const [file, code] of Object.entries(key)) {
    assert.match(code, /^dataset_[a-z0-9]{4}\.json$/);
    assert.deepEqual(run.json(`responses/${file}`), marked[file]);
  }
  assert.deepEqual(run.json(`blinded_evaluation/${key['zebra.A1_responses.json']}`), { query_1: 'Mix flour, water and salt, and let it rest.', query_2: 'Air scatters blue light most.' });
  assert.deepEqual(run.json(`blinded_evaluation/${key['quux-7_responses.json']}`).query_2, 'Short waves are scattered more than long ones.');
  for (const name of ['pairwise_evaluator_1_results.json', 'pairwise_evaluator_2_results.json', 'absolute_evaluator_3_results.json', 'absolute_evaluator_4_results.json', 'role_evaluator_1_results.json']) {
    const text = run.text(name);
    JSON.parse(text);
    for (const word of ['zebra', 'quux', 'Kontrolle']) assert.ok(!text.includes(word), `${name} holds ${word}`);
  }
  const first = run.json('pairwise_evaluator_1_results.json');
  assert.deepEqual([first.evaluator, first.mode, first.model], [1, 'pairwise', 'sim/judge']);
  assert.equal(first.judgements.length, 2 * 2 * 2);
  assert.deepEqual(first.judgements.map((row) => row.order), [0, 1, 2, 3, 4, 5, 6, 7]);
  const comparisons = readLines(join(run.output, 'evaluations.jsonl'));
  assert.equal(comparisons.length, 2 * 2 * 2 * 2);
  for (const row of comparisons) {
    assert.deepEqual([row.response_a.condition, row.response_b.condition].sort(), ['control', 'persona']);
    const persona = row.response_a.condition === 'persona' ? row.response_a : row.response_b;
    assert.equal(persona.condition_name, row.test_condition);
    assert.ok(!/role/i.test(persona.text));
    assert.ok(['A', 'B', 'Tie'].includes(row.evaluation.winner));
    for (const criterion of ['helpfulness', 'appropriateness', 'completeness', 'actionability', 'overall'])
      for (const side of ['a', 'b']) assert.ok(row.evaluation[`${criterion}_${side}`] >= 1 && row.evaluation[`${criterion}_${side}`] <= 5);
  }
  const zebra = comparisons.find((row) => row.test_condition === 'zebra.A1' && row.query_id === 'query_1');
  assert.equal((zebra.response_a.condition === 'persona' ? zebra.response_a : zebra.response_b).role_indicated, 'Master Baker');
  assert.equal(typeof zebra.evaluation.role_appropriate, 'boolean');
  const results = readLines(join(run.output, 'results.jsonl'));
  assert.deepEqual(results.map((line) => [line.id, line.answers, line.pairs, line.ratings]), [['query_1', 3, 8, 6], ['query_2', 3, 8, 6]]);
  assert.ok('win_rate.quux-7' in results[0].scores && 'score.Kontrolle.overall' in results[0].scores);
  for (const name of ['analysis.json', 'report.md', 'aggregate.csv']) assert.ok(exists(join(run.output, name)), name);
});

test('--verify finds what was changed afterwards', async (t) => {
  const twice = Object.fromEntries(Object.entries(marked).flatMap(([file, texts]) => [1, 2].map((run) => [file.replace('_responses', `_run_${run}_responses`), texts])));
  const run = setUp(t, { ...oddNames, runs: 2 }, { answers: twice });
  assert.equal((await run.run()).code, 0);
  const good = await run.verify();
  assert.equal(good.code, 0, good.stdout + good.stderr);
  assert.equal(good.stdout.split('\n').filter((line) => line.startsWith('ok: ')).length, 12, good.stdout);
  const { salt, ...key } = run.json('randomization_key.json');
  const change = async (name, edit, expected) => {
    const path = join(run.output, name);
    const before = readFileSync(path, 'utf8');
    const after = edit(before);
    assert.notEqual(after, before);
    write(path, after);
    const found = await run.verify();
    assert.equal(found.code, 1, `${name}: ${found.stdout}`);
    assert.match(found.stdout, expected);
    write(path, before);
  };
  const [one, other] = Object.values(key);
  await change('randomization_key.json', (text) => text.replace(one, 'X').replace(other, one).replace('X', other), /FAILED: randomization_key.json is the key/);
  await change('randomization_key.json', (text) => text.replace(salt, salt.split('').reverse().join('')), /FAILED: the key follows from names, seed and salt/);
  // What stands in one file only is held against the journal's replies.
  await change('absolute_evaluator_3_results.json', (text) => text.replace(/"reason":"[^"]+"/, '"reason":"Because it is so."'), /FAILED: answers, evaluators' files.*absolute_evaluator_3_results.json, line 3: differs/);
  await change('pairwise_evaluator_1_results.json', (text) => text.replace(/"more_natural":\{"reason":"[^"]*","choice":"(A|B|Tie)"/, (row, was) => row.replace(`"choice":"${was}"`, `"choice":"${was === 'A' ? 'B' : 'A'}"`)), /FAILED: answers, evaluators' files.*pairwise_evaluator_1_results.json/);
  await change('role_evaluator_1_results.json', (text) => text.replace(/"explanation":"[^"]+"/, '"explanation":"No."'), /FAILED: answers, evaluators' files.*role_evaluator_1_results.json/);
  await change('config.yaml', (text) => text.replaceAll('sim/judge', 'sim/other'), /FAILED: answers, evaluators' files.*pairwise_evaluator_1_results.json, line 1/);
  write(join(run.output, 'blinded_evaluation/dataset_zzzz.json'), '{}');
  assert.match((await run.verify()).stdout, /FAILED: answers, evaluators' files.*dataset_zzzz.json is a file too many/);
  rmSync(join(run.output, 'blinded_evaluation/dataset_zzzz.json'));
  await change(`blinded_evaluation/${key['quux-7_run_1_responses.json']}`, (text) => text.replace('Knead', 'Do not knead'), /FAILED: blinded texts.*quux-7_run_1_responses.json, query_1/);
  await change('pairwise_evaluator_2_results.json', (text) => text.replace(/"winner":"(A|B|Tie)"/, (_, was) => `"winner":"${was === 'A' ? 'B' : 'A'}"`), /FAILED: the analysis follows.*analysis.json differs at/);
  await change('absolute_evaluator_3_results.json', (text) => text.replace(/"score":\d/, '"score":9'), /FAILED: the analysis follows.*cannot be read/);
  await change('analysis.json', (text) => text.replace(/"n": \d+/, '"n": 12345'), /FAILED: the analysis follows/);
  const otherWinner = (text) => text.replace(/"winner":"(A|B|Tie)"/g, (_, was) => `"winner":"${was === 'A' ? 'B' : 'A'}"`);
  await change('evaluations.jsonl', otherWinner, /FAILED: evaluations.jsonl follows.*: line 1 differs at \/evaluation\/winner/);
  await change('evaluations.jsonl', () => '', /FAILED: evaluations.jsonl follows.*: line 1: the file has 0 lines, 32 follow/);
  await change('evaluations.jsonl', (text) => text.split('\n').slice(1).join('\n'), /FAILED: evaluations.jsonl follows/);
  const edited = (edit) => (text) => { const json = JSON.parse(text); edit(json); return JSON.stringify(json); };
  await change('summary.json', edited((summary) => { summary.metrics['win_rate.quux-7'].value = 0.987; }), /FAILED: conclusions.*summary.json differs at \/metrics\/win_rate.quux-7\/value/);
  await change('summary.json', edited((summary) => { summary.metrics['win_rate.quux-7'].ci = [0.97, 0.99]; }), /FAILED: conclusions.*\/metrics\/win_rate.quux-7\/ci/);
  await change('summary.json', edited((summary) => { summary.conclusions[0] = 'quux-7 is best.'; }), /FAILED: conclusions.*\/conclusions\/0/);
  await change('summary.json', edited((summary) => { summary.tables.blinding.rows[0][1] = '0'.repeat(64); }), /FAILED: report.html and summary.json name.*summary.json does not/);
  await change('results.jsonl', (text) => text.replace(/"win_rate.quux-7":[\d.]+/, '"win_rate.quux-7":0.987'), /FAILED: scores.*: query_1 differs at \/scores\/win_rate.quux-7/);
  await change('blinding_commitment.json', (text) => text.replace(/"started": "20/, '"started": "19'), /FAILED: report.html and summary.json name.*started/);
  const { sha256 } = run.json('blinding_commitment.json');
  await change('report.html', (text) => text.replaceAll(sha256, '0'.repeat(64)), /FAILED: report.html and summary.json name.*report.html does not/);
  await change('report.html', (text) => text.replace(/("win_rate.quux-7":\{"value":)[\d.]+/, '$10.987'), /FAILED: .*what report.html draws differs at \/metrics\/win_rate.quux-7\/value|FAILED: .*has other figures/);
  await change('aggregate.csv', (text) => text.replace(/(win_rate.quux-7),[\d.]+/, '$1,0.987'), /FAILED: .*aggregate.csv has other figures/);
  // The answers of both runs are the same, so that only the code tells.
  await change('pairwise_evaluator_1_results.json', edited(({ judgements: [row] }) => {
    const file = Object.keys(key).find((name) => key[name] === row.response_a);
    row.response_a = key[file.replace(/_run_([12])_/, (_, was) => `_run_${3 - was}_`)];
  }), /FAILED: the analysis follows.*pairwise_evaluator_1_results.json holds a judgement that cannot be read/);
  await change('role_evaluator_1_results.json', (text) => text.replace('Master Baker', 'Master Thief'), /FAILED: the roles.*role_evaluator_1_results.json, query_1: the role is "Master Thief", that of the answer "Master Baker"/);
  await change('role_evaluator_1_results.json', (text) => text.replace('"other_roles":[]', '"other_roles":["Cook"]'), /FAILED: the roles.*query_1: other roles/);
  rmSync(join(run.output, 'absolute_evaluator_4_results.json'));
  const missing = await run.verify();
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /absolute_evaluator_4_results.json/);
  assert.equal((await assay(['experiment', '--verify', run.directory])).code, 2);
});

test('a verdict that is changed in the journal, and written by a resume, is noticed', async (t) => {
  const run = setUp(t, { conditions: oddNames.conditions.slice(1), pairwise: null }, { answers: marked });
  assert.equal((await run.run()).code, 0);
  execFileSync('python3', ['-c', `
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
(index, text), = db.execute("SELECT case_index, result FROM outcomes WHERE case_index = 0").fetchall()
record = json.loads(text)
rating = (record.get('result') or record)['ratings'][0]
rating['s'] = [5 if score != 5 else 1 for score in rating['s']]
db.execute("UPDATE outcomes SET result = ? WHERE case_index = 0", (json.dumps(record),))
db.commit()`, join(run.output, 'run.db')]);
  await assay(['resume', run.output]);
  const found = await run.verify();
  assert.equal(found.code, 1, found.stdout);
  assert.match(found.stdout, /FAILED: every answer and judgement follows from a reply in the journal/);
});

// An endpoint of our own: sees each request before it answers it.
async function endpoint(t, onRequest) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => { body += chunk; });
    request.on('end', () => {
      const { status = 200, text } = onRequest(JSON.parse(body));
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === 200
        ? { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }
        : { error: { message: 'no', type: 'x' } }));
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  return { OPENAI_API_KEY: 'test-key-5e0c', OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1` };
}

test('the key is on disk before the first request, and a resume finds the same one or refuses', async (t) => {
  const run = setUp(t, { conditions: [{ name: 'x', prompt: 'x.txt' }, { name: 'control' }], model: 'openai/writer', runs: 2 }, { prompts: { 'x.txt': 'Be brief.' } });
  const seen = [];
  let refusing = true;
  const env = await endpoint(t, () => {
    seen.push(exists(join(run.output, 'randomization_key.json')) && exists(join(run.output, 'blinding_commitment.json')));
    return refusing ? { status: 401 } : { text: '[Role: Helper]\nAn answer.' };
  });
  const stopped = await run.run({ env });
  assert.equal(stopped.code, 3, stopped.stderr);
  assert.ok(seen.length > 0 && seen.every(Boolean), 'key and commitment were there first');
  const key = run.text('randomization_key.json');
  const commitment = run.text('blinding_commitment.json');
  const asked = seen.length;
  write(join(run.output, 'randomization_key.json'), key.replace(/dataset_..../, 'dataset_0000'));
  const refused = await assay(['resume', run.output], { env });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /randomization_key.json: this is not the key/);
  assert.equal(seen.length, asked, 'nothing was sent');
  write(join(run.output, 'randomization_key.json'), key);
  refusing = false;
  const resumed = await assay(['resume', run.output], { env });
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(run.text('randomization_key.json'), key);
  assert.equal(run.text('blinding_commitment.json'), commitment);
  assert.deepEqual(Object.keys(run.json('responses/x_run_2_responses.json')), ['query_1', 'query_2']);
});

test('answers that a run wrote can be judged again from its files, with the same judgements', async (t) => {
  const conditions = [{ name: 'x', prompt: 'x.txt', role: 'per_query' }, { name: 'control' }];
  const run = setUp(t, { conditions, runs: 2 }, { prompts: { 'x.txt': 'You are a {role}.' } });
  const done = await run.run();
  assert.equal(done.code, 0, done.stderr);
  assert.equal((await run.verify()).code, 0);
  const asked = effects(run.output).filter(({ step }) => step === 'response/x/run1').map(({ request }) => JSON.parse(request).messages[0].text);
  assert.deepEqual(asked.sort(), ['You are a Baker.', 'You are a Physicist.']);
  const again = join(run.directory, 'again');
  const second = await assay(['run', 'eval.yaml', '--output-dir', again, '--no-generate', '--responses', join(run.output, 'responses')], { cwd: run.directory });
  assert.equal(second.code, 0, second.stderr);
  assert.deepEqual(readJson(join(again, 'analysis.json')), run.json('analysis.json'));
  const other = await assay(['score', run.output, '--judge', 'sim/judge?noise=0.4', '--output-dir', join(run.directory, 'other')]);
  assert.equal(other.code, 0, other.stderr);
  assert.match(other.stdout, /Score · x · overall: .*the judges/);
  assert.doesNotMatch(other.stdout, /do not tell whether the answers are the same/);
  const changed = join(run.output, 'responses/control_run_1_responses.json');
  write(changed, readFileSync(changed, 'utf8').replace(/": "/, '": "Well. '));
  const resumed = await assay(['resume', again]);
  assert.equal(resumed.code, 2);
  assert.match(resumed.stderr, /responses\/control_run_1_responses.json changed/);
});

test('everything that is wrong is told at once, and nothing is sent', async (t) => {
  const files = setUp(t, oddNames, { answers: { ...marked, 'quux-7_responses.json': { query_1: 'x', query_9: 'y' }, 'Kontrolle_responses.json': '' } });
  const wrong = await files.run();
  assert.equal(wrong.code, 2);
  for (const words of [/quux-7_responses.json: no answer to query_2/, /answers to query_9/, /Kontrolle_responses.json: the file is empty/]) assert.match(wrong.stderr, words);
  const config = setUp(t, { conditions: [{ name: 'a b' }, { name: 'x', prompt: 'no.txt', role: 'per_query' }, { name: 'X' }], pairwise: null, absolute: null }, { list: [{ text: 'No role?' }] });
  const more = await config.run();
  assert.equal(more.code, 2);
  for (const words of [/conditions\[0\].name: found "a b"/, /conditions\[1\].prompt/, /conditions\[2\].name: found "X", which an earlier/, /none is the control/, /found no evaluators/, /query query_1 has none/]) assert.match(more.stderr, words);
  assert.ok(!exists(config.output));
  // Config, files of answers and lines of the queries in one round.
  const both = setUp(t, { ...oddNames, runs: 1, model: 'sim/writer', prompts: { 'experiment/pairwise': 'no.txt' } }, { answers: { ...marked, 'quux-7_responses.json': '' }, list: [...queries, { id: 'query_3' }] });
  const all = await both.run();
  assert.equal(all.code, 2);
  for (const words of [/no\.txt/, /quux-7_responses.json: the file is empty/, /queries.json, line \d+: field text: found nothing/]) assert.match(all.stderr, words);
});

// A judge who rates by the word that an answer ends with: {"good": 5, …} on all criteria but those given.
const rated = (score, others = {}) => JSON.stringify(Object.fromEntries(['helpfulness', 'appropriateness', 'completeness', 'actionability', 'overall'].map((name) => [name, { reason: 'so', score: others[name] ?? score }])));

test('a condition that leaves the hard queries unanswered is not declared better', async (t) => {
  const list = Array.from({ length: 16 }, (_, i) => ({ id: `q${i + 1}`, text: `${i < 8 ? 'Easy' : 'Hard'} question ${i + 1}?` }));
  const run = setUp(t, { conditions: [{ name: 'picky', prompt: 'picky.txt' }, { name: 'control' }], model: 'openai/writer', pairwise: null, absolute: { evaluators: 1, model: 'openai/judge' }, attempts: 1 }, { list, prompts: { 'picky.txt': 'Be picky.' } });
  const env = await endpoint(t, (body) => {
    const text = body.messages.at(-1).content;
    const number = Number(text.match(/question (\d+)/)[1]);
    if (body.model === 'judge') return { text: rated(text.includes('Easy') ? 4 + (number % 2) : 1 + (number % 2)) };
    return { text: text.includes('Hard') && body.messages[0].role === 'system' ? '' : `Answer to question ${number}.` };
  });
  const done = await run.run({ env });
  assert.equal(done.code, 3, done.stderr);
  const { metrics, conclusions } = run.json('summary.json');
  const difference = metrics['difference.picky.overall'];
  assert.equal(difference.value, 0, 'on the queries that both answered they are the same');
  assert.equal(difference.n, 8);
  assert.deepEqual(difference.missing, { no_answer: 8 });
  // Worst: 1 against control's 1 or 2 on the hard half; best: 5.
  assert.deepEqual(difference.bounds, [-0.25, 1.75]);
  assert.ok(!conclusions.some((sentence) => /rated (higher|lower)/.test(sentence)), conclusions.join('\n'));
  assert.ok(conclusions.some((sentence) => sentence.startsWith('Answers are missing unevenly: picky 8 of 16, control none of 16.')), conclusions.join('\n'));
  assert.equal((await run.verify()).code, 0, 'judgements that never came are no contradiction');
});

test('a proven effect on one criterion is the first conclusion, though the overall ratings are even', async (t) => {
  const list = Array.from({ length: 12 }, (_, i) => ({ id: `q${i + 1}`, text: `Question ${i + 1}?` }));
  const answers = Object.fromEntries(['thorough', 'control'].map((name) => [`${name}_responses.json`, Object.fromEntries(list.map(({ id }) => [id, `${name === 'control' ? 'Short' : 'Whole'} answer to ${id}.`]))]));
  const run = setUp(t, { conditions: [{ name: 'thorough' }, { name: 'control' }], pairwise: null, absolute: { evaluators: 1, model: 'openai/judge' } }, { list, answers });
  const env = await endpoint(t, (body) => {
    const text = body.messages.at(-1).content;
    return { text: rated(3, { completeness: text.includes('Whole') ? 5 - (Number(text.match(/Question (\d+)/)[1]) % 2) : 2 }) };
  });
  assert.equal((await run.run({ env })).code, 0);
  const { conclusions, metrics } = run.json('summary.json');
  assert.match(conclusions[0], /^thorough was rated higher than control: completeness \+2\.50 points \(95 % interval .*p below 0\.001\)\. 12 queries; p is Holm-adjusted over 5 tests\.$/);
  assert.match(conclusions[1], /^No difference between thorough and control was shown in the overall ratings/);
  assert.doesNotMatch(conclusions[1], /Nor was one shown/);
  assert.equal(metrics['score.thorough.overall'].n, 12, 'queries');
});

test('what the design does not ask for is not printed', async (t) => {
  const run = setUp(t, { conditions: oddNames.conditions.slice(1), absolute: null }, { answers: marked });
  assert.equal((await run.run()).code, 0);
  const names = Object.keys(run.json('summary.json').metrics);
  assert.deepEqual(names.filter((name) => /^(score|difference)\.|rating|krippendorff_alpha$|detectable\..*overall/.test(name)), []);
  assert.ok(names.includes('win_rate.quux-7'));
});

test('judges who answer in lines, or leave one out, are understood or asked again', async (t) => {
  const complete = 'Here you are.\n\n**Helpfulness:** [A] - more to the point\n**Appropriateness:** Response B – fits\n**Completeness:** tie\n**Actionability:** A, clear steps\n**Overall:** A - better\n\nOverall Winner: [A]';
  const run = setUp(t, { conditions: oddNames.conditions.slice(1), pairwise: { evaluators: 1, model: 'openai/judge' }, absolute: null, role_question: false }, { answers: marked });
  let asked = 0;
  const env = await endpoint(t, (body) => {
    asked += 1;
    const again = body.messages.length > 2;
    if (again) assert.match(body.messages.at(-1).content, /actionability/);
    return { text: asked === 1 ? complete.replace(/\n\*\*Actionability.*\n/, '\n') : complete };
  });
  const done = await run.run({ env });
  assert.equal(done.code, 0, done.stderr);
  assert.equal(asked, 4 + 1, 'two queries, both ways, and one asked again');
  const rows = run.json('pairwise_evaluator_1_results.json').judgements;
  assert.deepEqual(rows.map((row) => row.format_failures).sort(), [0, 0, 0, 1]);
  for (const row of rows) {
    assert.deepEqual([row.helpfulness.choice, row.appropriateness.choice, row.completeness.choice, row.actionability.choice, row.winner], ['A', 'B', 'Tie', 'A', 'A']);
    assert.equal(row.helpfulness.reason, 'more to the point');
  }
});

test('check counts the calls of the design', async () => {
  const done = await assay(['check', join(examples, 'experiment.yaml')]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /sim\/writer: 840 calls/);
  // 4 pairs x 7 runs x both ways x 7 evaluators, 35 answers x 7, and 28 roles x 7, for 24 queries.
  assert.match(done.stdout, new RegExp(`sim/judge: ${24 * (4 * 7 * 2 * 7 + 35 * 7 + 28 * 7)} calls`));
});

test('the examples run and verify', async (t) => {
  const directory = scratch(t);
  for (const [config, args] of [['experiment_from_files.yaml', []], ['experiment.yaml', ['--runs', '2', '--pairwise.evaluators', '2', '--absolute.evaluators', '2']]]) {
    const output = join(directory, config);
    const done = await assay(['run', join(examples, config), '--output-dir', output, ...args]);
    assert.equal(done.code, 0, done.stderr);
    const checked = await assay(['experiment', '--verify', output]);
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    assert.equal(readdirSync(join(output, 'responses')).length, readdirSync(join(output, 'blinded_evaluation')).length);
  }
  // What the simulated writer makes of the prompts is found: roles, and which conditions are better.
  const { metrics, conclusions } = readJson(join(directory, 'experiment.yaml', 'summary.json'));
  for (const name of ['test_1_hardcoded', 'test_2_predefined', 'test_3_dynamic', 'test_4_tone']) assert.ok(metrics[`role_accuracy.${name}`].value > 0.5, name);
  assert.ok(metrics['role_match.test_2_predefined'].value > metrics['role_match.test_3_dynamic'].value);
  for (const name of ['test_1_hardcoded', 'test_2_predefined', 'test_4_tone']) assert.ok(conclusions.some((sentence) => sentence.startsWith(`In comparisons ${name} beats control`)), conclusions.join('\n'));
});
