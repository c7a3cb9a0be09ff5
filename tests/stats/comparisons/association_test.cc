#include "stats/comparisons/association.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats/comparisons/two_groups.h"
#include "tests/stats/reference/tests_json.h"

namespace assay {
namespace {

using Values = std::vector<double>;
const double kNan = std::nan("");

// Efron's law schools: r = 0.776374491, Fisher's z at 90 % (0.508978, 0.907118).
const Values kLsat = {576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594};
const Values kGpa = {3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43,
                     3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96};

TEST(Pearson, GivesThePublishedValuesForTheLawSchools) {
  const Association result = pearson(kLsat, kGpa, 0.9);
  EXPECT_NEAR(result.coefficient.value.value(), 0.776374491, 5e-10);
  EXPECT_NEAR(result.coefficient.ci.value().low, 0.508978, 5e-7);
  EXPECT_NEAR(result.coefficient.ci.value().high, 0.907118, 5e-7);
  EXPECT_EQ(result.coefficient.method, "fisher_z");
}

// A = 110110110111, B = 100110010101 (Miller 2024): 0.5773503. With 0 and 1, Pearson is phi.
TEST(Phi, IsPearsonOfZeroAndOne) {
  const Values a = {1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1};
  const Values b = {1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1};
  EXPECT_NEAR(pearson(a, b).coefficient.value.value(), 0.5773503, 5e-8);
  EXPECT_NEAR(phi(a, b).coefficient.value.value(), 0.5773503, 5e-8);
  EXPECT_NEAR(phi(a, b).test.statistic.value(), 12.0 / 3, 1e-12);
}

TEST(Association, AgreesWithR) {
  for (const Json& row : values_from_r("associations").as_array()) {
    const Values x = numbers(row.at("x"));
    const Values y = numbers(row.at("y"));
    const Association linear = pearson(x, y);
    EXPECT_NEAR(linear.coefficient.value.value(), number(row.at("pearson")), 1e-12);
    EXPECT_NEAR(linear.coefficient.ci.value().low, number(row.at("pearson_ci").at(0)), 1e-11);
    EXPECT_NEAR(linear.coefficient.ci.value().high, number(row.at("pearson_ci").at(1)), 1e-11);
    EXPECT_NEAR(linear.test.statistic.value(), number(row.at("pearson_t")), 1e-10);
    EXPECT_NEAR(linear.test.p.value(), number(row.at("pearson_p")), 1e-11);
    const Association monotone = spearman(x, y);
    EXPECT_NEAR(monotone.coefficient.value.value(), number(row.at("spearman")), 1e-12);
    if (has(row, "spearman_p")) EXPECT_NEAR(monotone.test.p.value(), number(row.at("spearman_p")), 1e-10);
    const Association ordinal = kendall_tau_b(x, y);
    EXPECT_NEAR(ordinal.coefficient.value.value(), number(row.at("kendall")), 1e-12);
    EXPECT_NEAR(ordinal.test.statistic.value(), number(row.at("kendall_statistic")), 1e-10);
    EXPECT_NEAR(ordinal.test.p.value(), number(row.at("kendall_p")), 1e-11);
  }
  for (const Json& row : values_from_r("phis").as_array()) {
    const Values cells = numbers(row.at("cells"));
    const Association result =
        phi({static_cast<std::int64_t>(cells[0]), static_cast<std::int64_t>(cells[1]),
             static_cast<std::int64_t>(cells[2]), static_cast<std::int64_t>(cells[3])});
    EXPECT_NEAR(result.coefficient.value.value(), number(row.at("phi")), 1e-12);
    EXPECT_NEAR(result.test.statistic.value(), number(row.at("statistic")), 1e-10);
    EXPECT_NEAR(result.test.p.value(), number(row.at("p")), 1e-12);
    // The script takes the gradient by differences.
    EXPECT_NEAR(result.coefficient.ci.value().low, number(row.at("ci").at(0)), 1e-7);
    EXPECT_NEAR(result.coefficient.ci.value().high, number(row.at("ci").at(1)), 1e-7);
  }
}

// By hand for the law schools: tanh(atanh r ± 1.959964·sqrt(variance)).
TEST(Association, OfRanksWidensFishersInterval) {
  const Association monotone = spearman(kLsat, kGpa);
  const double rho = monotone.coefficient.value.value();
  const double half = 1.959963985 * std::sqrt((1 + rho * rho / 2) / 12);
  EXPECT_NEAR(monotone.coefficient.ci.value().low, std::tanh(std::atanh(rho) - half), 1e-9);
  EXPECT_NEAR(monotone.coefficient.ci.value().high, std::tanh(std::atanh(rho) + half), 1e-9);
  EXPECT_EQ(monotone.coefficient.method, "fisher_z_bonett_wright");
  const Association ordinal = kendall_tau_b(kLsat, kGpa);
  const double tau = ordinal.coefficient.value.value();
  const double reach = 1.959963985 * std::sqrt(0.437 / 11);
  EXPECT_NEAR(ordinal.coefficient.ci.value().low, std::tanh(std::atanh(tau) - reach), 1e-9);
  EXPECT_NEAR(ordinal.coefficient.ci.value().high, std::tanh(std::atanh(tau) + reach), 1e-9);
  EXPECT_EQ(ordinal.coefficient.method, "fisher_z_fieller");
}

TEST(Spearman, CountsAllOrdersOfTiedRanks) {
  // y has the distinct orders 112, 121, 211; ρ is sqrt(3)/2, 0 and -sqrt(3)/2: two of three are as extreme.
  const Association result = spearman(Values{1, 2, 3}, Values{1, 1, 2});
  EXPECT_NEAR(result.coefficient.value.value(), std::sqrt(3.0) / 2, 1e-12);
  EXPECT_NEAR(result.test.p.value(), 2.0 / 3, 1e-12);
  EXPECT_EQ(result.test.method, "spearman_exact_permutation");
}

TEST(Spearman, OfPerfectAgreementHasAnExactTestAndNoInterval) {
  Values x;
  for (int i = 0; i < 12; ++i) x.push_back(i * i);
  Values y = x;
  const Association up = spearman(x, y);
  EXPECT_EQ(up.coefficient.value, 1);
  EXPECT_FALSE(up.coefficient.ci.has_value());
  EXPECT_NE(up.coefficient.undefined, "");
  EXPECT_NEAR(up.test.p.value() / (2.0 / 479001600), 1, 1e-9);  // 12! orders
  std::reverse(y.begin(), y.end());
  EXPECT_EQ(spearman(x, y).coefficient.value, -1);
  const Values tied = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2};  // ten distinct orders, no reverse
  EXPECT_NEAR(spearman(tied, tied).test.p.value(), 0.1, 1e-12);
}

TEST(Kendall, CountsPerfectOrders) {
  const Association result = kendall_tau_b(Values{1, 2, 3, 4}, Values{10, 20, 30, 40});
  EXPECT_EQ(result.coefficient.value, 1);
  EXPECT_EQ(result.test.statistic, 6);
  EXPECT_NEAR(result.test.p.value(), 2.0 / 24, 1e-12);
  EXPECT_FALSE(result.coefficient.ci.has_value());
  const Values tied = {1, 1, 2, 2, 3, 3, 3};
  EXPECT_EQ(kendall_tau_b(tied, tied).coefficient.value, 1);
}

TEST(PointBiserial, IsTestedAsStudentDoes) {
  const Values yes = {1, 0, 1, 1, 0, 0, 1, 0, 1};
  const Values score = {4, 2, 3.5, 5, 1, 3, 2, 2.5, 4.5};
  Values a;
  Values b;
  for (std::size_t i = 0; i < yes.size(); ++i) (yes[i] == 1 ? a : b).push_back(score[i]);
  const Association result = point_biserial(yes, score);
  const Contrast student = student_t(a, b);
  EXPECT_NEAR(result.test.p.value(), student.test.p.value(), 1e-12);
  EXPECT_NEAR(result.test.statistic.value(), student.test.statistic.value(), 1e-12);
  EXPECT_EQ(result.coefficient.method, "noncentral_t");
  EXPECT_LT(result.coefficient.ci.value().low, result.coefficient.value.value());
  EXPECT_GT(result.coefficient.ci.value().high, result.coefficient.value.value());
  // The interval and the test turn at the same level.
  const Interval edge = point_biserial(yes, score, 1 - *result.test.p).coefficient.ci.value();
  EXPECT_NEAR(edge.low, 0, 1e-8);
}

TEST(PointBiserial, CarriesTheIntervalOfCohensDAsRComputesIt) {
  for (const Json& row : values_from_r("groups").as_array()) {
    if (!has(row, "d")) continue;
    const Values a = numbers(row.at("a"));
    const Values b = numbers(row.at("b"));
    Values yes(a.size(), 1);
    yes.resize(a.size() + b.size(), 0);
    Values score = a;
    score.insert(score.end(), b.begin(), b.end());
    const auto n = static_cast<double>(score.size());
    const double margin = n * (n - 2) / static_cast<double>(a.size() * b.size());
    const auto carried = [&](double d) { return d / std::sqrt(d * d + margin); };
    const Association result = point_biserial(yes, score);
    EXPECT_NEAR(result.coefficient.value.value(), carried(number(row.at("d").at("value"))), 1e-11);
    EXPECT_NEAR(result.coefficient.ci.value().low, carried(number(row.at("d").at("ci").at(0))), 1e-8);
    EXPECT_NEAR(result.coefficient.ci.value().high, carried(number(row.at("d").at("ci").at(1))), 1e-8);
  }
}

TEST(PointBiserial, NeedsSpreadWithinTheGroups) {
  const Association result = point_biserial(Values{1, 1, 0, 0}, Values{5, 5, 2, 2});
  EXPECT_EQ(result.coefficient.value, 1);
  EXPECT_FALSE(result.coefficient.ci.has_value());
  EXPECT_NE(result.coefficient.undefined, "");
  EXPECT_EQ(point_biserial(Values{1, 2, 0}, Values{5, 5, 2}).coefficient.undefined,
            "a value is neither 0 nor 1");
  EXPECT_FALSE(point_biserial(Values{1, 1, 1}, Values{5, 4, 2}).coefficient.value.has_value());
}

TEST(Phi, KeepsItsSign) {
  EXPECT_NEAR(phi({2, 8, 9, 1}).coefficient.value.value(), -phi({8, 2, 1, 9}).coefficient.value.value(),
              1e-12);
  const Association perfect = phi({5, 0, 0, 7});
  EXPECT_EQ(perfect.coefficient.value, 1);
  EXPECT_FALSE(perfect.coefficient.ci.has_value());
  EXPECT_NEAR(perfect.test.statistic.value(), 12, 1e-12);
  EXPECT_EQ(phi({0, 5, 7, 0}).coefficient.value, -1);
  EXPECT_FALSE(phi({5, 3, 0, 0}).coefficient.value.has_value());
  EXPECT_EQ(phi(BinaryTable{}).coefficient.undefined, "no observations");
  EXPECT_FALSE(phi({-1, 3, 2, 2}).coefficient.value.has_value());
  EXPECT_FALSE(phi(Values{1, 2}, Values{0, 1}).coefficient.value.has_value());
}

TEST(Association, OfTooFewOrConstantValuesIsUndefined) {
  for (const auto& measure : {pearson, spearman, kendall_tau_b}) {
    EXPECT_EQ(measure(Values{}, Values{}, 0.95).coefficient.undefined, "no observations");
    EXPECT_FALSE(measure(Values{1}, Values{2}, 0.95).coefficient.value.has_value());
    EXPECT_FALSE(measure(Values{1, 2}, Values{2}, 0.95).coefficient.value.has_value());
    const Association constant = measure(Values{1, 2, 3, 4}, Values(4, 0.1), 0.95);
    EXPECT_FALSE(constant.coefficient.value.has_value());
    EXPECT_FALSE(constant.test.p.has_value());
    EXPECT_NE(constant.test.undefined, "");
    const Association two = measure(Values{1, 2}, Values{5, 3}, 0.95);
    EXPECT_EQ(two.coefficient.value, -1);
    EXPECT_FALSE(two.coefficient.ci.has_value());
    const Association missing = measure(Values{1, kNan, 2, 3, 5, 9}, Values{1, 2, kNan, 4, 2, 6}, 0.95);
    EXPECT_EQ(missing.coefficient.n, 4);
    EXPECT_EQ(missing.coefficient.missing.at("not_finite"), 2);
    EXPECT_FALSE(measure(kLsat, kGpa, 1).coefficient.ci.has_value());
    EXPECT_TRUE(measure(kLsat, kGpa, 1).test.p.has_value());
    EXPECT_FALSE(measure(Values{1, 2, 4}, Values{2, 1, 7}, 0.95).coefficient.ci.has_value());
  }
  EXPECT_FALSE(pearson(Values{1, 2}, Values{5, 3}).test.p.has_value());
  EXPECT_FALSE(pearson(Values{0.1, 0.2, 0.3, 0.4}, Values{0.3, 0.6, 0.9, 1.2}).test.p.has_value());
}

TEST(Pearson, SurvivesLargeValues) {
  const Association result = pearson(Values{1e308, -1e308, 0.5e308, 0}, Values{1, 2, 3, 5});
  EXPECT_TRUE(std::isfinite(result.coefficient.value.value()));
  EXPECT_TRUE(result.coefficient.ci.has_value());
}

struct Rows {
  Values x;
  Values y;
};

Rows rows_of(const std::vector<std::pair<int, int>>& raw) {
  Rows rows;
  for (const auto& [x, y] : raw) {
    rows.x.push_back(x % 7);
    rows.y.push_back(y % 9);
  }
  return rows;
}

bool near(const std::optional<double>& a, const std::optional<double>& b, double sign) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::fabs(*a - sign * *b) < 1e-9;
}

