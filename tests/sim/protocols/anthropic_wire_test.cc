#include "sim/protocols/anthropic_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/providers/anthropic.h"
#include "net/http/sse.h"

namespace assay::sim {
namespace {

using testing::StartsWith;

Json parsed(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text;
  return value ? *value : Json();
}

void expect_refused(std::string_view body, std::string_view start) {
  const auto call = read_anthropic_request(parsed(body));
  ASSERT_FALSE(call) << body;
  EXPECT_EQ(call.error().status, 400);
  EXPECT_THAT(call.error().message, StartsWith(std::string(start))) << body;
}

TEST(AnthropicWire, ReadsARequestWithEverything) {
  const auto call = read_anthropic_request(
      parsed(R"({"model": "claude", "max_tokens": 64, "stream": true, "temperature": 0.2,
    "top_k": 5, "stop_sequences": ["END"], "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [{"role": "user", "content": "Weather?"},
                 {"role": "assistant", "content": [{"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}]},
                 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": true,
                    "content": [{"type": "text", "text": "rain"}]}, {"type": "text", "text": "And now?"}]}],
    "tools": [{"name": "f", "description": "d", "input_schema": {"type": "object"}}],
    "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": true},
    "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}})"));
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_TRUE(call->stream);
  const ChatRequest& request = call->request;
  ASSERT_EQ(request.messages.size(), 5U);
  EXPECT_EQ(request.messages[0].role, Role::system);
  EXPECT_EQ(request.messages[2].tool_calls[0].arguments.at("a"), 1);
  EXPECT_EQ(request.messages[3].role, Role::tool);
  EXPECT_EQ(request.messages[3].text, "rain");
  EXPECT_TRUE(request.messages[3].is_error);
  EXPECT_EQ(request.messages[4].text, "And now?");
  EXPECT_EQ(request.tool_choice.mode, ToolChoice::Mode::named);
  EXPECT_TRUE(request.output);
  EXPECT_EQ(request.sampling.max_tokens, 64);
  EXPECT_EQ(request.sampling.stop, std::vector<std::string>{"END"});
}

TEST(AnthropicWire, RefusesWhatTheRealServiceRefuses) {
  const std::string base = R"({"model": "m", "max_tokens": 9, )";
  const std::string ok = R"("messages": [{"role": "user", "content": "x"}])";
  const std::string tools = R"("tools": [{"name": "f", "input_schema": {"type": "object"}}], )";
  expect_refused("3", "the body");
  expect_refused(R"({"max_tokens": 9, )" + ok + "}", "model: ");
  expect_refused(R"({"model": "m", )" + ok + "}", "max_tokens: ");
  expect_refused(R"({"model": "m", "max_tokens": 0, )" + ok + "}", "max_tokens: ");
  expect_refused(base + R"("messages": "x"})", "messages: ");
  expect_refused(base + R"("messages": []})", "messages: ");
  expect_refused(base + R"("messages": [{"role": "system", "content": "x"}]})", "messages.0.role: ");
  expect_refused(base + R"("messages": [{"role": "assistant", "content": "x"}]})", "messages: ");
  expect_refused(base + R"("messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}]})",
                 "messages.0.content.0: ");
  expect_refused(base + R"("messages": [{"role": "user", "content": [{"type": "tool_use"}]}]})",
                 "messages.0.content.0.type: ");
  expect_refused(
      base + R"("messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}]})",
      "messages.0.content.0: ");
  expect_refused(
      base +
          R"("messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "tool_use",
                     "id": "t", "name": "f", "input": {}}]}, {"role": "user", "content": "y"}]})",
      "messages.2: ");
  expect_refused(base + R"("colour": 1, )" + ok + "}", "colour: ");
  expect_refused(base + R"("temperature": 1.1, )" + ok + "}", "temperature: ");
  expect_refused(base + R"("stop_sequences": [" "], )" + ok + "}", "stop_sequences.0: ");
  expect_refused(base + R"("tool_choice": {"type": "any"}, )" + ok + "}", "tool_choice: ");
  expect_refused(base + tools + R"("tool_choice": {"type": "required"}, )" + ok + "}", "tool_choice.type: ");
  expect_refused(base + tools + R"("tool_choice": {"type": "tool", "name": "g"}, )" + ok + "}",
                 "tool_choice.name: ");
  expect_refused(
      base + tools +
          R"("thinking": {"type": "enabled", "budget_tokens": 1024}, "tool_choice": {"type": "any"}, )" + ok +
          "}",
      "tool_choice: ");
  expect_refused(base + R"("tools": [{"name": "f", "input_schema": {"type": "array"}}], )" + ok + "}",
                 "tools.0.input_schema.type: ");
  expect_refused(base + R"("tools": [{"name": "f", "parameters": {}}], )" + ok + "}", "tools.0.parameters: ");
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
  reply.message.text = "Größe: \"zwölf\"\n and 漢字 enough for several pieces";
  reply.model = "judge";
  reply.usage = {11, 7, 3, 1, 0};
  return reply;
}

