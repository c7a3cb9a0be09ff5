// The simulated endpoint as the official clients see it. Expected shapes and error classes are those that the
// clients document for the real services.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

import { startSim } from "./sim_process.mjs";

const openaiClient = (url, options = {}) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "sk-test", maxRetries: 0, ...options });
const anthropicClient = (url, options = {}) =>
  new Anthropic({ baseURL: url, apiKey: "sk-test", maxRetries: 0, ...options });

const weatherParameters = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 1 },
    unit: { type: "string", enum: ["celsius", "fahrenheit"] },
    days: { type: "integer", minimum: 1, maximum: 7 },
  },
  required: ["city", "unit", "days"],
  additionalProperties: false,
};

const verdictSchema = {
  type: "object",
  properties: {
    verdicts: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: { type: "integer" },
          verdict: { type: "string", enum: ["yes", "no", "idk"] },
          reason: { type: "string" },
        },
        required: ["id", "verdict", "reason"],
        additionalProperties: false,
      },
    },
  },
  required: ["verdicts"],
  additionalProperties: false,
};

const verdictPrompt = `Say of each statement whether it is relevant to the question.
<question>How do I renew my passport?</question>
<statements>
1. You can renew your passport online.
2. Bananas are yellow.
3. You need a photo to renew a passport.
</statements>`;

function assertWeatherArguments(value) {
  assert.ok(value.city.length > 0);
  assert.ok(["celsius", "fahrenheit"].includes(value.unit));
  assert.ok(Number.isInteger(value.days) && value.days >= 1 && value.days <= 7);
}

function assertVerdicts(value) {
  assert.deepEqual(value.verdicts.map((verdict) => verdict.id), [1, 2, 3]);
  for (const verdict of value.verdicts) {
    assert.ok(["yes", "no", "idk"].includes(verdict.verdict));
    assert.ok(verdict.reason.length > 0);
  }
}

