#include "evaluations/experiment/judged/judged_answers.h"

#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/experiment/judged/judge_stress.h"
#include "tests/evaluations/fake_context.h"

namespace assay::experiment {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string judgement(const std::string& value_name, const Json& value, const std::string& winner = "") {
  JsonObject answer;
  for (const std::string_view criterion : kCriteria)
    answer[criterion] = JsonObject{{"reason", "so"}, {value_name, value}};
  if (!winner.empty()) answer["winner"] = winner;
  return to_text(answer);
}

std::unique_ptr<Evaluation> evaluation(const std::string& evaluators) {
  const Json values =
      parse_json(R"({"answers": "a.jsonl", "conditions": [{"name": "new"}, {"name": "control"}],)" +
                 evaluators + "}")
          .value();
  std::vector<ConfigProblem> problems;
  auto made = make_judged_answers(Config(values.get_object()), PromptLibrary(), problems);
  EXPECT_THAT(problems, IsEmpty());
  return made;
}

constexpr const char* kBoth =
    R"("pairwise": {"model": "p", "evaluators": 1, "swap": true}, "absolute": {"model": "a", "evaluators": 2})";

Case line(const std::string& text) {
  Case input;
  input.id = "x";
  input.payload = text;
  return input;
}

TEST(AnswersOfAnExperiment, AreRatedByEachEvaluatorAndComparedFromBothSeats) {
  const auto made = evaluation(kBoth);
  const Case input = line(R"({"query": "Why?", "answer": "[Role: Clerk] So.", "against": "Thus."})");
  FakeContext context;
  context.replies = {{"pair/1/first", {judgement("choice", "A", "A")}},
                     {"pair/1/last", {judgement("choice", "A", "tie")}},
                     {"rating/2", {judgement("score", 4)}},
                     {"rating/3", {judgement("score", 1)}}};
  const Outcome outcome = finish_now(made->evaluate(input, context));
  ASSERT_EQ(outcome.kind, OutcomeKind::scored) << outcome.error;
  std::string shown;
  for (const auto& [step, request] : context.requests) shown += request.messages.back().text;
  EXPECT_THAT(shown, Not(HasSubstr("Clerk")));
  EXPECT_LT(shown.find("So."), shown.find("Thus."));
  const FinishedCase finished{outcome, {}, 0};
  ResultLine result;
  result.begin(&finished);
  made->line(input, &finished, result);
  EXPECT_EQ(result.scores()[0].value, 2.5);   // (4 + 1) / 2
  EXPECT_EQ(result.scores()[1].value, 0.75);  // won from the first seat, a tie from the last
  const auto stressing = made->stressing();
  EXPECT_EQ(stressing->seat(stressing->figures()[1], result), 0.25);  // (1 - 0.5) / 2
}

TEST(AnswersOfAnExperiment, HaveNoScoreWithoutAllOfTheirJudgements) {
  const auto made = evaluation(kBoth);
  const Case input = line(R"({"query": "Why?", "answer": "So."})");
  FakeContext context;
  context.replies = {{"rating/2", {judgement("score", 4)}}};
  const FinishedCase finished{finish_now(made->evaluate(input, context)), {}, 0};
  EXPECT_EQ(finished.outcome.kind, OutcomeKind::infra_failed);
  EXPECT_THAT(finished.outcome.error, HasSubstr("rating/3"));
  ResultLine result;
  result.begin(&finished);
  made->line(input, &finished, result);
  for (const Score& score : result.scores()) EXPECT_FALSE(score.value);
}

TEST(AnswersOfAnExperiment, AreToldWhatTheyLack) {
  const auto problems_of = [](const std::string& text, int raters) {
    Design design;
    design.pairwise_evaluators = 1;
    design.absolute_evaluators = raters;
    std::vector<std::string> problems;
    (void)read_judged_answer(parse_json(text).value(), design, problems);
    return problems;
  };
  EXPECT_THAT(problems_of(R"({"query": "Why?", "answer": "So."})", 1), IsEmpty());
  EXPECT_THAT(problems_of(R"({"query": "Why?", "answer": "So."})", 0),
              ElementsAre("field against: found nothing, expected text"));
  EXPECT_THAT(problems_of(R"({"query": "", "answer": 3, "against": [1]})", 1),
              ElementsAre(HasSubstr("field query: found \"\""), HasSubstr("field answer: found 3"),
                          HasSubstr("field against: found [1]")));
}

TEST(StressOfAnExperiment, ChangesTheAnswerAndLeavesTheOther) {
  const auto made = evaluation(kBoth);
  for (const stress::JudgedFigure& figure : made->stressing()->figures())
    EXPECT_THAT(figure.faults, IsEmpty());
  const auto written = made->stressing()->written(
      line(R"({"query": "Why?", "answer": "So.", "against": "Thus."})"), "x~y", {.answer = "Changed."});
  EXPECT_EQ(to_text(written.line), R"({"id":"x~y","query":"Why?","answer":"Changed.","against":"Thus."})");
  JsonObject config{{"pairwise", 1}, {"absolute", 2}, {"responses", "r"}};
  ASSERT_TRUE(made->stressing()->derive(config, {"overall"}));
  EXPECT_EQ(to_text(config), R"({"absolute":2,"generate":false})");
  EXPECT_FALSE(made->stressing()->derive(config, {"wins"}));
}

}  // namespace
}  // namespace assay::experiment
