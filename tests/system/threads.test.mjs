// However many event loops the cases are spread over, the results are the same.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { results } from './kills.mjs';
import { assay, binary, copiedExamples, scratch, simulator, start, readJson, ragConfig, ragLines, writeLines, write } from './harness.mjs';

// The figures of a summary without what was measured with a clock.
const figures = ({ cases, metrics }) => ({
  cases, metrics: Object.fromEntries(Object.entries(metrics).filter(([name]) => !/latency|seconds/.test(name))),
});

const examples = ['components/rag_answers', 'components/rag_answers_generate_model', 'components/question_router_generate_model',
  'guidelines/guidelines', 'persona/persona_mode2', 'benchmark/benchmark', 'experiment/experiment_from_files'];

for (const example of examples) {
  test(`${example}: the same results on 1, 2, 4 and 8 loops`, async (t) => {
    const directory = scratch(t);
    copiedExamples(directory);
    let expected;
    for (const threads of [1, 2, 4, 8]) {
      const output = join(directory, `out-${threads}`);
      const run = await assay(['run', join(directory, `examples/${example}.yaml`), '--output-dir', output, '--threads', String(threads)], { cwd: directory });
      assert.ok([0, 1, 3].includes(run.code), run.stderr);
      const now = { code: run.code, lines: results(output), summary: figures(readJson(join(output, 'summary.json'))) };
      expected ??= now;
      assert.deepEqual(now, expected, `${threads} loops`);
    }
  });
}

test('over HTTP too: answers do not depend on the number of loops', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '2ms', '--latency-spread', '2ms', '--rate-500', '0.05', '--rate-drop', '0.02']);
  writeLines(join(directory, 'data.jsonl'), ragLines(120));
  const config = write(join(directory, 'eval.yaml'), `evaluation: rag_answers
input_path: data.jsonl
judge: openai/judge
metrics: [coherence, relevance]
n_runs: 2
limits: {concurrency: 16, attempts: 10}
`);
  let expected;
  for (const threads of [1, 2, 4, 8]) {
    const output = join(directory, `out-${threads}`);
    const run = await assay(['run', config, '--output-dir', output, '--threads', String(threads)], { env: sim.env });
    assert.equal(run.code, 0, run.stderr);
    expected ??= results(output);
    assert.deepEqual(results(output), expected, `${threads} loops`);
    assert.equal((await assay(['verify', output])).code, 0);
  }
  assert.ok((await sim.stats()).in_flight.most <= 16, 'limits are the process\'s');
});

test('loops share the files that the process may have open', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '200ms']);
  writeLines(join(directory, 'data.jsonl'), ragLines(600));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 500}\nthreads: 4'));
  const output = join(directory, 'out');
  const run = await start(['-c', `ulimit -n 200; exec "${binary}" run "${config}" --output-dir "${output}"`], { env: sim.env, command: 'bash' }).ended;
  assert.equal(run.code, 0, run.stderr);
  assert.equal(readJson(join(output, 'summary.json')).usage.retries ?? 0, 0);
});
