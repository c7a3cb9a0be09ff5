// Logs and traces as cases. The forms are those of the services' own documentation: OpenAI's chat
// completions, batches and fine-tuning files, Anthropic's messages, OTLP's JSON with the conventions for
// generative AI.
#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "imports/traces/read_log.h"

namespace assay {
namespace {

struct Read {
  LogRead log;
  std::vector<std::string> cases;
};

Read read(LogForm form, const std::string& content) {
  const std::string path = testing::TempDir() + "assay_imports_log_" + std::to_string(::getpid());
  std::ofstream(path) << content;
  Read out;
  auto log = read_log(path, form, [&](const JsonObject& one) { out.cases.push_back(to_text(one)); });
  EXPECT_TRUE(log) << log.error().text();
  if (log) out.log = std::move(*log);
  std::remove(path.c_str());
  return out;
}

using testing::ElementsAre;

TEST(OpenaiLogs, RequestsWithResponsesMessagesAloneAndBatchesAreCases) {
  const auto log = read(
      LogForm::openai,
      R"({"request": {"model": "m", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Sum?"}, {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "add", "arguments": "{\"a\": 1}"}}]}, {"role": "tool", "tool_call_id": "c1", "content": "3"}]}, "response": {"id": "r1", "model": "m-2", "choices": [{"message": {"role": "assistant", "content": "Three."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}, "latency_ms": 12.5}
{"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}, {"role": "assistant", "content": "Hello"}]}
[{"role": "user", "content": "A"}, {"role": "assistant", "content": "B"}, {"role": "user", "content": "C"}, {"role": "assistant", "content": "D"}]
{"custom_id": "r1", "body": {"messages": [{"role": "user", "content": "Q"}]}, "response": {"status_code": 200, "body": {"choices": [{"message": {"content": null, "tool_calls": [{"id": "x", "function": {"name": "find", "arguments": "not json"}}]}, "finish_reason": "tool_calls"}]}}}
)");
  EXPECT_TRUE(log.log.bad.empty());
  EXPECT_THAT(
      log.cases,
      ElementsAre(
          R"({"id":"r1","input":"Sum?","output":"Three.","trace":[{"tool":"add","arguments":{"a":1},"result":"3"}],"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Sum?"}],"meta":{"latency_ms":12.5,"usage":{"prompt_tokens":7,"completion_tokens":2},"model":"m-2","finish_reason":"stop"}})",
          R"({"id":"2","input":"Hi","output":"Hello","trace":[],"messages":[{"role":"user","content":"Hi"}]})",
          R"({"id":"3","input":"C","output":"D","trace":[],"messages":[{"role":"user","content":"A"},{"role":"assistant","content":"B"},{"role":"user","content":"C"}]})",
          R"({"id":"r1-2","input":"Q","output":"","trace":[{"tool":"find","arguments":"not json","result":null}],"messages":[{"role":"user","content":"Q"}],"meta":{"finish_reason":"tool_calls"}})"));
}

TEST(OpenaiLogs, WhatAModelThoughtIsNoPartOfItsAnswerAndIsKept) {
  const auto log = read(
      LogForm::openai,
      R"([{"role": "user", "content": "A <think> for you"}, {"role": "assistant", "content": "<think>ONE</think>B"}, {"role": "user", "content": "C"}, {"role": "assistant", "content": "TWO.</think>\nD"}]
)");
  EXPECT_THAT(
      log.cases,
      ElementsAre(
          R"({"id":"1","input":"C","output":"D","trace":[],"messages":[{"role":"user","content":"A <think> for you"},{"role":"assistant","content":"B"},{"role":"user","content":"C"}],"meta":{"reasoning":"ONE\n\nTWO."}})"));
}

TEST(OpenaiLogs, EveryLineThatIsNoConversationIsToldWithItsNumber) {
  const auto log = read(LogForm::openai, R"({"messages": [{"role": "user", "content": "Q"}]}
rubbish

{"a": 1}
{"body": {"messages": []}, "response": {"body": {"error": {"message": "no"}}}}
3
{"messages": [{"role": "assistant", "content": "A"}]}
)");
  std::vector<std::string> told;
  for (const BadEntry& one : log.log.bad)
    told.push_back(std::to_string(one.number) + " " + one.why.substr(0, 34));
  EXPECT_THAT(told,
              ElementsAre("1 nothing was answered: there is nei", testing::HasSubstr("2 not JSON"),
                          "4 found no list `messages`, expected", "5 the response is an error: {\"messag",
                          "6 found a number, expected an object", "7 nothing was asked: there is no tex"));
  EXPECT_EQ(log.log.cases, 0U);
}

TEST(AnthropicLogs, BlocksAreTextsCallsAndResults) {
  const auto log = read(LogForm::anthropic, R"([
{"request": {"system": "Be brief.", "messages": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "rain"}], "is_error": true}]}]},
 "response": {"id": "msg_1", "model": "c", "content": [{"type": "text", "text": "It rains."}], "stop_reason": "end_turn", "usage": {"input_tokens": 5, "output_tokens": 3}}}
])");
  EXPECT_THAT(
      log.cases,
      ElementsAre(
          R"({"id":"msg_1","input":"Weather?","output":"It rains.","trace":[{"tool":"weather","arguments":{"city":"Oslo"},"result":"rain","error":true}],"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Weather?"},{"role":"assistant","content":"Let me look."}],"meta":{"usage":{"prompt_tokens":5,"completion_tokens":3},"model":"c","finish_reason":"end_turn"}})"));
}

