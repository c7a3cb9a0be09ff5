// `assay audit`: the cases of a benchmark by what several systems made of them.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoint } from './endpoint.mjs';
import { assay, root, scratch, write, writeLines } from './harness.mjs';

test('audit finds a planted wrong key and a copy over runs of several systems', async (t) => {
  const directory = scratch(t);
  const classes = ['tax', 'visa', 'permit', 'waste', 'school'];
  const text = (i) => (i === 30 ? 'Where do I register my dog if I have moved here from abroad last month?' : i === 31 ? 'Where do I register my dog if I have moved here from abroad last year?' : `Question ${i} on matter ${i * 37 % 101} of ${classes[i % 5]} and ${i * i} more`);
  const names = [];
  for (let system = 0; system < 6; ++system) {
    const lines = Array.from({ length: 60 }, (_, i) => {
      const right = classes[i % 5];
      const able = (i * 7919 + system * 104729) % 100 < 45 + 9 * system;
      const actual = able ? right : classes[(i + 1 + (i * 31 + system * 17) % 4) % 5];
      return { id: `q${i}`, question: text(i), expected_outcome: i === 50 ? 'school' === right ? 'tax' : 'school' : right, actual_outcome: i === 50 && system > 0 ? right : actual };
    });
    writeFileSync(join(directory, `s${system}.jsonl`), lines.map((line) => JSON.stringify(line)).join('\n'));
    const run = await assay(['question_router', '--input-path', `s${system}.jsonl`, '--output-dir', `run${system}`], { cwd: directory });
    assert.equal(run.code, 0, run.stderr);
    names.push(`run${system}`);
  }
  const found = JSON.parse((await assay(['audit', ...names, '--format', 'json'], { cwd: directory })).stdout);
  assert.equal(found.figure, 'accuracy');
  assert.equal(found.suspects[0].id, 'q50');
  assert.equal(found.suspects[0].answers.run5, 'tax');
  assert.deepEqual(found.clusters.map(({ ids }) => ids), [['q30', 'q31']]);
  assert.deepEqual(found.systems.map(({ name }) => name), names);
  assert.ok(found.cases.every(({ discrimination }) => typeof discrimination.value === 'number'));
  const words = await assay(['audit', ...names], { cwd: directory });
  assert.match(words.stdout, /^## Audit of 60 cases over 6 systems\n\n\*\*[^\n]*wrong key: q50/);
  assert.equal((await assay(['audit', ...names, '--format', 'html', '--output', 'audit.html'], { cwd: directory })).code, 0);
  assert.match(readFileSync(join(directory, 'audit.html'), 'utf8'), /<!doctype html>[\s\S]*q50/);
  for (const [args, message] of [[['run0'], /two systems/], [[], /which runs\?/], [[...names, '--figure', 'acuracy'], /did you mean accuracy/], [['run0', 'nowhere'], /nowhere/], [['run0', 'run1', './run0'], /run0 and \.\/run0 are the same run/]]) {
    const run = await assay(['audit', ...args], { cwd: directory });
    assert.equal(run.code, 2, args.join(' '));
    assert.match(run.stderr, message);
  }
});

const audited = async (directory, ...args) => {
  const run = await assay(['audit', ...args, '--format', 'json'], { cwd: directory });
  assert.equal(run.code, 0, run.stderr);
  return JSON.parse(run.stdout);
};

test('two judges of the same answers are told from two systems, and a figure without a key has none that is wrong', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), Array.from({ length: 12 }, (_, i) => ({ id: `q${i}`, question: `May I build shed number ${i} here?`, llm_answer: `Yes, ${i + 2} metres high.` })));
  for (const judge of ['one', 'two']) {
    write(join(directory, 'eval.yaml'), `evaluation: rag_answers\ninput_path: data.jsonl\njudge: "sim/${judge}?noise=0.4"\nmetrics: [coherence]\nn_runs: 1\n`);
    assert.equal((await assay(['run', 'eval.yaml', '-o', judge, '--quiet'], { cwd: directory })).code, 0);
  }
  const { conclusions, suspects } = await audited(directory, 'one', 'two');
  assert.match(conclusions[0], /^The runs are judged differently \(judge\.model: .*\): what tells them apart may be their judges/);
  assert.match(conclusions[1], /^coherence\.mean is not scored against a key/);
  assert.deepEqual(suspects, []);
});

test('the systems of a benchmark and the conditions of an experiment are audited in one run', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  const towns = ['York', 'Bath', 'Ely', 'Wells'];
  for (const town of towns)
    write(join(directory, `tasks/${town}.yaml`), `tool_calling_prompt: "In which county does the old town of ${town} lie, and since when has it been there?"\nvariations:\n  - {expected_output: {county: Kent}}\n`);
  write(join(directory, 'eval.yaml'), 'evaluation: benchmark\ninput_dir: tasks\nsystem: [tool_calling]\nmodel: [openai/able, openai/weak]\nmax_nudges: 0\n');
  const model = await endpoint(t, (body) => {
    const county = body.model === 'able' || JSON.stringify(body.messages).includes('Ely') ? 'Kent' : 'Devon';
    return { content: `\`\`\`json\n{"county": "${county}"}\n\`\`\`` };
  });
  const run = await assay(['run', 'eval.yaml', '-o', 'bench', '--quiet'], { cwd: directory, env: model.env });
  assert.equal(run.code, 0, run.stderr);
  const bench = await audited(directory, 'bench');
  assert.deepEqual(bench.systems.map(({ name }) => name), ['tool_calling/openai/able', 'tool_calling/openai/weak']);
  assert.deepEqual(bench.cases.map(({ id, solved }) => [id, solved]).sort(), towns.map((town) => [`${town}/variation0/run1`, town === 'Ely' ? 2 : 1]).sort());
  assert.match(bench.cases[0].text, /^In which county does the old town of/);
  assert.match(bench.conclusions[0], /cannot be told: it takes three systems/);
  assert.match(bench.conclusions[1], /^3 of 4 cases tell these 2 systems apart; 1 solved by all of them and 0 by none\./);

  const experiment = `evaluation: experiment\nqueries: ${root}/examples/experiment/queries/small.yaml\nconditions: [{name: tone, prompt: ${root}/examples/experiment/prompts/t3.txt, reports_role: true}, {name: control}]\nmodel: sim/writer\nabsolute: {evaluators: 1, model: "sim/judge?noise=0.4"}\n`;
  write(join(directory, 'experiment.yaml'), experiment);
  assert.equal((await assay(['run', 'experiment.yaml', '-o', 'conditions', '--quiet'], { cwd: directory })).code, 0);
  const conditions = await audited(directory, 'conditions');
  assert.deepEqual([conditions.figure, conditions.systems.map(({ name }) => name)], ['score.overall', ['tone', 'control']]);
  assert.match(conditions.conclusions[0], /^score\.overall is not scored against a key/);

  write(join(directory, 'guides.yaml'), `evaluation: guidelines\nconversations: ${root}/examples/guidelines/conversations.jsonl\nguidelines: ${root}/examples/guidelines/shared/city.yaml\njudge: "sim/judge?noise=0.3"\nskip: [continuous, no_action, low_criticality]\nlimit: 6\n`);
  for (const name of ['g1', 'g2']) assert.equal((await assay(['run', 'guides.yaml', '-o', name, '--quiet'], { cwd: directory })).code, 0);
  assert.match((await audited(directory, 'g1', 'g2')).conclusions.at(-1), /^The texts of the cases are not known/);
});
