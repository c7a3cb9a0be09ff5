// An evaluation that is declared in a config: checks, variants of every kind, scorers, what `check` finds before
// anything is sent, kills, and other metrics over the same answers.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { assay, start, simulator, scratch, seeded, write, writeLines, readJson, readLines, exists, askedMore } from './harness.mjs';

const rows = [
  ['1', 'c1', 'refund', 'How long do refunds take?', 'Refunds take 14 days.', 'refund;14 days'],
  ['2', 'c1', 'refund', 'Is a cup refunded?', 'Yes, within 30 days.', '30 days'],
  ['3', 'c2', 'delivery', 'Where is my parcel?', 'Use the tracking number.', 'tracking'],
  ['4', 'c2', 'delivery', 'When does it come?', 'Within three days.', ''],
];
const csv = (list) => ['id,customer,area,user_input,reference,must_say', ...list.map((row) => row.map((cell) => `"${cell}"`).join(','))].join('\n') + '\n';

// A system that answers in its own form, and remembers what it was asked.
async function system(t, answer) {
  const bodies = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += part));
    request.on('end', () => {
      bodies.push(text);
      const reply = answer(JSON.parse(text));
      response.writeHead(reply === null ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply ?? { error: 'broken' }));
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}/chat`, bodies };
}

// Without what differs from run to run.
function comparable(file) {
  return readLines(file).map((line) => JSON.parse(JSON.stringify(line, (key, value) => (key === 'latency_ms' || key === 'usage' || key === 'cost_usd' ? undefined : value))));
}

test('checks on outputs that the data hold: figures, files, conditions, gates on the ends of intervals', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'd.jsonl'), [
    { id: 'a', area: 'x', question: 'q1', output: 'The answer is Straße 42.', want: 'STRASSE', sum: 42, meta: { latency_ms: 120 } },
    { id: 'b', area: 'x', question: 'q2', output: '{"sum": 41.9, "tags": ["k"]}', want: 'none', sum: 42, meta: { latency_ms: 4000 } },
    { id: 'c', area: 'y', question: 'q3', output: 'no', sum: 1, checks: [{ name: 'polite', contains: 'please' }, { name: 'brief', words: { max: 3 } }] },
    { id: 'd', area: 'y', question: 'q4', error: 'it did not answer' },
  ]);
  const config = write(join(directory, 'c.yaml'), `evaluation: custom
input_path: d.jsonl
slices: [area]
metrics:
  - {name: says, contains: "{want}", ignore_case: true}
  - {name: calm, not_regex: "!"}
  - {name: quick, latency: {max: 1s}}
  - {name: sum, number: "{sum}", of: /sum, tolerance: 0.2, when: area == x, passes: ">= 1"}
