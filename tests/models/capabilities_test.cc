#include "models/capabilities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/providers/anthropic.h"
#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::HasSubstr;

TEST(Capabilities, OfAnUnknownModelAreComplete) {
  EXPECT_EQ(known_capabilities("qwen3"), Capabilities{});
  EXPECT_EQ(known_capabilities("gpt-4o"), Capabilities{});
  EXPECT_EQ(known_capabilities("claude-someday"), Capabilities{});
}

TEST(Capabilities, OfReasoningModelsLackSamplingAndRenameTheLimit) {
  for (const std::string_view model : {"o1", "o1-2024-12-17", "o3", "o3-mini", "o4-mini", "gpt-5",
                                       "gpt-5-mini", "gpt-5-nano-2025-08-07", "openai/o3-mini", "GPT-5"}) {
    const Capabilities known = known_capabilities(model);
    EXPECT_FALSE(known.temperature) << model;
    EXPECT_FALSE(known.top_p) << model;
    EXPECT_TRUE(known.prefers_max_completion_tokens) << model;
  }
  // Chat variants and those whose reasoning can be off take a temperature.
  for (const std::string_view model : {"gpt-5-chat-latest", "gpt-5.1", "gpt-5.4-mini"}) {
    EXPECT_TRUE(known_capabilities(model).temperature) << model;
    EXPECT_TRUE(known_capabilities(model).prefers_max_completion_tokens) << model;
  }
}

TEST(Capabilities, OfO1PutTheInstructionsIntoAnotherRole) {
  EXPECT_EQ(known_capabilities("o1").system_role, SystemRole::developer);
  EXPECT_EQ(known_capabilities("o1-mini").system_role, SystemRole::user);
  EXPECT_EQ(known_capabilities("o3").system_role, SystemRole::system);
}

TEST(Capabilities, OfClaudeDependOnItsGeneration) {
  EXPECT_FALSE(known_capabilities("claude-sonnet-4-5-20250929").temperature_with_top_p);
  EXPECT_TRUE(known_capabilities("claude-sonnet-4-5-20250929").temperature);
  EXPECT_FALSE(known_capabilities("claude-opus-4-7").temperature);
  EXPECT_TRUE(known_capabilities("claude-opus-5").forced_tool);
  EXPECT_FALSE(known_capabilities("us.anthropic.claude-opus-5-5").forced_tool);
  EXPECT_FALSE(known_capabilities("claude-3-5-sonnet-20241022").json_schema);
  EXPECT_TRUE(known_capabilities("claude-3-5-sonnet-20241022").forced_tool);
}

// https://platform.claude.com/docs/en/build-with-claude/extended-thinking, and Bedrock's page on adaptive
// thinking
TEST(Capabilities, OfClaudeSayHowItThinks) {
  for (const std::string_view older :
       {"claude-sonnet-4-5", "anthropic.claude-opus-4-5-20251101-v1:0", "claude-haiku-4-5-20251001",
        "claude-opus-4-1", "claude-sonnet-4-20250514", "claude-opus-4-0", "claude-3-7-sonnet-20250219"}) {
    EXPECT_FALSE(known_capabilities(older).adaptive_thinking) << older;
    EXPECT_TRUE(known_capabilities(older).thinking_budget) << older;
  }
  for (const std::string_view newer :
       {"claude-opus-4-7", "us.anthropic.claude-opus-4-8", "claude-opus-5", "claude-opus-5-5",
        "claude-sonnet-5", "claude-fable-5", "claude-mythos-5"}) {
    EXPECT_TRUE(known_capabilities(newer).adaptive_thinking) << newer;
    EXPECT_FALSE(known_capabilities(newer).thinking_budget) << newer;
  }
  for (const std::string_view both : {"claude-opus-4-6", "claude-sonnet-4-6", "claude-mythos-preview"}) {
    EXPECT_TRUE(known_capabilities(both).adaptive_thinking) << both;
    EXPECT_TRUE(known_capabilities(both).thinking_budget) << both;
  }
}

TEST(Capabilities, OfOldGptModelsHaveNoJsonSchema) {
  for (const std::string_view model : {"gpt-3.5-turbo", "gpt-4", "gpt-4-turbo", "gpt-4o-2024-05-13"}) {
    EXPECT_FALSE(known_capabilities(model).json_schema) << model;
  }
  EXPECT_TRUE(known_capabilities("gpt-4.1").json_schema);
}

