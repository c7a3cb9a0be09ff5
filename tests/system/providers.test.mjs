// Every wire that the program speaks, in one run against the simulator, which checks what it receives; and what was sent is held
// against the types of the providers' official clients.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer, request as forward } from 'node:http';
import { chmodSync, existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { assay, root, scratch, simulator, write } from './harness.mjs';

const require = createRequire(import.meta.url);
const key = 'AKIDEXAMPLE:wJalrXUtnFEMIxK7MDENG';
const [id, secret] = key.split(':');

// Hands everything on to the simulator as it came, and keeps the bodies by path.
async function listener(t, target) {
  const sent = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const json = request.headers['content-type'] === 'application/json' && body.length > 0;
    sent.push({ path: request.url, headers: request.headers, body: json ? JSON.parse(body.toString()) : body.toString() });
    const onward = forward(new URL(request.url, target), { method: request.method, headers: request.headers, setHost: false }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.end(body);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => { server.close(); server.closeAllConnections?.(); });
  return { sent, host: `127.0.0.1:${server.address().port}` };
}

const models = (host) => `
  chat: {provider: openai, base_url: "http://${host}/v1", name: gpt-4o, top_p: 0.9, seed: 7, headers: {X-Team: "\${TEAM_TOKEN}"}, extra: {logit_bias: {"5": 1}}}
  responses: {provider: openai, base_url: "http://${host}/v1", name: gpt-5-mini, api: responses, reasoning_effort: low, stream: true}
  claude: {provider: anthropic, base_url: "http://${host}", name: claude-sonnet-4-5, thinking: 1024, stream: true, stop: [NEVER]}
  gemini: {provider: gemini, base_url: "http://${host}", name: gemini-2.5-flash, thinking: true, stream: true, temperature: 0.5, seed: 3}
  vertex: {provider: vertex, base_url: "http://${host}/v1/projects/p/locations/l/publishers/google", name: gemini-2.5-pro, api_key_command: [./token.sh]}
  bedrock: {provider: bedrock, base_url: "http://${host}", name: "anthropic.claude-sonnet-4-5-20250929-v1:0", thinking: 1024, stream: true, max_tokens: 3000}
  azure: {provider: azure, base_url: "http://${host}", name: my-deployment, concurrency: 1}
  mistral: {provider: mistral, base_url: "http://${host}/v1", name: mistral-large-latest, seed: 7, stop: [NEVER], max_tokens: 300}
  groq: {provider: groq, base_url: "http://${host}/openai/v1", name: openai/gpt-oss-20b, reasoning_effort: low, seed: 7}
  together: {provider: together, base_url: "http://${host}/v1", name: Qwen/Qwen3-235B-A22B, thinking: true, extra: {top_k: 20}}
  deepseek: {provider: deepseek, base_url: "http://${host}", name: deepseek-chat, thinking: false, stream: true}
`;
// What stands in the request for those that are asked to think.
const thinking = ['openai/gpt-5-mini', 'anthropic/', 'gemini/', 'bedrock/', 'groq/', 'together/'];
const names = ['chat', 'responses', 'claude', 'gemini', 'vertex', 'bedrock', 'azure', 'mistral', 'groq', 'together', 'deepseek', 'ollama/qwen3'];

// Enums of the clients' types as the words that they stand for.
const types = `
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { ResponseCreateParams } from 'openai/resources/responses/responses';
import type { MessageCreateParams } from '@anthropic-ai/sdk/resources/messages';
import type { Content, GenerationConfig, Tool, ToolConfig } from '@google/genai';
import type { ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime';
import type { ChatCompletionRequest$Outbound } from '@mistralai/mistralai/models/components';
import type { ChatCompletionCreateParams as Groq } from 'groq-sdk/resources/chat/completions';
import type { CompletionCreateParams as Together } from 'together-ai/resources/chat/completions';
import type { EmbeddingCreateParams } from 'openai/resources/embeddings';
import type { BatchCreateParams } from 'openai/resources/batches';
import type { BatchCreateParams as MessageBatches } from '@anthropic-ai/sdk/resources/messages/batches';
import type { EmbedRequest } from 'ollama';

type Plain<T> = T extends string ? \`\${T}\` : T extends (infer U)[] ? Plain<U>[] : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Gemini = Plain<{ contents: Content[]; systemInstruction?: Content; tools?: Tool[]; toolConfig?: ToolConfig; generationConfig?: GenerationConfig }>;
type Converse = Omit<ConverseCommandInput, 'modelId'>;
// On the wire; what the service has a default for may be left out.
type Mistral = Omit<ChatCompletionRequest$Outbound, 'stream'> & { stream?: boolean };
type GeminiEmbeddings = { requests: { model: string; content: Content }[] };
// DeepSeek's own documentation sends its client OpenAI's parameters and this one.
type DeepSeek = ChatCompletionCreateParams & { thinking?: { type: 'enabled' | 'disabled' } };
`;
// By the model, where a service that speaks OpenAI's protocol has a client or parameters of its own.
const ownTypes = { 'mistral-large-latest': 'Mistral', 'openai/gpt-oss-20b': 'Groq', 'Qwen/Qwen3-235B-A22B': 'Together', 'deepseek-chat': 'DeepSeek' };
const typeOf = (path, body) =>
  path.includes('/chat/completions') ? ownTypes[body.model] ?? 'ChatCompletionCreateParams'
  : path.endsWith('/messages/batches') ? 'MessageBatches'
  : path.endsWith('/batches') ? 'BatchCreateParams'
  : path.endsWith('/embeddings') ? 'EmbeddingCreateParams'
  : path.endsWith('/api/embed') ? 'EmbedRequest'
  : path.includes('batchEmbedContents') ? 'GeminiEmbeddings'
  : path.includes('/responses') ? 'ResponseCreateParams'
  : path.includes('/messages') ? 'MessageCreateParams'
  : path.includes('enerateContent') ? 'Gemini'
  : path.includes('/converse') ? 'Converse' : undefined;

function compiled(directory, text) {
  // Beside the packages, so that they are found.
  if (!existsSync(join(directory, 'node_modules'))) symlinkSync(join(root, 'tests/system/node_modules'), join(directory, 'node_modules'));
  const file = write(join(directory, 'bodies.ts'), text);
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const config = write(join(directory, 'tsconfig.json'), JSON.stringify({
    compilerOptions: { noEmit: true, strict: true, skipLibCheck: true, module: 'esnext', moduleResolution: 'bundler', target: 'es2022', lib: ['es2022', 'dom'], types: [] },
    files: [file],
  }));
  try {
    return execFileSync(process.execPath, [compiler, '-p', config], { encoding: 'utf8' });
  } catch (error) {
    return error.stdout;
  }
}

// What was sent against the types of the clients: which there were, and what the compiler says.
function checked(directory, sent) {
  const bodies = sent.map(({ path, body }, i) => `export const body${i}: ${typeOf(path, body)} = ${JSON.stringify(body)};`);
  const seen = [...new Set(sent.map(({ path, body }) => typeOf(path, body)))].sort();
  return { types: seen, complaints: compiled(directory, `${types}\n${bodies.join('\n')}\n`) };
}

function files(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

test('every wire answers, thinks apart from its answers, and sends what the providers declare', async (t) => {
  const directory = scratch(t);
  const { url } = await simulator(t, ['--noise', '0', '--require-key', key]);
  const { sent, host } = await listener(t, url);
  write(join(directory, 'token.sh'), `#!/bin/sh\necho x >> runs.txt\nprintf '{"access_token": "%s", "expires_in": 3600}' "$SIM_TOKEN"\n`);
  chmodSync(join(directory, 'token.sh'), 0o755);
  write(join(directory, 'cases.jsonl'), JSON.stringify({ id: 'a', question: 'Is the moon the cause of the tides?' }) + '\n');
  const schema = '{type: object, properties: {label: {type: string, enum: [yes, no]}}, required: [label], additionalProperties: false}';
  const variants = names.flatMap((name) => {
    const short = name.split('/')[0];
    return [`  ${short}_words: {model: {model: ${name}, prompt: "{question}"}}`, `  ${short}_json: {model: {model: ${name}, prompt: "{question}", schema: ${schema}}}`];
  });
  write(join(directory, 'eval.yaml'), `evaluation: custom\ninput_path: cases.jsonl\nvariants:\n${variants.join('\n')}\nmetrics: [{name: some, words: {min: 1}}]\nmodels:${models(host)}`);
  const env = {
    MISTRAL_API_KEY: key, GROQ_API_KEY: key, TOGETHER_API_KEY: key, DEEPSEEK_API_KEY: key,
    OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, GEMINI_API_KEY: key, AZURE_OPENAI_API_KEY: key, OLLAMA_API_KEY: key, OLLAMA_HOST: host,
    AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_REGION: 'eu-central-1', SIM_TOKEN: key, TEAM_TOKEN: 'team-token-of-ours',
  };
  const run = await assay(['run', 'eval.yaml', '--output-dir', 'out'], { cwd: directory, env });
  assert.equal(run.code, 0, run.stdout + run.stderr);

  const shown = await assay(['show', 'out', 'a', '--format', 'json'], { cwd: directory, env });
  const { effects } = JSON.parse(shown.stdout);
  assert.equal(effects.length, 2 * names.length);
  for (const { request, reply } of effects) {
    assert.equal(reply.finish, 'stop');
    assert.doesNotMatch(reply.message.text, /I look at what is given/);
    const thinks = thinking.some((name) => request.model.startsWith(name));
    assert.equal(/I look at what is given/.test(reply.message.reasoning ?? ''), thinks, request.model);
  }
  const page = await assay(['show', 'out', 'a'], { cwd: directory, env });
  assert.match(page.stdout, /reasoning\n.*I am asked/);

  // Who asked, and in what way.
  const at = (part) => sent.filter(({ path }) => path.includes(part));
  assert.equal(at('/openai/deployments/my-deployment/chat/completions?api-version=')[0].headers['api-key'], key);
  assert.equal(at('gemini-2.5-flash:streamGenerateContent?alt=sse')[0].headers['x-goog-api-key'], key);
  assert.equal(at('gemini-2.5-pro:generateContent')[0].headers.authorization, `Bearer ${key}`);
  assert.match(at('v1%3A0/converse-stream')[0].headers.authorization, /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-central-1\/bedrock\/aws4_request/);
  assert.equal(at('/v1/chat/completions').find(({ body }) => body.model === 'gpt-4o').headers['x-team'], 'team-token-of-ours');
  // One program for all requests of a thread.
  assert.ok(readFileSync(join(directory, 'runs.txt'), 'utf8').trim().split('\n').length <= 2);
  for (const file of files(join(directory, 'out'))) {
    const text = readFileSync(file, 'latin1');
    for (const hidden of [secret, 'team-token-of-ours']) assert.ok(!text.includes(hidden), `${file} holds a secret`);
  }

  const { types: seen, complaints } = checked(directory, sent);
  assert.equal(complaints, '');
  assert.deepEqual(seen, ['ChatCompletionCreateParams', 'Converse', 'DeepSeek', 'Gemini', 'Groq', 'MessageCreateParams', 'Mistral', 'ResponseCreateParams', 'Together']);
  const wrong = [{ path: 'x:generateContent', body: { contents: [], generationConfig: { top_p: 1 } } }, { path: '/converse', body: { messages: [{ role: 'user', content: [{ text: 5 }] }] } }, { path: '/chat/completions', body: { model: 'mistral-large-latest', messages: [], seed: 1 } }];
  assert.match(checked(directory, wrong).complaints, /top_p[^]*number[^]*seed/);
});

test('embeddings and batches send what the providers declare', async (t) => {
  const directory = scratch(t);
  const { url } = await simulator(t, ['--noise', '0']);
  const { sent, host } = await listener(t, url);
  write(join(directory, 'cases.jsonl'), JSON.stringify({ id: 'a', question: 'Is the moon the cause of the tides?', output: 'Yes, the moon.', ideal: 'The moon is.' }) + '\n');
  const metrics = (list) => `evaluation: custom\ninput_path: cases.jsonl\nfields: {ideal: {answer_key: true}}\n${list}`;
  write(join(directory, 'similar.yaml'), metrics(`metrics:
  - {name: one, similar: "{ideal}", model: one}
  - {name: two, similar: "{ideal}", model: two}
  - {name: three, similar: "{ideal}", model: three}
models:
  one: {provider: openai, base_url: "http://${host}/v1", name: text-embedding-3-small}
  two: {provider: ollama, base_url: "http://${host}/api", name: nomic-embed-text}
  three: {provider: gemini, base_url: "http://${host}", name: gemini-embedding-001}
`));
  const env = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, GEMINI_API_KEY: key };
  const similar = await assay(['run', 'similar.yaml', '--output-dir', 'similar'], { cwd: directory, env });
  assert.equal(similar.code, 0, similar.stdout + similar.stderr);
  for (const [name, base] of [['openai/gpt-4o', '/v1'], ['anthropic/claude-sonnet-4-5', '']]) {
    const [provider] = name.split('/');
    write(join(directory, `${provider}.yaml`), metrics(`judge: ${name}\nmetrics: [{name: good, rubric: "Says the same.", shows: [output, ideal]}]\nlimits: {batch: true, batch_wait: 80ms, batch_poll: 100ms}\n`));
    const run = await assay(['run', `${provider}.yaml`, '--output-dir', provider], { cwd: directory, env: { ...env, [`${provider.toUpperCase()}_BASE_URL`]: `http://${host}${base}` } });
    assert.equal(run.code, 0, run.stdout + run.stderr);
  }
  // A batch of OpenAI's is a file of lines, each a request to the endpoint that it names.
  const upload = sent.find(({ path }) => path.endsWith('/files'));
  assert.match(upload.body, /name="purpose"\r\n\r\nbatch\r\n/);
  const lines = upload.body.split('\r\n').filter((line) => line.startsWith('{')).flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));
  assert.ok(lines.length > 0 && lines.every(({ custom_id, method }) => custom_id.length > 0 && method === 'POST'));
  const bodies = [...sent.filter(({ body }) => typeof body === 'object'), ...lines.map((line) => ({ path: line.url, body: line.body }))];
  const { types: seen, complaints } = checked(directory, bodies);
  assert.equal(complaints, '');
  assert.deepEqual(seen, ['BatchCreateParams', 'ChatCompletionCreateParams', 'EmbedRequest', 'EmbeddingCreateParams', 'GeminiEmbeddings', 'MessageBatches']);
});

