// Cases as a person sees them at a terminal.
#include "report/cases/case_view.h"

#include <string>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Json json(std::string_view text) {
  return parse_json(text).value();
}

JsonObject object(std::string_view text) {
  return json(text).get_object();
}

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  for (const std::string_view line : split_lines(text)) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(CaseTable, ShowsWhatFitsAndWhyACaseFailed) {
  CaseTable table({.width = 60});
  std::string out = table.add({.id = "a",
                               .outcome = "scored",
                               .scores = {{"f1", 0.5}, {"recall", std::nullopt}, {std::string(40, 'z'), 1}},
                               .cost_usd = 0.25,
                               .latency_ms = 1500});
  out += table.add({.id = "b", .outcome = "judge_failed", .error = "no\x1b[2J answer"});
  out += table.add({.id = "c", .outcome = "scored", .scores = {{"f1", 0}}, .below = true});
  out += table.add({.id = "d", .outcome = std::string(kUnderWay)});
  out += table.end();
  EXPECT_EQ(out,
            "id  outcome           f1  recall       cost    latency\n"
            "(1 more score for which there is no room: --format json has them)\n"
            "a   scored         0.500     n/a      $0.25      1.5 s\n"
            "b   judge_failed\n"
            "  no\\u{1b}[2J answer\n"
            "c   not passed     0.000\n"
            "d   under way\n");
}

TEST(CaseTable, WritesItsRowsAsTheyComeOnceTheColumnsAreDecided) {
  CaseTable table({.width = 80});
  std::string out;
  for (int i = 0; i < 100; ++i) out += table.add({.id = "case", .outcome = "scored"});
  EXPECT_THAT(out, HasSubstr("id    outcome"));
  EXPECT_EQ(table.add({.id = "longer-than-the-others", .outcome = "scored", .scores = {{"new", 1}}}),
            "lon…  scored\n");
  EXPECT_EQ(table.end(), "");
  EXPECT_EQ(CaseTable({}).end(), "");
}

CaseView judged() {
  CaseView view;
  view.evaluation = "rag_answers";
  view.id = "case-7";
  view.line = 8;
  view.input = object(R"({"question": "How?", "contexts": [{"text": "So."}]})");
  EffectView first;
  first.step = "judge";
  first.kind = "model";
  first.model = "judge-1";
  first.request = json(R"({"model": "openai/judge", "output": {"name": "verdict", "schema": {}}, "messages": [
    {"role": "system", "text": "You rate.\nBe short."}, {"role": "user", "text": "Rate \u001b[31mthis\u202e."}],
    "sampling": {"temperature": 0}})");
  first.reply = json(R"({"message": {"role": "assistant", "text": "{\"score\": 4}"}, "finish": "stop"})");
  first.prompt_tokens = 1200;
  first.completion_tokens = 5;
  first.cost_usd = 0.5;
  first.latency_ms = 812.4;
  first.tries = 3;
  EffectView second = first;
  second.attempt = 2;
  second.tries = 1;
  second.request.get_object()["messages"].get_array().push_back(
      json(R"({"role": "user", "text": "Again."})"));
  second.reply = json(R"({"message": {"role": "assistant", "text": "4"}, "finish": "length"})");
  EffectView tool;
  tool.step = "tools/1";
  tool.kind = "sql";
  tool.request = json(R"({"query": "SELECT 1"})");
  tool.reply = json(R"([[1]])");
  view.effects = {first, second, tool};
  view.outcome = "judge_failed";
  view.result = object(R"({"id": "case-7", "line": 8, "outcome": "judge_failed", "question": "How?",
    "scores": {"coherence.mean": 0.75}, "reason": "unclear", "error": "it gave no number"})");
  return view;
}