ChatReply sample_calls() {
  ChatReply reply;
  reply.message.role = Role::assistant;
  reply.message.text = "Let me see.";
  reply.message.tool_calls = {{"toolu_1", "f", parsed(R"({"text": "ä \"quoted\"", "n": [1, 2.5]})"), ""},
                              {"toolu_2", "g", parsed("{}"), ""}};
  reply.finish = FinishReason::tool_calls;
  reply.model = "judge";
  reply.usage = {1, 2, 0, 0, 0};
  return reply;
}

TEST(AnthropicWire, RepliesReadBackThroughTheClient) {
  for (const ChatReply& reply : {sample_reply(), sample_calls()}) {
    const std::string body = anthropic_reply_body(reply, {5, "judge"});
    const auto back = anthropic_reply(parsed(body));
    ASSERT_TRUE(back) << body;
    EXPECT_EQ(as_answered(*back), reply) << body;
  }
}

TEST(AnthropicWire, EventsReadBackThroughTheClient) {
  for (const ChatReply& reply : {sample_reply(), sample_calls()}) {
    AnthropicStream stream;
    ServerSentEventParser parser;
    for (const std::string& event : anthropic_events(reply, {5, "judge"})) {
      parser.feed(event, [&](const ServerSentEvent& one) { stream.take(one); });
    }
    EXPECT_TRUE(stream.finished());
    const auto back = stream.reply();
    ASSERT_TRUE(back);
    EXPECT_EQ(as_answered(*back), reply);
  }
}

TEST(AnthropicWire, RequestsOfTheClientReadBack) {
  ChatRequest request;
  request.model = "m";
  request.messages = {{Role::system, "Be brief.", {}, {}, false},
                      {Role::user, "Hi", {}, {}, false},
                      {Role::assistant, "Let me see.", sample_calls().message.tool_calls, {}, false},
                      {Role::tool, "one", {}, "toolu_1", false},
                      {Role::tool, "two", {}, "toolu_2", true}};
  request.tools = {{"f", "does f", parsed(R"({"type": "object", "properties": {"a": {"type": "string"}}})")}};
  request.tool_choice = {ToolChoice::Mode::any, ""};
  request.sampling.temperature = 0.5;
  request.sampling.max_tokens = 10;
  request.sampling.stop = {"END"};
  ModelSpec spec;
  spec.provider = "anthropic";
  spec.name = "m";
  const auto call = read_anthropic_request(anthropic_body(request, spec, WirePlan{}));
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->request, request);
}

TEST(AnthropicWire, ErrorsHaveTheFormThatClientsKnow) {
  EXPECT_EQ(anthropic_error_body({529, "Busy.", "", "", ""}, "req_1"),
            R"({"type":"error","error":{"type":"overloaded_error","message":"Busy."},"request_id":"req_1"})");
  for (const auto& [status, type] : {std::pair{400, "invalid_request_error"},
                                     {401, "authentication_error"},
                                     {404, "not_found_error"},
                                     {413, "request_too_large"},
                                     {429, "rate_limit_error"},
                                     {500, "api_error"}}) {
    const Json body = parsed(anthropic_error_body({status, "x", "", "", ""}, "r"));
    EXPECT_EQ(body.at("error").at("type"), type);
  }
}

}  // namespace
}  // namespace assay::sim
