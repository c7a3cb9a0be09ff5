// How a declared evaluation is run: a part of it, on a pipe, as a matrix, stopped early, and the examples.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { assay, binary, exists, readJson, readLines, root, scratch, simulator, start, write, writeLines } from './harness.mjs';

const example = (name) => join(root, 'examples/custom', name);

test('a probe shows every prompt and reply of one case; a part of the variants runs without the others', async (t) => {
  const directory = scratch(t);
  const probe = await assay(['check', example('support_bot.yaml'), '--probe', '--output-dir', join(directory, 'probe')]);
  assert.equal(probe.code, 0, probe.stderr);
  for (const step of ['old/1/answer', 'new/2/answer', 'old/1/correct', 'new/1/better']) assert.ok(probe.stdout.includes(step), `no ${step}`);
  assert.match(probe.stdout, /Answer this question of a customer of our shop: How long does a refund take/);
  assert.equal(readLines(join(directory, 'probe/results.jsonl')).length, 1);

  const part = await assay(['run', example('support_bot.yaml'), '--variant', 'new', '--limit', '3', '--output-dir', join(directory, 'part')]);
  assert.equal(part.code, 0, part.stderr + part.stdout);
  const lines = readLines(join(directory, 'part/results.jsonl'));
  assert.deepEqual(lines.map((line) => [...new Set(line.answers.map((answer) => answer.variant))]), [['new'], ['new'], ['new']]);
  const figures = Object.keys(readJson(join(directory, 'part/summary.json')).metrics);
  assert.ok(figures.includes('correct.rate.new') && !figures.some((name) => /difference|old|better/.test(name)), figures.join());

  const wrong = await assay(['check', example('support_bot.yaml'), '--variant', 'nwe']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /variant: unknown variant nwe; did you mean `new`\?/);
});

test('a matrix of prompts and models on a pipe, with embeddings and a metric of rag_answers', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'short.txt'), 'Answer in one sentence: {question}');
  write(join(directory, 'long.txt'), 'Answer with all details: {question}');
  writeLines(join(directory, 'd.jsonl'), [
    { id: 'a', question: 'Where is the museum?', reference: 'The museum is on the hill.', contexts: ['The museum is on the hill.'] },
    { id: 'b', question: 'When does it open?', reference: 'It opens at ten.', contexts: ['It opens at ten.'] },
  ]);
  const config = write(join(directory, 'c.yaml'), `evaluation: custom
input_path: /dev/stdin
input_format: jsonl
fields: {question: {}, reference: {answer_key: true}, contexts: {answer_key: true}}
matrix: {prompts: [short.txt, long.txt], models: [sim/writer, {name: other, model: sim/judge}]}
judge: {model: sim/judge}
metrics:
  - {name: near, similar: "{reference}", model: sim/embed, passes: ">= 0.3"}
  - {name: itself, similar: "{reference}", of: reference, model: sim/embed}
  - {name: faithful, rag: faithfulness, contexts: "{contexts}", question: "{question}"}
`);
  const run = await start(['-c', `"${binary}" run ${config} -q --output-dir out < d.jsonl`], { cwd: directory, command: 'sh' }).ended;
  assert.equal(run.code, 0, run.stderr + run.stdout);
  const { metrics } = readJson(join(directory, 'out/summary.json'));
  const variants = ['short-writer', 'short-other', 'long-writer', 'long-other'];
  for (const variant of variants) {
    assert.deepEqual([metrics[`near.mean.${variant}`].n, metrics[`faithful.mean.${variant}`].n], [2, 2], variant);
    assert.ok(metrics[`itself.mean.${variant}`].value > 0.9999, 'a text is near to itself');
  }
  assert.ok(variants.slice(1).every((variant) => `near.difference.${variant}` in metrics));
  assert.ok(exists(join(directory, 'out/input.jsonl')));
  const verified = await assay(['verify', join(directory, 'out')]);
  assert.equal(verified.code, 0, verified.stdout);
});

