#include "stats/intervals/mean.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats/intervals/median.h"
#include "stats/intervals/missing.h"
#include "tests/stats/reference.h"

namespace assay {
namespace {

Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.add(value);
  return moments;
}

// Miller 2024 (arXiv:2411.00640): five clusters of four answers {1111},{0001},{1101},{0000},{1011}. Mean
// 0.55, naive standard error 0.1141329, clustered 0.1643168, with C/(C-1) 0.1837117, recomputed in shared
// reference/statistics.md.
const std::vector<double> kAnswers = {1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1};
const std::vector<std::string> kClusters = {"a", "a", "a", "a", "b", "b", "b", "b", "c", "c",
                                            "c", "c", "d", "d", "d", "d", "e", "e", "e", "e"};

TEST(Mean, HonoursClusters) {
  ClusteredMoments clustered;
  for (std::size_t i = 0; i < kAnswers.size(); ++i) clustered.add(kClusters[i], kAnswers[i]);
  EXPECT_EQ(clustered.clusters(), 5);
  EXPECT_NEAR(clustered.all().standard_error().value(), 0.1141329, 5e-8);
  EXPECT_NEAR(clustered.standard_error().value(), 0.1837117, 5e-8);
  EXPECT_NEAR(clustered.standard_error().value() * std::sqrt(4.0 / 5), 0.1643168, 5e-8);

  const Estimate estimate = estimate_mean(kAnswers, kClusters);
  EXPECT_NEAR(estimate.value.value(), 0.55, 1e-12);
  EXPECT_EQ(estimate.method, "t_clustered");
  EXPECT_EQ(estimate.n, 20);
  // 97.5 % point of t with four degrees of freedom: 2.776445.
  EXPECT_NEAR(estimate.ci.value().high - 0.55, 2.776445 * 0.1837117, 1e-6);
  EXPECT_NEAR(0.55 - estimate.ci.value().low, 2.776445 * 0.1837117, 1e-6);
}

TEST(Mean, EqualsThePlainOneWhenEveryClusterHasOneMember) {
  const std::vector<double> values = {0.2, 0.9, 0.4, 0.7};
  const Estimate clustered = estimate_mean(values, std::vector<std::string>{"a", "b", "c", "d"});
  const Estimate plain = estimate_mean(values);
  EXPECT_NEAR(clustered.ci.value().low, plain.ci.value().low, 1e-12);
  EXPECT_NEAR(clustered.ci.value().high, plain.ci.value().high, 1e-12);
}

TEST(Mean, OfOneClusterHasNoInterval) {
  const Estimate estimate =
      estimate_mean(std::vector<double>{1, 0, 1}, std::vector<std::string>{"q", "q", "q"});
  EXPECT_NEAR(estimate.value.value(), 2.0 / 3, 1e-15);
  EXPECT_FALSE(estimate.ci.has_value());
  EXPECT_EQ(estimate.undefined, "no interval: one cluster shows no spread between clusters");
}

TEST(Mean, RefusesValuesWithoutTheirCluster) {
  const Estimate estimate = estimate_mean(std::vector<double>{1, 0}, std::vector<std::string>{"q"});
  EXPECT_FALSE(estimate.value.has_value());
  EXPECT_NE(estimate.undefined, "");
}

TEST(Mean, AgreesWithSciPy) {
  for (const Json& row : reference_values("means").as_array()) {
    std::vector<double> values;
    for (const Json& value : row.at("values").as_array()) values.push_back(number(value));
    const Estimate estimate = estimate_mean(values);
    EXPECT_NEAR(estimate.value.value(), number(row.at("mean")), 1e-12);
    EXPECT_NEAR(estimate.ci.value().low, number(row.at("ci").at(0)), 1e-9);
    EXPECT_NEAR(estimate.ci.value().high, number(row.at("ci").at(1)), 1e-9);
    EXPECT_EQ(estimate.method, "t");
    EXPECT_NEAR(moments_of(values).standard_error().value(), number(row.at("sem")), 1e-12);
    EXPECT_NEAR(moments_of(values).sample_deviation().value(), number(row.at("sample_sd")), 1e-12);
    EXPECT_NEAR(median(values).value(), number(row.at("median")), 1e-12);
  }
}

TEST(Mean, OfNothingIsUndefined) {
  const Estimate estimate = estimate_mean(std::vector<double>{});
  EXPECT_FALSE(estimate.value.has_value());
  EXPECT_EQ(estimate.undefined, "no observations");
  EXPECT_EQ(estimate_mean(ClusteredMoments()).undefined, "no observations");
  EXPECT_EQ(estimate_maximum(Moments()).undefined, "no observations");
  EXPECT_EQ(estimate_population_deviation(Moments()).undefined, "no observations");
}

TEST(Mean, OfOneObservationHasAValueAndNoInterval) {
  const Estimate estimate = estimate_mean(std::vector<double>{0.7});
  EXPECT_DOUBLE_EQ(estimate.value.value(), 0.7);
  EXPECT_EQ(estimate.n, 1);
  EXPECT_FALSE(estimate.ci.has_value());
  EXPECT_EQ(estimate.undefined, "no interval: one observation has no spread");
  EXPECT_FALSE(moments_of({0.7}).sample_deviation().has_value());
  EXPECT_EQ(moments_of({0.7}).population_deviation(), 0);
}

TEST(Mean, OfEqualObservationsClaimsNoCertainty) {
  // 0.1 added up is not exactly ten times 0.1: the spread must still be exactly none.
  const Estimate estimate = estimate_mean(std::vector<double>(10, 0.1));
  EXPECT_NEAR(estimate.value.value(), 0.1, 1e-15);
  EXPECT_FALSE(estimate.ci.has_value());
  EXPECT_NE(estimate.undefined.find("all observations are equal"), std::string::npos);
  EXPECT_EQ(moments_of(std::vector<double>(10, 0.1)).sample_deviation(), 0);

  ClusteredMoments clustered;
  for (int i = 0; i < 10; ++i) clustered.add(i % 3 == 0 ? "a" : "b", 0.1);
  EXPECT_FALSE(estimate_mean(clustered).ci.has_value());
}

TEST(Mean, CanBeHeldWithinTheRangeOfTheScores) {
  const Estimate open = estimate_mean(std::vector<double>{0.75, 0.5, 1, 0.75});
  ASSERT_GT(open.ci.value().high, 1);
  const Estimate held = within_range(open);
  EXPECT_EQ(held.ci.value().high, 1);
  EXPECT_EQ(held.ci.value().low, open.ci.value().low);
  EXPECT_FALSE(within_range(estimate_mean(std::vector<double>{0.7})).ci.has_value());
  const Estimate elsewhere = within_range(open, {3, 5});  // wrong range: nothing is invented
  EXPECT_EQ(elsewhere.ci.value().low, open.ci.value().low);
  EXPECT_EQ(elsewhere.ci.value().high, open.ci.value().high);
}

TEST(Mean, LeavesOutWhatIsNotANumberAndSaysSo) {
  const Estimate estimate =
      estimate_mean(std::vector<double>{1, std::nan(""), 3, std::numeric_limits<double>::infinity()});
  EXPECT_DOUBLE_EQ(estimate.value.value(), 2);
  EXPECT_EQ(estimate.n, 2);
  EXPECT_EQ(estimate.missing.at("not_finite"), 2);
}

// 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squared deviations 32, so population deviation exactly 2.
TEST(Mean, DescribesTheSpreadBothWays) {
  const Moments moments = moments_of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(moments.mean().value(), 5);
  EXPECT_DOUBLE_EQ(estimate_population_deviation(moments).value.value(), 2);
  EXPECT_DOUBLE_EQ(estimate_sample_deviation(moments).value.value(), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(estimate_maximum(moments).value.value(), 9);
  EXPECT_DOUBLE_EQ(moments.minimum().value(), 2);
}

TEST(Mean, SurvivesALargeOffset) {
  const Moments moments = moments_of({1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
  EXPECT_DOUBLE_EQ(moments.sample_deviation().value(), std::sqrt(30.0));
}

RC_GTEST_PROP(Mean, MergingPartsEqualsOnePass,
              (const std::vector<int>& first, const std::vector<int>& second)) {
  Moments one;
  Moments left;
  Moments right;
  for (const int value : first) {
    one.add(value);
    left.add(value);
  }
  for (const int value : second) {
    one.add(value);
    right.add(value);
  }
  left.merge(right);
  RC_ASSERT(left.n() == one.n());
  RC_ASSERT(left.minimum() == one.minimum());
  RC_ASSERT(left.maximum() == one.maximum());
  if (one.n() == 0) return;
  RC_ASSERT(std::fabs(*left.mean() - *one.mean()) <= 1e-9 * (1 + std::fabs(*one.mean())));
  RC_ASSERT(std::fabs(*left.population_deviation() - *one.population_deviation()) <=
            1e-9 * (1 + *one.population_deviation()));
}

RC_GTEST_PROP(Mean, DoesNotDependOnTheOrderOfRows,
              (const std::vector<std::pair<int, char>>& rows, unsigned seed)) {
  std::vector<std::pair<int, char>> shuffled = rows;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed));
  ClusteredMoments one;
  ClusteredMoments other;
  for (const auto& [value, cluster] : rows) one.add(std::string(1, cluster), value % 100);
  for (const auto& [value, cluster] : shuffled) other.add(std::string(1, cluster), value % 100);
  const Estimate a = estimate_mean(one);
  const Estimate b = estimate_mean(other);
  RC_ASSERT(a.value.has_value() == b.value.has_value());
  RC_ASSERT(a.ci.has_value() == b.ci.has_value());
  if (!a.ci) return;
  RC_ASSERT(std::fabs(a.ci->low - b.ci->low) < 1e-9);
  RC_ASSERT(std::fabs(a.ci->high - b.ci->high) < 1e-9);
}

// Ranks from Conover, Practical Nonparametric Statistics: n = 10 at 95 % gives the 2nd and the 9th value
// (P(X <= 1) = 11/1024 = 0.0107, P(X <= 2) = 56/1024 = 0.0547).
TEST(Median, HasTheIntervalOfItsOrderStatistics) {
  const std::vector<double> values = {7, 1, 10, 4, 2, 9, 3, 8, 5, 6};
  const Estimate estimate = estimate_median(values);
  EXPECT_DOUBLE_EQ(estimate.value.value(), 5.5);
  EXPECT_DOUBLE_EQ(estimate.ci.value().low, 2);
  EXPECT_DOUBLE_EQ(estimate.ci.value().high, 9);
  EXPECT_EQ(estimate.method, "order_statistics");
}

TEST(Median, NeedsSixForNinetyFivePercent) {
  // Five values enclose the median with 1 - 2/32 = 93.75 %, six with 1 - 2/64 = 96.9 %.
  EXPECT_FALSE(estimate_median(std::vector<double>{1, 2, 3, 4, 5}).ci.has_value());
  EXPECT_NE(estimate_median(std::vector<double>{1, 2, 3, 4, 5}).undefined, "");
  EXPECT_TRUE(estimate_median(std::vector<double>{1, 2, 3, 4, 5}, 0.9).ci.has_value());
  EXPECT_DOUBLE_EQ(estimate_median(std::vector<double>{1, 2, 3, 4, 5, 6}).ci.value().high, 6);
}

TEST(Median, TakesTheMiddleOfOddAndEven) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median(std::vector<double>{std::nan(""), 5}), 5);
  EXPECT_FALSE(median(std::vector<double>{}).has_value());
  EXPECT_EQ(estimate_median(std::vector<double>{}).undefined, "no observations");
  EXPECT_EQ(estimate_median(std::vector<double>{1, std::nan("")}).missing.at("not_finite"), 1);
}

