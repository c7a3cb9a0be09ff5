#include "stats/comparisons/two_groups.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats/comparisons/ranks.h"
#include "tests/stats/reference/tests_json.h"

namespace assay {
namespace {

using Values = std::vector<double>;
const double kNan = std::nan("");
const double kInfinity = std::numeric_limits<double>::infinity();

// Permeability of the human placenta: Hollander, Wolfe, Nonparametric Statistical Methods, table 4.1.
const Values kTerm = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
const Values kEarly = {1.15, 0.88, 0.90, 0.74, 1.21};
// The tied data of effsize's unit test.
const Values kTreated = {10, 10, 20, 20, 20, 30, 30, 30, 40, 50};
const Values kControl = {10, 20, 30, 40, 40, 50};

// {19,22,16,29,24} against {20,11,17,12}: SciPy's documentation of mannwhitneyu; U = 17, p = 1/9.
TEST(MannWhitney, IsExactForFewValuesWithoutTies) {
  const Contrast contrast = mann_whitney(Values{19, 22, 16, 29, 24}, Values{20, 11, 17, 12});
  EXPECT_EQ(contrast.test.statistic, 17);
  EXPECT_NEAR(contrast.test.p.value(), 0.1111111111, 1e-10);
  EXPECT_EQ(contrast.test.method, "mann_whitney_exact");
}

TEST(MannWhitney, GivesThePublishedValuesForPermeability) {
  const Contrast contrast = mann_whitney(kTerm, kEarly);
  EXPECT_EQ(contrast.test.statistic, 35);
  EXPECT_NEAR(contrast.test.p.value(), 0.254412, 5e-7);
  EXPECT_NEAR(mann_whitney(kTerm, kEarly, 0.95, Alternative::greater).test.p.value(), 0.127206, 5e-7);
  EXPECT_NEAR(contrast.difference.value.value(), 0.305, 1e-12);
  EXPECT_EQ(contrast.difference.method, "hodges_lehmann_exact");
}

// Exact mid-rank permutation p 0.451673, U 22.5, shift -10; recomputed in shared reference/statistics.md.
TEST(MannWhitney, PermutesMidRanksWhenFewValuesAreTied) {
  const Contrast contrast = mann_whitney(kTreated, kControl);
  EXPECT_EQ(contrast.test.statistic, 22.5);
  EXPECT_NEAR(contrast.test.p.value(), 0.451673, 5e-7);
  EXPECT_EQ(contrast.test.method, "mann_whitney_exact_permutation");
  EXPECT_DOUBLE_EQ(contrast.difference.value.value(), -10);
}

// The same data twice over have N = 32. Their tie sum is Σ((2t)³-2t) for t = 3, 4, 4, 3, 2 in all, so with
// n_a = 20, n_b = 12 the variance is 20·12/12·(33 - (210+504+504+210+60)/(32·31)) = 630; U = 4·22.5 = 90.
TEST(MannWhitney, CorrectsTheNormalApproximationForTiesAndContinuity) {
  Values a = kTreated;
  Values b = kControl;
  a.insert(a.end(), kTreated.begin(), kTreated.end());
  b.insert(b.end(), kControl.begin(), kControl.end());
  const Contrast contrast = mann_whitney(a, b);
  EXPECT_EQ(contrast.test.statistic, 90);
  EXPECT_EQ(contrast.test.method, "mann_whitney_normal");
  EXPECT_NEAR(contrast.test.p.value(), std::erfc((30 - 0.5) / std::sqrt(630.0) / std::sqrt(2.0)), 1e-12);
}

// shared/reference/statistics.md, 4.3: SciPy's data with continuity 0.111347; the tied data have the variance
// 10·6/12·(17 - (24+60+60+24+6)/240) = 81.375, so p is 0.437759 with continuity and 0.405741 without.
TEST(MannWhitney, GivesThePublishedNormalApproximations) {
  const TestResult untied = mann_whitney_normal(Values{19, 22, 16, 29, 24}, Values{20, 11, 17, 12});
  EXPECT_EQ(untied.statistic, 17);
  EXPECT_NEAR(untied.p.value(), 0.111347, 5e-7);
  EXPECT_EQ(untied.method, "mann_whitney_normal");
  const TestResult tied = mann_whitney_normal(kTreated, kControl);
  EXPECT_EQ(tied.statistic, 22.5);
  EXPECT_NEAR(tied.p.value(), 0.437759, 5e-7);
  EXPECT_NEAR(tied.p.value(), std::erfc(7 / std::sqrt(2 * 81.375)), 1e-12);
  const TestResult uncorrected =
      mann_whitney_normal(kTreated, kControl, Alternative::two_sided, Continuity::none);
  EXPECT_NEAR(uncorrected.p.value(), 0.405741, 5e-7);
  EXPECT_EQ(uncorrected.method, "mann_whitney_normal_uncorrected");
}

TEST(MannWhitney, HasANormalApproximationForFewValuesToo) {
  EXPECT_EQ(mann_whitney_normal(Values{}, Values{1}).undefined, "a group has no observations");
  EXPECT_EQ(mann_whitney_normal(Values{kNan}, Values{1}).undefined, "a group has no observations");
  EXPECT_EQ(mann_whitney_normal(Values{2, 2}, Values{2}).undefined,
            "all observations are equal: U has no variance");
  EXPECT_EQ(mann_whitney_normal(Values{1}, Values{2}).p, 1);  // ½ from the middle, which continuity takes
  // The sides mirror each other, and the exact test takes over nothing from here.
  const auto p = [](Alternative side, const Values& a, const Values& b) {
    return mann_whitney_normal(a, b, side, Continuity::half).p.value();
  };
  EXPECT_NEAR(p(Alternative::less, kTreated, kControl), p(Alternative::greater, kControl, kTreated), 1e-12);
  EXPECT_LT(p(Alternative::less, kTreated, kControl), 0.5);
  EXPECT_EQ(mann_whitney(kTreated, kControl).test.method, "mann_whitney_exact_permutation");
}

TEST(MannWhitney, SaysOneWhenAllValuesAreEqual) {
  for (const std::size_t n : {std::size_t{3}, std::size_t{40}}) {
    const Contrast contrast = mann_whitney(Values(n, 2), Values(n, 2));
    EXPECT_EQ(contrast.test.p, 1);
    EXPECT_EQ(contrast.difference.value, 0);
    EXPECT_FALSE(contrast.difference.ci.has_value());
    EXPECT_NE(contrast.difference.undefined, "");
  }
}

TEST(MannWhitney, FindsSeparatedGroups) {
  const Contrast contrast = mann_whitney(Values{5, 6, 7, 8}, Values{1, 2, 3, 4});
  EXPECT_EQ(contrast.test.statistic, 16);
  EXPECT_NEAR(contrast.test.p.value(), 2.0 / 70, 1e-12);
}

TEST(MannWhitney, HasNoIntervalFromTooFewValues) {
  const Contrast contrast = mann_whitney(Values{5, 6}, Values{1, 2});
  EXPECT_DOUBLE_EQ(contrast.difference.value.value(), 4);
  EXPECT_FALSE(contrast.difference.ci.has_value());
  EXPECT_NE(contrast.difference.undefined.find("too few"), std::string::npos);
  EXPECT_NEAR(contrast.test.p.value(), 2.0 / 6, 1e-12);
}

// 60 against 10 values: 300 - 1.959964·sqrt(600·71/12) = 183.22, so the 183rd and the 418th difference.
TEST(MannWhitney, TakesNormalRanksForTheShiftOfManyValues) {
  Values a;
  Values b;
  Values differences;
  for (int i = 1; i <= 60; ++i) a.push_back(i * i);
  for (int i = 1; i <= 10; ++i) b.push_back(20 * i + 0.5);
  for (const double x : a) {
    for (const double y : b) differences.push_back(x - y);
  }
  std::ranges::sort(differences);
  const Contrast contrast = mann_whitney(a, b);
  EXPECT_EQ(contrast.difference.method, "hodges_lehmann_normal");
  EXPECT_EQ(contrast.difference.ci.value().low, differences[182]);
  EXPECT_EQ(contrast.difference.ci.value().high, differences[417]);
}

TEST(MannWhitney, TakesManyValuesWithoutWritingOutTheirDifferences) {
  Values a;
  Values b;
  for (int i = 0; i < 30'000; ++i) {
    a.push_back(i % 1000 + 0.5);
    b.push_back(i % 1000);
  }
  const Contrast contrast = mann_whitney(a, b);
  EXPECT_DOUBLE_EQ(contrast.difference.value.value(), 0.5);
  EXPECT_TRUE(contrast.difference.ci.has_value());
}

TEST(TwoGroups, AgreeWithR) {
  for (const Json& row : values_from_r("groups").as_array()) {
    const Values a = numbers(row.at("a"));
    const Values b = numbers(row.at("b"));
    if (has(row, "student")) {
      for (const auto& [key, contrast] : {std::pair<std::string, Contrast>{"student", student_t(a, b)},
                                          std::pair<std::string, Contrast>{"welch", welch_t(a, b)}}) {
        const Json& expected = row.at(key);
        EXPECT_NEAR(contrast.test.statistic.value(), number(expected.at("t")), 1e-10);
        EXPECT_NEAR(contrast.test.df.value(), number(expected.at("df")), 1e-9);
        EXPECT_NEAR(contrast.test.p.value(), number(expected.at("p")), 1e-11);
        EXPECT_NEAR(contrast.difference.ci.value().low, number(expected.at("ci").at(0)), 1e-9);
        EXPECT_NEAR(contrast.difference.ci.value().high, number(expected.at("ci").at(1)), 1e-9);
      }
      EXPECT_NEAR(welch_t(a, b, 0.95, Alternative::less).test.p.value(), number(row.at("welch_less")), 1e-11);
    }
    const Contrast ranks = mann_whitney(a, b);
    EXPECT_NEAR(ranks.test.statistic.value(), number(row.at("u")), 1e-12);
    EXPECT_NEAR(ranks.difference.value.value(), number(row.at("shift")), 1e-12);
    if (has(row, "shift_ci")) {
      EXPECT_NEAR(ranks.difference.ci.value().low, number(row.at("shift_ci").at(0)), 1e-12);
      EXPECT_NEAR(ranks.difference.ci.value().high, number(row.at("shift_ci").at(1)), 1e-12);
    }
    if (ranks.test.method == "mann_whitney_exact_permutation") {
      if (has(row, "permutation")) EXPECT_NEAR(ranks.test.p.value(), number(row.at("permutation")), 1e-12);
    } else {
      EXPECT_NEAR(ranks.test.p.value(), number(row.at("p")), 1e-11);
      EXPECT_NEAR(mann_whitney(a, b, 0.95, Alternative::greater).test.p.value(), number(row.at("p_greater")),
                  1e-11);
    }
  }
}

// Unpaired standard error 0.1994310 of A = 110110110111 against B = 100110010101 (Miller 2024).
TEST(WelchT, HasTheStandardErrorOfUnpairedMeans) {
  const Values a = {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1};
  const Values b = {1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1};
  const Contrast contrast = welch_t(a, b);
  EXPECT_NEAR(contrast.difference.value.value(), 0.25, 1e-12);
  EXPECT_NEAR(0.25 / contrast.test.statistic.value(), 0.1994310, 5e-8);
}

TEST(WelchT, IsUndefinedWithoutSpread) {
  EXPECT_EQ(welch_t(Values{}, Values{1, 2}).test.undefined, "a group has no observations");
  const Contrast single = welch_t(Values{3}, Values{1, 2});
  EXPECT_FALSE(single.test.p.has_value());
  EXPECT_DOUBLE_EQ(single.difference.value.value(), 1.5);
  EXPECT_FALSE(single.difference.ci.has_value());
  EXPECT_NE(single.difference.undefined, "");
  const Contrast constant = welch_t(Values(5, 0.1), Values(7, 0.3));
  EXPECT_FALSE(constant.test.p.has_value());
  EXPECT_FALSE(constant.difference.ci.has_value());
  EXPECT_NEAR(constant.difference.value.value(), -0.2, 1e-12);
  EXPECT_TRUE(student_t(Values{3}, Values{1, 2}).test.p.has_value());
  EXPECT_FALSE(student_t(Values{3}, Values{1}).test.p.has_value());
  EXPECT_FALSE(student_t(Values(5, 0.1), Values(7, 0.3)).difference.ci.has_value());
}

TEST(TwoGroups, LeaveOutWhatIsNotANumber) {
  const Values a = {1, kNan, 2, 4};
  const Values b = {3, 5, kInfinity, 9, -kInfinity};
  for (const Contrast& contrast : {welch_t(a, b), student_t(a, b), mann_whitney(a, b)}) {
    EXPECT_EQ(contrast.difference.n, 6);
    EXPECT_EQ(contrast.difference.missing.at("not_finite"), 3);
    EXPECT_TRUE(contrast.test.p.has_value());
  }
  EXPECT_EQ(mann_whitney(Values{kNan}, b).test.undefined, "a group has no observations");
}

TEST(TwoGroups, SayWhenValuesAreTooLarge) {
  const Values a = {1e308, -1e308, 1.5e308};
  const Values b = {-1.7e308, -1.6e308, 1e308};
  for (const Contrast& contrast : {welch_t(a, b), student_t(a, b)}) {
    EXPECT_FALSE(contrast.test.p.has_value());
    EXPECT_NE(contrast.test.undefined, "");
    EXPECT_FALSE(contrast.difference.ci.has_value());
  }
  EXPECT_TRUE(mann_whitney(a, b).test.p.has_value());  // ranks do not mind
}

TEST(TwoGroups, RefuseALevelThatIsNone) {
  for (const double level : {0.0, 1.0, 2.0, kNan}) {
    for (const Contrast& contrast : {welch_t(kTerm, kEarly, level), mann_whitney(kTerm, kEarly, level)}) {
      EXPECT_TRUE(contrast.test.p.has_value());
      EXPECT_FALSE(contrast.difference.ci.has_value());
      EXPECT_EQ(contrast.difference.undefined, "an interval's level must lie between 0 and 1");
    }
  }
}

TEST(ClusteredT, EqualsThePairedOneWhenEveryClusterIsAPair) {
  // With one value of each group in every cluster the influences are those of the differences:
  // paired standard error 0.1305582 (Miller 2024), and C/(C-1) makes it the usual one with n - 1.
  const Values a = {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1};
  const Values b = {1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1};
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) names.push_back(std::to_string(i));
  const Contrast contrast = clustered_t(a, names, b, names);
  EXPECT_NEAR(0.25 / contrast.test.statistic.value(), 0.1305582, 5e-8);
  EXPECT_EQ(contrast.test.df, 11);
  EXPECT_EQ(contrast.test.method, "t_clustered");
}

TEST(ClusteredT, NeedsTwoClustersInEachGroup) {
  const std::vector<std::string> one = {"q", "q", "q"};
  const std::vector<std::string> two = {"p", "r", "r"};
  const Contrast contrast = clustered_t(Values{1, 0, 1}, one, Values{1, 0, 0}, two);
  EXPECT_FALSE(contrast.test.p.has_value());
  EXPECT_FALSE(contrast.difference.ci.has_value());
  EXPECT_TRUE(contrast.difference.value.has_value());
  EXPECT_FALSE(clustered_t(Values{1, 0, 1}, one, Values{1}, two).difference.value.has_value());
  EXPECT_FALSE(clustered_t(Values{}, {}, Values{1, 0, 0}, two).difference.value.has_value());
  EXPECT_TRUE(clustered_t(Values{1, 0, 1}, two, Values{1, 0, 0}, two).test.p.has_value());
}

TEST(Ranks, ShareTheMeanAmongTies) {
  EXPECT_EQ(mid_ranks(Values{3, 1, 3, 2}), (Values{3.5, 1, 3.5, 2}));
  EXPECT_EQ(tie_sum(Values{3, 1, 3, 2, 2, 2}), 6 + 24);
  EXPECT_TRUE(mid_ranks(Values{}).empty());
}

RC_GTEST_PROP(Ranks, FindTheKthAmongValuesThatAreOnlyCounted, (std::vector<double> values, unsigned at)) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  RC_PRE(!values.empty());
  const std::size_t k = at % values.size();
  const double found = kth_smallest(
      [&](double x) { return std::ranges::count_if(values, [x](double value) { return value <= x; }); },
      static_cast<std::int64_t>(k) + 1);
  std::ranges::sort(values);
  RC_ASSERT(found == values[k]);
}