describe("the OpenAI client", () => {
  let sim;
  let client;
  before(async () => {
    sim = await startSim("--noise", "0");
    client = openaiClient(sim.url);
  });
  after(() => sim.stop());

  const tools = [
    {
      type: "function",
      function: { name: "get_weather", description: "The weather forecast of a city", parameters: weatherParameters },
    },
  ];

  it("gets a completion with usage, the same for the same request", async () => {
    const request = { model: "assistant", messages: [{ role: "user", content: "Tell me about tides and the moon." }] };
    const first = await client.chat.completions.create(request);
    const second = await client.chat.completions.create(request);
    assert.equal(first.object, "chat.completion");
    assert.match(first.id, /^chatcmpl-/);
    assert.equal(first.model, "sim/assistant", "an answer says that no real model gave it");
    assert.equal(first.choices.length, 1);
    assert.equal(first.choices[0].finish_reason, "stop");
    assert.equal(first.choices[0].message.role, "assistant");
    assert.ok(first.choices[0].message.content.length > 10);
    assert.equal(first.choices[0].message.content, second.choices[0].message.content);
    const { usage } = first;
    assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0);
    assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
    assert.equal(usage.prompt_tokens_details.cached_tokens, 0);
    assert.match(first._request_id, /^req_/);
  });

  it("gets embeddings, packed as it asks for them by itself and as numbers", async () => {
    const input = ["How do I renew my passport?", "Renewing a passport", "Bananas are yellow."];
    const packed = await client.embeddings.create({ model: "embed", input });
    const plain = await client.embeddings.create({ model: "embed", input, encoding_format: "float" });
    assert.equal(packed.object, "list");
    assert.equal(packed.model, "sim/embed");
    assert.ok(packed.usage.prompt_tokens > 0 && packed.usage.total_tokens === packed.usage.prompt_tokens);
    assert.deepEqual(packed.data.map((one) => one.index), [0, 1, 2]);
    const vectors = packed.data.map((one) => Array.from(one.embedding));
    assert.deepEqual(vectors, plain.data.map((one) => one.embedding.map(Math.fround)));
    const near = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
    assert.ok(Math.abs(near(vectors[0], vectors[0]) - 1) < 1e-6);
    assert.ok(near(vectors[0], vectors[1]) > 0.5 && near(vectors[0], vectors[2]) < 0.3);
    const short = await client.embeddings.create({ model: "embed", input: "one text", dimensions: 8 });
    assert.equal(short.data[0].embedding.length, 8);
    await assert.rejects(client.embeddings.create({ model: "embed", input: "" }), OpenAI.BadRequestError);
  });

  it("streams the same text, with usage when asked", async () => {
    const request = { model: "assistant", messages: [{ role: "user", content: "Tell me about tides and the moon." }] };
    const whole = await client.chat.completions.create(request);
    const stream = await client.chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let finish = null;
    let usage = null;
    let chunks = 0;
    for await (const chunk of stream) {
      ++chunks;
      assert.equal(chunk.object, "chat.completion.chunk");
      text += chunk.choices[0]?.delta?.content ?? "";
      finish = chunk.choices[0]?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    assert.ok(chunks > 3);
    assert.equal(text, whole.choices[0].message.content);
    assert.equal(finish, "stop");
    assert.deepEqual(usage, whole.usage);
    const plain = await client.chat.completions.create({ ...request, stream: true });
    for await (const chunk of plain) assert.ok(!chunk.usage);
  });

  it("is given a forced tool call with arguments that fit, streamed or not", async () => {
    const request = {
      model: "assistant",
      messages: [{ role: "user", content: "Weather in Oslo for three days, please." }],
      tools,
      tool_choice: { type: "function", function: { name: "get_weather" } },
    };
    const reply = await client.chat.completions.create(request);
    assert.equal(reply.choices[0].finish_reason, "tool_calls");
    const [call] = reply.choices[0].message.tool_calls;
    assert.equal(call.type, "function");
    assert.equal(call.function.name, "get_weather");
    assertWeatherArguments(JSON.parse(call.function.arguments));
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    assert.deepEqual(streamed.choices[0].message.tool_calls[0].function.arguments, call.function.arguments);
    const any = await client.chat.completions.create({ ...request, tool_choice: "required" });
    assert.equal(any.choices[0].message.tool_calls.length, 1);
    const none = await client.chat.completions.create({ ...request, tool_choice: "none" });
    assert.equal(none.choices[0].finish_reason, "stop");
  });

  it("goes round with tools that the model may use: call, result, answer", async () => {
    let rounds = 0;
    for (let i = 0; i < 8; ++i) {
      const messages = [{ role: "user", content: `Get the weather forecast of a city, number ${i}.` }];
      const first = await client.chat.completions.create({ model: "assistant", messages, tools });
      if (first.choices[0].finish_reason !== "tool_calls") continue;
      ++rounds;
      messages.push(first.choices[0].message);
      for (const call of first.choices[0].message.tool_calls) {
        assertWeatherArguments(JSON.parse(call.function.arguments));
        messages.push({ role: "tool", tool_call_id: call.id, content: "12 degrees and rain" });
      }
      const second = await client.chat.completions.create({ model: "assistant", messages, tools });
      assert.equal(second.choices[0].finish_reason, "stop");
      assert.match(second.choices[0].message.content, /12 degrees/);
    }
    assert.ok(rounds >= 4, `only ${rounds} of 8 prompts led to a call`);
  });

  it("gets JSON that fits the schema of response_format", async () => {
    const reply = await client.chat.completions.create({
      model: "judge",
      messages: [{ role: "user", content: verdictPrompt }],
      response_format: { type: "json_schema", json_schema: { name: "verdicts", strict: true, schema: verdictSchema } },
    });
    const value = JSON.parse(reply.choices[0].message.content);
    assertVerdicts(value);
    assert.equal(value.verdicts[0].verdict, "yes");
    assert.equal(value.verdicts[1].verdict, "no");
    const object = await client.chat.completions.create({
      model: "judge",
      messages: [{ role: "user", content: "Answer in JSON." }],
      response_format: { type: "json_object" },
    });
    assert.equal(typeof JSON.parse(object.choices[0].message.content), "object");
  });

  it("sees an answer that was cut off as such", async () => {
    const reply = await client.chat.completions.create({
      model: "assistant",
      max_completion_tokens: 3,
      messages: [{ role: "user", content: "Tell me about tides and the moon." }],
    });
    assert.equal(reply.choices[0].finish_reason, "length");
    assert.equal(reply.usage.completion_tokens, 3);
  });

  it("gets BadRequestError with parameter and code for what is wrong with a request", async () => {
    const messages = [{ role: "user", content: "hello" }];
    const refused = async (request, param, code) =>
      assert.rejects(client.chat.completions.create(request), (error) => {
        assert.ok(error instanceof OpenAI.BadRequestError, String(error));
        assert.equal(error.status, 400);
        assert.equal(error.param, param);
        assert.equal(error.code, code);
        assert.equal(error.type, "invalid_request_error");
        assert.match(error.requestID, /^req_/);
        return true;
      });
    await refused({ messages }, "model", "missing_required_parameter");
    await refused({ model: "m", messages: "hello" }, "messages", "invalid_type");
    await refused({ model: "m", messages: [{ role: "robot", content: "x" }] }, "messages[0].role", "invalid_value");
    await refused({ model: "m", messages, temperature: 3 }, "temperature", "invalid_value");
    await refused({ model: "m", messages, colour: "red" }, "colour", "unknown_parameter");
    await refused({ model: "o3", messages, max_tokens: 9 }, "max_tokens", "unsupported_parameter");
    await refused(
      { model: "m", messages, tools, tool_choice: { type: "function", function: { name: "other" } } },
      "tool_choice",
      "invalid_value",
    );
    await refused(
      { model: "m", messages: [{ role: "tool", tool_call_id: "x", content: "y" }] },
      "messages[0].tool_call_id",
      "invalid_value",
    );
    const open = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    await refused(
      { model: "m", messages, response_format: { type: "json_schema", json_schema: { name: "n", strict: true, schema: open } } },
      "response_format",
      "invalid_value",
    );
  });

  it("lists and retrieves models, and gets NotFoundError for what does not exist", async () => {
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    assert.ok(ids.includes("judge"));
    assert.equal((await client.models.retrieve("judge")).object, "model");
    await assert.rejects(client.get("/nothing/here"), OpenAI.NotFoundError);
  });
});