TEST(Capabilities, AreWhatTheModelTakesAndTheWireHas) {
  const Capabilities o1 = known_capabilities("o1");
  EXPECT_EQ(within(Capabilities{}, o1), o1);
  const Capabilities both = within({.seed = false}, o1);
  EXPECT_FALSE(both.seed);
  EXPECT_FALSE(both.temperature);
  EXPECT_TRUE(both.stop);
  EXPECT_EQ(both.system_role, SystemRole::developer);
  EXPECT_TRUE(both.prefers_max_completion_tokens);
}

struct Lesson {
  std::string_view name;
  std::string_view body;   // what was sent
  std::string_view reply;  // what the server said
  std::string_view learnt;
  std::function<bool(const Capabilities&)> now;
  std::optional<StructuredWay> way = {};
};

// Error bodies as the servers send them.
const std::vector<Lesson>& lessons() {
  static const std::vector<Lesson> list{
      {"OpenAI, max_tokens", R"({"max_tokens":9})",
       R"({"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}})",
       "max_completion_tokens is sent",
       [](const Capabilities& c) { return !c.max_tokens && c.max_completion_tokens; }},
      {"Copilot, without a parameter", R"({"max_tokens":9})",
       R"({"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","code":"invalid_request_body"}})",
       "max_completion_tokens is sent", [](const Capabilities& c) { return !c.max_tokens; }},
      {"an old server, max_completion_tokens", R"({"max_completion_tokens":9})",
       R"({"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]})",
       "max_tokens is sent", [](const Capabilities& c) { return !c.max_completion_tokens && c.max_tokens; }},
      {"OpenAI, temperature", R"({"temperature":0})",
       R"({"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}})",
       "temperature is not sent", [](const Capabilities& c) { return !c.temperature; }},
      {"Anthropic, temperature", R"({"temperature":0,"max_tokens":9})",
       R"({"type":"error","error":{"type":"invalid_request_error","message":"`temperature` is deprecated for this model."}})",
       "temperature is not sent", [](const Capabilities& c) { return !c.temperature && c.max_tokens; }},
      {"Anthropic, both", R"({"temperature":0,"top_p":0.9})",
       R"({"type":"error","error":{"type":"invalid_request_error","message":"`temperature` and `top_p` cannot both be specified for this model. Please use only one."}})",
       "top_p is not sent",
       [](const Capabilities& c) { return !c.temperature_with_top_p && c.temperature && c.top_p; }},
      {"OpenAI, top_p", R"({"top_p":0.5})",
       R"({"error":{"message":"Unsupported parameter: 'top_p' is not supported with this model.","param":"top_p","code":"unsupported_parameter"}})",
       "top_p is not sent", [](const Capabilities& c) { return !c.top_p && c.temperature; }},
      {"an old OpenAI, seed", R"({"seed":7})",
       R"({"error":{"message":"Unrecognized request argument supplied: seed","type":"invalid_request_error","param":null,"code":null}})",
       "seed is not sent", [](const Capabilities& c) { return !c.seed; }},
      {"Mistral, seed", R"({"seed":7})",
       R"({"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":7}]},"type":"invalid_request_error"})",
       "seed is not sent", [](const Capabilities& c) { return !c.seed; }},
      {"OpenAI, stop", R"({"stop":["x"]})",
       R"({"error":{"message":"Unsupported parameter: 'stop' is not supported with this model.","param":"stop","code":"unsupported_parameter"}})",
       "stop is not sent", [](const Capabilities& c) { return !c.stop; }},
      {"a gateway, stream_options", R"({"stream":true,"stream_options":{"include_usage":true}})",
       R"({"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]})",
       "stream_options is not sent", [](const Capabilities& c) { return !c.stream_options && c.stream; }},
      {"OpenAI, stream", R"({"stream":true})",
       R"({"error":{"message":"Your organization must be verified to stream this model.","type":"invalid_request_error","param":"stream","code":"unsupported_value"}})",
       "stream is not sent", [](const Capabilities& c) { return !c.stream; }},
      {"OpenAI, response_format", R"({"response_format":{"type":"json_schema","json_schema":{"name":"a"}}})",
       R"({"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.","type":"invalid_request_error","param":"response_format","code":null}})",
       "does not take a JSON schema", [](const Capabilities& c) { return !c.json_schema; },
       StructuredWay::json_schema},
      {"DeepSeek, response_format", R"({"response_format":{}})",
       R"({"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error","param":null,"code":"invalid_request_error"}})",
       "does not take a JSON schema", [](const Capabilities& c) { return !c.json_schema; },
       StructuredWay::json_schema},
      {"Groq, response format in words", R"({"response_format":{}})",
       R"({"error":{"message":"This model does not support response format `json_schema`. See supported models.","type":"invalid_request_error"}})",
       "does not take a JSON schema", [](const Capabilities& c) { return !c.json_schema; },
       StructuredWay::json_schema},
      {"Gemini, seed", R"({"seed":1})",
       R"([{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"seed\": Cannot find field.","status":"INVALID_ARGUMENT"}}])",
       "seed is not sent", [](const Capabilities& c) { return !c.seed; }},
      {"xAI, stop", R"({"stop":["x"]})",
       R"({"code":"Client specified an invalid argument","error":"Argument not supported on this model: stop"})",
       "stop is not sent", [](const Capabilities& c) { return !c.stop; }},
      {"a proxy, response_format", R"({"response_format":{}})",
       R"({"detail":"Unsupported parameter: response_format"})", "does not take a JSON schema",
       [](const Capabilities& c) { return !c.json_schema; }, StructuredWay::json_schema},
      {"Anthropic behind an old gateway, output_config", R"({"output_config":{}})",
       R"({"type":"error","error":{"type":"invalid_request_error","message":"output_config: Extra inputs are not permitted"}})",
       "does not take a JSON schema", [](const Capabilities& c) { return !c.json_schema; },
       StructuredWay::json_schema},
      {"a server without strict", R"({"response_format":{"json_schema":{"strict":true}}})",
       R"({"detail":[{"type":"extra_forbidden","loc":["body","response_format","json_schema","strict"],"msg":"Extra inputs are not permitted"}]})",
       "strict is not sent", [](const Capabilities& c) { return !c.strict && c.json_schema; },
       StructuredWay::json_schema},
      {"Anthropic, forced tool", R"({"tools":[],"tool_choice":{"type":"tool","name":"answer"}})",
       R"({"type":"error","error":{"type":"invalid_request_error","message":"tool_choice: type \"tool\" and \"any\" are not supported for this model."}})",
       "tool_choice is not sent", [](const Capabilities& c) { return !c.forced_tool && c.tools; },
       StructuredWay::tools},
      {"Anthropic, forced tool while it thinks", R"({"tools":[],"tool_choice":{"type":"any"}})",
       R"({"type":"error","error":{"type":"invalid_request_error","message":"Thinking may not be enabled when tool_choice forces tool use."}})",
       "tool_choice is not sent", [](const Capabilities& c) { return !c.forced_tool; }, StructuredWay::tools},
      {"Ollama, tools", R"({"tools":[{}],"tool_choice":"required"})",
       R"({"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error","param":null,"code":null}})",
       "does not take tools", [](const Capabilities& c) { return !c.tools; }, StructuredWay::tools},
      {"OpenAI, system role", R"({"messages":[{"role":"system","content":"x"}]})",
       R"({"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","type":"invalid_request_error","param":"messages[0].role","code":"unsupported_value"}})",
       "role developer", [](const Capabilities& c) { return c.system_role == SystemRole::developer; }},
      {"OpenAI, developer role", R"({"messages":[{"role":"developer","content":"x"}]})",
       R"({"error":{"message":"Unsupported value: 'messages[0].role' does not support 'developer' with this model.","param":"messages[0].role","code":"unsupported_value"}})",
       "role user", [](const Capabilities& c) { return c.system_role == SystemRole::user; }},
      {"a chat template without a system role", R"({"messages":[{"role":"system","content":"x"}]})",
       R"({"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400})",
       "role user", [](const Capabilities& c) { return c.system_role == SystemRole::user; }},
      {"OpenAI, tools while it reasons", R"({"tools":[{}]})",
       R"({"error":{"message":"Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.","type":"invalid_request_error","param":"reasoning_effort","code":null}})",
       "reasoning_effort", [](const Capabilities& c) { return c.tools_need_no_reasoning; }},
      {"Anthropic, a newer model", R"({"thinking":{"type":"enabled","budget_tokens":2000}})",
       R"({"type":"error","error":{"type":"invalid_request_error","message":"\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior."}})",
       "thinking is sent without a number of tokens",
       [](const Capabilities& c) { return !c.thinking_budget && c.adaptive_thinking; }},
      {"Bedrock, an older model", R"({"additionalModelRequestFields":{"thinking":{"type":"adaptive"}}})",
       R"({"message":"The model returned the following errors: adaptive thinking is not supported on this model"})",
       "thinking is sent with a number of tokens",
       [](const Capabilities& c) { return !c.adaptive_thinking && c.thinking_budget; }},
  };
  return list;
}

