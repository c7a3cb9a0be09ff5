#include "sim/protocols/openai_wire.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/providers/openai.h"
#include "net/http/sse.h"
#include "sim/protocols/strict_schema.h"

namespace assay::sim {
namespace {

using testing::HasSubstr;

Json parsed(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text;
  return value ? *value : Json();
}

Json body_of(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
  return parsed(openai_body(request, spec, plan));
}

void expect_refused(std::string_view body, std::string_view param, std::string_view code) {
  const auto call = read_openai_request(parsed(body));
  ASSERT_FALSE(call) << body;
  EXPECT_EQ(call.error().status, 400) << body;
  EXPECT_EQ(call.error().param, param) << body;
  EXPECT_EQ(call.error().code, code) << body;
}

TEST(OpenAiWire, TakesWhatCompatibleServicesTakeBesideByTheNamesOfTheirModels) {
  const auto read = [](std::string_view model, std::string_view parameter) {
    return read_openai_request(parsed(fmt::format(
        R"({{"model": "{}", "messages": [{{"role": "user", "content": "x"}}], {}}})", model, parameter)));
  };
  const auto refused = [&](std::string_view model, std::string_view parameter) {
    const auto call = read(model, parameter);
    return call ? std::string("taken") : call.error().param;
  };
  ASSERT_TRUE(read("mistral-large", R"("random_seed": 7)"));
  EXPECT_EQ(read("mistral-large", R"("random_seed": 7)")->request.sampling.seed, 7);
  EXPECT_EQ(refused("mistral-large", R"("seed": 7)"), "seed");
  EXPECT_EQ(refused("gpt-4o", R"("random_seed": 7)"), "random_seed");
  EXPECT_TRUE(read("deepseek-chat", R"("thinking": {"type": "enabled"})")->thinks);
  EXPECT_FALSE(read("deepseek-chat", R"("thinking": {"type": "disabled"})")->thinks);
  EXPECT_EQ(refused("deepseek-chat", R"("thinking": {"type": "much"})"), "thinking.type");
  EXPECT_TRUE(read("qwen/qwen3", R"("reasoning": {"enabled": true, "max_tokens": 9})")->thinks);
  EXPECT_TRUE(
      read("Qwen/Qwen3-8B", R"("chat_template_kwargs": {"enable_thinking": true}, "top_k": 20)")->thinks);
  EXPECT_EQ(refused("qwen/qwen3", R"("reasoning": {"budget": 1})"), "reasoning.budget");
  EXPECT_EQ(refused("gpt-4o", R"("reasoning": {"enabled": true})"), "reasoning");
}

TEST(OpenAiWire, ReadsARequestWithEverything) {
  const auto call = read_openai_request(
      parsed(R"({"model": "gpt-4o", "stream": true, "stream_options": {"include_usage": true},
    "temperature": 0.5, "top_p": 1, "seed": 7, "max_completion_tokens": 99, "stop": "END", "parallel_tool_calls": false,
    "messages": [{"role": "developer", "content": "Be brief."},
                 {"role": "user", "content": [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "x"}}]},
                 {"role": "assistant", "content": null, "tool_calls": [
                   {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}},
                   {"id": "c2", "type": "function", "function": {"name": "f", "arguments": "{oops"}}]},
                 {"role": "tool", "tool_call_id": "c2", "content": "two"},
                 {"role": "tool", "tool_call_id": "c1", "content": "one"}],
    "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}],
    "tool_choice": "required",
    "response_format": {"type": "json_schema", "json_schema": {"name": "out", "schema": {"type": "object"}}}})"));
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_TRUE(call->stream);
  EXPECT_TRUE(call->include_usage);
  const ChatRequest& request = call->request;
  ASSERT_EQ(request.messages.size(), 5U);
  EXPECT_EQ(request.messages[0].role, Role::system);
  EXPECT_EQ(request.messages[1].text, "Look:\n[image_url]");
  EXPECT_EQ(request.messages[2].tool_calls[0].arguments.at("a"), 1);
  EXPECT_EQ(request.messages[2].tool_calls[1].arguments_text, "{oops");
  EXPECT_EQ(request.messages[3].tool_call_id, "c2");
  EXPECT_EQ(request.tools[0].description, "d");
  EXPECT_EQ(request.tool_choice.mode, ToolChoice::Mode::any);
  EXPECT_EQ(request.output->name, "out");
  EXPECT_EQ(request.sampling.max_tokens, 99);
  EXPECT_EQ(request.sampling.seed, 7);
  EXPECT_EQ(request.sampling.stop, std::vector<std::string>{"END"});
}