case_passes: [says, calm]
gates: ["calm.rate.low >= 0.3", "says.rate.high < 1", "errored == 1"]
`);
  const run = await assay(['run', config, '--output-dir', join(directory, 'out')]);
  assert.equal(run.code, 3, run.stderr + run.stdout);
  const { metrics, cases, gates } = readJson(join(directory, 'out/summary.json'));
  assert.deepEqual([cases.total, cases.evaluated, cases.errored], [4, 3, 1]);
  // says: a yes (ß folds to ss), b no, c has no `want`. Wilson's interval of 1/2 is 0.0945 to 0.9055.
  assert.deepEqual([metrics['says.rate'].value, metrics['says.rate'].count, metrics['says.rate'].n], [0.5, 1, 2]);
  assert.ok(Math.abs(metrics['says.rate'].ci[0] - 0.0945) < 1e-3 && Math.abs(metrics['says.rate'].ci[1] - 0.9055) < 1e-3);
  assert.deepEqual([metrics['calm.rate'].value, metrics['calm.rate'].n], [1, 3]);
  assert.deepEqual([metrics['quick.rate'].value, metrics['quick.rate'].n], [0.5, 2], 'c has no known latency: not applicable');
  assert.deepEqual([metrics['sum.rate'].value, metrics['sum.rate'].n], [0.5, 2], 'a has no JSON, b is within the tolerance');
  assert.deepEqual([metrics['case_checks.rate'].value, metrics['case_checks.rate'].n], [0.5, 1]);
  assert.deepEqual([metrics['failed.rate'].value, metrics['failed.rate'].n], [0.25, 4]);
  assert.deepEqual(gates.map((gate) => gate.passed), [true, true, true]);
  const table = readFileSync(join(directory, 'out/results.csv'), 'utf8').split('\r\n');
  assert.equal(table[0], 'id,variant,repeat,metric,score,passed,reason');
  assert.ok(table.some((row) => row.startsWith('c,,1,checks/polite,0,false,')), table.join('\n'));
  const line = readLines(join(directory, 'out/results.jsonl'))[1];
  assert.deepEqual(line.answers[0].metrics.map((metric) => metric.name), ['says', 'calm', 'quick', 'sum']);
  assert.match(line.answers[0].metrics[0].reason, /none/);
  assert.deepEqual([line.id, line.passed], ['b', false], 'it fails what `case_passes` names');
  const failed = JSON.parse((await assay(['show', join(directory, 'out'), '--failed', '--format', 'json'])).stdout);
  assert.ok(failed.some(({ id }) => id === 'b'), JSON.stringify(failed));
  assert.match((await assay(['report', join(directory, 'out'), '--format', 'junit'])).stdout, /name="b"[^>]*>\s*<failure type="threshold" message="[^"]*says/);
  // What came out goes in again, and gives the same.
  const again = write(join(directory, 'again.yaml'), readFileSync(config, 'utf8').replace('d.jsonl', 'out/outputs.jsonl').replace(/  - \{name: (says|sum).*\n/g, '').replace('case_passes: [says, calm]\n', '').replace(/gates.*\n/, '').replace('slices: [area]\n', ''));
  const second = await assay(['run', again, '--output-dir', join(directory, 'out2')]);
  assert.equal(second.code, 3, second.stderr);
  assert.deepEqual(readJson(join(directory, 'out2/summary.json')).metrics['calm.rate'].value, 1);
});

test('variants of every kind: no answer key leaves the program, a broken system costs its own answers', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'cases.csv'), csv(rows));
  const live = await system(t, (body) => (body.message.includes('parcel') ? null : { reply: { text: `It takes 14 days: ${body.message}` }, sources: [{ text: 'Refunds: 14 days' }] }));
  write(join(directory, 'bot.sh'), '#!/bin/sh\nread line\necho "30 days for $1"\necho "$line" >> seen.jsonl\n');
  const config = write(join(directory, 'c.yaml'), `evaluation: custom
input_path: cases.csv
fields:
  question: {from: user_input}
  reference: {answer_key: true}
  must_say: {type: list, separator: ";", answer_key: true, optional: true}
cluster: customer
variants:
  live: {http: {url: "${live.url}", body: {message: "{question}"}}, map: {output: /reply/text, contexts: /sources}, attempts: 1}
  bot: {command: [sh, bot.sh], args: ["{area}"], cwd: .}
  written: {given: reference}
baseline: live
metrics:
  - {name: says_it, contains_any: "{must_say}", ignore_case: true}
  - {name: overlap, token_f1: "{reference}"}
  - {name: source, contains: "14", of: /contexts/0/text}