describe("the Anthropic client", () => {
  let sim;
  let client;
  before(async () => {
    sim = await startSim("--noise", "0");
    client = anthropicClient(sim.url);
  });
  after(() => sim.stop());

  const tools = [{ name: "get_weather", description: "The weather forecast of a city", input_schema: weatherParameters }];

  it("gets a message with usage, the same for the same request", async () => {
    const request = {
      model: "assistant",
      max_tokens: 200,
      system: "You are brief.",
      messages: [{ role: "user", content: "Tell me about tides and the moon." }],
    };
    const first = await client.messages.create(request);
    const second = await client.messages.create(request);
    assert.equal(first.type, "message");
    assert.equal(first.role, "assistant");
    assert.match(first.id, /^msg_/);
    assert.equal(first.stop_reason, "end_turn");
    assert.equal(first.content.length, 1);
    assert.equal(first.content[0].type, "text");
    assert.deepEqual(first.content, second.content);
    assert.ok(first.usage.input_tokens > 0 && first.usage.output_tokens > 0);
    assert.equal(first.usage.cache_read_input_tokens, 0);
    assert.match(first._request_id, /^req_/);
  });

  it("streams the same text", async () => {
    const request = {
      model: "assistant",
      max_tokens: 200,
      messages: [{ role: "user", content: [{ type: "text", text: "Tell me about tides and the moon." }] }],
    };
    const whole = await client.messages.create(request);
    const stream = client.messages.stream(request);
    let text = "";
    stream.on("text", (piece) => (text += piece));
    const message = await stream.finalMessage();
    assert.equal(text, whole.content[0].text);
    assert.equal(message.stop_reason, "end_turn");
    assert.equal(message.usage.input_tokens, whole.usage.input_tokens);
    assert.equal(message.usage.output_tokens, whole.usage.output_tokens);
  });

  it("is given a forced tool use with input that fits, streamed or not", async () => {
    const request = {
      model: "assistant",
      max_tokens: 500,
      messages: [{ role: "user", content: "Weather in Oslo for three days, please." }],
      tools,
      tool_choice: { type: "tool", name: "get_weather" },
    };
    const reply = await client.messages.create(request);
    assert.equal(reply.stop_reason, "tool_use");
    const use = reply.content.find((block) => block.type === "tool_use");
    assert.match(use.id, /^toolu_/);
    assertWeatherArguments(use.input);
    const streamed = await client.messages.stream(request).finalMessage();
    assert.deepEqual(streamed.content.find((block) => block.type === "tool_use").input, use.input);
    const any = await client.messages.create({ ...request, tool_choice: { type: "any" } });
    assert.equal(any.stop_reason, "tool_use");
  });

  it("goes round with tools that the model may use: use, result, answer", async () => {
    let rounds = 0;
    for (let i = 0; i < 8; ++i) {
      const messages = [{ role: "user", content: `Get the weather forecast of a city, number ${i}.` }];
      const first = await client.messages.create({ model: "assistant", max_tokens: 500, messages, tools });
      if (first.stop_reason !== "tool_use") continue;
      ++rounds;
      messages.push({ role: "assistant", content: first.content });
      const results = first.content
        .filter((block) => block.type === "tool_use")
        .map((block) => ({ type: "tool_result", tool_use_id: block.id, content: "12 degrees and rain" }));
      messages.push({ role: "user", content: results });
      const second = await client.messages.create({ model: "assistant", max_tokens: 500, messages, tools });
      assert.equal(second.stop_reason, "end_turn");
      assert.match(second.content[0].text, /12 degrees/);
    }
    assert.ok(rounds >= 4, `only ${rounds} of 8 prompts led to a tool use`);
  });

  it("gets JSON that fits a schema, native or as the input of a forced tool", async () => {
    const base = { model: "judge", max_tokens: 2000, messages: [{ role: "user", content: verdictPrompt }] };
    const native = await client.messages.create({
      ...base,
      output_config: { format: { type: "json_schema", schema: verdictSchema } },
    });
    assertVerdicts(JSON.parse(native.content[0].text));
    const forced = await client.messages.create({
      ...base,
      tools: [{ name: "verdicts", input_schema: verdictSchema }],
      tool_choice: { type: "tool", name: "verdicts" },
    });
    assertVerdicts(forced.content.find((block) => block.type === "tool_use").input);
  });

  it("sees an answer that was cut off as such", async () => {
    const reply = await client.messages.create({
      model: "assistant",
      max_tokens: 3,
      messages: [{ role: "user", content: "Tell me about tides and the moon." }],
    });
    assert.equal(reply.stop_reason, "max_tokens");
    assert.equal(reply.usage.output_tokens, 3);
  });

  it("gets BadRequestError for what is wrong with a request", async () => {
    const messages = [{ role: "user", content: "hello" }];
    const refused = async (request, message) =>
      assert.rejects(client.messages.create(request), (error) => {
        assert.ok(error instanceof Anthropic.BadRequestError, String(error));
        assert.equal(error.status, 400);
        assert.equal(error.error.type, "error");
        assert.equal(error.error.error.type, "invalid_request_error");
        assert.match(error.error.error.message, message);
        assert.match(error.requestID, /^req_/);
        return true;
      });
    await refused({ model: "m", messages }, /^max_tokens: Field required/);
    await refused({ max_tokens: 5, messages }, /^model: Field required/);
    await refused({ model: "m", max_tokens: 5, messages: "hello" }, /^messages: /);
    await refused({ model: "m", max_tokens: 5, messages: [{ role: "system", content: "x" }] }, /^messages\.0\.role: /);
    await refused({ model: "m", max_tokens: 5, messages: [{ role: "assistant", content: "x" }] }, /first message/);
    await refused({ model: "m", max_tokens: 5, messages, temperature: 1.5 }, /^temperature: /);
    await refused({ model: "m", max_tokens: 5, messages, colour: "red" }, /^colour: /);
    await refused(
      { model: "m", max_tokens: 5, messages, tools, tool_choice: { type: "tool", name: "other" } },
      /^tool_choice\.name: /,
    );
    const use = { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} };
    await refused(
      { model: "m", max_tokens: 5, tools, messages: [...messages, { role: "assistant", content: [use] }, ...messages] },
      /toolu_1/,
    );
  });

  it("lists models, and gets NotFoundError for what does not exist", async () => {
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    assert.ok(ids.includes("judge"));
    await assert.rejects(client.get("/v1/nothing"), Anthropic.NotFoundError);
  });
});

