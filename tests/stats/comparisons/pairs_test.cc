#include "stats/comparisons/pairs.h"

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
using Names = std::vector<std::string>;
const double kNan = std::nan("");

// Twelve cases under two systems, Miller 2024 (arXiv:2411.00640): A = 110110110111, B = 100110010101.
const Values kA = {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1};
const Values kB = {1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1};
// Depression scale factors of nine patients: Hollander, Wolfe, Nonparametric Statistical Methods, table 3.1.
const Values kBefore = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
const Values kAfter = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};

Values zeros(std::size_t n) {
  return Values(n, 0);
}

TEST(PairedT, HasThePublishedStandardError) {
  const Contrast contrast = paired_t(kA, kB);
  EXPECT_NEAR(contrast.difference.value.value(), 0.25, 1e-12);
  EXPECT_NEAR(0.25 / contrast.test.statistic.value(), 0.1305582, 5e-8);
  EXPECT_EQ(contrast.test.df, 11);
  EXPECT_EQ(contrast.difference.method, "paired_t");
}

// Clusters {1111},{0001},{1101},{0000},{1011} as differences from 0: clustered error with C/(C-1) 0.1837117.
TEST(PairedT, HonoursClusters) {
  const Values a = {1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1};
  Names clusters;
  for (const char name : {'a', 'b', 'c', 'd', 'e'}) clusters.insert(clusters.end(), 4, std::string(1, name));
  const Contrast contrast = paired_t(a, zeros(20), clusters);
  EXPECT_NEAR(0.55 / contrast.test.statistic.value(), 0.1837117, 5e-8);
  EXPECT_EQ(contrast.test.df, 4);
  EXPECT_EQ(contrast.test.method, "paired_t_clustered");
  // 97.5 % point of t with four degrees of freedom: 2.776445.
  EXPECT_NEAR(contrast.difference.ci.value().high - 0.55, 2.776445 * 0.1837117, 1e-6);
}

TEST(PairedT, IsUndefinedWithoutSpread) {
  EXPECT_EQ(paired_t(Values{}, Values{}).test.undefined, "no pairs");
  const Contrast one = paired_t(Values{0.7}, Values{0.5});
  EXPECT_NEAR(one.difference.value.value(), 0.2, 1e-12);
  EXPECT_FALSE(one.difference.ci.has_value());
  EXPECT_FALSE(one.test.p.has_value());
  EXPECT_NE(one.test.undefined, "");
  // Each difference is 0.1 but for rounding.
  const Contrast constant = paired_t(Values{0.3, 0.7, 0.9, 1.1}, Values{0.2, 0.6, 0.8, 1.0});
  EXPECT_FALSE(constant.test.p.has_value());
  EXPECT_FALSE(constant.difference.ci.has_value());
  EXPECT_NE(constant.difference.undefined, "");
  const Contrast cluster = paired_t(Values{1, 0, 1}, Values{0, 0, 1}, Names{"q", "q", "q"});
  EXPECT_TRUE(cluster.difference.value.has_value());
  EXPECT_FALSE(cluster.difference.ci.has_value());
  EXPECT_NE(cluster.test.undefined.find("one cluster"), std::string::npos);
}

TEST(Pairs, OfDifferentLengthAreUndefined) {
  EXPECT_FALSE(paired_t(Values{1, 2}, Values{1}).difference.value.has_value());
  EXPECT_FALSE(paired_t(Values{1, 2}, Values{1, 3}, Names{"q"}).difference.value.has_value());
  EXPECT_FALSE(wilcoxon_signed_rank(Values{1, 2}, Values{1}).difference.value.has_value());
  EXPECT_NE(wilcoxon_signed_rank(Values{1, 2}, Values{1}).test.undefined, "");
  EXPECT_NE(sign_flip(Values{1, 2}, Values{1}).undefined, "");
  EXPECT_NE(sign_flip(Values{1, 2}, Values{1, 3}, Names{"q"}).undefined, "");
}