`);
  const run = await assay(['run', config, '--output-dir', join(directory, 'out')]);
  assert.equal(run.code, 3, run.stdout + run.stderr);
  assert.ok(!live.bodies.some((body) => body.includes('reference') || body.includes('must_say') || body.includes('Refunds take')), 'the answer key was sent');
  assert.ok(!readFileSync(join(directory, 'seen.jsonl'), 'utf8').includes('Refunds take'), 'the answer key was piped');
  const { metrics, conclusions } = readJson(join(directory, 'out/summary.json'));
  assert.deepEqual([metrics['failed.rate.live'].count ?? metrics['failed.rate.live'].value * 4, metrics['failed.rate.bot'].value], [1, 0]);
  // written: 3 of 3 (case 4 has nothing to be said); bot says "30 days for AREA": 2 of 3; live says "14 days": 1 of the 2 it answered.
  assert.equal(metrics['says_it.rate.written'].value, 1);
  assert.ok(Math.abs(metrics['says_it.rate.bot'].value - 2 / 3) < 1e-12);
  assert.equal(metrics['says_it.rate.live'].value, 0.5);
  assert.equal(metrics['overlap.mean.written'].value, 1);
  assert.ok(metrics['overlap.difference.written'].value > 0, 'against the baseline');
  assert.ok(conclusions.some((sentence) => sentence.includes('live') && /fail|answer/.test(sentence)), conclusions.join('\n'));
  assert.ok(exists(join(directory, 'out/comparison.md')));
  const outputs = readLines(join(directory, 'out/outputs.jsonl'));
  assert.equal(outputs.length, 12);
  assert.deepEqual(outputs[0].contexts, [{ text: 'Refunds: 14 days' }]);
});

test('check finds what is wrong before anything is sent, all of it', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'cases.csv'), csv(rows));
  write(join(directory, 'schema.json'), JSON.stringify({ type: 'object', properties: { level: { type: 'integer' }, note: { type: 'string' } } }));
  const config = write(join(directory, 'c.yaml'), `evaluation: custom
input_path: cases.csv
fields: {question: {from: user_input}, reference: {answer_key: true}}
variants:
  one: {model: {model: openai/m, prompt: "Answer {quesion}"}}
  two: {model: {model: openai/m, prompt: "Say {reference} to {question}"}}
judge: openai/j
metrics:
  - {name: a, contains: "{refrence}"}
  - {name: b, regex: "(", when: area == refund}
  - {name: c, equals: x, when: area == nowhere}
  - {name: d, judge: {prompt: "Rate {output}", schema: schema.json, score: /note}}
  - {name: e, judge: {prompt: "Rate {output}", schema: schema.json, score: /levle}}
  - {name: f, program: [no-such-scorer, x.py]}
  - {name: g, contains: x, tolerance: 3}
  - {name: h, contains: x, equals: y}
case_passes: [z]
baseline: on
`);
  const run = await assay(['check', config], { env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } });
  assert.equal(run.code, 2);
  for (const words of [/quesion.*question/, /\{reference\} is an answer key/, /refrence.*reference/, /metrics\[1\].*regex/, /\/note.*expected a number/, /nothing at \/levle/, /no-such-scorer/, /tolerance: is no option of contains/, /exactly one kind/, /no metric z/, /unknown variant on.*one/])
    assert.match(run.stderr, words);
  // With the rest mended, the condition that never holds is told with the number of cases.
  const only = write(join(directory, 'd.yaml'), `evaluation: custom
input_path: cases.csv
variants: {one: {given: reference}}
metrics: [{name: c, equals: x, when: area == nowhere}]
`);
  const second = await assay(['check', only]);
  assert.equal(second.code, 2);
  assert.match(second.stderr, /holds for none of 4 cases/);
});

const scorer = `import json, sys, os
for line in sys.stdin:
    q = json.loads(line)
    text = str(q["output"])
    if q["case"] == "2" and os.environ.get("CRASH"): sys.exit(7)
    if q["case"] == "3": print(json.dumps({"id": q["id"], "error": "cannot be scored"}), flush=True); continue
    print(json.dumps({"id": q["id"], "scores": {"length": min(1, len(text) / 100), "words": min(1, len(text.split()) / 20)}, "reason": "counted"}), flush=True)
`;

test('a program scores: several numbers by name, its failures cost their case, another version is noticed', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'cases.csv'), csv(rows));
  write(join(directory, 'score.py'), scorer);
  const config = write(join(directory, 'c.yaml'), `evaluation: custom
