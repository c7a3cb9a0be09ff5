#include "evaluations/benchmark/resume.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/tool.h"

namespace assay::benchmark {
namespace {

using testing::ElementsAre;
using Action = Resume::Action;

Entry call(std::string name, std::optional<Json> result = {}, std::optional<std::int64_t> turn = {}) {
  return Entry::tool_call({"id", std::move(name), JsonObject{}, std::move(result), turn});
}

Resume plan(std::vector<Entry> entries) {
  RunFile file;
  file.conversation = std::move(entries);
  return resume(file);
}

Action promptql(const char* yaml) {
  return resume(read_run_file(yaml, RunForm::promptql).value()).action;
}

TEST(Resume, PromptqlRunsAgainAfterAnErrorOnly) {
  EXPECT_EQ(promptql("output: {a: 1}\nanswer: [1]\n"), Action::skip);
  EXPECT_EQ(promptql("output: {a: 1}\nanswer_error: missing\n"), Action::skip);
  EXPECT_EQ(promptql("output: {a: 1}\nerror: HTTP 500\n"), Action::again);
  EXPECT_EQ(promptql("error: HTTP 500\n"), Action::again);
  EXPECT_EQ(promptql("output: {a: 1}\nerror:\n"), Action::skip);
  EXPECT_EQ(promptql(""), Action::again);
}

TEST(Resume, AnAssistantsLastWordIsTheEnd) {
  EXPECT_EQ(plan({Entry::user("q"), Entry::assistant("a")}).action, Action::skip);
  EXPECT_EQ(plan({Entry::user("q"), call("t"), Entry::assistant("a")}).action, Action::skip);
}

TEST(Resume, AUsersLastWordIsAnswered) {
  const Resume nudged = plan({Entry::user("q"), Entry::assistant("a"), Entry::user("use the tools")});
  EXPECT_EQ(nudged.action, Action::go_on);
  EXPECT_EQ(nudged.conversation.size(), 3U);
}

TEST(Resume, AfterAnErrorItGoesOnWithoutIt) {
  const Resume failed = plan({Entry::user("q"), call("a", Json("rows"), 1), call("b", {}, 1),
                              call("c", Json(7), 1), Entry::error("connection lost"), Entry::error("again")});
  EXPECT_EQ(failed.action, Action::go_on);
  ASSERT_EQ(failed.conversation.size(), 4U);
  EXPECT_EQ(*failed.conversation[1].call.result, Json("rows"));
}

TEST(Resume, AnErrorAfterTheAssistantsMessageIsDropped) {
  const Resume failed = plan({Entry::user("q"), Entry::assistant("a"), Entry::error("disk full")});
  EXPECT_EQ(failed.action, Action::go_on);
  EXPECT_EQ(failed.conversation.size(), 2U);
}

TEST(Resume, AKilledRunGoesOnAndAnErrorFurtherUpStays) {
  const Resume killed = plan({Entry::user("q"), call("a", {}, 1)});
  EXPECT_EQ(killed.action, Action::go_on);
  EXPECT_EQ(plan({Entry::user("q"), Entry::error("x"), Entry::user("go on")}).conversation.size(), 3U);
}

TEST(Resume, NothingOrNothingButErrorsBeginsAgain) {
  EXPECT_EQ(plan({}).action, Action::again);
  EXPECT_EQ(plan({Entry::error("no key")}).action, Action::again);
}

TEST(Resume, WhatWasCutOffIsAskedForAgainWithALargerLimit) {
  RunFile file;
  file.conversation = {Entry::user("q"), call("t", Json(1), 1), Entry::assistant("[1, ")};
  file.cut_off = CutOff{100};
  const auto with = [&](std::optional<std::int64_t> limit) { return resume(file, {.max_tokens = limit}); };
  EXPECT_EQ(with(100).action, Action::skip);
  EXPECT_EQ(with(50).action, Action::skip);
  EXPECT_EQ(with(101).action, Action::go_on);
  EXPECT_EQ(with(101).conversation.size(), 2U) << "without the part of a message";
  EXPECT_EQ(with(std::nullopt).action, Action::go_on) << "the limit was taken away";
  file.cut_off = CutOff{};
  EXPECT_EQ(with(std::nullopt).action, Action::skip);
  EXPECT_EQ(with(50).action, Action::go_on);
  file.answer = Json(1);
  EXPECT_EQ(with(50).action, Action::skip) << "an answer that a person wrote stands";
  file.answer.reset();
  file.conversation.push_back(Entry::user("go on"));
  EXPECT_EQ(with(std::nullopt).conversation.size(), 4U) << "a nudge by hand";
}

TEST(Resume, AnAnswerToAnotherQuestionIsNotTaken) {
  RunFile file;
  file.conversation = {Entry::user("q"), Entry::assistant("a")};
  const Present now{.asked = {{"prompt", "2"}, {"model", "m"}}};
  EXPECT_EQ(resume(file, now).action, Action::skip) << "the file does not tell what was asked";
  file.asked = {{"prompt", "2"}, {"model", "m"}, {"of a later version", "x"}};
  EXPECT_EQ(resume(file, now).action, Action::skip);
  file.asked["prompt"] = "1";
  EXPECT_EQ(resume(file, now).action, Action::again);
  EXPECT_THAT(resume(file, now).changed, ElementsAre("prompt"));
  Present keeping = now;
  keeping.keep_changed = true;
  EXPECT_EQ(resume(file, keeping).action, Action::skip);
  EXPECT_THAT(resume(file, keeping).changed, ElementsAre("prompt"));
  file.conversation.clear();
  EXPECT_THAT(resume(file, now).changed, testing::IsEmpty()) << "nothing is lost";
}

TEST(Resume, PromptqlIsToldOnceToCarryItsPlanOut) {
  const auto of = [](const char* yaml) {
    return resume(read_run_file(yaml, RunForm::promptql).value(), {.artifact = "ranked"});
  };
  const char* plan_only =
      "output: {assistant_actions: [{message: Shall I, plan: sort, code: null}], modified_artifacts: []}\n";
  EXPECT_EQ(of(plan_only).action, Action::go_on);
  EXPECT_FALSE(of(plan_only).proposal.is_null());
  EXPECT_EQ(of("output: {assistant_actions: [{message: x, code: y}]}\n").action, Action::skip)
      << "it has run something";
  EXPECT_EQ(
      of("output: {assistant_actions: [{message: x}], modified_artifacts: [{identifier: ranked}]}\n").action,
      Action::skip);
  EXPECT_EQ(of((std::string(plan_only) + "answer: [1]\n").c_str()).action, Action::skip);
  EXPECT_EQ(of((std::string(plan_only) + "proposed: {assistant_actions: [{plan: p}]}\n").c_str()).action,
            Action::skip)
      << "once";
  const Resume failed = of("proposed: {assistant_actions: [{plan: p}]}\nerror: HTTP 500\n");
  EXPECT_EQ(failed.action, Action::go_on) << "the plan is not asked for again";
  EXPECT_FALSE(failed.proposal.is_null());
}

TEST(Turns, CallsOfOneTurnBelongTogether) {
  const std::vector<Entry> entries = {Entry::user("q"),      call("a", {}, 1), call("b", {}, 1),
                                      call("c", {}, 2),      call("d"),        call("e"),
                                      Entry::assistant("x"), call("f", {}, 2)};
  std::vector<bool> continues;
  for (std::size_t i = 0; i < entries.size(); ++i) continues.push_back(continues_turn(entries, i));
  EXPECT_THAT(continues, ElementsAre(false, false, true, false, false, false, false, false));
  EXPECT_EQ(rounds(entries), 5U);
  EXPECT_EQ(next_turn(entries), 3);
  EXPECT_EQ(next_turn({}), 1);
  EXPECT_EQ(next_turn(std::vector{call("a", {}, INT64_MAX)}), 1);
}

TEST(Nudge, NamesTheToolsThatWereNeverCalled) {
  const std::vector<std::string> expected = {"query_support_tickets", "query_control_plane_data", "lookup"};
  const std::vector<Entry> one = {
      Entry::user("q"), call("query_control_plane_data", tool_error("no such table")), Entry::assistant("a")};
  // The call that failed counts as called.
  EXPECT_EQ(nudge(expected, one, 0, 3),
            "actually use the query_support_tickets, lookup tools to get the answer");
  EXPECT_EQ(nudge(expected, one, 2, 3),
            "actually use the query_support_tickets, lookup tools to get the answer");
  EXPECT_EQ(nudge(expected, one, 3, 3), std::nullopt);
  EXPECT_EQ(nudge(expected, one, 0, 0), std::nullopt);
  const std::vector<Entry> all = {call("lookup"), call("query_support_tickets"),
                                  call("query_control_plane_data")};
  EXPECT_EQ(nudge(expected, all, 0, 3), std::nullopt);
  EXPECT_EQ(nudge({}, one, 0, 3), std::nullopt);
  EXPECT_THAT(uncalled(std::vector<std::string>{"x", "x"}, one), ElementsAre("x"));
}

}  // namespace
}  // namespace assay::benchmark
