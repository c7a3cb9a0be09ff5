#include "stats/comparisons/effect_size.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/stats/reference/tests_json.h"

namespace assay {
namespace {

using Values = std::vector<double>;
const double kNan = std::nan("");

// effsize's unit tests.
const Values kTreated = {10, 10, 20, 20, 20, 30, 30, 30, 40, 50};
const Values kControl = {10, 20, 30, 40, 40, 50};

TEST(CliffsDelta, GivesThePublishedValues) {
  const Estimate delta = cliffs_delta(kTreated, kControl);
  EXPECT_NEAR(delta.value.value(), -0.25, 1e-12);
  // From the consistent variance 0.1060572; recomputed in shared reference/statistics.md.
  EXPECT_NEAR(delta.ci.value().low, -0.7125, 5e-5);
  EXPECT_NEAR(delta.ci.value().high, 0.3640, 5e-5);
  EXPECT_EQ(delta.method, "cliff");
  EXPECT_EQ(delta.n, 16);
  const Estimate second = cliffs_delta(Values{10, 20, 20, 20, 30, 30, 30, 40, 50, 100}, kControl);
  EXPECT_NEAR(second.value.value(), -0.0667, 5e-5);
}

// shared/reference/statistics.md, 4.3: the unbiased variance of the same data is 0.0980556. (The limits in
// effsize's source, -0.7266 and 0.3890, follow from neither variance.)
TEST(CliffsDelta, TakesTheUnbiasedVarianceOnRequest) {
  const Estimate delta = cliffs_delta(kTreated, kControl, 0.95, DominanceVariance::unbiased);
  EXPECT_NEAR(delta.value.value(), -0.25, 1e-12);
  EXPECT_NEAR(delta.ci.value().low, -0.7016, 5e-5);
  EXPECT_NEAR(delta.ci.value().high, 0.3450, 5e-5);
  EXPECT_EQ(delta.method, "cliff_unbiased");
  // The header's formula for the interval, with the published variance.
  const double noise = 1.959963985 * 1.959963985 * 0.0980556;
  const double half = std::sqrt(noise * (0.9375 * 0.9375 + noise));
  EXPECT_NEAR(delta.ci->low, (-0.25 * 0.9375 - half) / (0.9375 + noise), 2e-7);
}

// δ_ij = 0, 1, 1, 1: rows ½ and 1, columns ½ and 1 about δ = ¾, so the variance is (4/8 + 4/8 - ¾)/4 =
// 0.0625, below (1 - δ²)/3 = 0.1458333.
TEST(CliffsDelta, NeverTakesAnUnbiasedVarianceBelowItsFloor) {
  const Estimate delta = cliffs_delta(Values{3, 4}, Values{3, 2}, 0.95, DominanceVariance::unbiased);
  EXPECT_NEAR(delta.value.value(), 0.75, 1e-12);
  const double noise = 1.959963985 * 1.959963985 * 0.4375 / 3;
  const double half = std::sqrt(noise * (0.4375 * 0.4375 + noise));
  EXPECT_NEAR(delta.ci.value().low, (0.75 * 0.4375 - half) / (0.4375 + noise), 1e-7);
  EXPECT_LE(delta.ci.value().high, 1);
}

TEST(VarghaDelaney, IsTheSameOnTheScaleOfAChance) {
  const Estimate chance = vargha_delaney(kTreated, kControl);
  EXPECT_NEAR(chance.value.value(), 0.375, 1e-12);
  EXPECT_NEAR(chance.ci.value().low, (1 - 0.7125) / 2, 5e-5);
  EXPECT_NEAR(chance.ci.value().high, (1 + 0.3640) / 2, 5e-5);
}

TEST(CliffsDelta, OfSeparatedGroupsClaimsNoCertainty) {
  const Estimate delta = cliffs_delta(Values{5, 6, 7, 8}, Values{1, 2, 3});
  EXPECT_EQ(delta.value, 1);
  // Wilson's lower limit for 3 of 3 is 3/(3+z²) = 0.438503 with z² = 3.841459.
  EXPECT_NEAR(delta.ci.value().low, 2 * 0.438503 - 1, 1e-6);
  EXPECT_EQ(delta.ci.value().high, 1);
  EXPECT_EQ(delta.method, "wilson_of_separated_groups");
  EXPECT_NEAR(cliffs_delta(Values{1, 2, 3}, Values{5, 6, 7, 8}).ci.value().high, 1 - 2 * 0.438503, 1e-6);
}

TEST(CliffsDelta, NeedsSpreadAndTwoValuesInEachGroup) {
  EXPECT_EQ(cliffs_delta(Values{}, kControl).undefined, "a group has no observations");
  const Estimate equal = cliffs_delta(Values(4, 2), Values(3, 2));
  EXPECT_EQ(equal.value, 0);
  EXPECT_FALSE(equal.ci.has_value());
  EXPECT_EQ(equal.undefined, "no interval: all observations are equal");
  const Estimate one = cliffs_delta(Values{30}, kControl);
  EXPECT_TRUE(one.value.has_value());
  EXPECT_FALSE(one.ci.has_value());
  EXPECT_NE(one.undefined, "");
  EXPECT_EQ(cliffs_delta(Values{1, kNan, 2}, Values{1, 3}).missing.at("not_finite"), 1);
  EXPECT_FALSE(cliffs_delta(kTreated, kControl, 1).ci.has_value());
  const Estimate two = cliffs_delta(Values{1, 4}, Values{2, 3});
  EXPECT_EQ(two.value, 0);
  EXPECT_LT(two.ci.value().low, two.ci.value().high);
}

TEST(EffectSize, AgreesWithR) {
  for (const Json& row : values_from_r("groups").as_array()) {
    if (!has(row, "d")) continue;
    const Values a = numbers(row.at("a"));
    const Values b = numbers(row.at("b"));
    const double value = number(row.at("d").at("value"));
    const Values limits = numbers(row.at("d").at("ci"));
    const Estimate d = cohen_d(a, b);
    EXPECT_NEAR(d.value.value(), value, 1e-11);
    EXPECT_NEAR(d.ci.value().low, limits[0], 1e-8);
    EXPECT_NEAR(d.ci.value().high, limits[1], 1e-8);
    EXPECT_EQ(d.method, "noncentral_t");
    const double j = number(row.at("j"));
    const Estimate g = hedges_g(a, b);
    EXPECT_NEAR(g.value.value(), value * j, 1e-11);
    EXPECT_NEAR(g.ci.value().low, limits[0] * j, 1e-8);
  }
  for (const Json& row : values_from_r("pairs").as_array()) {
    const Estimate d = cohen_dz(numbers(row.at("a")), numbers(row.at("b")));
    EXPECT_NEAR(d.value.value(), number(row.at("dz").at("value")), 1e-11);
    EXPECT_NEAR(d.ci.value().low, number(row.at("dz").at("ci").at(0)), 1e-8);
    EXPECT_NEAR(d.ci.value().high, number(row.at("dz").at("ci").at(1)), 1e-8);
  }
}

// {2,4,6} against {1,3,5}: pooled deviation 2, d = 1/2; J for m = 4 is Γ(2)/(√2·Γ(3/2)) = 0.797885.
TEST(CohenD, MeasuresByThePooledDeviation) {
  EXPECT_NEAR(cohen_d(Values{2, 4, 6}, Values{1, 3, 5}).value.value(), 0.5, 1e-12);
  EXPECT_NEAR(hedges_g(Values{2, 4, 6}, Values{1, 3, 5}).value.value(), 0.5 * 0.7978846, 1e-7);
  // Differences 1, 1 and 4: mean 2, deviation √3.
  EXPECT_NEAR(cohen_dz(Values{2, 4, 6}, Values{1, 3, 2}).value.value(), 2 / std::sqrt(3.0), 1e-12);
}

TEST(CohenD, NeedsSpread) {
  EXPECT_EQ(cohen_d(Values{}, Values{1, 2}).undefined, "a group has no observations");
  EXPECT_FALSE(cohen_d(Values{1}, Values{2}).value.has_value());
  EXPECT_TRUE(cohen_d(Values{1}, Values{2, 3}).ci.has_value());
  EXPECT_FALSE(hedges_g(Values{1}, Values{2, 3}).value.has_value());
  EXPECT_FALSE(hedges_g(Values{1}, Values{2, 3}).ci.has_value());
  const Estimate constant = cohen_d(Values(5, 0.1), Values(5, 0.3));
  EXPECT_FALSE(constant.value.has_value());
  EXPECT_FALSE(constant.ci.has_value());
  EXPECT_NE(constant.undefined, "");
  EXPECT_FALSE(cohen_dz(Values{0.3, 0.7, 0.9}, Values{0.2, 0.6, 0.8}).value.has_value());
  EXPECT_EQ(cohen_dz(Values{1}, Values{0}).undefined, "one pair has no spread");
  EXPECT_EQ(cohen_dz(Values{}, Values{}).undefined, "no pairs");
  EXPECT_FALSE(cohen_dz(Values{1, 2}, Values{0}).value.has_value());
  EXPECT_EQ(cohen_d(Values{1, kNan, 2}, Values{2, 3, 5}).missing.at("not_finite"), 1);
  EXPECT_FALSE(cohen_d(Values{1, 2}, Values{2, 3, 5}, 0).ci.has_value());
}

TEST(CohenD, FallsBackToLargeSamplesAndSaysSo) {
  // t is about 3000 here.
  Values a;
  Values b;
  for (int i = 0; i < 50; ++i) {
    a.push_back(1000 + i % 5);
    b.push_back(i % 5);
  }
  const Estimate d = cohen_d(a, b);
  EXPECT_EQ(d.method, "large_sample");
  EXPECT_LT(d.ci.value().low, d.value.value());
  EXPECT_FALSE(cohen_d(Values{1e308, -1e308, 1e308}, Values{-1e308, 1e308, 1}).ci.has_value());
}

// 8 of 10 against 3 of 9: (8·6)/(2·3) = 8; error sqrt(1/8+1/2+1/3+1/6) = 1.0606602.
TEST(OddsRatio, HasWoolfsInterval) {
  const Estimate odds = odds_ratio({8, 10}, {3, 9});
  EXPECT_NEAR(odds.value.value(), 8, 1e-12);
  EXPECT_NEAR(odds.ci.value().low, 8 * std::exp(-1.959964 * 1.0606602), 1e-5);
  EXPECT_NEAR(odds.ci.value().high, 8 * std::exp(1.959964 * 1.0606602), 1e-3);
  EXPECT_EQ(odds.method, "woolf");
}

TEST(OddsRatio, AddsAHalfToEachCellIfOneIsEmpty) {
  const Estimate odds = odds_ratio({10, 10}, {3, 9});
  EXPECT_NEAR(odds.value.value(), 10.5 * 6.5 / (0.5 * 3.5), 1e-12);
  EXPECT_EQ(odds.method, "woolf_half_added");
  EXPECT_TRUE(odds.ci.has_value());
}

TEST(OddsRatio, IsUndefinedWhenNothingVaries) {
  EXPECT_EQ(odds_ratio({5, 5}, {9, 9}).undefined, "every case of both groups had the same outcome");
  EXPECT_FALSE(odds_ratio({0, 5}, {0, 9}).value.has_value());
  EXPECT_FALSE(odds_ratio({0, 0}, {1, 9}).value.has_value());
  EXPECT_FALSE(odds_ratio({7, 5}, {1, 9}).value.has_value());
  EXPECT_TRUE(odds_ratio({5, 5}, {0, 9}).ci.has_value());
}

Values scores_of(const std::vector<int>& raw) {
  Values values;
  for (const int value : raw) values.push_back(std::abs(value % 9) / 2.0);
  return values;
}

void assert_mirrored(const Estimate& there, const Estimate& back, double sum) {
  RC_ASSERT(there.value.has_value() == back.value.has_value());
  RC_ASSERT(there.ci.has_value() == back.ci.has_value());
  if (there.value) RC_ASSERT(std::fabs(*there.value + *back.value - sum) < 1e-9);
  if (!there.ci) return;
  RC_ASSERT(std::fabs(there.ci->low + back.ci->high - sum) < 1e-7 * (1 + std::fabs(there.ci->low)));
  RC_ASSERT(there.ci->low < there.ci->high);
  RC_ASSERT(there.ci->low <= *there.value + 1e-12 && *there.value <= there.ci->high + 1e-12);
}

RC_GTEST_PROP(EffectSize, IsMirroredWhenTheGroupsAreExchanged,
              (const std::vector<int>& left, const std::vector<int>& right)) {
  const Values a = scores_of(left);
  const Values b = scores_of(right);
  assert_mirrored(cohen_d(a, b), cohen_d(b, a), 0);
  assert_mirrored(hedges_g(a, b), hedges_g(b, a), 0);
  assert_mirrored(cliffs_delta(a, b), cliffs_delta(b, a), 0);
  assert_mirrored(vargha_delaney(a, b), vargha_delaney(b, a), 1);
}

RC_GTEST_PROP(EffectSize, DoesNotDependOnScaleOrOrder,
              (const std::vector<int>& left, const std::vector<int>& right, unsigned seed)) {
  const Values a = scores_of(left);
  const Values b = scores_of(right);
  Values big_a = a;
  Values big_b = b;
  for (double& value : big_a) value = value * 4 - 8;
  for (double& value : big_b) value = value * 4 - 8;
  std::shuffle(big_a.begin(), big_a.end(), std::mt19937(seed));
  RC_ASSERT(cliffs_delta(a, b).value == cliffs_delta(big_a, big_b).value);
  const Estimate d = cohen_d(a, b);
  const Estimate scaled = cohen_d(big_a, big_b);
  RC_ASSERT(d.value.has_value() == scaled.value.has_value());
  if (d.value) RC_ASSERT(std::fabs(*d.value - *scaled.value) < 1e-9 * (1 + std::fabs(*d.value)));
}

RC_GTEST_PROP(CliffsDelta, CountsThePairs, (const std::vector<int>& left, const std::vector<int>& right)) {
  const Values a = scores_of(left);
  const Values b = scores_of(right);
  RC_PRE(!a.empty() && !b.empty());
  int score = 0;
  for (const double x : a) {
    for (const double y : b) score += (x > y) - (x < y);
  }
  const double delta = score / static_cast<double>(a.size() * b.size());
  RC_ASSERT(std::fabs(cliffs_delta(a, b).value.value() - delta) < 1e-12);
}

}  // namespace
}  // namespace assay