input_path: cases.csv
variants: {one: {given: reference}, two: {given: user_input}}
metrics: [{name: style, program: [python3, score.py], passes: ">= 0.15"}]
`);
  const run = await assay(['run', config, '--output-dir', join(directory, 'out')], { env: { CRASH: '1' } });
  assert.equal(run.code, 3, run.stderr);
  const { metrics, cases } = readJson(join(directory, 'out/summary.json'));
  assert.equal(cases.errored, 2);
  assert.equal(metrics['style.mean.one'].n, 2);
  assert.ok(Math.abs(metrics['style.length.mean.one'].value - ('Refunds take 14 days.'.length + 'Within three days.'.length) / 200) < 1e-9);
  const problems = readFileSync(join(directory, 'out/problems.log'), 'utf8');
  assert.match(problems, /case 2.*7/);
  assert.match(problems, /case 3.*cannot be scored/);
  write(join(directory, 'score.py'), scorer + '# mended\n');
  const resumed = await assay(['resume', join(directory, 'out')]);
  assert.notEqual(resumed.code, 0);
  assert.match(resumed.stderr, /score\.py/);
});

test('kill -9 with a program and three variants: nothing is lost, nothing is asked twice but what was in flight', async (t) => {
  const directory = scratch(t);
  const random = seeded(t);
  const sim = await simulator(t, ['--latency', '6ms', '--latency-spread', '4ms']);
  const count = 30;
  const inFlight = 8;
  writeLines(join(directory, 'd.jsonl'), Array.from({ length: count }, (_, i) => ({ id: `k${i}`, question: `How long does refund number ${i} take?`, reference: `Refund ${i} takes ${i} days.` })));
  write(join(directory, 'score.py'), scorer);
  const config = write(join(directory, 'c.yaml'), `evaluation: custom
input_path: d.jsonl
variants:
  a: {model: {model: openai/writer, prompt: "Answer: {question}"}}
  b: {model: {model: openai/writer, prompt: "Answer kindly: {question}"}}
  c: {given: reference}
judge: openai/judge
metrics:
  - {name: right, rubric: "Says how long it takes.", shows: [question, output]}
  - {name: style, program: [python3, score.py]}
  - {name: better, pairwise: {rubric: "Which is clearer?", swap: true}}
limits: {concurrency: ${inFlight}}
`);
  const whole = await assay(['run', config, '--output-dir', join(directory, 'whole')], { env: sim.env });
  assert.equal(whole.code, 0, whole.stderr);
  const expected = comparable(join(directory, 'whole/results.jsonl'));
  const needed = await sim.sent();
  await sim.reset();
  const output = join(directory, 'killed');
  let args = ['run', config, '--output-dir', output];
  for (let kills = 0; ; ++kills) {
    const run = start(args, { env: sim.env });
    if (kills < 4) {
      await askedMore(sim, random.between(15, 60), run);
      run.child.kill('SIGKILL');
    }
    const ended = await run.ended;
    if (ended.signal !== 'SIGKILL') {
      assert.equal(ended.code, 0, ended.stderr);
      const sent = await sim.sent();
      // Received and not yet durable counts as in flight.
      assert.ok(sent <= needed + kills * 3 * inFlight, `${sent} requests where ${needed} are needed, ${kills} kills`);
      break;
    }
    args = exists(join(output, 'config.yaml')) ? ['resume', output] : args;
  }
  assert.deepEqual(comparable(join(output, 'results.jsonl')), expected);
  assert.equal((await assay(['verify', output])).code, 0);
});

test('score: other metrics and another judge over the answers of a run, asking judges only', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, []);
  write(join(directory, 'cases.csv'), csv(rows));
  const base = `evaluation: custom
input_path: cases.csv
variants:
  a: {model: {model: openai/writer, prompt: "Answer: {user_input}"}}
  b: {model: {model: openai/writer, prompt: "Answer kindly: {user_input}"}}