TEST(OpenAiWire, RefusesWhatTheRealServiceRefuses) {
  const std::string ok = R"("messages": [{"role": "user", "content": "json"}])";
  expect_refused("[]", "", "invalid_type");
  expect_refused(R"({)" + ok + "}", "model", "missing_required_parameter");
  expect_refused(R"({"model": 3, )" + ok + "}", "model", "invalid_type");
  expect_refused(R"({"model": "m"})", "messages", "missing_required_parameter");
  expect_refused(R"({"model": "m", "messages": {}})", "messages", "invalid_type");
  expect_refused(R"({"model": "m", "messages": []})", "messages", "invalid_value");
  expect_refused(R"({"model": "m", "messages": ["x"]})", "messages[0]", "invalid_type");
  expect_refused(R"({"model": "m", "messages": [{"role": "robot", "content": "x"}]})", "messages[0].role",
                 "invalid_value");
  expect_refused(R"({"model": "m", "messages": [{"role": "user"}]})", "messages[0].content",
                 "missing_required_parameter");
  expect_refused(R"({"model": "m", "messages": [{"role": "user", "content": 5}]})", "messages[0].content",
                 "invalid_type");
  expect_refused(R"({"model": "m", "messages": [{"role": "user", "content": [{"type": "smell"}]}]})",
                 "messages[0].content[0].type", "invalid_value");
  expect_refused(R"({"model": "m", "messages": [{"role": "tool", "tool_call_id": "c", "content": "x"}]})",
                 "messages[0].tool_call_id", "invalid_value");
  expect_refused(
      R"({"model": "m", "messages": [{"role": "assistant", "tool_calls": [{"id": "c", "type": "function",
                     "function": {"name": "f", "arguments": "{}"}}]}, {"role": "user", "content": "x"}]})",
      "messages[1]", "invalid_value");
  expect_refused(R"({"model": "m", "colour": 1, )" + ok + "}", "colour", "unknown_parameter");
  expect_refused(R"({"model": "m", "temperature": 2.5, )" + ok + "}", "temperature", "invalid_value");
  expect_refused(R"({"model": "m", "temperature": "hot", )" + ok + "}", "temperature", "invalid_type");
  expect_refused(R"({"model": "m", "max_tokens": 0, )" + ok + "}", "max_tokens", "invalid_value");
  expect_refused(R"({"model": "m", "max_tokens": 5, "max_completion_tokens": 5, )" + ok + "}", "max_tokens",
                 "invalid_value");
  expect_refused(R"({"model": "m", "n": 2, )" + ok + "}", "n", "invalid_value");
  expect_refused(R"({"model": "m", "stop": ["1", "2", "3", "4", "5"], )" + ok + "}", "stop", "invalid_value");
  expect_refused(R"({"model": "m", "stream_options": {}, )" + ok + "}", "stream_options", "invalid_value");
  expect_refused(R"({"model": "m", "tools": [], )" + ok + "}", "tools", "invalid_value");
  expect_refused(R"({"model": "m", "tool_choice": "auto", )" + ok + "}", "tool_choice", "invalid_value");
  expect_refused(
      R"({"model": "m", "tools": [{"type": "function", "function": {"name": "a b"}}], )" + ok + "}",
      "tools[0].function.name", "invalid_value");
  expect_refused(R"({"model": "m", "tools": [{"type": "function", "function": {"name": "f"}}],
                     "tool_choice": {"type": "function", "function": {"name": "g"}}, )" +
                     ok + "}",
                 "tool_choice", "invalid_value");
  expect_refused(R"({"model": "m", "response_format": {"type": "xml"}, )" + ok + "}", "response_format.type",
                 "invalid_value");
  expect_refused(
      R"({"model": "m", "response_format": {"type": "json_object"}, "messages": [{"role": "user", "content": "x"}]})",
      "messages", "invalid_value");
  expect_refused(
      R"({"model": "gpt-4", "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}}, )" +
          ok + "}",
      "response_format", "unsupported_value");
  expect_refused(R"({"model": "o3-mini", "max_tokens": 5, )" + ok + "}", "max_tokens",
                 "unsupported_parameter");
  expect_refused(R"({"model": "gpt-5", "temperature": 0.2, )" + ok + "}", "temperature", "unsupported_value");
}

TEST(OpenAiWire, StrictModeTakesClosedSchemasOnly) {
  const auto defect = [](std::string_view text) { return strict_schema_defect(parsed(text)).value_or(""); };
  EXPECT_EQ(
      defect(
          R"({"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"anyOf": [{"type": "null"},
     {"$ref": "#/$defs/x"}]}}, "required": ["a", "b"], "additionalProperties": false, "$defs": {"x": {"enum": [1]}}})"),
      "");
  EXPECT_THAT(defect(R"({"type": "array", "items": {"type": "string"}})"), HasSubstr("root"));
  EXPECT_THAT(defect(R"({"type": "object", "properties": {}})"), HasSubstr("additionalProperties"));
  EXPECT_THAT(
      defect(
          R"({"type": "object", "properties": {"a": {"type": "string"}}, "required": [], "additionalProperties": false})"),
      HasSubstr("missing: 'a'"));
  EXPECT_THAT(
      defect(
          R"({"type": "object", "properties": {"a": {"allOf": []}}, "required": ["a"], "additionalProperties": false})"),
      HasSubstr("in context=('properties', 'a'), 'allOf'"));
  EXPECT_THAT(
      defect(
          R"({"type": "object", "properties": {"a": {"type": "array"}}, "required": ["a"], "additionalProperties": false})"),
      HasSubstr("items"));
}

