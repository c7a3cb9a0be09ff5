// The simulated endpoint as the official clients of its other protocols see it: OpenAI's Responses, Google's and Amazon's.
// Expected shapes and error classes are those that the clients document for the real services.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  AccessDeniedException,
  ValidationException,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { ApiError, FunctionCallingConfigMode, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

import { startSim } from "./sim_process.mjs";

const schema = {
  type: "object",
  properties: { label: { type: "string", enum: ["yes", "no"] }, reason: { type: "string", minLength: 1 } },
  required: ["label", "reason"],
  additionalProperties: false,
};
const parameters = {
  type: "object",
  properties: { city: { type: "string", minLength: 1 }, days: { type: "integer", minimum: 1, maximum: 7 } },
  required: ["city", "days"],
  additionalProperties: false,
};
const question = "Weather in Oslo for three days, please.";

function assertArguments(value) {
  assert.ok(value.city.length > 0);
  assert.ok(value.days >= 1 && value.days <= 7);
}
function assertAnswer(text) {
  const value = JSON.parse(text);
  assert.ok(["yes", "no"].includes(value.label));
  assert.ok(value.reason.length > 0);
}

let sim;
before(async () => {
  sim = await startSim("--noise", "0");
});
after(() => sim.stop());

describe("OpenAI's client, Responses", () => {
  let client;
  before(() => {
    client = new OpenAI({ baseURL: `${sim.url}/v1`, apiKey: "sk-test", maxRetries: 0 });
  });
  const tools = [{ type: "function", name: "get_weather", description: "The weather of a city", parameters, strict: true }];

  it("answers, whole and as a stream, with usage", async () => {
    const request = { model: "assistant", input: "Tell me about tides and the moon." };
    const whole = await client.responses.create(request);
    assert.equal(whole.object, "response");
    assert.equal(whole.status, "completed");
    assert.ok(whole.output_text.length > 10);
    assert.equal(whole.usage.total_tokens, whole.usage.input_tokens + whole.usage.output_tokens);
    const stream = client.responses.stream(request);
    let text = "";
    stream.on("response.output_text.delta", (event) => (text += event.delta));
    const final = await stream.finalResponse();
    assert.equal(final.output_text, whole.output_text);
    assert.equal(text, whole.output_text);
  });

  it("goes round with a tool, with its thoughts given back", async () => {
    const request = { model: "assistant", tools, tool_choice: "required", reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"], store: false };
    const first = await client.responses.create({ ...request, input: question });
    const call = first.output.find((item) => item.type === "function_call");
    assertArguments(JSON.parse(call.arguments));
    assert.ok(first.usage.output_tokens_details.reasoning_tokens > 0);
    const input = [{ role: "user", content: question }, ...first.output, { type: "function_call_output", call_id: call.call_id, output: "12 degrees" }];
    const second = await client.responses.create({ ...request, tool_choice: "auto", input });
    assert.match(second.output_text, /12 degrees/);
    const reasoning = first.output.find((item) => item.type === "reasoning");
    const changed = input.map((item) => (item.type === "reasoning" ? { ...reasoning, summary: [{ type: "summary_text", text: "other" }] } : item));
    await assert.rejects(client.responses.create({ ...request, tool_choice: "auto", input: changed }), OpenAI.BadRequestError);
  });

  it("gets JSON by a schema, and refusals of what is wrong", async () => {
    const text = { format: { type: "json_schema", name: "answer", strict: true, schema: { ...schema, properties: { label: schema.properties.label, reason: { type: "string" } } } } };
    assertAnswer((await client.responses.create({ model: "judge", input: "Is it so?", text })).output_text);
    await assert.rejects(client.responses.create({ model: "judge", input: "x", colour: "red" }), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.equal(error.code, "unknown_parameter");
      return true;
    });
    const cut = await client.responses.create({ model: "assistant", input: "Tell me about tides.", max_output_tokens: 16 });
    assert.equal(cut.status === "incomplete" ? cut.incomplete_details.reason : "max_output_tokens", "max_output_tokens");
  });
});

describe("Google's client", () => {
  let client;
  before(() => {
    client = new GoogleGenAI({ apiKey: "test", httpOptions: { baseUrl: sim.url } });
  });
  const tools = [{ functionDeclarations: [{ name: "get_weather", description: "The weather of a city", parametersJsonSchema: parameters }] }];
  const forced = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["get_weather"] } };

  it("answers, whole and as a stream, with usage", async () => {
    const request = { model: "assistant", contents: "Tell me about tides and the moon.", config: { systemInstruction: "Be brief.", temperature: 0.5, seed: 7 } };
    const whole = await client.models.generateContent(request);
    assert.ok(whole.text.length > 10);
    assert.equal(whole.modelVersion, "sim/assistant");
    assert.equal(whole.candidates[0].finishReason, "STOP");
    assert.equal(whole.usageMetadata.totalTokenCount, whole.usageMetadata.promptTokenCount + whole.usageMetadata.candidatesTokenCount);
    let text = "";
    for await (const chunk of await client.models.generateContentStream(request)) text += chunk.text ?? "";
    assert.equal(text, whole.text);
  });

  it("goes round with a tool, with its thoughts given back", async () => {
    const config = { tools, toolConfig: forced, thinkingConfig: { includeThoughts: true } };
    const user = { role: "user", parts: [{ text: question }] };
    const first = await client.models.generateContent({ model: "assistant", contents: [user], config });
    assertArguments(first.functionCalls[0].args);
    assert.ok(first.usageMetadata.thoughtsTokenCount > 0);
    const result = { role: "user", parts: [{ functionResponse: { name: "get_weather", response: { result: "12 degrees" } } }] };
    const again = { ...config, toolConfig: undefined };
    const contents = [user, first.candidates[0].content, result];
    const second = await client.models.generateContent({ model: "assistant", contents, config: again });
    assert.match(second.text, /12 degrees/);
    const changed = structuredClone(contents);
    changed[1].parts.find((part) => part.functionCall).thoughtSignature = "AAAA";
    await assert.rejects(client.models.generateContent({ model: "assistant", contents: changed, config: again }), ApiError);
  });

  it("gets JSON by a schema, embeddings, and refusals of what is wrong", async () => {
    const config = { responseMimeType: "application/json", responseJsonSchema: schema };
    assertAnswer((await client.models.generateContent({ model: "judge", contents: "Is it so?", config })).text);
    const { embeddings } = await client.models.embedContent({ model: "embed", contents: ["tides", "the moon"] });
    assert.equal(embeddings.length, 2);
    assert.equal(embeddings[0].values.length, embeddings[1].values.length);
    await assert.rejects(client.models.generateContent({ model: "judge", contents: "x", config: { temperature: 9 } }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.status, 400);
      assert.match(error.message, /temperature/);
      return true;
    });
  });
});