TEST(Learning, FromWhatServersSay) {
  for (const auto& lesson : lessons()) {
    SCOPED_TRACE(lesson.name);
    const Json body = json(lesson.body);
    Capabilities model;
    SchemaRefusals schema;
    const auto learnt = learn({&body, lesson.way, false}, complaints_in(json(lesson.reply)), model, schema);
    ASSERT_TRUE(learnt.has_value());
    EXPECT_THAT(*learnt, HasSubstr(std::string(lesson.learnt)));
    EXPECT_TRUE(lesson.now(model));
  }
}

TEST(Learning, NeverBlamesWhatWasNotSent) {
  const Json empty = json(R"({"model":"m","messages":[{"role":"user","content":"x"}]})");
  for (const auto& lesson : lessons()) {
    SCOPED_TRACE(lesson.name);
    Capabilities model;
    SchemaRefusals schema;
    EXPECT_EQ(learn({&empty, std::nullopt, false}, complaints_in(json(lesson.reply)), model, schema),
              std::nullopt);
    EXPECT_EQ(model, Capabilities{});
  }
}

TEST(Learning, LeavesRefusalsOfAValueOrOfThePromptAlone) {
  const Json body = json(R"({"max_tokens":99999999,"temperature":5,"top_p":0.5,"stop":["x"],"seed":1,
                             "messages":[{"role":"system","content":"x"}]})");
  for (
      const std::string_view reply : {
          R"({"error":{"message":"max_tokens is too large: 99999999. This model supports at most 16384 completion tokens.","param":"max_tokens","code":"invalid_value"}})",
          R"({"error":{"message":"Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 5 instead.","param":"temperature","code":"decimal_above_max_value"}})",
          R"({"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again"}})",
          R"({"error":{"message":"This model's maximum context length is 8192 tokens.","param":"messages","code":"context_length_exceeded"}})",
          R"({"error":{"message":"The model `gpt-9` does not exist","param":"model","code":"model_not_found"}})",
          R"({"error":{"message":"unsupported content: please stop asking for a seed","param":null,"code":null}})",
          R"({"error":"bad request"})",
      }) {
    SCOPED_TRACE(reply);
    Capabilities model;
    SchemaRefusals schema;
    EXPECT_EQ(learn({&body, std::nullopt, false}, complaints_in(json(reply)), model, schema), std::nullopt);
    EXPECT_EQ(model, Capabilities{});
  }
}