// What the wire adds about the reply itself is not part of the answer.
ChatReply as_answered(ChatReply reply) {
  EXPECT_FALSE(reply.origin.id.empty());
  EXPECT_FALSE(reply.origin.finish_reason.empty());
  reply.origin = {};
  return reply;
}

ChatReply sample_reply() {
  ChatReply reply;
  reply.message.role = Role::assistant;
  reply.message.text = "Größe: \"zwölf\"\n\t\\ and 漢字 enough for several pieces";
  reply.model = "judge";
  reply.usage = {11, 7, 3, 0, 2};
  return reply;
}

ChatReply sample_calls() {
  ChatReply reply;
  reply.message.role = Role::assistant;
  reply.message.tool_calls = {{"call_1", "f", parsed(R"({"text": "ä \"quoted\"", "n": [1, 2.5]})"), ""},
                              {"call_2", "g", parsed("{}"), ""}};
  reply.finish = FinishReason::tool_calls;
  reply.model = "judge";
  reply.usage = {1, 2, 0, 0, 0};
  return reply;
}

// The client's own reading is a second opinion on what is written here.
TEST(OpenAiWire, RepliesReadBackThroughTheClient) {
  for (const ChatReply& reply : {sample_reply(), sample_calls()}) {
    const std::string body = openai_reply_body(reply, {5, "judge"});
    const auto back = openai_reply(parsed(body));
    ASSERT_TRUE(back) << body;
    EXPECT_EQ(as_answered(*back), reply) << body;
  }
}

TEST(OpenAiWire, EventsReadBackThroughTheClient) {
  for (const ChatReply& reply : {sample_reply(), sample_calls()}) {
    OpenAiStream stream;
    ServerSentEventParser parser;
    for (const std::string& event : openai_events(reply, {5, "judge"}, true)) {
      EXPECT_TRUE(event.starts_with("data: ") && event.ends_with("\n\n"));
      parser.feed(event, [&](const ServerSentEvent& one) { stream.take(one); });
    }
    EXPECT_TRUE(stream.finished());
    const auto back = stream.reply();
    ASSERT_TRUE(back);
    EXPECT_EQ(as_answered(*back), reply);
  }
}

TEST(OpenAiWire, RequestsOfTheClientReadBack) {
  ChatRequest request;
  request.model = "m";
  request.messages = {{Role::system, "Be brief.", {}, {}, false},
                      {Role::user, "Hi", {}, {}, false},
                      {Role::assistant, "", sample_calls().message.tool_calls, {}, false},
                      {Role::tool, "one", {}, "call_1", false},
                      {Role::tool, "two", {}, "call_2", false}};
  request.tools = {{"f", "does f", parsed(R"({"type": "object", "properties": {"a": {"type": "string"}}})")}};
  request.tool_choice = {ToolChoice::Mode::named, "f"};
  request.sampling.temperature = 0.5;
  request.sampling.max_tokens = 10;
  request.sampling.seed = 4;
  request.sampling.stop = {"END"};
  ModelSpec spec;
  spec.provider = "openai";
  spec.name = "m";
  const auto call = read_openai_request(body_of(request, spec, WirePlan{}));
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->request, request);

  request.tools.clear();
  request.tool_choice = {};
  request.messages.resize(2);
  request.output = OutputSchema{
      "out", "", parsed(R"({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
      "additionalProperties": false})")};
  WirePlan plan;
  plan.way = StructuredWay::json_schema;
  plan.strict = true;
  plan.stream = true;
  const auto structured = read_openai_request(body_of(request, spec, plan));
  ASSERT_TRUE(structured) << structured.error().message;
  EXPECT_EQ(structured->request.output->schema, request.output->schema);
  EXPECT_TRUE(structured->stream);
}

TEST(OpenAiWire, ErrorsHaveTheFormThatClientsKnow) {
  EXPECT_EQ(
      openai_error_body({429, "Slow down.", "", "", ""}),
      R"({"error":{"message":"Slow down.","type":"requests","param":null,"code":"rate_limit_exceeded"}})");
  EXPECT_EQ(
      openai_error_body({401, "No.", "", "", ""}),
      R"({"error":{"message":"No.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}})");
  EXPECT_EQ(openai_error_body({500, "Oh.", "", "", ""}),
            R"({"error":{"message":"Oh.","type":"server_error","param":null,"code":null}})");
}

}  // namespace
}  // namespace assay::sim
