#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluations/custom/checks/checked.h"

namespace assay::custom {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(JsonCheck, ReadsTheWholeAnswer) {
  EXPECT_TRUE(holds("json: true", text(R"( {"a": 1} )")));
  EXPECT_TRUE(holds("json: true", text("3")));
  EXPECT_FALSE(holds("json: true", text("{a: 1}")));
  EXPECT_THAT(why("json: true", text("{\"a\": }")), HasSubstr("not JSON: line 1, column 7"));
  EXPECT_TRUE(holds("not_json: true", text("plain words")));
  EXPECT_TRUE(holds("json: true", json("[]")));
  EXPECT_FALSE(holds("json: true", text("```json\n{}\n```")));
  EXPECT_TRUE(holds("json: true, lenient: true", text("```json\n{}\n```")));
  EXPECT_TRUE(holds("json: [a, b]", text(R"({"b": null, "a": 1, "c": 2})")));
  EXPECT_EQ(why("json: [a, b, c]", text(R"({"b": 1})")), "missing: \"a\", \"c\"");
  EXPECT_EQ(why("json: a", text("[1]")), "found a list, expected an object");
  EXPECT_THAT(refusal("json: false"), HasSubstr("not_json"));
}

TEST(JsonSchemaCheck, NamesEveryDefect) {
  const std::string schema =
      "json_schema: {type: object, required: [reason], properties: {score: {type: integer, maximum: 5}}}";
  EXPECT_TRUE(holds(schema, text(R"({"score": 5, "reason": ""})")));
  EXPECT_THAT(why(schema, text(R"({"score": 7})")),
              AllOf(HasSubstr("/score: found 7, expected at most 5"), HasSubstr("/reason")));
  EXPECT_FALSE(holds(schema, text("nothing")));
  EXPECT_TRUE(holds("not_" + schema, json("[]")));
  EXPECT_FALSE(holds(schema, text("```\n{\"reason\": \"\"}\n```")));
  EXPECT_TRUE(holds(schema + ", lenient: true", text("```\n{\"reason\": \"\"}\n```")));
  EXPECT_TRUE(holds("json_schema: {format: date}", member("\"31 May\"")));
  EXPECT_FALSE(holds("json_schema: {format: date}, formats: true", member("\"31 May\"")));
  EXPECT_THAT(refusal("json_schema: {type: whole}"), HasSubstr("type"));
  EXPECT_THAT(refusal("json_schema: schema.json"), HasSubstr("expected a JSON schema"));
}

TEST(WordsCheck, CountsWordsCharactersOrLines) {
  EXPECT_TRUE(holds("words: {max: 3}", text("one two\u00A0three")));
  EXPECT_FALSE(holds("words: {max: 2}", text("one two\u00A0three")));
  EXPECT_EQ(why("words: {min: 1, max: 2}", text(" one two three ")),
            "3 words; allowed: at least 1 and at most 2");
  EXPECT_EQ(why("words: 1", text("one")), "1 word; allowed: exactly 1");
  EXPECT_FALSE(holds("words: {min: 1}", text(" \n")));
  EXPECT_TRUE(holds("not_words: {max: 2}", text("one two three")));
  EXPECT_TRUE(holds("words: 4, unit: characters", text("cafe\u0301")));
  EXPECT_TRUE(holds("words: {max: 2}, unit: lines", text("a\r\nb\n")));
  EXPECT_TRUE(holds("words: {max: '3'}", text("one two three")));  // from a CSV file
  EXPECT_THAT(refusal("words: {most: 3}"), HasSubstr("unknown key `most`; known are min, max"));
  EXPECT_THAT(refusal("words: {min: 3, max: 2}"), HasSubstr("not above"));
  EXPECT_THAT(refusal("words: {}"), HasSubstr("{min, max}"));
  EXPECT_THAT(refusal("words: -1"), HasSubstr("{min, max}"));
  EXPECT_THAT(refusal("words: 3, unit: pages"), HasSubstr("one of words, characters, lines"));
}

TEST(MetaChecks, LookAtWhatIsKnownOfTheAnswer) {
  EXPECT_TRUE(holds("latency: {max: 3s}", measured(R"({"latency_ms": 3000})")));
  EXPECT_FALSE(holds("latency: {max: 3s}", measured(R"({"latency_ms": 3000.5})")));
  EXPECT_TRUE(holds("latency: 250ms", measured(R"({"latency_ms": 250})")));
  EXPECT_TRUE(holds("latency: 3", measured(R"({"latency_ms": 2999})")));  // a bare number is seconds
  EXPECT_EQ(why("latency: {max: 1m}", measured(R"({"latency_ms": 1500})")), "1.5 s; allowed: at most 60 s");
  EXPECT_FALSE(look("latency: 3s", measured("{}")).score.has_value());
  EXPECT_EQ(why("latency: 3s", text("a")), "how long this answer took is not known");
  EXPECT_TRUE(holds("cost: {max: 0.01}", measured(R"({"cost_usd": 0.01})")));
  EXPECT_FALSE(holds("cost: 0.01", measured(R"({"cost_usd": 0.02})")));
  EXPECT_FALSE(look("cost: 0.01", measured(R"({"cost_usd": null})")).score.has_value());
  EXPECT_TRUE(holds("finish: stop", measured(R"({"finish_reason": "stop"})")));
  EXPECT_TRUE(holds("finish: [stop, tool_calls]", measured(R"({"finish_reason": "tool_calls"})")));
  EXPECT_EQ(why("finish: stop", measured(R"({"finish_reason": "length"})")),
            "ended with \"length\"; allowed: \"stop\"");
  EXPECT_TRUE(holds("not_finish: length", measured(R"({"finish_reason": "stop"})")));
  EXPECT_FALSE(look("not_finish: length", measured("{}")).score.has_value());
  EXPECT_THAT(refusal("latency: {max: soon}"), HasSubstr("durations"));
  EXPECT_THAT(refusal("cost: cheap"), HasSubstr("US dollars"));
  EXPECT_THAT(refusal("latency: 3s, ignore_case: true"), HasSubstr("unknown key"));
}

constexpr std::string_view kTrace = R"([
  {"tool": "find_order", "arguments": {"order": 7, "user": {"id": "u1"}}, "result": {"total": 5}},
  {"tool": "policy", "arguments": {}},
  {"tool": "find_order", "arguments": "{\"order\": 8}"},
  {"tool": "refund", "arguments": {"order": 7, "amount": 5.0}, "error": true}])";