describe("faults as the official clients see them", () => {
  const openaiAsk = (client, content = "hello") =>
    client.chat.completions.create({ model: "assistant", messages: [{ role: "user", content }] });
  const anthropicAsk = (client, content = "hello") =>
    client.messages.create({ model: "assistant", max_tokens: 50, messages: [{ role: "user", content }] });

  async function withSim(flags, work) {
    const sim = await startSim(...flags);
    try {
      await work(sim);
    } finally {
      await sim.stop();
    }
  }

  it("a wrong key is AuthenticationError, the right one is not", () =>
    withSim(["--require-key", "sk-right"], async ({ url }) => {
      await assert.rejects(openaiAsk(openaiClient(url)), (error) => {
        assert.ok(error instanceof OpenAI.AuthenticationError);
        assert.equal(error.code, "invalid_api_key");
        assert.ok(!error.message.includes("sk-right"));
        return true;
      });
      await assert.rejects(anthropicAsk(anthropicClient(url)), (error) => {
        assert.ok(error instanceof Anthropic.AuthenticationError);
        assert.equal(error.error.error.type, "authentication_error");
        return true;
      });
      await openaiAsk(openaiClient(url, { apiKey: "sk-right" }));
      await anthropicAsk(anthropicClient(url, { apiKey: "sk-right" }));
    }));

  it("429 is RateLimitError, with retry-after", () =>
    withSim(["--rate-429", "1", "--retry-after", "2"], async ({ url, stats }) => {
      await assert.rejects(openaiAsk(openaiClient(url)), (error) => {
        assert.ok(error instanceof OpenAI.RateLimitError);
        assert.equal(error.headers.get("retry-after"), "2");
        assert.equal(error.headers.get("x-ratelimit-remaining-requests"), "0");
        return true;
      });
      await assert.rejects(anthropicAsk(anthropicClient(url)), (error) => {
        assert.ok(error instanceof Anthropic.RateLimitError);
        assert.equal(error.error.error.type, "rate_limit_error");
        assert.equal(error.headers.get("retry-after"), "2");
        return true;
      });
      assert.equal((await stats()).faults["429"], 2);
    }));

  it("a client waits as long as retry-after says, then succeeds", async () => {
    const folder = await mkdtemp(join(tmpdir(), "assay-sim-"));
    const script = join(folder, "script.jsonl");
    const headers = { "retry-after-ms": "400", "retry-after": "1" };
    await writeFile(script, JSON.stringify({ match: "again", times: 1, reply: { error: { status: 429, headers } } }) + "\n");
    try {
      await withSim(["--script", script], async ({ url, stats, reset }) => {
        for (const ask of [
          () => openaiAsk(openaiClient(url, { maxRetries: 2 }), "again"),
          () => anthropicAsk(anthropicClient(url, { maxRetries: 2 }), "again"),
        ]) {
          const started = Date.now();
          await ask();
          const waited = Date.now() - started;
          assert.ok(waited >= 390, `waited ${waited} ms`);
          assert.deepEqual((await stats()).requests.by_status, { 200: 1, 429: 1 });
          await reset();
        }
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("500 and overload are InternalServerError", async () => {
    await withSim(["--rate-500", "1"], async ({ url }) => {
      await assert.rejects(openaiAsk(openaiClient(url)), OpenAI.InternalServerError);
      await assert.rejects(anthropicAsk(anthropicClient(url)), Anthropic.InternalServerError);
    });
    await withSim(["--rate-503", "1"], async ({ url }) => {
      await assert.rejects(openaiAsk(openaiClient(url)), { status: 503 });
      await assert.rejects(anthropicAsk(anthropicClient(url)), (error) => {
        assert.equal(error.status, 529);
        assert.equal(error.error.error.type, "overloaded_error");
        return true;
      });
    });
  });

  it("a dropped connection is APIConnectionError", () =>
    withSim(["--rate-drop", "1"], async ({ url, stats }) => {
      await assert.rejects(openaiAsk(openaiClient(url)), OpenAI.APIConnectionError);
      await assert.rejects(anthropicAsk(anthropicClient(url)), Anthropic.APIConnectionError);
      assert.deepEqual((await stats()).requests.by_status, { dropped: 2 });
    }));

  it("a stalled connection is APIConnectionTimeoutError", () =>
    withSim(["--rate-stall", "1"], async ({ url }) => {
      await assert.rejects(openaiAsk(openaiClient(url, { timeout: 200 })), OpenAI.APIConnectionTimeoutError);
      await assert.rejects(anthropicAsk(anthropicClient(url, { timeout: 200 })), Anthropic.APIConnectionTimeoutError);
    }));

  it("truncated and malformed bodies are errors, in streams too", async () => {
    for (const flag of ["--rate-truncate", "--rate-malformed"]) {
      await withSim([flag, "1"], async ({ url }) => {
        await assert.rejects(openaiAsk(openaiClient(url)));
        await assert.rejects(anthropicAsk(anthropicClient(url)));
        const request = { model: "m", messages: [{ role: "user", content: "hello" }] };
        await assert.rejects(openaiClient(url).chat.completions.stream(request).finalChatCompletion());
        await assert.rejects(anthropicClient(url).messages.stream({ ...request, max_tokens: 50 }).finalMessage());
      });
    }
  });

  it("a cut answer has finish reason length", () =>
    withSim(["--rate-length", "1"], async ({ url }) => {
      assert.equal((await openaiAsk(openaiClient(url))).choices[0].finish_reason, "length");
      assert.equal((await anthropicAsk(anthropicClient(url))).stop_reason, "max_tokens");
    }));

  it("an answer of the wrong schema is JSON that lacks what was asked for", () =>
    withSim(["--rate-wrong-schema", "1"], async ({ url }) => {
      const schema = {
        type: "object",
        properties: { score: { type: "integer", minimum: 1, maximum: 5 } },
        required: ["score"],
        additionalProperties: false,
      };
      const reply = await openaiClient(url).chat.completions.create({
        model: "judge",
        messages: [{ role: "user", content: "Score this." }],
        response_format: { type: "json_schema", json_schema: { name: "s", strict: true, schema } },
      });
      const value = JSON.parse(reply.choices[0].message.content);
      const fits = Number.isInteger(value?.score) && value.score >= 1 && value.score <= 5 && Object.keys(value).length === 1;
      assert.ok(!fits, JSON.stringify(value));
    }));

  it("requests beyond the minute's limit get 429 until the minute is over", () =>
    withSim(["--requests-per-minute", "2"], async ({ url }) => {
      await openaiAsk(openaiClient(url));
      await openaiAsk(openaiClient(url));
      await assert.rejects(openaiAsk(openaiClient(url)), (error) => {
        assert.ok(error instanceof OpenAI.RateLimitError);
        const seconds = Number(error.headers.get("retry-after"));
        assert.ok(seconds > 50 && seconds <= 60, `retry-after ${seconds}`);
        assert.equal(error.headers.get("x-ratelimit-limit-requests"), "2");
        return true;
      });
    }));

  it("requests beyond the limit in flight are refused, and the most in flight is known", () =>
    withSim(["--max-in-flight", "3", "--latency", "300ms"], async ({ url, stats }) => {
      const client = openaiClient(url);
      const results = await Promise.allSettled(Array.from({ length: 6 }, (_, i) => openaiAsk(client, `hello ${i}`)));
      assert.equal(results.filter((result) => result.status === "fulfilled").length, 3);
      for (const { reason } of results.filter((result) => result.status === "rejected")) {
        assert.ok(reason instanceof OpenAI.RateLimitError);
      }
      const seen = await stats();
      assert.equal(seen.in_flight.now, 0);
      assert.ok(seen.in_flight.most >= 3 && seen.in_flight.most <= 6);
      assert.deepEqual(seen.bodies, { distinct: 6, repeated: 0, again: 0 });
    }));
});
