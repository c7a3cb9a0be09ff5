#include "report/compare/judge_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/compare/compare.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

RunScores judged(const std::vector<double>& scores) {
  RunScores run;
  run.figures = {"correct.rate"};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    ScoredCase one;
    one.id = "q" + std::to_string(i);
    one.scores = {scores[i]};
    run.cases.push_back(std::move(one));
  }
  run.summary.usage.requests = 10;
  run.summary.usage.cost_usd = 0.5;
  return run;
}

// Both pass 4, both fail 4, they differ on 2: agreement 0.8 (Wilson 0.490 to 0.943), kappa (0.8 − 0.5)/0.5.
TEST(JudgeChange, HasAgreementKappaShiftAndFlips) {
  const RunScores base = judged({1, 1, 1, 1, 0, 0, 0, 0, 1, 0});
  const RunScores fresh = judged({1, 1, 1, 1, 0, 0, 0, 0, 0, 1});
  const JudgeChange change = compare_judges(base, fresh, {.differ = {}, .figures = {"correct.rate"}});
  ASSERT_EQ(change.figures.size(), 1U);
  const JudgeChange::Figure& figure = change.figures.front();
  EXPECT_TRUE(figure.pass_or_fail);
  EXPECT_NEAR(*figure.agreement.value, 0.8, 1e-12);
  EXPECT_NEAR(figure.agreement.ci->low, 0.490, 5e-4);
  EXPECT_NEAR(figure.agreement.ci->high, 0.943, 5e-4);
  EXPECT_NEAR(*figure.beyond_chance.value, 0.6, 1e-12);
  EXPECT_NEAR(*figure.shift.value, 0, 1e-12);
  ASSERT_EQ(change.flips.size(), 2U);
  EXPECT_EQ(change.flips.front().id, "q8");
  EXPECT_THAT(figure.sentence, HasSubstr("agree on 8 of 10 cases (80.0%"));
  EXPECT_THAT(figure.sentence, HasSubstr("kappa is 0.600 (95% interval "));
  EXPECT_THAT(change.sentences.back(), HasSubstr("10 requests for $0.50"));
}

TEST(JudgeChange, LeavesOutCasesWhoseAnswersDiffer) {
  const RunScores base = judged({1, 1, 0, 0});
  const RunScores fresh = judged({1, 1, 0, 1});
  const JudgeChange change = compare_judges(base, fresh, {.differ = {"q3"}, .figures = {"correct.rate"}});
  EXPECT_EQ(change.other_answers, 1);
  EXPECT_EQ(change.same_answers, 3);
  EXPECT_EQ(change.figures.front().agreement.n, 3);
  EXPECT_TRUE(change.flips.empty());
  EXPECT_THAT(change.sentences.front(), HasSubstr("The answers differ in 1 case"));
}

TEST(JudgeChange, OfScoresThatAreNoLevelsSaysHowFarTheyAreApart) {
  const JudgeChange change = compare_judges(judged({0.31, 0.62, 0.93, 0.48}), judged({0.32, 0.6, 0.91, 0.5}),
                                            {.differ = {}, .figures = {"correct.rate"}});
  const JudgeChange::Figure& figure = change.figures.front();
  EXPECT_FALSE(figure.agreement.value);
  EXPECT_THAT(figure.sentence, AllOf(HasSubstr("on 4 cases the judges' alpha is 0.9"),
                                     HasSubstr("the new judge moves it by"), Not(HasSubstr("agree on"))));
}

// Ratings from 1 to 5: a move of two levels is half of the scale.
TEST(JudgeChange, OnAScaleAFlipIsHalfOfItOrMore) {
  RunScores base = judged({1, 2, 3, 5});
  RunScores fresh = judged({1, 3, 5, 1});
  Metric metric;
  metric.name = "correct.rate";
  metric.range = Interval{1, 5};
  fresh.summary.metrics = {metric};
  const JudgeChange change = compare_judges(base, fresh, {.differ = {}, .figures = {"correct.rate"}});
  std::vector<std::string> ids;
  for (const JudgeChange::Flip& flip : change.flips) ids.push_back(flip.id);
  EXPECT_THAT(ids, ElementsAre("q3", "q2"));
  EXPECT_FALSE(change.figures.front().pass_or_fail);
}

// From 0.85 to 0.6 is less than half of the scale, and passes with the first judge alone.
TEST(JudgeChange, ACaseThatPassesWithOneJudgeAloneFlips) {
  const auto run = [](const std::vector<double>& scores) {
    RunScores made = judged(scores);
    made.figures = {"faithfulness.mean", "faithfulness.pass_rate"};
    for (ScoredCase& one : made.cases) one.scores.emplace_back(*one.scores.front() >= 0.8 ? 1 : 0);
    return made;
  };
  const JudgeChange change = compare_judges(run({0.85, 0.95, 0.5, 0.9}), run({0.6, 0.82, 0.6, 0.1}),
                                            {.differ = {}, .figures = {"faithfulness.mean"}});
  std::vector<std::string> ids;
  for (const JudgeChange::Flip& flip : change.flips) ids.push_back(flip.id);
  EXPECT_THAT(ids, ElementsAre("q3", "q0"));
}

}  // namespace
}  // namespace assay