judge: openai/judge
`;
  const config = write(join(directory, 'c.yaml'), base + 'metrics: [{name: right, rubric: "Answers the question."}]\n');
  assert.equal((await assay(['run', config, '--output-dir', join(directory, 'out')], { env: sim.env })).code, 0);
  assert.equal(await sim.sent(), 16, 'eight answers and eight judgements');
  await sim.reset();
  const other = write(join(directory, 'other.yaml'), base + 'metrics: [{name: right, rubric: "Answers the question."}, {name: kind, rubric: "Is kind."}, {name: short, words: {max: 500}}]\n');
  const run = await assay(['score', join(directory, 'out'), other, '--output-dir', join(directory, 'scored')], { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(await sim.sent(), 8, 'the new rubric; the old one is taken from the run');
  const [first, second] = ['out', 'scored'].map((name) => readLines(join(directory, name, 'outputs.jsonl')).map((line) => line.output));
  assert.deepEqual(second, first);
  const { metrics } = readJson(join(directory, 'scored/summary.json'));
  assert.equal(metrics['short.rate.a'].value, 1);
  assert.equal(metrics['right.rate.a'].value, readJson(join(directory, 'out/summary.json')).metrics['right.rate.a'].value);
});

test('what judging outputs of the data will cost is estimated from these outputs, and one that is too long for the judge is told', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, []);
  const long = 'Refunds are paid to the card that was charged. '.repeat(400);
  writeLines(join(directory, 'd.jsonl'), [
    { id: 'a', question: 'How are refunds paid?', output: long, written: 'To the card.' },
    { id: 'b', question: 'Who pays?', output: long + 'We do.', written: 'We do.' },
    { id: 'c', question: 'When?', error: 'it did not answer', written: 'Soon.' },
  ]);
  const judged = 'judge: openai/judge\nmetrics: [{name: right, rubric: "Answers the question."}]\n';
  const seen = async (name, text) => {
    const config = write(join(directory, `${name}.yaml`), `evaluation: custom\ninput_path: d.jsonl\n${text}`);
    const check = JSON.parse((await assay(['check', config, '--format', 'json'], { env: sim.env })).stdout);
    const run = await assay(['run', config, '--output-dir', join(directory, name)], { env: sim.env });
    assert.ok([0, 3].includes(run.code), run.stderr);
    return { check, usage: readJson(join(directory, name, 'summary.json')).usage };
  };
  const { check, usage } = await seen('whole', judged);
  assert.equal(check.models[0].calls, 2, 'c has nothing to judge');
  assert.equal(usage.requests, 2);
  const near = (estimated, used) => assert.ok(Math.abs(estimated / used - 1) < 0.3, `${estimated} estimated, ${used} used`);
  near(check.models[0].prompt_tokens, usage.prompt_tokens);
  // `of` and a pair of two answers that are there; c's short one has nothing to be compared with.
  const pairs = await seen('pairs', `variants: {long: {given: output}, short: {given: written}}
judge: openai/judge
metrics: [{name: better, pairwise: {rubric: "Which is clearer?"}}, {name: own, rubric: "Is kind.", of: written}]
`);
  near(pairs.check.models[0].prompt_tokens, pairs.usage.prompt_tokens);
  assert.equal(pairs.check.models[0].calls, pairs.usage.requests);
  // A window that the judge's own prompt fits into, and the outputs do not.
  const small = write(join(directory, 'small.yaml'), `evaluation: custom
input_path: d.jsonl
judge: openai/gpt-4
metrics: [{name: right, rubric: "Answers the question.", shows: [question, output]}, {name: near, similar: "{written}", model: openai/text-embedding-3-small}]
`);
  writeLines(join(directory, 'd.jsonl'), [{ id: 'a', question: 'How?', output: long.repeat(2), written: 'To the card.' }]);
  const warned = await assay(['check', small], { env: sim.env });
  assert.match(warned.stderr, /warning: openai\/gpt-4: a request of case a has about \d+ tokens, and 8192 fit/);
  assert.match(warned.stderr, /warning: openai\/text-embedding-3-small: a request of case a has about \d+ tokens/);
});

test('contexts without text are an error of the data, and keys in them that nothing reads are told, as in rag_answers', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'd.jsonl'), [
    { id: 'a', question: 'q', output: 'It is red.', contexts: [{ titel: 'x' }] },
    { id: 'b', question: 'q', output: 'It is red.', contexts: [{ text: 'Red.', bdy: 'Red?' }, { text: 'Blue.', bdy: '' }] },
    { id: 'c', question: 'q', output: 'It is red.', contexts: 'Red.' },
    { id: 'd', question: 'q', output: 'It is red.', contexts: null, checks: [{ name: 'own', rag: 'context_relevancy', contexts: '{sources}', question: '{question}' }], sources: [7] },
  ]);
  const config = (name, more) => write(join(directory, name), `evaluation: custom