test('a run stops when a difference is decided, and its interval allows for that', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'd.jsonl'), Array.from({ length: 3000 }, (_, i) => ({ id: `${i}`, good: i % 10 < 9 ? 'yes' : 'no', bad: i % 10 < 3 ? 'yes' : 'no' })));
  const config = write(join(directory, 'c.yaml'), `evaluation: custom
input_path: d.jsonl
variants: {bad: {given: bad}, good: {given: good}, judged: {model: {model: sim/writer, prompt: "Say {good}"}}}
metrics: [{name: right, equals: "yes"}]
stop_when: ["right.difference.good > 0.1"]
`);
  const run = await assay(['run', config, '-q', '--output-dir', join(directory, 'out')]);
  assert.equal(run.code, 0, run.stderr + run.stdout);
  const summary = readJson(join(directory, 'out/summary.json'));
  assert.ok(summary.cases.evaluated < 1000 && summary.cases.skipped > 2000, JSON.stringify(summary.cases));
  const difference = summary.metrics['right.difference.good'];
  assert.ok(difference.ci[0] > 0.1 && difference.ci[0] < 0.6 && difference.ci[1] > 0.6, JSON.stringify(difference));
  assert.match(difference.method, /betting/);
  // The one that the run was stopped for is decided; the other was not asked about.
  assert.match(summary.conclusions[0], /^good is better than bad on right by /);
  assert.ok(!summary.conclusions.some((sentence) => /judged is (better|worse)/.test(sentence)), summary.conclusions.join('\n'));
});

test('the examples: a system behind HTTP with its server, and what agents did', async (t) => {
  const directory = scratch(t);
  const server = spawn('python3', [example('http/server.py'), '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => server.kill());
  const port = await new Promise((ready) => {
    let text = '';
    server.stdout.on('data', (part) => {
      text += part;
      const found = /:(\d+)/.exec(text);
      if (found) ready(found[1]);
    });
  });
  const run = await assay(['run', example('http/support_bot_http.yaml'), '-q', '--variants.live.http.url', `http://127.0.0.1:${port}/chat`, '--output-dir', join(directory, 'http')]);
  assert.equal(run.code, 0, run.stderr + run.stdout);
  const { metrics } = readJson(join(directory, 'http/summary.json'));
  assert.deepEqual([metrics['failed.rate.live'].value, metrics['says_it.rate.live'].n], [0, 20]);
  assert.ok(metrics['says_it.rate.live'].value >= 0.2, 'the server answers from its list');
  assert.ok('length.mean.live' in metrics);

  const agents = await assay(['run', example('trajectories.yaml'), '-q', '--output-dir', join(directory, 'agents')]);
  assert.ok([0, 1].includes(agents.code), agents.stderr);
  assert.ok(readLines(join(directory, 'agents/results.jsonl')).length > 0);
});

test('an answer that was cut off while the model thought says what to raise', async (t) => {
  const directory = scratch(t);
  const script = writeLines(join(directory, 'script.jsonl'), [{ reply: { text: '<think>I weigh it and' }, finish_reason: 'length' }]);
  const sim = await simulator(t, ['--script', script]);
  writeLines(join(directory, 'data.jsonl'), [{ question: 'Why?' }]);
  const config = write(join(directory, 'eval.yaml'), 'evaluation: custom\ninput_path: data.jsonl\nvariants: {bot: {model: {model: openai/thinker, prompt: "{question}"}}}\nmetrics: [{name: some, words: {min: 1}}]\n');
  const run = await assay(['run', config, '--output-dir', join(directory, 'out'), '-q'], { env: sim.env });
  assert.equal(run.code, 3, run.stderr);
  assert.match(readLines(join(directory, 'out/results.jsonl'))[0].answers[0].error, /cut off at its limit of tokens before the answer began, while the model was thinking; raise max_tokens/);
});