TEST(Pairs, LeaveOutWhatIsNotANumber) {
  const Values a = {1, kNan, 3, 5, 7, std::numeric_limits<double>::infinity()};
  const Values b = {0, 1, 1, kNan, 2, std::numeric_limits<double>::infinity()};
  for (const Contrast& contrast :
       {paired_t(a, b), wilcoxon_signed_rank(a, b), paired_t(a, b, Names{"p", "p", "q", "q", "r", "r"})}) {
    EXPECT_EQ(contrast.difference.n, 3);
    EXPECT_EQ(contrast.difference.missing.at("not_finite"), 3);
    EXPECT_TRUE(contrast.test.p.has_value());
  }
  EXPECT_NEAR(sign_flip(a, b).p.value(), 0.25, 1e-12);
  EXPECT_EQ(sign_flip(Values{kNan}, Values{1}).undefined, "no pairs");
}

// V = 40, one-sided exact p = 0.01953125, estimate 0.46, 6th and 40th of 45 Walsh averages (0.010, 0.786),
// which enclose with 96.1 %.
TEST(Wilcoxon, GivesThePublishedValuesForTheDepressionData) {
  const Contrast contrast = wilcoxon_signed_rank(kBefore, kAfter, 0.95, Alternative::greater);
  EXPECT_EQ(contrast.test.statistic, 40);
  EXPECT_NEAR(contrast.test.p.value(), 0.01953125, 1e-12);
  EXPECT_EQ(contrast.test.method, "wilcoxon_exact");
  EXPECT_NEAR(wilcoxon_signed_rank(kBefore, kAfter).test.p.value(), 0.0390625, 1e-12);
  EXPECT_NEAR(contrast.difference.value.value(), 0.46, 1e-12);
  EXPECT_NEAR(contrast.difference.ci.value().low, 0.010, 1e-12);
  EXPECT_NEAR(contrast.difference.ci.value().high, 0.786, 1e-12);
  EXPECT_EQ(contrast.difference.method, "hodges_lehmann_exact");
}

TEST(Wilcoxon, TakesDifferencesThatOnlyRoundingTellsApartAsTies) {
  // 0.7 - 0.4 is 0.29999999999999993, 0.9 - 0.6 is 0.30000000000000004, and 0.1 + 0.2 is not 0.3.
  const Contrast contrast =
      wilcoxon_signed_rank(Values{0.7, 0.9, 0.1, 0.1 + 0.2}, Values{0.4, 0.6, 0.6, 0.3});
  EXPECT_EQ(contrast.test.method, "wilcoxon_normal");
  EXPECT_EQ(contrast.test.statistic, 3);  // ranks 1.5, 1.5 and, below 0, 3
}

TEST(Wilcoxon, NeedsADifference) {
  const Contrast same = wilcoxon_signed_rank(kA, kA);
  EXPECT_EQ(same.test.undefined, "no difference other than 0");
  EXPECT_EQ(same.difference.value, 0);
  EXPECT_FALSE(same.difference.ci.has_value());
  EXPECT_EQ(wilcoxon_signed_rank(Values{}, Values{}).test.undefined, "no pairs");
  const Contrast one = wilcoxon_signed_rank(Values{3}, Values{1});
  EXPECT_EQ(one.test.p, 1);
  EXPECT_EQ(one.difference.value, 2);
  EXPECT_FALSE(one.difference.ci.has_value());
  EXPECT_EQ(wilcoxon_signed_rank(Values{3, 5}, Values{1, 2}).test.p, 0.5);
}

TEST(HodgesLehmann, NeedsSixForNinetyFivePercent) {
  EXPECT_FALSE(hodges_lehmann(Values{1, 2, 3, 4, 5}).ci.has_value());
  EXPECT_NE(hodges_lehmann(Values{1, 2, 3, 4, 5}).undefined, "");
  const Estimate six = hodges_lehmann(Values{1, 2, 3, 4, 5, 6});
  EXPECT_DOUBLE_EQ(six.ci.value().low, 1);  // 1/64 in each tail: only the extremes enclose
  EXPECT_DOUBLE_EQ(six.ci.value().high, 6);
  EXPECT_DOUBLE_EQ(six.value.value(), 3.5);
  EXPECT_FALSE(hodges_lehmann(Values(30, 0.1)).ci.has_value());
  EXPECT_FALSE(hodges_lehmann(Values{}).value.has_value());
  EXPECT_EQ(hodges_lehmann(Values{1, 2, 3}, 2).undefined, "an interval's level must lie between 0 and 1");
}