// Over HTTP/1.1: without TLS the client would begin with HTTP/2, which the endpoint does not speak.
describe("Amazon's client", () => {
  const client = (credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "any" }) =>
    new BedrockRuntimeClient({ region: "eu-central-1", endpoint: sim.url, credentials, maxAttempts: 1, requestHandler: new NodeHttpHandler() });
  const modelId = "anthropic.claude-sonnet-4-5-20250929-v1:0";
  const toolConfig = { tools: [{ toolSpec: { name: "get_weather", description: "The weather of a city", inputSchema: { json: parameters } } }] };
  const user = { role: "user", content: [{ text: question }] };

  it("answers, whole and as a binary stream, with usage", async () => {
    const input = { modelId, system: [{ text: "Be brief." }], messages: [{ role: "user", content: [{ text: "Tell me about tides and the moon." }] }], inferenceConfig: { maxTokens: 500, temperature: 0.5 } };
    const whole = await client().send(new ConverseCommand(input));
    const words = whole.output.message.content[0].text;
    assert.ok(words.length > 10);
    assert.equal(whole.stopReason, "end_turn");
    assert.equal(whole.usage.totalTokens, whole.usage.inputTokens + whole.usage.outputTokens);
    const { stream } = await client().send(new ConverseStreamCommand(input));
    let text = "";
    let usage;
    for await (const event of stream) {
      text += event.contentBlockDelta?.delta?.text ?? "";
      usage ??= event.metadata?.usage;
    }
    assert.equal(text, words);
    assert.deepEqual(usage, whole.usage);
  });

  it("goes round with a tool, with its thoughts given back", async () => {
    const input = { modelId, messages: [user], toolConfig, additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1024 } } };
    for (let i = 0; ; ++i) {
      assert.ok(i < 8, "no prompt led to a tool use");
      const messages = [{ role: "user", content: [{ text: `Get the weather of a city, number ${i}.` }] }];
      const first = await client().send(new ConverseCommand({ ...input, messages }));
      if (first.stopReason !== "tool_use") continue;
      const { message } = first.output;
      assert.ok(message.content[0].reasoningContent.reasoningText.signature.length > 0);
      const { toolUse } = message.content.find((block) => block.toolUse);
      assertArguments(toolUse.input);
      const result = { role: "user", content: [{ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: "12 degrees" }] } }] };
      const second = await client().send(new ConverseCommand({ ...input, messages: [...messages, message, result] }));
      assert.match(second.output.message.content.at(-1).text, /12 degrees/);
      const without = { ...message, content: message.content.filter((block) => !block.reasoningContent) };
      await assert.rejects(client().send(new ConverseCommand({ ...input, messages: [...messages, without, result] })), ValidationException);
      break;
    }
  });

  it("gets JSON by a schema or a forced tool, and refusals of what is wrong", async () => {
    const judge = [{ role: "user", content: [{ text: "Is it so?" }] }];
    const outputConfig = { textFormat: { type: "json_schema", structure: { jsonSchema: { name: "answer", schema: JSON.stringify(schema) } } } };
    const native = await client().send(new ConverseCommand({ modelId, messages: judge, outputConfig }));
    assertAnswer(native.output.message.content[0].text);
    const forced = await client().send(new ConverseCommand({ modelId, messages: [user], toolConfig: { ...toolConfig, toolChoice: { tool: { name: "get_weather" } } } }));
    assertArguments(forced.output.message.content[0].toolUse.input);
    await assert.rejects(client().send(new ConverseCommand({ modelId, messages: [user, user] })), ValidationException);
  });

  it("signs as the endpoint expects it, for a model with a colon in its name", async () => {
    const strict = await startSim("--require-key", "AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG");
    const send = (secretAccessKey) =>
      new BedrockRuntimeClient({ region: "eu-central-1", endpoint: strict.url, maxAttempts: 1, requestHandler: new NodeHttpHandler(), credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey, sessionToken: "session" } }).send(
        new ConverseCommand({ modelId, messages: [user] }),
      );
    try {
      assert.equal((await send("wJalrXUtnFEMI/K7MDENG")).stopReason, "end_turn");
      await assert.rejects(send("another"), AccessDeniedException);
    } finally {
      await strict.stop();
    }
  });
});

