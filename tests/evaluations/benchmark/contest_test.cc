#include "evaluations/benchmark/contest.h"

#include <cmath>

#include <boost/json/array.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::benchmark {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

Json json(std::string_view text) {
  return *parse_json(text);
}

// Tasks × two variations, the systems `tool_calling` and `tool_calling_python`, one model.
BenchmarkPlan plan_of(std::size_t tasks, int repeat) {
  BenchmarkPlan plan;
  plan.repeat = repeat;
  plan.systems = {System::tool_calling, System::tool_calling_python};
  plan.models.push_back({"m", "m", {}});
  for (std::size_t i = 0; i < tasks; ++i) {
    BenchmarkTask task;
    task.name = "task" + std::to_string(i);
    task.task.variations.resize(2);
    for (Variation& variation : task.task.variations) variation.expected_output = json("[1,2]");
    plan.tasks.push_back(std::move(task));
  }
  for (std::size_t task = 0; task < tasks; ++task)
    for (std::size_t variation = 0; variation < 2; ++variation)
      for (int run = 1; run <= repeat; ++run)
        for (const System system : plan.systems) plan.runs.push_back({task, variation, run, system, 0, ""});
  return plan;
}

Summary played(const BenchmarkPlan& plan, const std::vector<std::optional<double>>& scores) {
  Contest contest(plan);
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    RunFigures figures;
    figures.run = i;
    figures.cluster = plan.tasks[plan.runs[i].task].name;
    figures.score = scores[i];
    figures.completed = true;
    figures.answered = scores[i] != 0;
    if (scores[i]) figures.answer = scores[i] == 1 ? json("[1,2]") : json("[2,1]");
    contest.add(std::move(figures));
  }
  Summary summary;
  contest.finish(summary);
  return summary;
}

const Metric& metric(const Summary& summary, const std::string& name) {
  return *std::ranges::find(summary.metrics, name, &Metric::name);
}
const Table& table(const Summary& summary, const std::string& name) {
  return *std::ranges::find(summary.tables, name, &Table::name);
}

TEST(Contest, MeansAndIntervalsAreClusteredByTask) {
  // task0: 1 0 | 1 0, task1: 1 1 | 0 1 (tool_calling, tool_calling_python for each variation)
  const Summary summary = played(plan_of(2, 1), {1, 0, 1, 0, 1, 1, 0, 1});
  EXPECT_EQ(metric(summary, "score.mean").estimate.value, 5.0 / 8);
  EXPECT_EQ(metric(summary, "score.mean").estimate.method, "t_clustered");
  EXPECT_EQ(metric(summary, "score.mean.tool_calling/m").estimate.value, 0.75);
  EXPECT_EQ(metric(summary, "score.mean.tool_calling_python/m").estimate.value, 0.5);
  // Differences by variation: 1, 1 in task0, 0, -1 in task1. Mean 1/4; cluster sums of deviations 1.5 and
  // -1.5: SE = (1/4)·sqrt(2·(2.25 + 2.25)) = 0.75.
  const Metric& difference = metric(summary, "difference.tool_calling/m-tool_calling_python/m");
  EXPECT_EQ(difference.estimate.value, 0.25);
  ASSERT_TRUE(difference.estimate.ci);
  EXPECT_THAT(difference.estimate.ci->high, DoubleNear(0.25 + 12.706204736 * 0.75, 1e-6));
  const auto& row = table(summary, "comparison").rows.at(0);
  EXPECT_EQ(row[2], Json(4));
  // t = 1/3 with one degree of freedom: p = 1 - 2·atan(1/3)/π
  EXPECT_THAT(row[6].as_double(), DoubleNear(1 - 2 * std::atan(1.0 / 3) / M_PI, 1e-9));
}

TEST(Contest, RivalsHaveHeadlinesOfTheirOwnAndASentenceDecides) {
  const Summary summary = played(plan_of(2, 1), {1, 0, 1, 0, 1, 1, 0, 1});
  EXPECT_EQ(summary.metrics.front().name, "score.mean.tool_calling/m");
  EXPECT_FALSE(metric(summary, "score.mean").headline) << "a mean over rivals decides nothing";
  EXPECT_TRUE(metric(summary, "score.mean.tool_calling_python/m").headline);
  ASSERT_FALSE(summary.conclusions.empty());
  EXPECT_THAT(
      summary.conclusions.front(),
      testing::StartsWith("Undecided between tool_calling/m and tool_calling_python/m: tool_calling/m is "
                          "ahead by 0.250 on the same 4 variations of 2 tasks"));
}

TEST(Contest, AClearWinnerIsNamed) {
  // Four tasks; the first wins each variation by 1, but for one that it wins by 0.9.
  const Summary summary = played(plan_of(4, 1), {1, 0.1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0});
  EXPECT_THAT(summary.conclusions.front(),
              testing::StartsWith(
                  "tool_calling/m did better than tool_calling_python/m: mean score higher by 0.987"));
}

TEST(Contest, WhyThereIsNoIntervalIsSaidOnce) {
  // Every difference is the same: how far they spread is not known.
  const Summary summary = played(plan_of(2, 1), {1, 0, 1, 0, 1, 0, 1, 0});
  ASSERT_FALSE(summary.conclusions.empty());
  EXPECT_THAT(summary.conclusions.front(), testing::HasSubstr("(no interval: "));
  EXPECT_THAT(summary.conclusions.front(), testing::Not(testing::HasSubstr("no interval: no interval")));
}

