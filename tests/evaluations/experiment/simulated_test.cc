// What was put into a simulated experiment must come out, within the intervals.
#include "tests/evaluations/experiment/simulated.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/json.h"
#include "evaluations/experiment/analysis/analysis.h"
#include "tests/evaluations/experiment/promises.h"

namespace assay::experiment {
namespace {

// A dozen 95 % intervals would miss now and then by right; one experiment is looked at with these.
constexpr AnalysisOptions kSure{.seed = 0, .level = 0.999};

const Bias& bias(const Analysis& analysis, std::string_view name,
                 std::optional<int> evaluator = std::nullopt) {
  return *find_bias(analysis.biases, name, evaluator);
}

void expect_within(const Estimate& estimate, double truth, std::string_view what) {
  ASSERT_TRUE(estimate.ci) << what << ": " << estimate.undefined;
  EXPECT_LE(estimate.ci->low, truth) << what;
  EXPECT_GE(estimate.ci->high, truth) << what;
}

TEST(SimulatedExperiment, BiasesOfTheJudgesAreRecoveredAndFlagged) {
  Truth truth;
  truth.effects = {0.3, 0};
  truth.position = 0.5;
  truth.length = 0.4;
  truth.leniency = {0.6, -0.5};
  truth.drift = {0, 0, 0.8};
  const Analysis analysis = analyse(simulated(truth, 1), kSure);
  expect_within(bias(analysis, "seat_effect").figure, 0.5, "seat effect");
  expect_within(bias(analysis, "length_slope").figure, 0.4, "length slope");
  // The others' mean: that of rater 8 is (-0.5 + 0.4)/6, since rater 10 drifts by 0.4 on average.
  expect_within(bias(analysis, "leniency", 8).figure, 0.6 + 0.1 / 6, "leniency");
  expect_within(bias(analysis, "leniency", 9).figure, -0.5 - 1.0 / 6, "severity");
  expect_within(bias(analysis, "drift", 10).figure, 0.8, "drift");
  expect_within(bias(analysis, "drift", 12).figure, 0, "no drift");
  for (const char* name : {"position", "seat_effect", "flip_rate", "length_slope", "longer_wins"})
    EXPECT_TRUE(bias(analysis, name).flagged) << name;
  EXPECT_TRUE(bias(analysis, "leniency", 8).flagged);
  EXPECT_TRUE(bias(analysis, "leniency", 9).flagged);
  EXPECT_TRUE(bias(analysis, "drift", 10).flagged);
  EXPECT_FALSE(bias(analysis, "drift", 12).flagged);
  EXPECT_FALSE(bias(analysis, "rating_length_slope").flagged);
  EXPECT_THAT(limits(analysis), testing::Contains(testing::HasSubstr("Flagged for evaluators 8, 9")));
}

TEST(SimulatedExperiment, FairJudgesAreNotFlagged) {
  Truth truth;
  truth.effects = {0.3, 0};
  const Analysis analysis = analyse(simulated(truth, 2), kSure);
  for (const Bias& one : analysis.biases) {
    // Without seat effects verdicts of judges who can barely tell answers apart change at random.
    if (one.name == "flip_rate" || one.name == "changed_rate") continue;
    EXPECT_FALSE(one.flagged) << one.name << " " << one.evaluator.value_or(0);
  }
}

TEST(SimulatedExperiment, EffectsOfTheConditionsAreRecovered) {
  Truth truth;
  truth.effects = {0.6, 0.3, 0, -0.4};
  truth.condition_spread = 0.2;
  truth.query_spread = 0.3;
  truth.discernment = 2;
  const Analysis analysis = analyse(simulated(truth, 3), kSure);
  for (const ScoreContrast& contrast : analysis.contrasts)
    expect_within(contrast.difference.figure, truth.effects[contrast.condition], "difference");
  const ScoreContrast& best = analysis.contrasts[kOverall];
  EXPECT_LT(*best.difference.p_holm, 0.05);
  ASSERT_TRUE(best.hedges_g.clustered.ci);
  EXPECT_GT(best.hedges_g.clustered.ci->low, 0);
  EXPECT_GT(best.hedges_g.clustered.ci->high - best.hedges_g.clustered.ci->low,
            best.hedges_g.naive.ci->high - best.hedges_g.naive.ci->low)
      << "ratings of one query are no independent ones";
  EXPECT_GT(analysis.pairs[0].winner.rate.figure.ci->low, 0.5);
  EXPECT_LT(analysis.pairs[3].winner.rate.figure.ci->high, 0.5);
  const auto& players = analysis.ranking.players;
  const auto top = std::ranges::max_element(
      players, {}, [](const Strength& player) { return *player.log_strength.estimate.value; });
  EXPECT_EQ(top->name, "test_1");
  EXPECT_TRUE(top->log_strength.resampled.ci);
  EXPECT_THAT(conclusions(analysis), testing::Contains(testing::StartsWith("test_1 was rated higher")));
  EXPECT_THAT(conclusions(analysis), testing::Contains(testing::StartsWith("test_4 was rated lower")));
}

// The detectable difference is about (2.07 + 0.86)·sqrt(2·0.3²/24 + 2·0.6²/(24·49)) = 0.268 (t with 23
// degrees), with the rounding of ratings adding 1/12 to the variance of each.
TEST(SimulatedExperiment, PowerFollowsFromTheSpreadBetweenQueries) {
  Truth truth;
  truth.effects = {0};
  truth.condition_spread = 0.3;
  const Analysis analysis = analyse(simulated(truth, 4), kSure);
  expect_within(analysis.power[0].detectable, 0.27, "detectable");
  EXPECT_EQ(analysis.power[0].detectable.n, 24);
  ASSERT_FALSE(analysis.power[0].needs.empty());
  // Queries go with the square of the difference, but for the degrees of freedom.
  const auto& needs = analysis.power[0].needs;
  EXPECT_NEAR(static_cast<double>(*needs[0].queries) / static_cast<double>(*needs[1].queries), 4, 0.3);
}

TEST(SimulatedExperiment, TheSpreadOfDifferencesTellsHowManyEvaluatorsWouldDo) {
  Truth truth;
  truth.queries = 60;
  truth.effects = {0};
  truth.condition_spread = 0.5;  // a difference of two conditions: 0.5 per query
  truth.answer_spread = 0.3;
  const Analysis analysis = analyse(simulated(truth, 5), kSure);
  const auto found = std::ranges::find(analysis.spread, SpreadFigures::Of::difference, &SpreadFigures::of);
  ASSERT_NE(found, analysis.spread.end());
  // Errors of the figures by the theory of mean squares, three times: sqrt(2/59) of the queries' variance,
  // sqrt(2/360) of that of runs with their noise, sqrt(2/2160) of the residual; scores cut at 1 and 5 lose a
  // little.
  for (const NestedComponent& component : found->study.components) {
    if (component.name == "query") EXPECT_NEAR(component.solved, 2 * 0.5 * 0.5, 0.3);
    if (component.name == "run") EXPECT_NEAR(component.solved, 2 * 0.3 * 0.3, 0.07);
    if (component.name == "evaluator") EXPECT_NEAR(component.solved, 0, 0.01);
    if (component.name == "residual") EXPECT_NEAR(component.solved, 2 * (0.36 + 1.0 / 12), 0.09);
    ASSERT_TRUE(component.variance.ci) << component.name;
  }
  ASSERT_TRUE(found->plan.runs) << found->plan.undefined;
  EXPECT_LT(*found->plan.runs * *found->plan.evaluators, 49U) << "fewer than were there";
  EXPECT_THAT(limits(analysis), testing::Contains(testing::HasSubstr("would do")));
}

TEST(SimulatedExperiment, RunsAreComparedWithEachOther) {
  Truth truth;
  truth.effects = {1};
  truth.answer_spread = 0.4;
  truth.rating_noise = 0.3;
  const Analysis analysis = analyse(simulated(truth, 6), kSure);
  const RunFigures& runs = analysis.by_condition[0].across_runs;
  ASSERT_EQ(runs.runs.size(), 7U);
  EXPECT_EQ(runs.same_direction.value, 1);
  EXPECT_EQ(runs.same_direction.n, 7);
  // 0.4², and the noise of seven ratings with their rounding.
  expect_within(runs.deviation, std::sqrt(0.16 + (0.09 + 1.0 / 12) / 7), "deviation");
}

TEST(SimulatedExperiment, TheSameDataSeedAndLevelGiveTheSameAnalysis) {
  Truth truth;
  truth.effects = {0.2};
  truth.runs = 2;
  ExperimentData data = simulated(truth, 7);
  const std::string first = to_text(to_json(analyse(data, {9, 0.95})));
  EXPECT_EQ(to_text(to_json(analyse(data, {9, 0.95}))), first);
  EXPECT_NE(to_text(to_json(analyse(data, {10, 0.95}))), first) << "the bootstrap is seeded";
}

// At a rate of 0.05 more than six of 40 happen once in three hundred times.
TEST(SimulatedExperiment, TheClusteredTestKeepsItsLevelAndTheNaiveOneDoesNot) {
  const FalseAlarms alarms = false_alarms(40);
  EXPECT_LE(alarms.ratings, 6);
  EXPECT_LE(alarms.verdicts, 6);
  EXPECT_GT(alarms.ratings_welch, 6);
  EXPECT_GT(alarms.verdicts_sign, 6);
}

// Of 30 intervals of 95 %, fewer than 25 hold once in three hundred times.
TEST(SimulatedExperiment, IntervalsHoldWhatWasPutInAsOftenAsTheySay) {
  for (const auto& [name, held] : intervals_that_hold(30)) EXPECT_GE(held, 25) << name;
}

}  // namespace
}  // namespace assay::experiment