TEST(OtelTraces, ATraceIsACaseWithItsToolsInOrderAndItsUsageSummed) {
  // Two documents: the tool's span comes before the model's, and a trace without a model is none.
  const auto log = read(
      LogForm::otel,
      R"({"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t1", "startTimeUnixNano": "2000000", "endTimeUnixNano": "3000000", "status": {"code": 2}, "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}}, {"key": "gen_ai.tool.name", "value": {"stringValue": "find"}}, {"key": "gen_ai.tool.call.id", "value": {"stringValue": "c1"}}, {"key": "gen_ai.tool.call.result", "value": {"stringValue": "{\"n\": 1}"}}]}, {"traceId": "t0", "startTimeUnixNano": "1", "endTimeUnixNano": "2", "attributes": []}]}]}]}
{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t1", "startTimeUnixNano": "4000000", "endTimeUnixNano": "6000000", "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}, {"key": "gen_ai.request.model", "value": {"stringValue": "m"}}, {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "20"}}, {"key": "gen_ai.usage.output_tokens", "value": {"intValue": "4"}}, {"key": "gen_ai.response.finish_reasons", "value": {"arrayValue": {"values": [{"stringValue": "stop"}]}}}, {"key": "gen_ai.input.messages", "value": {"stringValue": "[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Where?\"}]},{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"find\",\"arguments\":{\"x\":2}}]},{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c1\",\"response\":\"1\"}]}]"}}, {"key": "gen_ai.output.messages", "value": {"stringValue": "[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"There.\"}],\"finish_reason\":\"stop\"}]"}}]}, {"traceId": "t1", "startTimeUnixNano": "1000000", "endTimeUnixNano": "2000000", "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}, {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "10"}}, {"key": "gen_ai.usage.output_tokens", "value": {"intValue": 1}}]}]}]}]}
{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t2", "startTimeUnixNano": "9000000", "endTimeUnixNano": "9500000", "attributes": [{"key": "gen_ai.request.model", "value": {"stringValue": "old"}}, {"key": "gen_ai.prompt.0.role", "value": {"stringValue": "user"}}, {"key": "gen_ai.prompt.0.content", "value": {"stringValue": "Old?"}}, {"key": "gen_ai.completion.0.content", "value": {"stringValue": "Old."}}]}, {"traceId": "t3", "startTimeUnixNano": "9600000", "endTimeUnixNano": "9700000", "events": [{"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": {"stringValue": "Event?"}}]}, {"name": "gen_ai.choice", "attributes": [{"key": "message", "value": {"stringValue": "{\"content\": \"Yes.\"}"}}]}], "attributes": [{"key": "gen_ai.request.model", "value": {"stringValue": "ev"}}]}]}]}]}
)");
  EXPECT_TRUE(log.log.bad.empty());
  EXPECT_EQ(log.log.traces_without_model, 1U);
  EXPECT_THAT(
      log.cases,
      ElementsAre(
          R"({"id":"t1","input":"Where?","output":"There.","trace":[{"tool":"find","arguments":{"x":2},"result":{"n":1},"error":true}],"messages":[{"role":"user","content":"Where?"}],"meta":{"finish_reason":"stop","model":"m","latency_ms":5,"usage":{"prompt_tokens":30,"completion_tokens":5}}})",
          R"({"id":"t2","input":"Old?","output":"Old.","trace":[],"messages":[{"role":"user","content":"Old?"}],"meta":{"model":"old","latency_ms":0.5}})",
          R"({"id":"t3","input":"Event?","output":"Yes.","trace":[],"messages":[{"role":"user","content":"Event?"}],"meta":{"model":"ev","latency_ms":0.1}})"));
  EXPECT_EQ(read(LogForm::otel, "{}\n").log.bad.size(), 1U);
}

}  // namespace
}  // namespace assay