TEST(ToolChecks, WhichAreCalledAndHowOften) {
  const Answer answer = traced(kTrace);
  EXPECT_TRUE(holds("tool_called: refund", answer));
  EXPECT_TRUE(holds("tool_called: [refund, policy]", answer));
  EXPECT_FALSE(holds("tool_called: [refund, escalate]", answer));
  EXPECT_EQ(why("tool_called: [refund, escalate]", answer),
            "refund: called 1 time; escalate: not called; called: find_order, policy, find_order, refund");
  EXPECT_TRUE(holds("tool_called: find_order, times: 2", answer));
  EXPECT_FALSE(holds("tool_called: find_order, times: 1", answer));
  EXPECT_FALSE(holds("tool_called: find_order, times: {max: 1}", answer));
  EXPECT_TRUE(holds("tool_called: escalate, times: 0", answer));
  EXPECT_TRUE(holds("not_tool_called: escalate", answer));
  EXPECT_FALSE(holds("not_tool_called: [escalate, refund]", answer));  // none of them, not: not all of them
  EXPECT_TRUE(holds("not_tool_called: refund", traced("[]")));
  EXPECT_FALSE(look("tool_called: refund", text("a")).score.has_value());
  EXPECT_FALSE(look("not_tool_called: refund", text("a")).score.has_value());
  EXPECT_THAT(why("tool_called: refund", text("a")), HasSubstr("no trace"));
  EXPECT_THAT(refusal("tool_called: []"), HasSubstr("name of a tool"));
  EXPECT_THAT(refusal("tool_called: a, times: often"), HasSubstr("times"));
  EXPECT_THAT(refusal("not_tool_called: a, times: 1"), HasSubstr("takes no `times`"));
}

TEST(ToolChecks, InWhichOrder) {
  const Answer answer = traced(kTrace);
  EXPECT_TRUE(holds("tool_order: [find_order, refund]", answer));
  EXPECT_TRUE(holds("tool_order: [policy, find_order]", answer));
  EXPECT_FALSE(holds("tool_order: [refund, policy]", answer));
  EXPECT_THAT(why("tool_order: [refund, policy]", answer), HasSubstr("policy is not called after refund"));
  EXPECT_FALSE(holds("tool_order: [policy, policy]", answer));
  EXPECT_TRUE(holds("not_tool_order: [refund, policy]", answer));
  EXPECT_FALSE(holds("tool_order: [find_order, refund], strict: true", answer));
  EXPECT_TRUE(holds("tool_order: [find_order, policy, find_order, refund], strict: true", answer));
  EXPECT_FALSE(look("tool_order: [a]", text("a")).score.has_value());
}

TEST(ToolChecks, WithWhichArguments) {
  const Answer answer = traced(kTrace);
  EXPECT_TRUE(holds("tool_arguments: {tool: refund, arguments: {amount: 5}}", answer));
  EXPECT_TRUE(holds("tool_arguments: {tool: find_order, arguments: {order: 8}}", answer));  // kept as text
  EXPECT_TRUE(holds("tool_arguments: {tool: find_order, arguments: {/user/id: u1}}", answer));
  EXPECT_FALSE(holds("tool_arguments: {tool: refund, arguments: {amount: 6}}", answer));
  EXPECT_EQ(why("tool_arguments: {tool: refund, arguments: {amount: 6}}", answer), "amount is 5, expected 6");
  EXPECT_EQ(why("tool_arguments: {tool: refund, arguments: {reason: x}}", answer), "reason is missing");
  EXPECT_THAT(why("tool_arguments: {tool: find_order, arguments: {order: 9}}", answer),
              HasSubstr("no call of find_order has them; in the last of 2: order is 8, expected 9"));
  EXPECT_THAT(why("tool_arguments: {tool: escalate, arguments: {}}", answer),
              HasSubstr("escalate was not called"));
  EXPECT_FALSE(holds("tool_arguments: {tool: refund, arguments: {amount: 5}}, exact: true", answer));
  EXPECT_THAT(why("tool_arguments: {tool: refund, arguments: {amount: 5}}, exact: true", answer),
              HasSubstr("order is one argument too many"));
  EXPECT_TRUE(holds("tool_arguments: {tool: refund, arguments: {amount: 5, order: 7}}, exact: true", answer));
  EXPECT_TRUE(holds("tool_arguments: {tool: policy, arguments: {}}, exact: true", answer));
  EXPECT_THAT(refusal("tool_arguments: {tool: refund}"), HasSubstr("{tool: NAME, arguments:"));
  EXPECT_THAT(refusal("tool_arguments: {tool: a, arguments: {/b: 1}}, exact: true"), HasSubstr("pointers"));
}

}  // namespace
}  // namespace assay::custom