TEST(Contest, AMissingScoreHasItsReasonAndItsBounds) {
  const BenchmarkPlan plan = plan_of(1, 1);  // two variations, two systems
  Contest contest(plan);
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    RunFigures figures;
    figures.run = i;
    figures.cluster = std::to_string(plan.runs[i].variation);
    figures.completed = true;
    if (i == 2) {
      figures.missing = "judge_failed";  // the first system on the second variation
    } else {
      figures.score = 1;
    }
    contest.add(std::move(figures));
  }
  Summary summary;
  contest.finish(summary);
  const Estimate& first = metric(summary, "score.mean.tool_calling/m").estimate;
  EXPECT_EQ(first.n, 1);
  EXPECT_EQ(first.missing.at("judge_failed"), 1);
  EXPECT_EQ(first.bounds->low, 0.5);
  EXPECT_EQ(first.bounds->high, 1);
  const Estimate& difference = metric(summary, "difference.tool_calling/m-tool_calling_python/m").estimate;
  EXPECT_EQ(difference.n, 1);
  EXPECT_EQ(difference.bounds->low, -0.5);
  EXPECT_EQ(difference.bounds->high, 0);
  EXPECT_THAT(summary.conclusions, testing::Contains(testing::HasSubstr("would lie between")));
}

TEST(Contest, NothingExpectedIsNoScore) {
  const Summary summary = played(plan_of(1, 1), {1, std::nullopt, std::nullopt, 0});
  EXPECT_EQ(metric(summary, "score.mean").estimate.value, 0.5);
  EXPECT_EQ(metric(summary, "score.mean").estimate.n, 2);
  EXPECT_THAT(table(summary, "scores").rows.at(1),
              ElementsAre("task0", "tool_calling_python", "m", 0, 1, nullptr));
  EXPECT_EQ(table(summary, "variations").rows.at(0).at(3), Json(nullptr));
  // No variation has a score of both.
  EXPECT_FALSE(metric(summary, "difference.tool_calling/m-tool_calling_python/m").estimate.value);
}

TEST(Contest, RepeatabilityIsTheAgreementOfRepeats) {
  // One task, two variations, two runs: tool_calling gives 1 1 | 1 0, the other 0 0 | 1 1.
  const Summary summary = played(plan_of(1, 2), {1, 0, 1, 0, 1, 1, 0, 1});
  EXPECT_EQ(metric(summary, "repeatability.tool_calling/m").estimate.value, 0.5);
  EXPECT_EQ(metric(summary, "repeatability.tool_calling_python/m").estimate.value, 1);
  EXPECT_EQ(metric(summary, "repeatability").estimate.n, 4);
}

// Within, 3 · 0.02/4 = 0.015; the variance of the means 0.7, 0.5, 0.8, 0.5 is 0.0225, less half of the one
// within 0.015. Twice as many runs narrow an interval by √((0.015 + 0.015/4)/(0.015 + 0.015/2)) = 0.9129.
TEST(Contest, TheSpreadOfRepeatsIsToldApartFromThatOfVariations) {
  BenchmarkPlan plan = plan_of(4, 2);
  plan.runs.clear();
  for (std::size_t task = 0; task < 4; ++task)
    for (int run = 1; run <= 2; ++run) plan.runs.push_back({task, 0, run, System::tool_calling, 0, ""});
  const Summary summary = played(plan, {0.8, 0.6, 0.4, 0.6, 0.8, 0.8, 0.6, 0.4});
  const std::string score = "score.mean.tool_calling/m";
  EXPECT_THAT(*metric(summary, score + ".variance.answer").estimate.value, DoubleNear(0.015, 1e-12));
  EXPECT_THAT(*metric(summary, score + ".variance.case").estimate.value, DoubleNear(0.015, 1e-12));
  EXPECT_EQ(table(summary, "variance_components").rows.size(), 2U);
  // t(3) = 3.182 times the standard error of the four means, 0.075, as the figure itself has it.
  EXPECT_THAT(metric(summary, score).estimate.ci->high, DoubleNear(0.625 + 0.23868, 1e-4));
  EXPECT_THAT(
      summary.conclusions,
      testing::Contains(
          "Spread of tool_calling/m: 50.0% of the variance of a run's score lies between variations, 50.0% "
          "between runs of one; 2 runs of each of 4 variations reach ±0.239, 4 runs would bring ±0.218."));
  const Summary once = played(plan_of(2, 1), {1, 0, 1, 0, 1, 0, 1, 0});
  EXPECT_EQ(std::ranges::find(once.tables, "variance_components", &Table::name), once.tables.end());
}

TEST(Agreement, IsByTheScorerBothWaysRoundAndAFailureAgreesWithNothing) {
  Scorer records;
  records.name = ScorerName::records;
  using Answers = std::vector<std::optional<Json>>;
  EXPECT_EQ(agreement_of(Answers{json("[1]")}, records), std::nullopt);
  EXPECT_EQ(agreement_of(Answers{json("[1,2]"), json("[2,1]")}, records), 1) << "in any order";
  EXPECT_EQ(agreement_of(Answers{json("[1,2]"), json("[2,1]")}, std::nullopt), 0);
  EXPECT_EQ(agreement_of(Answers{json("[1,2]"), json("[2,3]")}, records), 0.5);
  EXPECT_EQ(agreement_of(Answers{std::nullopt, std::nullopt}, records), 0);
  EXPECT_THAT(*agreement_of(Answers{json("1"), json("1"), std::nullopt}, std::nullopt),
              DoubleNear(1.0 / 3, 1e-12));
  Scorer schema;
  schema.name = ScorerName::schema;
  EXPECT_EQ(agreement_of(Answers{json("{}"), json("{\"a\":1}")}, schema), 0) << "valid is not equal";
}

}  // namespace
}  // namespace assay::benchmark
