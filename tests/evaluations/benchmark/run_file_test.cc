#include "evaluations/benchmark/run_file.h"

#include <random>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/yaml.h"
#include "tools/tool.h"

namespace assay::benchmark {
namespace {

using testing::HasSubstr;

Json json(std::string_view text) {
  return parse_json(text).value();
}

RunFile conversation(const std::string& yaml) {
  auto file = read_run_file(yaml, RunForm::conversation);
  if (!file) throw std::runtime_error(file.error().text());
  return std::move(*file);
}

std::string failure(const std::string& yaml, RunForm form = RunForm::conversation) {
  const auto file = read_run_file(yaml, form);
  return file ? "none" : file.error().text();
}

RunFile example() {
  RunFile file;
  file.conversation = {
      Entry::user("prioritize last 20\nput it here:\n```json\n[]\n```\n"),
      Entry::assistant("I look at both."),
      Entry::tool_call({"call_a", "query_support_tickets", json(R"({"sql": "select id\nfrom ticket"})"),
                        json(R"([{"id": 123, "title": "down: all"}])"), 1}),
      Entry::tool_call({"call_b", "query_control_plane_data", json(R"({"sql": "select 1"})"),
                        tool_error("no such table"), 1}),
      Entry::assistant("```json\n[{\"ticket_id\": 123}]\n```"),
  };
  file.answer = json(R"([{"ticket_id": 123}])");
  file.score = 0.8;
  file.score_details = {{"tau", 1}};
  file.nudges = 1;
  file.usage = json(R"({"prompt_tokens": 12})");
  file.seconds = 3.5;
  return file;
}

TEST(RunFile, TellsWhatWasAskedAndWhereTheWordsEnded) {
  RunFile file = example();
  file.scorer = "records";
  file.cut_off = CutOff{16};
  file.asked = {{"model", "openai/m"}, {"prompt", "0123456789abcdef"}};
  const RunFile read = conversation(to_yaml(file));
  EXPECT_EQ(read.asked, file.asked);
  EXPECT_EQ(read.cut_off->max_tokens, 16);
  EXPECT_EQ(read.scorer, "records");
  file.cut_off = CutOff{};
  EXPECT_FALSE(conversation(to_yaml(file)).cut_off->max_tokens);
  EXPECT_FALSE(conversation("conversation: []\nlimit_hit: false\n").cut_off);
  EXPECT_THAT(failure("conversation: []\nlimit_hit: soon\n"), HasSubstr("limit_hit"));
  EXPECT_THAT(failure("conversation: []\nasked: no\n"), HasSubstr("names with texts"));
}

TEST(RunFile, IsWrittenForPeople) {
  EXPECT_EQ(to_yaml(example()), R"(conversation:
  - user_message: |
      prioritize last 20
      put it here:
      ```json
      []
      ```
  - assistant_message: I look at both.
  - tool_call:
      id: call_a
      name: query_support_tickets
      params:
        sql: |-
          select id
          from ticket
      result:
        - id: 123
          title: "down: all"
      turn: 1
  - tool_call:
      id: call_b
      name: query_control_plane_data
      params:
        sql: select 1
      result:
        error: no such table
      turn: 1
  - assistant_message: |-
      ```json
      [{"ticket_id": 123}]
      ```
answer:
  - ticket_id: 123
score: 0.8
score_details:
  tau: 1
nudges: 1
usage:
  prompt_tokens: 12
seconds: 3.5
)");
}

TEST(RunFile, ReadsBackAsItself) {
  const std::string text = to_yaml(example());
  const RunFile file = conversation(text);
  EXPECT_EQ(to_yaml(file), text);
  ASSERT_EQ(file.conversation.size(), 5U);
  EXPECT_EQ(file.conversation[0].text, "prioritize last 20\nput it here:\n```json\n[]\n```\n");
  EXPECT_EQ(file.conversation[2].call.turn, 1);
  EXPECT_TRUE(is_tool_error(*file.conversation[3].call.result));
  EXPECT_FALSE(is_tool_error(*file.conversation[2].call.result));
  EXPECT_EQ(file.score, 0.8);
  EXPECT_EQ(file.nudges, 1);
}

TEST(RunFile, OfPromptqlHoldsOutputErrorAndAnswer) {
  RunFile file;
  file.form = RunForm::promptql;
  file.output = json(R"({"assistant_actions": [], "modified_artifacts": []})");
  file.answer_error = "missing: there is no artifact `a`";
  EXPECT_EQ(to_yaml(file), R"(output:
  assistant_actions: []
  modified_artifacts: []
answer_error: "missing: there is no artifact `a`"
)");
  const auto failed = read_run_file("output: ~\nerror: {detail: [1]}\n", RunForm::promptql);
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error, R"({"detail":[1]})");
  EXPECT_FALSE(read_run_file("output: {a: 1}\nerror:\n", RunForm::promptql)->error.has_value());
  EXPECT_FALSE(failed->answer.has_value());
  EXPECT_TRUE(read_run_file("answer:\n", RunForm::promptql)->answer->is_null());
  // A fresh one is readable too.
  RunFile fresh;
  fresh.form = RunForm::promptql;
  EXPECT_TRUE(read_run_file(to_yaml(fresh), RunForm::promptql).has_value());
}

// As in the source's README, with a user_message added by hand.
TEST(RunFile, TakesWhatAPersonWrites) {
  const RunFile file = conversation(R"(# my notes
conversation:
    - user_message: blah
    - assistant_message: blah
    - tool_call: {id: 7, name: lookup, params: , result: }
    - tool_call:
        name: lookup
        params: {id: x}
        result: rows
    - error: {code: 500}
    - user_message: >
        actually use
        the tools
note: looked at by me
answer:
  - ticket_id: 123
)");
  ASSERT_EQ(file.conversation.size(), 6U);
  EXPECT_EQ(file.conversation[2].call.id, "7");
  EXPECT_EQ(to_text(file.conversation[2].call.params), "{}");
  EXPECT_FALSE(file.conversation[2].call.result.has_value());
  EXPECT_EQ(file.conversation[3].call.id, "call_3");
  EXPECT_EQ(to_text(*file.conversation[3].call.result), R"("rows")");
  EXPECT_FALSE(file.conversation[3].call.turn.has_value());
  EXPECT_EQ(file.conversation[4].text, R"({"code":500})");
  EXPECT_EQ(file.conversation[5].text, "actually use the tools\n");
  EXPECT_THAT(to_yaml(file), HasSubstr("note: looked at by me\n"));
}

TEST(RunFile, WhatDoesNotParseIsToldByLineAndColumn) {
  EXPECT_THAT(failure("conversation:\n  - user_message: [a\n"), HasSubstr("line 3, column "));
  EXPECT_THAT(failure("conversation:\n  - user_message: a: b\n"), HasSubstr("line 2, column 20: not YAML"));
  EXPECT_EQ(read_run_file("a: [", RunForm::conversation).error().kind, ErrorKind::parse);
}

TEST(RunFile, WhatIsNoSuchFileIsToldByItsPlace) {
  EXPECT_EQ(
      failure("conversation:\n  - user_mesage: a\n"),
      "line 2, column 5, field conversation/0/user_mesage: found the key \"user_mesage\", expected one of "
      "user_message, assistant_message, tool_call or error");
  EXPECT_EQ(failure("conversation:\n  - user_message: 42\n"),
            "line 2, column 5, field conversation/0/user_message: found 42, expected text");
  EXPECT_THAT(failure("conversation:\n  - user_message:\n"), HasSubstr("found nothing, expected text"));
  EXPECT_THAT(failure("conversation:\n  - {user_message: a, assistant_message: b}\n"),
              HasSubstr("expected one of"));
  EXPECT_THAT(failure("conversation:\n  - hello\n"), HasSubstr("line 2, column 5, field conversation/0"));
  EXPECT_THAT(failure("conversation: hello\n"), HasSubstr("found \"hello\", expected a list"));
  EXPECT_THAT(failure("conversation:\n  - tool_call: {id: a}\n"), HasSubstr("the tool call has no `name`"));
  EXPECT_THAT(
      failure("conversation:\n  - tool_call: {name: a, results: 1}\n"),
      HasSubstr("line 2, column 26, field conversation/0/tool_call/results: found the key \"results\""));
  EXPECT_THAT(failure("conversation:\n  - tool_call: {name: a, turn: x}\n"),
              HasSubstr("expected a whole number"));
  EXPECT_THAT(failure("conversation: []\nscore: good\n"),
              HasSubstr("field score: found \"good\", expected a number"));
  EXPECT_THAT(failure("conversation: []\nnudges: -1\n"), HasSubstr("expected a whole number of at least 0"));
  EXPECT_THAT(failure("- a\n"), HasSubstr("expected keys with values"));
  // A misspelt key is no fresh start.
  EXPECT_THAT(failure("conversations: []\n"), HasSubstr("`conversation` is missing"));
  EXPECT_THAT(failure("conversation: []\n", RunForm::promptql), HasSubstr("is this the output of PromptQL?"));
  EXPECT_EQ(failure("# nothing yet\n"), "none");
}

TEST(RunFile, TreesThatYamlWouldNotGiveBackSurvive) {
  std::string deep;
  for (int i = 0; i < 55; ++i) deep += "{\"a\":[";
  for (int i = 0; i < 55; ++i) deep += "]}";
  std::string wide = "[0";
  for (int i = 1; i < 60'000; ++i) wide += "," + std::to_string(i);
  wide += "]";
  const std::string long_key = "{\"" + std::string(2000, 'k') + "\":1}";
  for (const std::string& tree :
       {deep, wide, long_key, std::string("[18446744073709551615]"), std::string("\"[1]\""),
        std::string("\"{}\""), std::string("[]"), std::string("\"18446744073709551615\"")}) {
    RunFile file;
    file.conversation = {Entry::tool_call({"i", "n", json(tree), json(tree), 1})};
    file.answer = json(tree);
    const RunFile again = conversation(to_yaml(file));
    EXPECT_EQ(to_text(again.conversation[0].call.params), to_text(json(tree))) << tree.substr(0, 50);
    EXPECT_EQ(to_text(*again.conversation[0].call.result), to_text(json(tree))) << tree.substr(0, 50);
    EXPECT_EQ(to_text(*again.answer), to_text(json(tree))) << tree.substr(0, 50);
  }
  RunFile null;
  null.conversation = {Entry::tool_call({"i", "n", {}, Json(nullptr), 1})};
  EXPECT_EQ(to_text(*conversation(to_yaml(null)).conversation[0].call.result), R"("null")");
}

// Random texts of characters that YAML treats in some way of its own.
TEST(RunFile, AnyTextReadsBackAsItself) {
  const std::vector<std::string> pieces = {
      "a",    " ",    "\n",   "\n\n",   "\t",     "\r",     "\r\n",
      "#",    ": ",   "- ",   "|",      ">",      "\"",     "'",
      "{",    "]",    "%",    "@",      "`",      "&",      "*",
      "!",    "?",    ",",    "~",      "\\",     "---",    "...",
      "0",    "é",    "😀",   "\u2028", "\u0085", "\uFEFF", std::string(1, '\0'),
      "\x7f", "\x1b", "null", "  b"};
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (std::size_t n = random() % 8; n > 0; --n) text += pieces[random() % pieces.size()];
    RunFile file;
    file.conversation = {
        Entry::user(text), Entry::error(text),
        Entry::tool_call({text, "n", JsonObject{{text, text}}, Json(boost::json::string(text)), {}})};
    file.answer = Json(JsonArray{boost::json::string(text)});
    const std::string yaml = to_yaml(file);
    const auto again = read_run_file(yaml, RunForm::conversation);
    ASSERT_TRUE(again.has_value()) << again.error().text() << "\n" << yaml;
    ASSERT_EQ(again->conversation[0].text, text) << yaml;
    ASSERT_EQ(again->conversation[1].text, text) << yaml;
    ASSERT_EQ(to_text(again->conversation[2].call.params), to_text(JsonObject{{text, text}})) << yaml;
    ASSERT_EQ(to_text(*again->answer), to_text(*file.answer)) << yaml;
  }
}

}  // namespace
}  // namespace assay::benchmark