describe("Anthropic's client, thinking", () => {
  it("goes round with a tool, and must give the thoughts back as they were", async () => {
    const client = new Anthropic({ baseURL: sim.url, apiKey: "sk-test", maxRetries: 0 });
    const tools = [{ name: "get_weather", description: "The weather of a city", input_schema: parameters }];
    const base = { model: "assistant", max_tokens: 4000, tools, thinking: { type: "enabled", budget_tokens: 1024 } };
    for (let i = 0; ; ++i) {
      assert.ok(i < 8, "no prompt led to a tool use");
      const messages = [{ role: "user", content: `Get the weather of a city, number ${i}.` }];
      const first = await client.messages.stream({ ...base, messages }).finalMessage();
      if (first.stop_reason !== "tool_use") continue;
      assert.equal(first.content[0].type, "thinking");
      const use = first.content.find((block) => block.type === "tool_use");
      const result = { role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: "12 degrees" }] };
      const second = await client.messages.create({ ...base, messages: [...messages, { role: "assistant", content: first.content }, result] });
      assert.match(second.content.at(-1).text, /12 degrees/);
      const changed = first.content.map((block) => (block.type === "thinking" ? { ...block, thinking: "other" } : block));
      await assert.rejects(
        client.messages.create({ ...base, messages: [...messages, { role: "assistant", content: changed }, result] }),
        Anthropic.BadRequestError,
      );
      break;
    }
  });
});
