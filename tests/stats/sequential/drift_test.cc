#include "stats/sequential/drift.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/random.h"

namespace assay {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Three items that were 0 once and are 1 now: each was as likely the other way round, so (1/2)^3.
TEST(ExchangeTest, OfItemsThatAllMovedOneWayIsThatOfFairCoins) {
  const RepeatedLevel moved{{{0, 1}}, 1};
  const ExchangeTest test = exchange_test(std::vector{moved, moved, moved});
  EXPECT_DOUBLE_EQ(test.p_higher, 0.125);
  EXPECT_DOUBLE_EQ(test.p_lower, 1);
  EXPECT_EQ(test.items, 3);
}

// An item that was 0 three times and is 1 now: the 1 is as likely in each of four runs. Another that was 0
// and 2 and is 2 now: 2 with chance 2/3. The sum is 3 with chance 1/4 · 2/3, and at most 3 always.
TEST(ExchangeTest, WeighsEachItemByItsOwnPast) {
  const ExchangeTest test = exchange_test(std::vector<RepeatedLevel>{{{{0, 3}}, 1}, {{{0, 1}, {2, 1}}, 2}});
  EXPECT_NEAR(test.p_higher, 0.25 * 2 / 3, 1e-15);
  EXPECT_NEAR(test.p_lower, 1, 1e-15);
}

// The sum of all orders by hand: levels {0, 1, 3} with 1 now, and {2, 5} with 2 now. Sums of what is above
// the least: 0, 1, 3 and 0, 3; seen 1. At least 1: all but 0+0, 5/6; at most 1: 0+0 and 1+0, 2/6.
TEST(ExchangeTest, AgreesWithAllOrdersByHand) {
  const ExchangeTest test = exchange_test(std::vector<RepeatedLevel>{{{{0, 1}, {3, 1}}, 1}, {{{5, 1}}, 2}});
  EXPECT_NEAR(test.p_higher, 5.0 / 6, 1e-15);
  EXPECT_NEAR(test.p_lower, 2.0 / 6, 1e-15);
}

TEST(ExchangeTest, SaysNothingOfItemsThatNeverVary) {
  const ExchangeTest test = exchange_test(std::vector<RepeatedLevel>{{{{1, 4}}, 1}});
  EXPECT_EQ(test.items, 0);
  EXPECT_EQ(test.p_higher, 1);
  EXPECT_EQ(test.p_lower, 1);
}

std::vector<std::vector<double>> runs_of(int runs, int items, int changed, double before, double after) {
  std::vector<std::vector<double>> scores;
  for (int t = 0; t < runs; ++t) {
    std::vector<double>& run = scores.emplace_back();
    for (int i = 0; i < items; ++i) {
      Random random = Random::keyed("run", t, i);
      run.push_back(random.uniform() < (t < changed ? before : after) ? 1 : 0);
    }
  }
  return scores;
}

TEST(WatchDrift, FindsTheRunWithWhichAJudgeBecameKinderAndByHowMuch) {
  const auto runs = runs_of(30, 60, 12, 0.5, 0.8);
  const auto course = watch_drift(runs, std::vector<double>(60, kNone));
  ASSERT_EQ(course.drifts.size(), 1U);
  const Drift& drift = course.drifts.front();
  EXPECT_EQ(drift.way, Drift::Way::higher);
  EXPECT_EQ(drift.changed, 12U);
  EXPECT_GE(drift.found, 12U);
  EXPECT_LE(drift.found, 15U);
  EXPECT_GE(drift.evidence, 20);
  ASSERT_TRUE(drift.shift.ci);
  EXPECT_LT(drift.shift.ci->low, 0.3);
  EXPECT_GT(drift.shift.ci->high, 0.3);
  EXPECT_GT(drift.shift.ci->low, 0.2);
  EXPECT_EQ(drift.shift.n, 60);
  EXPECT_EQ(course.evidence.size(), 30U);
  EXPECT_FALSE(drift.closeness_shift.value);
}

TEST(WatchDrift, GoesOnFromAChangeAndFindsTheNextOne) {
  auto runs = runs_of(20, 60, 10, 0.5, 0.9);
  for (auto& run : runs_of(15, 60, 0, 0.3, 0.3)) runs.push_back(std::move(run));
  const auto course = watch_drift(runs, std::vector<double>(60, kNone));
  ASSERT_EQ(course.drifts.size(), 2U);
  EXPECT_EQ(course.drifts[0].until, course.drifts[1].changed);
  EXPECT_EQ(course.drifts[1].from, course.drifts[0].changed);
  EXPECT_EQ(course.drifts[1].changed, 20U);
  EXPECT_EQ(course.drifts[1].way, Drift::Way::lower);
}

// As many rise as fall: the mean stays, but people are contradicted.
TEST(WatchDrift, SeesAJudgeThatAgreesLessAlthoughItsMeanStays) {
  constexpr int kItems = 60;
  std::vector<double> labels;
  for (int i = 0; i < kItems; ++i) labels.push_back(i % 2);
  std::vector<std::vector<double>> runs;
  for (int t = 0; t < 30; ++t) {
    std::vector<double>& run = runs.emplace_back();
    for (int i = 0; i < kItems; ++i) {
      Random random = Random::keyed("noisier", t, i);
      const bool wrong = random.uniform() < (t < 10 ? 0.05 : 0.35);
      run.push_back(wrong ? 1 - labels[static_cast<std::size_t>(i)] : labels[static_cast<std::size_t>(i)]);
    }
  }
  const auto course = watch_drift(runs, labels);
  ASSERT_EQ(course.drifts.size(), 1U);
  EXPECT_EQ(course.drifts[0].way, Drift::Way::further);
  EXPECT_EQ(course.drifts[0].changed, 10U);
  ASSERT_TRUE(course.drifts[0].closeness_shift.ci);
  EXPECT_LT(course.drifts[0].closeness_shift.ci->high, -0.2);
}

// The same answers for ever, and one anchor that is missing now and then.
TEST(WatchDrift, AccusesNobodyWhoSaysTheSame) {
  std::vector<std::vector<double>> runs(40, std::vector<double>{0, 1, 0.25, 1, 0.5});
  for (std::size_t t = 0; t < runs.size(); t += 3) runs[t][t % 5] = kNone;
  const auto course = watch_drift(runs, std::vector<double>{0, 1, 1, 1, 0});
  EXPECT_TRUE(course.drifts.empty());
  for (const double evidence : course.evidence) EXPECT_LT(evidence, 20);
}

TEST(WatchDrift, NeedsTwoRuns) {
  EXPECT_TRUE(watch_drift({}, {}).drifts.empty());
  const std::vector<std::vector<double>> one{{0, 1}};
  EXPECT_TRUE(watch_drift(one, std::vector<double>{0, 1}).drifts.empty());
  EXPECT_EQ(watch_drift(one, std::vector<double>{0, 1}).evidence, std::vector<double>{1});
}

}  // namespace
}  // namespace assay