TEST(Missing, BoundsAreTheWorstAndTheBestCase) {
  // Mean 0.8 over 8, two failed: (6.4 + 0)/10 and (6.4 + 2)/10.
  Estimate estimate = plain_figure(0.8, 8);
  estimate = with_missing(std::move(estimate), {{"judge_failed", 2}, {"refused", 0}});
  EXPECT_NEAR(estimate.bounds.value().low, 0.64, 1e-12);
  EXPECT_NEAR(estimate.bounds.value().high, 0.84, 1e-12);
  EXPECT_EQ(estimate.missing, (std::map<std::string, std::int64_t>{{"judge_failed", 2}}));
}

TEST(Missing, LeavesACompleteFigureAlone) {
  const Estimate estimate = with_missing(plain_figure(0.8, 8), {{"refused", 0}});
  EXPECT_FALSE(estimate.bounds.has_value());
  EXPECT_TRUE(estimate.missing.empty());
}

TEST(Missing, MakesTheRangeTheBoundsOfAnUndefinedFigure) {
  const Estimate estimate = with_missing(undefined_figure("no observations"), {{"judge_failed", 3}}, {1, 5});
  EXPECT_DOUBLE_EQ(estimate.bounds.value().low, 1);
  EXPECT_DOUBLE_EQ(estimate.bounds.value().high, 5);
}

}  // namespace
}  // namespace assay