TEST(CasePage, ShowsEverythingThatWasAskedAndAnsweredInOrder) {
  EXPECT_EQ(case_page(judged(), {.width = 60}),
            "case-7 · rag_answers · line 8\n"
            "\n"
            "input\n"
            "  question: How?\n"
            "  contexts:\n"
            "    - text: So.\n"
            "\n"
            "1. judge · openai/judge (judge-1) · 1,200 tokens in, 5 out ·\n"
            "812 ms · $0.50 · 3 tries\n"
            "  system\n"
            "    You rate.\n"
            "    Be short.\n"
            "  user\n"
            "    Rate \\u{1b}[31mthis\\u{202e}.\n"
            "  asked for: JSON by the schema verdict, temperature 0\n"
            "  reply\n"
            "    {\n"
            "      \"score\": 4\n"
            "    }\n"
            "\n"
            "2. judge, attempt 2 · openai/judge (judge-1) · 1,200 tokens\n"
            "in, 5 out · 812 ms · $0.50\n"
            "  (2 messages as in 1.)\n"
            "  user\n"
            "    Again.\n"
            "  asked for: JSON by the schema verdict, temperature 0\n"
            "  reply, ended by length\n"
            "    4\n"
            "\n"
            "3. tools/1 · sql · 0 ms\n"
            "  request\n"
            "    query: SELECT 1\n"
            "  reply\n"
            "    -\n"
            "      - 1\n"
            "\n"
            "outcome: judge_failed\n"
            "  it gave no number\n"
            "  coherence.mean  0.750\n"
            "  reason: unclear\n");
  EXPECT_THAT(case_page(judged(), {.colour = Colour::ansi}), HasSubstr("\x1b[1minput\x1b[0m"));
}

TEST(CasePage, ACaseUnderWayHasAnswersAndNoOutcome) {
  CaseView view = judged();
  view.result = {};
  view.outcome = kUnderWay;
  EXPECT_THAT(case_page(view, {}), HasSubstr("outcome: under way, 3 answers so far\n"));
  EXPECT_TRUE(to_json(view).at("result").is_null());
  EXPECT_EQ(to_json(view).at("effects").at(0).at("tries"), 3);
}

constexpr const char* kAnswers = R"([
  {"variant": "old", "repeat": 1, "output": "You get it back within a month of the day on which you sent it.",
   "latency_ms": 812, "cost_usd": 0.5, "metrics": [
    {"name": "short", "score": 1, "passed": true},
    {"name": "correct", "score": 0, "passed": false, "reason": "The deadline is 14 days, not a month."}]},
  {"variant": "new", "repeat": 1, "output": {"days": 14}, "metrics": [
    {"name": "correct", "score": 0.5, "reason": "No \u001b[2J amount."}]}])";

TEST(SideBySide, PutsTheAnswersOfTheVariantsBesideEachOther) {
  EXPECT_EQ(answers_side_by_side(json(kAnswers), {.width = 67}),
            "old                              │ new\n"
            "812 ms, $0.50                    │\n"
            "─────────────────────────────────┼─────────────────────────────────\n"
            "You get it back within a month   │ {\n"
            "of the day on which you sent it. │   \"days\": 14\n"
            "                                 │ }\n"
            "─────────────────────────────────┼─────────────────────────────────\n"
            "✓ short  1.000                   │\n"
            "✗ correct  0.000                 │ · correct  0.500\n"
            "  The deadline is 14 days, not a │   No \\u{1b}[2J amount.\n"
            "  month.                         │\n"
            "\n");
}

TEST(SideBySide, BelowEachOtherWhereTheyDoNotFit) {
  const std::string narrow = answers_side_by_side(json(kAnswers), {.width = 40});
  EXPECT_LE(widest_line(narrow), 40U);
  EXPECT_THAT(narrow, AllOf(HasSubstr("old\n"), HasSubstr("new\n"), Not(HasSubstr("│"))));
  const std::string repeats = answers_side_by_side(
      json(R"([{"variant": "v", "repeat": 1, "output": "a"}, {"variant": "v", "repeat": 2, "output": "b"}])"),
      {.width = 80});
  EXPECT_THAT(repeats, AllOf(HasSubstr("v, answer 1\n"), HasSubstr("v, answer 2\n")));
  EXPECT_EQ(answers_side_by_side(json("3"), {}), "");
  EXPECT_EQ(answers_side_by_side(json("[]"), {}), "");
}

}  // namespace
}  // namespace assay