test('how a model of Anthropic thinks is learnt from a refusal, and remembered', async (t) => {
  const directory = scratch(t);
  const refusal = { type: 'error', error: { type: 'invalid_request_error', message: 'adaptive thinking is not supported on this model' } };
  const script = write(join(directory, 'script.jsonl'), JSON.stringify({ times: 1, reply: { error: { status: 400, body: refusal } } }) + '\n');
  const { url } = await simulator(t, ['--noise', '0', '--script', script]);
  const { sent, host } = await listener(t, url);
  write(join(directory, 'cases.jsonl'), ['a', 'b'].map((id) => JSON.stringify({ id, question: `Is ${id} a vowel?` })).join('\n') + '\n');
  write(join(directory, 'eval.yaml'), `evaluation: custom
input_path: cases.jsonl
variants: {thinker: {model: {model: thinker, prompt: "{question}"}}}
metrics: [{name: some, words: {min: 1}}]
models: {thinker: {provider: anthropic, base_url: "http://${host}", name: claude-of-a-gateway, thinking: true}}
limits: {concurrency: 1}
`);
  const run = await assay(['run', 'eval.yaml', '--output-dir', 'out'], { cwd: directory, env: { ANTHROPIC_API_KEY: key } });
  assert.equal(run.code, 0, run.stdout + run.stderr);
  const asked = sent.map(({ body }) => [body.thinking, body.max_tokens]);
  const budget = [{ type: 'enabled', budget_tokens: 4096 }, 8192];
  assert.deepEqual(asked, [[{ type: 'adaptive' }, 16384], budget, budget]);
  assert.match(readFileSync(join(directory, 'out/problems.log'), 'utf8'), /thinking is sent with a number of tokens/);
});

