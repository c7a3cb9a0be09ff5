// What a model cannot do is told by its own name: a prompt that does not fit ends its case for good, a warning comes
// before it, and a model without vectors is refused before anything is sent.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { endpoint } from './endpoint.mjs';
import { assay, simulator, scratch, write, writeLines, ragLines, ragConfig, readJson, readLines, exists } from './harness.mjs';

// Of the cases only this one is longer than the window of the simulator.
const kLong = { ...ragLines(1)[0], id: 'long', llm_answer: 'A very long answer. '.repeat(2000) };
const kWindow = ['--context-window', '5000'];

for (const [provider, sizes] of [['openai', /\d+ tokens, at most 5000/], ['anthropic', /\d+ tokens, at most 5000/]]) {
  test(`${provider}: a case whose prompt does not fit is told apart, stands, and is asked once`, async (t) => {
    const sim = await simulator(t, kWindow);
    const directory = scratch(t);
    writeLines(join(directory, 'data.jsonl'), [...ragLines(3), kLong]);
    const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl').replace('openai/', `${provider}/`));
    const output = join(directory, 'out');
    const run = await assay(['run', config, '--output-dir', output], { env: sim.env });
    assert.equal(run.code, 3, run.stderr);
    const long = readLines(join(output, 'results.jsonl')).find(({ id }) => id === 'long');
    assert.equal(long.outcome, 'context_overflow');
    assert.match(long.error, sizes);
    assert.deepEqual(readJson(join(output, 'summary.json')).metrics['coherence.mean'].missing, { context_overflow: 1 });
    assert.equal(await sim.sent(), 4, 'it is not tried again');
    assert.match((await assay(['report', output, '--format', 'junit'])).stdout, /<error type="context_overflow"/);

    const resumed = await assay(['resume', output], { env: sim.env });
    assert.equal(resumed.code, 3, resumed.stderr);
    assert.equal(await sim.sent(), 4, 'a resume does not send it either');
    assert.equal((await assay(['verify', output])).code, 0);
  });
}

test('a check warns of a prompt that passes the known window, in words and in JSON', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), [...ragLines(2), { ...kLong, llm_answer: 'words and more words. '.repeat(8000) }]);
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl').replace('judge-model', 'gpt-4'));
  const env = { OPENAI_API_KEY: 'k' };
  const warning = /openai\/gpt-4: a request of case long has about \d+ tokens, and 8192 fit into the model's context/;
  const words = await assay(['check', config], { env });
  assert.equal(words.code, 0, words.stderr);
  assert.match(words.stderr, warning);
  const { ok, remarks } = JSON.parse((await assay(['check', config, '--format', 'json'], { env })).stdout);
  assert.equal(ok, true);
  assert.match(remarks.join('\n'), warning);
  const none = JSON.parse((await assay(['check', config, '--format', 'json', '--limit', '2'], { env })).stdout);
  assert.deepEqual(none.remarks, []);
});

test('a model that gives no vectors is refused as the model of `similar` before anything is sent', async (t) => {
  const sim = await simulator(t);
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), [{ id: 'a', question: 'Is the moon the cause of the tides?', reference: 'The moon is.' }]);
  const env = { ...sim.env, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-central-1' };
  for (const model of ['anthropic/claude-sonnet-4-5', 'bedrock/anthropic.claude-sonnet-4-6', 'apart']) {
    const config = write(join(directory, 'eval.yaml'), `evaluation: custom
input_path: data.jsonl
fields: {reference: {answer_key: true}}
variants: {one: {model: {model: openai/assistant, prompt: "{question}"}}}
metrics: [{name: near, similar: "{reference}", model: ${model}}]
models: {apart: {provider: openai, name: gpt-5.1, api: responses}}
`);
    const said = new RegExp(`${model} has no embeddings; name a model of a server that has them`);
    const checked = await assay(['check', config], { env });
    assert.equal(checked.code, 2, checked.stdout);
    assert.match(checked.stderr, said);
    const run = await assay(['run', config, '--output-dir', join(directory, 'out')], { env });
    assert.equal(run.code, 2);
    assert.match(run.stderr, said);
  }
  assert.equal(await sim.sent(), 0);
  assert.ok(!exists(join(directory, 'out')));
});

// As Azure says it; an evaluation of guards has nothing but such prompts.
test('a prompt that a content filter declines ends its case as refused, and the others are asked, however many there are', async (t) => {
  const filtered = { message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", type: null, param: 'prompt', code: 'content_filter', status: 400, innererror: { code: 'ResponsibleAIPolicyViolation' } };
  const { env, bodies } = await endpoint(t, (body) => (JSON.stringify(body).includes('permit number 13') ? { content: { reason: 'Clear.', score: 4 } } : { status: 400, error: filtered }));
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), ragLines(14));
  const config = write(join(directory, 'eval.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 1}\n'));
  const output = join(directory, 'out');
  const run = await assay(['run', config, '--output-dir', output], { env });
  assert.equal(run.code, 3, run.stderr);
  const outcomes = readLines(join(output, 'results.jsonl')).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, [...Array(13).fill('refused'), 'scored']);
  assert.match(readLines(join(output, 'results.jsonl'))[0].error, /declined by a content filter/);
  assert.equal(bodies.length, 14, 'none is tried again');
});