input_path: d.jsonl
judge: sim/judge
metrics: [{name: true_to_it, rag: faithfulness}, {name: needed, rag: context_relevancy, question: "{question}"}]
${more}`);
  const check = await assay(['check', config('given.yaml', '')]);
  assert.equal(check.code, 2, check.stdout);
  assert.match(check.stderr, /d\.jsonl, line 1: field contexts: entry 1 has no text: found \{"titel":"x"\}/);
  assert.match(check.stderr, /d\.jsonl, line 4: field sources: entry 1 found 7, expected text/);
  assert.match(check.stderr, /warning: .*d\.jsonl: field contexts: nothing reads the key bdy \(2 times\)/);
  assert.equal(check.stderr.match(/line 1: field contexts/g).length, 1, 'once, whatever many metrics read them');
  const model = await assay(['check', config('model.yaml', 'variants: {one: {model: {model: sim/writer, prompt: "{question}"}}}\n')]);
  assert.match(model.stderr, /line 1: field contexts: entry 1 has no text/);
  // A system may bring contexts of its own; what stands in the data is then its input.
  const system = await assay(['check', config('system.yaml', 'variants: {one: {command: [cat]}}\n'), '--skip-invalid']);
  assert.doesNotMatch(system.stderr, /field contexts/);
});

test('one mistake hides no other: what is missing here is told beside what is wrong in the config', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'cases.csv'), csv(rows));
  const check = (name, text, options) => assay(['check', write(join(directory, name), `evaluation: custom\ninput_path: cases.csv\nmetrics: [{name: a, words: {min: 1}}]\n${text}`)], options);
  const wrong = await check('wrong.yaml', `variants:
  a: {command: [nope-program]}
  b: {http: {url: "nonsense"}}
  c: {http: {url: "http://127.0.0.1:9/", headers: {A: "\${NOPE_C}"}}}
http: {proxy: "nonsense proxy"}
cache: mysql://x
`);
  assert.equal(wrong.code, 2, wrong.stdout);
  for (const words of [/line 5, .*variants\.a\.command: there is no program nope-program/, /variants\.b\.http\.url: /, /environment, NOPE_C: is not set/,
    /line 8, .*http\.proxy: found a space/, /line 9, .*cache: found mysql:, and there is no mysql store/]) assert.match(wrong.stderr, words);
  const unset = await check('unset.yaml', `variants:
  a: {http: {url: "http://\${NOPE_HOST}/x", body: {key: "\${NOPE_BODY}"}, headers: {A: "\${NOPE_HEADER}"}}}
  b: {command: [nope-program], cwd: nowhere}
`);
  for (const words of [/variants\.a\.http\.url: the environment variable NOPE_HOST is not set/, /http\.body: the environment variable NOPE_BODY is not set/, /environment, NOPE_HEADER: is not set/,
    /variants\.b\.cwd: there is no directory/, /variants\.b\.command: there is no program nope-program/]) assert.match(unset.stderr, words);
  assert.equal(unset.stderr.match(/^error: /gm).length, 5, unset.stderr);
  // What follows from a variable that is not set is not told beside it.
  const follows = await assay(['check', write(join(directory, 'data.yaml'), 'evaluation: custom\ninput_path: "${NOPE_DATA}.csv"\nmetrics: [{name: a, rubric: "Good."}]\njudge: "${NOPE_JUDGE}"\n')]);
  assert.match(follows.stderr, /input_path: the environment variable NOPE_DATA is not set[\s\S]*judge.*: the environment variable NOPE_JUDGE is not set/);
  assert.equal(follows.stderr.match(/^error: /gm).length, 2, follows.stderr);
});