TEST(Learning, OfHowToThinkEndsWithBothWaysRefusedAndLeavesAnObjectOfTheUsersAlone) {
  const Json adaptive = json(R"({"thinking":{"type":"adaptive"}})");
  const std::vector<Complaint> refused{{"adaptive thinking is not supported on this model", "", "", ""}};
  Capabilities model;
  SchemaRefusals schema;
  EXPECT_EQ(learn({&adaptive, {}, false, true}, refused, model, schema), std::nullopt);
  EXPECT_EQ(model, Capabilities{});
  model.thinking_budget = false;
  EXPECT_EQ(learn({&adaptive, {}, false, false}, refused, model, schema), std::nullopt);
}

TEST(Learning, OfAParameterThatTheServerNamesIgnoresOthersInItsText) {
  const Json body = json(R"({"temperature":1,"model":"m"})");
  Capabilities model;
  SchemaRefusals schema;
  EXPECT_EQ(
      learn(
          {&body, std::nullopt, false},
          complaints_in(json(
              R"({"error":{"message":"Unsupported model; temperature is fine","param":"model","code":null}})")),
          model, schema),
      std::nullopt);
}

TEST(Learning, WithoutAnyLimitForTheAnswerTheRefusalStands) {
  Capabilities model;
  SchemaRefusals schema;
  const Json old_name = json(R"({"max_tokens":9})");
  const Json new_name = json(R"({"max_completion_tokens":9})");
  const auto refuses = [](std::string_view name) {
    return std::vector<Complaint>{{"Unsupported parameter", "", "unsupported_parameter", std::string(name)}};
  };
  EXPECT_TRUE(learn({&old_name, {}, false}, refuses("max_tokens"), model, schema));
  EXPECT_FALSE(learn({&new_name, {}, false}, refuses("max_completion_tokens"), model, schema));
}

