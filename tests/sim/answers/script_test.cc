#include "sim/answers/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::sim {
namespace {

using testing::HasSubstr;

ChatRequest asked(std::string text) {
  ChatRequest request;
  request.messages.push_back({Role::system, "You are a clerk.", {}, {}, false});
  request.messages.push_back({Role::user, std::move(text), {}, {}, false});
  return request;
}

Script read(std::string_view text) {
  auto script = Script::parse(text, "script.jsonl");
  EXPECT_TRUE(script) << (script ? "" : script.error().front().text());
  return script ? std::move(*script) : Script();
}

TEST(Script, TheFirstMatchingRuleThatIsNotUsedUpWins) {
  const Script script = read(
      "{\"match\": \"refund\", \"times\": 2, \"reply\": {\"text\": \"first\"}}\n\n"
      "{\"match\": \"refund\", \"reply\": {\"text\": \"second\"}}\r\n"
      "{\"match\": {\"regex\": \"(?i)ORDER \\\\d+\"}, \"reply\": {\"text\": \"order\"}}\n"
      "{\"match\": {\"contains_all\": [\"visa\", \"fee\"]}, \"reply\": {\"text\": \"both\"}}\n"
      "{\"match\": \"clerk\", \"in\": \"conversation\", \"times\": 1, \"reply\": {\"text\": "
      "\"anywhere\"}}\n");
  EXPECT_EQ(script.size(), 5U);
  const auto said = [&](std::string text) -> std::string {
    const auto request = asked(std::move(text));
    const ScriptRule* rule = script.take(request);
    return rule == nullptr ? "none" : scripted_reply(*rule, request).message.text;
  };
  EXPECT_EQ(said("my refund"), "first");
  EXPECT_EQ(said("my refund"), "first");
  EXPECT_EQ(said("my refund"), "second");
  EXPECT_EQ(said("order 66"), "order");
  EXPECT_EQ(said("fee of a visa"), "both");
  EXPECT_EQ(said("visa"), "anywhere");
  EXPECT_EQ(said("visa"), "none");
  script.reset();
  EXPECT_EQ(said("my refund"), "first");
}

TEST(Script, RepliesWithJsonWhicheverWayItWasAskedFor) {
  const Script script = read(
      R"({"reply": {"json": {"label": "visa"}}, "usage": {"prompt_tokens": 5, "completion_tokens": 2}})");
  auto request = asked("x");
  auto reply = scripted_reply(*script.take(request), request);
  EXPECT_EQ(reply.message.text, R"({"label":"visa"})");
  EXPECT_EQ(reply.usage.prompt_tokens, 5);
  EXPECT_EQ(reply.usage.completion_tokens, 2);
  request.tools = {{"classify", "", JsonObject{{"type", "object"}}}};
  request.tool_choice = {ToolChoice::Mode::named, "classify"};
  reply = scripted_reply(*script.take(request), request);
  ASSERT_EQ(reply.message.tool_calls.size(), 1U);
  EXPECT_EQ(reply.message.tool_calls[0].name, "classify");
  EXPECT_EQ(reply.finish, FinishReason::tool_calls);
}

TEST(Script, RepliesWithCallsErrorsFaultsAndRefusals) {
  const Script script = read(
      R"({"match": "call", "reply": {"tool_calls": [{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": "{broken"}]}})"
      "\n"
      R"({"match": "fail", "reply": {"error": {"status": 503, "body": {"oops": 1}, "headers": {"retry-after": 3}}}, "delay_ms": 40})"
      "\n"
      R"({"match": "hang", "reply": {"fault": "stall"}})"
      "\n"
      R"({"match": "no", "reply": {"text": "I will not."}, "finish_reason": "content_filter"})");
  auto request = asked("call");
  auto reply = scripted_reply(*script.take(request), request);
  ASSERT_EQ(reply.message.tool_calls.size(), 2U);
  EXPECT_EQ(reply.message.tool_calls[0].arguments.at("a"), 1);
  EXPECT_EQ(reply.message.tool_calls[1].arguments_text, "{broken");
  const auto* rule = script.take(asked("fail"));
  const auto& error = std::get<ScriptedError>(rule->reply);
  EXPECT_EQ(error.status, 503);
  EXPECT_EQ(*error.body, R"({"oops":1})");
  EXPECT_EQ(*error.headers.find("Retry-After"), "3");
  EXPECT_EQ(rule->delay, std::chrono::milliseconds(40));
  EXPECT_EQ(std::get<Fault>(script.take(asked("hang"))->reply), Fault::stall);
  request = asked("no");
  reply = scripted_reply(*script.take(request), request);
  EXPECT_EQ(reply.refusal, "I will not.");
  EXPECT_EQ(reply.finish, FinishReason::refusal);
}

TEST(Script, NamesEveryProblemWithLineAndField) {
  const auto script = Script::parse(
      "{\"match\": 3, \"times\": 0, \"reply\": {\"text\": 5}}\n"
      "not json\n"
      "[]\n"
      "{\"macth\": \"x\", \"reply\": {\"text\": \"a\", \"json\": 1}}\n"
      "{\"match\": {\"regex\": \"(\"}, \"reply\": {\"error\": {\"status\": 200}}}\n"
      "{\"reply\": {\"fault\": \"explode\"}, \"delay_ms\": -1, \"finish_reason\": \"tired\", \"usage\": "
      "{\"prompt_tokens\": \"x\"}}\n"
      "{\"in\": \"nowhere\"}\n",
      "rules.jsonl");
  ASSERT_FALSE(script);
  std::string all;
  for (const Error& error : script.error()) all += error.text() + "\n";
  for (const char* expected :
       {"line 1, field match", "line 1, field times", "line 1, field reply.text", "line 2", "line 3",
        "line 4, field macth", "did you mean match", "line 4, field reply", "line 5, field match.regex",
        "line 5, field reply.error.status", "line 6, field reply.fault", "line 6, field delay_ms",
        "line 6, field finish_reason", "line 6, field usage.prompt_tokens", "line 7, field in",
        "line 7, field reply"}) {
    EXPECT_THAT(all, HasSubstr(expected));
  }
  EXPECT_EQ(script.error().size(), 15U) << all;
  for (const Error& error : script.error()) EXPECT_THAT(error.text(), HasSubstr("rules.jsonl"));
  EXPECT_FALSE(Script::load("/nowhere/rules.jsonl"));
}

}  // namespace
}  // namespace assay::sim
