// Batches on the simulated endpoint as the official clients see them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { startSim } from './sim_process.mjs';

const ended = async (look, isEnded) => {
  for (;;) {
    const batch = await look();
    if (isEnded(batch)) return batch;
  }
};

test('the OpenAI client uploads a file, makes a batch of it, waits and reads answers and errors', async (t) => {
  const sim = await startSim('--batch-time', '150ms', '--noise', '0');
  t.after(() => sim.stop());
  const client = new OpenAI({ baseURL: `${sim.url}/v1`, apiKey: 'sk-test', maxRetries: 0 });
  const line = (id, body) => JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body });
  const lines = [line('good', { model: 'gpt-4o', messages: [{ role: 'user', content: 'Say hello.' }] }), line('bad', { model: 'gpt-4o', messages: [] })];
  const file = await client.files.create({ file: await toFile(Buffer.from(lines.join('\n')), 'requests.jsonl'), purpose: 'batch' });
  assert.equal(file.purpose, 'batch');
  assert.equal(await (await client.files.content(file.id)).text(), lines.join('\n'));
  const made = await client.batches.create({ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h', metadata: { run: 'one' } });
  assert.equal(made.status, 'in_progress');
  const batch = await ended(() => client.batches.retrieve(made.id), ({ status }) => status === 'completed');
  assert.deepEqual([batch.request_counts, batch.metadata], [{ total: 2, completed: 1, failed: 1 }, { run: 'one' }]);
  const read = async (id) => JSON.parse(await (await client.files.content(id)).text());
  const good = await read(batch.output_file_id);
  assert.equal(good.custom_id, 'good');
  assert.ok(good.response.body.choices[0].message.content.length > 0);
  const bad = await read(batch.error_file_id);
  assert.deepEqual([bad.custom_id, bad.response.status_code], ['bad', 400]);
  const failed = await client.batches.create({ input_file_id: (await client.files.create({ file: await toFile(Buffer.from('rubbish\n'), 'x.jsonl'), purpose: 'batch' })).id, endpoint: '/v1/chat/completions', completion_window: '24h' });
  assert.deepEqual([failed.status, failed.errors.data[0].line], ['failed', 1]);
  const listed = [];
  for await (const one of client.batches.list({ limit: 1 })) listed.push(one.id);
  assert.deepEqual(listed, [failed.id, made.id], 'the newest first, page by page');
  await assert.rejects(client.batches.retrieve('batch_none'), OpenAI.NotFoundError);
  await assert.rejects(client.batches.create({ input_file_id: file.id, endpoint: '/v1/nothing', completion_window: '24h' }), OpenAI.BadRequestError);
});

test('the Anthropic client makes a batch, waits, reads its results, cancels and deletes', async (t) => {
  const sim = await startSim('--batch-time', '150ms', '--rate-batch-expired', '0.3', '--seed', '4');
  t.after(() => sim.stop());
  const client = new Anthropic({ baseURL: sim.url, apiKey: 'sk-test', maxRetries: 0 });
  const { batches } = client.messages;
  const params = { model: 'claude', max_tokens: 50, messages: [{ role: 'user', content: 'Say hello.' }] };
  const made = await batches.create({ requests: [...Array(12).keys()].map((i) => ({ custom_id: `r-${i}`, params })).concat({ custom_id: 'bad', params: { ...params, max_tokens: 0 } }) });
  assert.deepEqual([made.processing_status, made.request_counts.processing, made.results_url], ['in_progress', 13, null]);
  const batch = await ended(() => batches.retrieve(made.id), (one) => one.processing_status === 'ended');
  const types = {};
  for await (const result of await batches.results(made.id)) {
    types[result.result.type] = (types[result.result.type] ?? 0) + 1;
    if (result.result.type === 'succeeded') assert.equal(result.result.message.role, 'assistant');
    if (result.custom_id === 'bad' && result.result.type === 'errored') assert.equal(result.result.error.error.type, 'invalid_request_error');
  }
  assert.deepEqual({ succeeded: types.succeeded, errored: types.errored ?? 0, expired: types.expired }, { succeeded: batch.request_counts.succeeded, errored: batch.request_counts.errored, expired: batch.request_counts.expired });
  assert.ok(types.expired > 0 && types.succeeded > 0);
  const second = await batches.create({ requests: [{ custom_id: 'one', params }] });
  const listed = [];
  for await (const one of batches.list({ limit: 1 })) listed.push(one.id);
  assert.deepEqual(listed, [second.id, made.id]);
  assert.equal((await batches.cancel(second.id)).request_counts.canceled, 1);
  assert.equal((await batches.delete(made.id)).type, 'message_batch_deleted');
  await assert.rejects(batches.create({ requests: [{ custom_id: 'no spaces', params }] }), Anthropic.BadRequestError);
  await assert.rejects(batches.retrieve(made.id), Anthropic.NotFoundError);
});