test('the same usage costs the same, however a wire counts thoughts and what came from a cache', async (t) => {
  const directory = scratch(t);
  const usage = { prompt_tokens: 1000, completion_tokens: 300, cached_tokens: 400, reasoning_tokens: 100 };
  const sim = await simulator(t, ['--script', write(join(directory, 'rules.jsonl'), JSON.stringify({ reply: { json: { reason: 'Clear.', score: 4 } }, usage }))]);
  write(join(directory, 'data.jsonl'), JSON.stringify({ question: 'Do I need a permit?', llm_answer: 'Yes.' }));
  const config = write(join(directory, 'eval.yaml'), `evaluation: rag_answers
input_path: data.jsonl
judge: m
metrics: [coherence]
n_runs: 1
prices: {"*": {prompt: 1, completion: 10, cached: 0.1}}
models:
  xai: {provider: xai, name: grok-4, base_url: "${sim.base}"}
  streaming: {provider: xai, name: grok-4, base_url: "${sim.base}", stream: true}
  anthropic: {provider: anthropic, name: claude-sonnet-4-5, base_url: "${sim.url}"}
  gemini: {provider: gemini, name: gemini-2.5-pro, base_url: "${sim.url}/v1beta"}
`);
  for (const model of ['xai', 'streaming', 'anthropic', 'gemini']) {
    const output = join(directory, model);
    const run = await assay(['run', config, '--judge', model, '--output-dir', output], { env: sim.env });
    assert.equal(run.code, 0, run.stderr);
    const { prompt_tokens, completion_tokens, cost_usd } = JSON.parse(readFileSync(join(output, 'summary.json'), 'utf8')).usage;
    // 600 at $1 and 400 at $0.1 a million, 300 at $10.
    assert.deepEqual({ model, prompt_tokens, completion_tokens, cost_usd }, { model, prompt_tokens: 1000, completion_tokens: 300, cost_usd: 0.00364 });
  }
});

test('concurrency of an alias holds for vectors too', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t, ['--latency', '5ms']);
  write(join(directory, 'data.jsonl'), Array.from({ length: 6 }, (_, i) => JSON.stringify({ question: `Is it so, ${i}?` })).join('\n'));
  const config = write(join(directory, 'eval.yaml'), `evaluation: custom
input_path: data.jsonl
variants: {one: {model: {model: sim/assistant, prompt: "{question}"}}}
metrics: [{name: near, similar: "the moon", model: narrow}]
models: {narrow: {provider: openai, name: embed, base_url: "${sim.base}", concurrency: 1}}
`);
  const run = await assay(['run', config, '--output-dir', join(directory, 'out')], { env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const { requests, in_flight: { most } } = await sim.stats();
  assert.deepEqual([requests.by_route['POST /v1/embeddings'], most], [{ 200: 6 }, 1]);
});