RC_GTEST_PROP(Association, DoesNotDependOnOrderScaleOrSides,
              (std::vector<std::pair<int, int>> raw, unsigned seed)) {
  const Rows one = rows_of(raw);
  std::shuffle(raw.begin(), raw.end(), std::mt19937(seed));
  Rows other = rows_of(raw);
  for (double& value : other.x) value = 3 - value * 4;  // turned round: the sign changes
  for (const auto& measure : {pearson, spearman, kendall_tau_b}) {
    const Association there = measure(one.x, one.y, 0.95);
    const Association turned = measure(other.x, other.y, 0.95);
    const Association sides = measure(one.y, one.x, 0.95);
    RC_ASSERT(near(there.coefficient.value, turned.coefficient.value, -1));
    RC_ASSERT(near(there.coefficient.value, sides.coefficient.value, 1));
    RC_ASSERT(near(there.test.p, turned.test.p, 1));
    RC_ASSERT(near(there.test.p, sides.test.p, 1));
    if (there.coefficient.ci) {
      RC_ASSERT(there.coefficient.ci->low < there.coefficient.ci->high);
      RC_ASSERT(there.coefficient.ci->low >= -1 && there.coefficient.ci->high <= 1);
    }
  }
}

RC_GTEST_PROP(Kendall, CountsAsThePairsDo, (const std::vector<std::pair<int, int>>& raw)) {
  const Rows rows = rows_of(raw);
  double score = 0;
  double untied_x = 0;
  double untied_y = 0;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = rows.x[i] - rows.x[j];
      const double dy = rows.y[i] - rows.y[j];
      untied_x += dx != 0;
      untied_y += dy != 0;
      score += (dx * dy > 0) - (dx * dy < 0);
    }
  }
  RC_PRE(untied_x > 0 && untied_y > 0);
  RC_ASSERT(std::fabs(kendall_tau_b(rows.x, rows.y).coefficient.value.value() -
                      score / std::sqrt(untied_x * untied_y)) < 1e-12);
}

}  // namespace
}  // namespace assay