Values scores_of(const std::vector<int>& raw) {
  Values values;
  for (const int value : raw) values.push_back(std::abs(value % 12) / 4.0);
  return values;
}

RC_GTEST_PROP(TwoGroups, DoNotDependOnTheOrderOfRows,
              (const std::vector<int>& left, const std::vector<int>& right, unsigned seed)) {
  const Values a = scores_of(left);
  const Values b = scores_of(right);
  Values shuffled = a;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed));
  RC_ASSERT(welch_t(a, b).test.p == welch_t(shuffled, b).test.p);
  RC_ASSERT(student_t(a, b).test.p == student_t(shuffled, b).test.p);
  RC_ASSERT(mann_whitney(a, b).test.p == mann_whitney(shuffled, b).test.p);
}

RC_GTEST_PROP(TwoGroups, TurnSignsWhenTheyAreExchanged,
              (const std::vector<int>& left, const std::vector<int>& right)) {
  const Values a = scores_of(left);
  const Values b = scores_of(right);
  const Contrast there = mann_whitney(a, b);
  const Contrast back = mann_whitney(b, a);
  RC_ASSERT(there.test.p.has_value() == back.test.p.has_value());
  if (!there.test.p) return;
  RC_ASSERT(std::fabs(*there.test.p - *back.test.p) < 1e-12);
  RC_ASSERT(*there.test.statistic + *back.test.statistic == static_cast<double>(a.size() * b.size()));
  RC_ASSERT(*there.difference.value == -*back.difference.value);
  RC_ASSERT(there.difference.ci.has_value() == back.difference.ci.has_value());
  if (there.difference.ci) RC_ASSERT(there.difference.ci->low == -back.difference.ci->high);
  const Contrast means = welch_t(a, b);
  const Contrast means_back = welch_t(b, a);
  RC_ASSERT(means.test.p.has_value() == means_back.test.p.has_value());
  if (means.test.p) RC_ASSERT(std::fabs(*means.test.p - *means_back.test.p) < 1e-12);
}