// 60 differences: M = 1830, 915 - 1.959964·sqrt(60·61·121/24) = 648.76, so the 648th and the 1183rd.
TEST(HodgesLehmann, TakesNormalRanksForManyDifferences) {
  Values differences;
  for (int i = 1; i <= 60; ++i) differences.push_back(i * i);
  Values walsh;
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = i; j < 60; ++j) walsh.push_back((differences[i] + differences[j]) / 2);
  }
  std::ranges::sort(walsh);
  const Estimate estimate = hodges_lehmann(differences);
  EXPECT_EQ(estimate.method, "hodges_lehmann_normal");
  EXPECT_EQ(estimate.ci.value().low, walsh[647]);
  EXPECT_EQ(estimate.ci.value().high, walsh[1182]);
}

TEST(HodgesLehmann, TakesManyDifferencesWithoutWritingOutTheirAverages) {
  Values differences;
  for (int i = 0; i < 50'001; ++i) differences.push_back(i * 0.001);
  const Estimate estimate = hodges_lehmann(differences);
  EXPECT_NEAR(estimate.value.value(), 25, 1e-9);
  EXPECT_EQ(estimate.method, "hodges_lehmann_normal");
  EXPECT_NEAR(estimate.ci.value().low + estimate.ci.value().high, 50, 1e-3);
}

TEST(Pairs, AgreeWithR) {
  for (const Json& row : values_from_r("pairs").as_array()) {
    const Values a = numbers(row.at("a"));
    const Values b = numbers(row.at("b"));
    const Contrast t = paired_t(a, b);
    EXPECT_NEAR(t.test.statistic.value(), number(row.at("t").at("t")), 1e-9);
    EXPECT_NEAR(t.test.p.value(), number(row.at("t").at("p")), 1e-11);
    EXPECT_NEAR(t.difference.ci.value().low, number(row.at("t").at("ci").at(0)), 1e-10);
    Names clusters;
    for (const double cluster : numbers(row.at("cluster"))) clusters.push_back(std::to_string(cluster));
    const Contrast clustered = paired_t(a, b, clusters);
    const Json& expected = row.at("clustered");
    EXPECT_NEAR(clustered.difference.value.value() / clustered.test.statistic.value(),
                number(expected.at("se")), 1e-11);
    EXPECT_EQ(clustered.test.df, number(expected.at("df")));
    EXPECT_NEAR(clustered.test.p.value(), number(expected.at("p")), 1e-11);
    const Contrast ranks = wilcoxon_signed_rank(a, b);
    EXPECT_EQ(ranks.test.method, number(row.at("exact")) > 0 ? "wilcoxon_exact" : "wilcoxon_normal");
    EXPECT_NEAR(ranks.test.statistic.value(), number(row.at("v")), 1e-12);
    EXPECT_NEAR(ranks.test.p.value(), number(row.at("p")), 1e-11);
    EXPECT_NEAR(wilcoxon_signed_rank(a, b, 0.95, Alternative::less).test.p.value(), number(row.at("p_less")),
                1e-11);
    EXPECT_NEAR(ranks.difference.value.value(), number(row.at("centre")), 1e-12);
    if (has(row, "centre_ci")) {
      EXPECT_NEAR(ranks.difference.ci.value().low, number(row.at("centre_ci").at(0)), 1e-12);
      EXPECT_NEAR(ranks.difference.ci.value().high, number(row.at("centre_ci").at(1)), 1e-12);
    }
    if (has(row, "flip")) EXPECT_NEAR(sign_flip(a, b).p.value(), number(row.at("flip")), 1e-12);
  }
}

TEST(SignFlip, CountsAllPatternsOfFewPairs) {
  // Three differences of 1, nine of 0: only +++ and --- of the eight patterns are as extreme.
  const TestResult result = sign_flip(kA, kB);
  EXPECT_NEAR(result.p.value(), 0.25, 1e-12);
  EXPECT_NEAR(result.statistic.value(), 0.25, 1e-12);
  EXPECT_EQ(result.method, "sign_flip_exact");
  EXPECT_NEAR(sign_flip(kA, kB, {}, Alternative::greater).p.value(), 0.125, 1e-12);
  EXPECT_NEAR(sign_flip(kA, kB, {}, Alternative::less).p.value(), 1, 1e-12);
  EXPECT_EQ(sign_flip(kA, kA).p, 1);
  EXPECT_EQ(sign_flip(Values{2}, Values{1}).p, 1);
  EXPECT_EQ(sign_flip(Values{}, Values{}).undefined, "no pairs");
}

TEST(SignFlip, IsExactAtTwentyPairsAndDrawnBeyond) {
  Values a;
  for (int i = 1; i <= 20; ++i) a.push_back(i);
  EXPECT_NEAR(sign_flip(a, zeros(20)).p.value(), std::ldexp(1.0, -19), 1e-15);
  a.push_back(21);
  const TestResult drawn = sign_flip(a, zeros(21));
  EXPECT_EQ(drawn.method, "sign_flip_monte_carlo");
  EXPECT_NEAR(drawn.p.value(), 1.0 / 20'001, 1e-15);  // never 0
}

TEST(SignFlip, DrawsComeNearTheExactProbability) {
  // 24 differences, eight below 0, all of size 1: P(|S| >= 8) = 2·P(Bin(24, ½) >= 16) = 0.15158963.
  Values a(24, 1);
  std::fill(a.begin(), a.begin() + 8, -1);
  const TestResult result = sign_flip(a, zeros(24), {.draws = 40'000});
  EXPECT_NEAR(result.p.value(), 0.15158963, 4 * std::sqrt(0.1516 * 0.8484 / 40'000));
  EXPECT_EQ(result.p, sign_flip(a, zeros(24), {.draws = 40'000}).p);
  std::reverse(a.begin(), a.end());
  EXPECT_EQ(result.p, sign_flip(a, zeros(24), {.draws = 40'000}).p);
  EXPECT_NE(result.p, sign_flip(a, zeros(24), {.draws = 40'000, .random = Random::keyed("other")}).p);
  EXPECT_NE(sign_flip(a, zeros(24), {.draws = 0}).undefined, "");
}

TEST(SignFlip, FlipsClustersTogether) {
  // Sums 3, 2 and -1: |±3 ±2 ±1| >= 4 in (3,2,±1) and their opposites, 4 of 8.
  const Values a = {1, 1, 1, 2, -3, 2};
  const TestResult result = sign_flip(a, zeros(6), Names{"p", "p", "p", "q", "r", "r"});
  EXPECT_NEAR(result.p.value(), 0.5, 1e-12);
  EXPECT_EQ(sign_flip(a, zeros(6), Names(6, "one")).p, 1);
}

// Agresti's approval ratings, 150 against 86: χ² 17.3559, corrected 16.8178, exact 3.7159e-5,
// mid-p 2.8934e-5.
TEST(McNemar, GivesThePublishedValuesForTheApprovalRatings) {
  const McNemar result = mcnemar(150, 86);
  EXPECT_NEAR(result.chi_squared.statistic.value(), 17.3559, 5e-5);
  EXPECT_NEAR(result.corrected.statistic.value(), 16.8178, 5e-5);
  EXPECT_NEAR(result.exact.p.value(), 3.7159e-5, 5e-10);
  EXPECT_NEAR(result.mid_p.p.value(), 2.8934e-5, 5e-10);
  EXPECT_EQ(mcnemar(3, 0).exact.p, 0.25);
}

TEST(McNemar, AgreesWithR) {
  for (const Json& row : values_from_r("mcnemar").as_array()) {
    const Values counts = numbers(row.at("counts"));
    const McNemar result =
        mcnemar(static_cast<std::int64_t>(counts[0]), static_cast<std::int64_t>(counts[1]));
    EXPECT_NEAR(result.exact.p.value(), number(row.at("exact")), 1e-12);
    EXPECT_NEAR(result.mid_p.p.value(), number(row.at("mid")), 1e-12);
    EXPECT_NEAR(result.chi_squared.statistic.value(), number(row.at("chi")), 1e-12);
    EXPECT_NEAR(result.chi_squared.p.value(), number(row.at("chi_p")), 1e-12);
    EXPECT_NEAR(result.corrected.statistic.value(), number(row.at("corrected")), 1e-12);
    EXPECT_NEAR(result.corrected.p.value(), number(row.at("corrected_p")), 1e-12);
  }
}

TEST(McNemar, WithoutDisagreementShowsNothing) {
  const McNemar none = mcnemar(0, 0);
  EXPECT_EQ(none.exact.p, 1);
  EXPECT_EQ(none.mid_p.p, 1);
  EXPECT_FALSE(none.chi_squared.p.has_value());
  EXPECT_NE(none.corrected.undefined, "");
  EXPECT_FALSE(mcnemar(-1, 3).exact.p.has_value());
  EXPECT_NE(mcnemar(-1, 3).exact.undefined, "");
}

struct Rows {
  Values a;
  Values b;
  Names clusters;
};

Rows rows_of(const std::vector<std::pair<int, int>>& raw) {
  Rows rows;
  for (const auto& [x, y] : raw) {
    rows.a.push_back(std::abs(x % 11) / 10.0);
    rows.b.push_back(std::abs(y % 11) / 10.0);
    rows.clusters.push_back(std::to_string(std::abs(x % 97) % 5));
  }
  return rows;
}

RC_GTEST_PROP(Pairs, DoNotDependOnTheOrderOfRows, (std::vector<std::pair<int, int>> raw, unsigned seed)) {
  const Rows one = rows_of(raw);
  std::shuffle(raw.begin(), raw.end(), std::mt19937(seed));
  const Rows other = rows_of(raw);
  RC_ASSERT(paired_t(one.a, one.b).test.p == paired_t(other.a, other.b).test.p);
  RC_ASSERT(paired_t(one.a, one.b, one.clusters).test.p == paired_t(other.a, other.b, other.clusters).test.p);
  RC_ASSERT(wilcoxon_signed_rank(one.a, one.b).test.p == wilcoxon_signed_rank(other.a, other.b).test.p);
  RC_ASSERT(sign_flip(one.a, one.b, {.draws = 200}).p == sign_flip(other.a, other.b, {.draws = 200}).p);
  RC_ASSERT(sign_flip(one.a, one.b, one.clusters).p == sign_flip(other.a, other.b, other.clusters).p);
}

RC_GTEST_PROP(Pairs, TurnSignsWhenTheyAreExchanged, (const std::vector<std::pair<int, int>>& raw)) {
  const Rows rows = rows_of(raw);
  const Contrast there = wilcoxon_signed_rank(rows.a, rows.b);
  const Contrast back = wilcoxon_signed_rank(rows.b, rows.a);
  RC_ASSERT(there.test.p.has_value() == back.test.p.has_value());
  if (there.test.p) RC_ASSERT(std::fabs(*there.test.p - *back.test.p) < 1e-12);
  if (there.difference.value) RC_ASSERT(std::fabs(*there.difference.value + *back.difference.value) < 1e-12);
  RC_ASSERT(there.difference.ci.has_value() == back.difference.ci.has_value());
  if (there.difference.ci) {
    RC_ASSERT(std::fabs(there.difference.ci->low + back.difference.ci->high) < 1e-12);
  }
  RC_ASSERT(sign_flip(rows.a, rows.b, {.draws = 50}).p.has_value() == !raw.empty());
}

RC_GTEST_PROP(HodgesLehmann, IsTheMedianOfAllWalshAverages, (const std::vector<int>& raw)) {
  RC_PRE(!raw.empty());
  Values values;
  for (const int value : raw) values.push_back(value % 1000 / 8.0);
  Values walsh;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) walsh.push_back((values[i] + values[j]) / 2);
  }
  std::ranges::sort(walsh);
  const double middle = (walsh[(walsh.size() - 1) / 2] + walsh[walsh.size() / 2]) / 2;
  RC_ASSERT(hodges_lehmann(values).value == middle);
}

RC_GTEST_PROP(McNemar, OfBothOrdersIsTheSame, (unsigned b, unsigned c)) {
  const McNemar there = mcnemar(b % 500, c % 500);
  const McNemar back = mcnemar(c % 500, b % 500);
  RC_ASSERT(there.exact.p == back.exact.p);
  RC_ASSERT(there.mid_p.p == back.mid_p.p);
  RC_ASSERT(there.mid_p.p <= there.exact.p);
}

}  // namespace
}  // namespace assay