TEST(Learning, ThatTheOnlyNameOfTheLimitIsRefusedChangesNothing) {
  Capabilities model = kAnthropicWire.capabilities;
  SchemaRefusals schema;
  const Json body = json(R"({"max_tokens":9})");
  const auto complaints = complaints_in(json(
      R"({"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: not supported"}})"));
  EXPECT_FALSE(learn({&body, {}, false}, complaints, model, schema));
  EXPECT_EQ(model, kAnthropicWire.capabilities);
}

TEST(Learning, OfASchemaIsKeptForThatSchemaAlone) {
  const std::vector<Complaint> complaints{
      {"Invalid schema for response_format 'verdict': In context=(), 'oneOf' is not permitted.",
       "invalid_request_error", "", "response_format"}};
  const Json strict = json(R"({"response_format":{"json_schema":{"strict":true}}})");
  const Json loose = json(R"({"response_format":{"json_schema":{}}})");
  Capabilities model;
  SchemaRefusals schema;
  EXPECT_TRUE(learn({&strict, StructuredWay::json_schema, false}, complaints, model, schema));
  EXPECT_TRUE(schema.strict);
  EXPECT_FALSE(schema.json_schema);
  EXPECT_TRUE(learn({&loose, StructuredWay::json_schema, false}, complaints, model, schema));
  EXPECT_TRUE(schema.json_schema);
  EXPECT_EQ(model, Capabilities{});
}

TEST(Learning, DoesNotLeaveAPinnedWay) {
  const Json body = json(R"({"response_format":{"json_schema":{}}})");
  Capabilities model;
  SchemaRefusals schema;
  const std::vector<Complaint> complaints{{"'response_format' is not supported", "", "", "response_format"}};
  EXPECT_FALSE(learn({&body, StructuredWay::json_schema, true}, complaints, model, schema));
  EXPECT_EQ(model, Capabilities{});
}

TEST(Learning, TakesSeveralComplaintsAtOnce) {
  const Json body = json(R"({"seed":1,"stop":["x"]})");
  Capabilities model;
  SchemaRefusals schema;
  const auto learnt = learn({&body, {}, false}, complaints_in(json(R"({"detail":[
      {"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"},
      {"type":"extra_forbidden","loc":["body","stop"],"msg":"Extra inputs are not permitted"}]})")),
                            model, schema);
  EXPECT_TRUE(learnt.has_value());
  EXPECT_FALSE(model.seed);
  EXPECT_FALSE(model.stop);
}

RC_GTEST_PROP(Learning, SurvivesAnyComplaint, ()) {
  const Json body = json(
      R"({"max_tokens":1,"temperature":1,"top_p":1,"seed":1,"stop":["x"],"tools":[],"tool_choice":"none",
          "response_format":{"json_schema":{"strict":true}},"messages":[{"role":"system"}]})");
  const auto word =
      rc::gen::element<std::string>("max_tokens", "temperature", "'", "[", "]", ".", "role", "stop",
                                    " not supported", "\xff", "messages[0].role", "body.", "both");
  const auto text = rc::gen::map(rc::gen::container<std::vector<std::string>>(word), [](const auto& parts) {
    std::string joined;
    for (const auto& part : parts) joined += part;
    return joined;
  });
  Capabilities model;
  SchemaRefusals schema;
  learn({&body, StructuredWay::json_schema, *rc::gen::arbitrary<bool>()}, {{*text, "", "", *text}}, model,
        schema);
}

}  // namespace
}  // namespace assay