RC_GTEST_PROP(TwoGroups, DoNotDependOnTheScale,
              (const std::vector<int>& left, const std::vector<int>& right)) {
  const Values a = scores_of(left);
  const Values b = scores_of(right);
  Values big_a = a;
  Values big_b = b;
  for (double& value : big_a) value = value * 8 + 16;
  for (double& value : big_b) value = value * 8 + 16;
  RC_ASSERT(mann_whitney(a, b).test.p == mann_whitney(big_a, big_b).test.p);
  const auto p = welch_t(a, b).test.p;
  const auto scaled = welch_t(big_a, big_b).test.p;
  RC_ASSERT(p.has_value() == scaled.has_value());
  if (p) RC_ASSERT(std::fabs(*p - *scaled) < 1e-9);
}

RC_GTEST_PROP(MannWhitney, CountsRelabellingsAsANaiveEnumerationDoes,
              (const std::vector<int>& left, const std::vector<int>& right)) {
  Values a = scores_of(left);
  Values b = scores_of(right);
  a.resize(std::min<std::size_t>(a.size(), 5));
  b.resize(std::min<std::size_t>(b.size(), 5));
  RC_PRE(!a.empty() && !b.empty());
  Values all = a;
  all.insert(all.end(), b.begin(), b.end());
  const Values ranks = mid_ranks(all);
  const double mean = static_cast<double>(a.size() * (all.size() + 1)) / 2;
  double seen = 0;
  for (std::size_t i = 0; i < a.size(); ++i) seen += ranks[i];
  int total = 0;
  int extreme = 0;
  for (unsigned mask = 0; mask < 1u << all.size(); ++mask) {
    if (static_cast<std::size_t>(std::popcount(mask)) != a.size()) continue;
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) sum += mask >> i & 1 ? ranks[i] : 0;
    ++total;
    extreme += std::fabs(sum - mean) >= std::fabs(seen - mean) ? 1 : 0;
  }
  RC_ASSERT(std::fabs(mann_whitney(a, b).test.p.value() - static_cast<double>(extreme) / total) < 1e-12);
}

}  // namespace
}  // namespace assay
