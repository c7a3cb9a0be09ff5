#include "stats/agreement/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats/agreement/cohen_kappa.h"
#include "stats/agreement/kendall_w.h"
#include "tests/stats/rated.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double number_in(const Json& json) {
  return as_number(json).value();
}

// Fleiss 1971, 30 patients × 6 psychiatrists, 5 diagnoses; values as in statsmodels' tests.
Ratings fleiss_1971() {
  const std::vector<std::string_view> patients = {
      "444444", "222555", "233335", "555555", "222444", "113333", "333355", "113334", "114444", "555555",
      "144444", "124444", "222333", "144444", "224445", "333335", "111455", "111112", "224444", "133555",
      "555555", "244444", "224555", "114444", "144445", "222224", "111155", "224444", "133333", "555555"};
  Ratings ratings(6);
  for (const std::string_view patient : patients) {
    std::vector<double> unit;
    for (const char rating : patient) unit.push_back(rating - '0');
    ratings.add_unit(unit);
  }
  return ratings;
}

// Rows are units, columns how many raters chose each category.
Ratings from_counts(const std::vector<std::vector<int>>& table) {
  std::vector<std::vector<double>> units;
  for (const std::vector<int>& row : table) {
    std::vector<double>& unit = units.emplace_back();
    for (std::size_t k = 0; k < row.size(); ++k)
      unit.insert(unit.end(), static_cast<std::size_t>(row[k]), static_cast<double>(k));
  }
  return rated(units);
}

// Rows are the first rater's choice, columns the second's.
Ratings from_square(const std::vector<std::vector<int>>& table) {
  Ratings ratings(2);
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = 0; j < table.size(); ++j) {
      for (int k = 0; k < table[i][j]; ++k) {
        ratings.add_unit(std::vector<double>{static_cast<double>(i), static_cast<double>(j)});
      }
    }
  }
  return ratings;
}

// 30 units of which each is there 4 times: as sure as the 30 alone, and not as 120.
TEST(CohenKappa, OfCopiesIsAsSureAsOfOne) {
  Ratings once(2);
  Ratings copies(2);
  Ratings naive(2);
  for (int i = 0; i < 30; ++i) {
    const std::vector<double> unit{i % 2 + 0.0, (i % 5 == 0 ? 1 - i % 2 : i % 2) + 0.0};
    once.add_unit(unit);
    for (int copy = 0; copy < 4; ++copy) {
      copies.add_unit(unit, std::to_string(i));
      naive.add_unit(unit);
    }
  }
  const auto width = [](const Ratings& ratings) {
    const Interval ci = *cohen_kappa(ratings).figure.resampled.ci;
    return ci.high - ci.low;
  };
  EXPECT_EQ(cohen_kappa(copies).figure.resampled.method, "bootstrap_clusters");
  EXPECT_NEAR(width(copies), width(once), 0.05);
  EXPECT_GT(width(copies), 1.7 * width(naive));
}

TEST(FleissKappa, GivesThePublishedValuesOf1971) {
  const FleissKappa fleiss = fleiss_kappa(fleiss_1971(), few_draws());
  EXPECT_NEAR(fleiss.figure.analytic.value.value(), 0.430245, 5e-7);
  EXPECT_EQ(fleiss.figure.resampled.value, fleiss.figure.analytic.value);
  EXPECT_NEAR(fleiss.figure.observed.value(), 0.555556, 5e-7);
  EXPECT_NEAR(fleiss.figure.expected.value(), 0.219938, 5e-7);
  EXPECT_NEAR(fleiss.chance.standard_error.value(), 0.024374, 5e-7);
  EXPECT_NEAR(fleiss.chance.test.statistic.value(), 17.65183, 5e-6);
  EXPECT_EQ(fleiss.figure.analytic.n, 30);
  const double expected[] = {0.2448, 0.2448, 0.5200, 0.4711, 0.5661};
  const double totals[] = {26, 26, 30, 55, 43};
  ASSERT_EQ(fleiss.categories.size(), 5);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(fleiss.categories[k].value, static_cast<double>(k + 1));
    EXPECT_NEAR(fleiss.categories[k].kappa.value.value(), expected[k], 5e-5);
    EXPECT_NEAR(fleiss.categories[k].share, totals[k] / 180, 1e-12);
    EXPECT_NEAR(fleiss.categories[k].chance.standard_error.value(), std::sqrt(2.0 / (30 * 6 * 5)), 1e-12);
  }
}

// The textbook table of 10 items × 14 raters.
TEST(FleissKappa, GivesThePublishedValueOfTheTextbookTable) {
  const Ratings ratings = from_counts({{0, 0, 0, 0, 14},
                                       {0, 2, 6, 4, 2},
                                       {0, 0, 3, 5, 6},
                                       {0, 3, 9, 2, 0},
                                       {2, 2, 8, 1, 1},
                                       {7, 7, 0, 0, 0},
                                       {3, 2, 6, 3, 0},
                                       {2, 5, 3, 2, 2},
                                       {6, 5, 2, 1, 0},
                                       {0, 2, 2, 3, 7}});
  EXPECT_NEAR(fleiss_kappa(ratings, few_draws()).figure.analytic.value.value(), 0.209931, 5e-7);
}

TEST(Agreement, OfManyRatersAgreesWithR) {
  for (const Json& table : reference_file("agreement.json").at("tables").as_array()) {
    const Ratings ratings = rated_in(table.at("ratings"));
    EXPECT_NEAR(raw_agreement(ratings, few_draws()).value.value(), number_in(table.at("raw")), 1e-12);
    const FleissKappa fleiss = fleiss_kappa(ratings, few_draws());
    const AgreementFigure ac1 = gwet_ac1(ratings, std::nullopt, few_draws());
    for (const auto& [figure, json] :
         {std::pair(fleiss.figure, table.at("fleiss")), {ac1, table.at("ac1")}}) {
      EXPECT_NEAR(figure.analytic.value.value(), number_in(json.at("value")), 1e-12);
      EXPECT_NEAR(figure.standard_error.value(), number_in(json.at("se")), 1e-12);
      EXPECT_NEAR(figure.analytic.ci.value().low, number_in(json.at("ci").at(0)), 1e-9);
      EXPECT_NEAR(figure.analytic.ci.value().high, number_in(json.at("ci").at(1)), 1e-9);
    }
    const std::vector<double> categories = reference_numbers(table.at("fleiss").at("categories"));
    ASSERT_EQ(fleiss.categories.size(), categories.size());
    for (std::size_t k = 0; k < categories.size(); ++k) {
      EXPECT_NEAR(fleiss.categories[k].kappa.value.value(), categories[k], 1e-12);
    }
  }
}

// SAS/STAT, documentation of PROC FREQ (skin condition data): 0.4842, error 0.1380, 95 % (0.2137, 0.7547),
// error under chance 0.1484.
TEST(CohenKappa, GivesTheValuesOfTheSasExample) {
  const CohenKappa kappa = cohen_kappa(from_square({{0, 4, 1}, {0, 8, 0}, {0, 1, 5}}));
  EXPECT_NEAR(kappa.figure.analytic.value.value(), 0.4842, 5e-5);
  EXPECT_NEAR(kappa.figure.standard_error.value(), 0.1380, 5e-5);
  EXPECT_NEAR(kappa.figure.analytic.ci.value().low, 0.2137, 5e-5);
  EXPECT_NEAR(kappa.figure.analytic.ci.value().high, 0.7547, 5e-5);
  EXPECT_NEAR(kappa.chance.standard_error.value(), 0.1484, 5e-5);
  EXPECT_EQ(kappa.figure.analytic.method, "normal");
  EXPECT_LT(kappa.figure.resampled.ci.value().low, 0.4842);
  EXPECT_GT(kappa.figure.resampled.ci.value().high, 0.4842);
  EXPECT_EQ(kappa.figure.resampled.method, "bootstrap_percentile");
}

// Cohen 1968, n = 200, with disagreement weights of his own.
TEST(CohenKappa, TakesAMatrixOfWeights) {
  const std::vector<std::int64_t> counts = {88, 10, 2, 14, 40, 6, 18, 10, 12};
  const std::vector<double> weights = {0, 1, 3, 1, 0, 6, 3, 6, 0};
  EXPECT_NEAR(cohen_kappa(counts, weights, few_draws()).figure.analytic.value.value(), 0.347826, 5e-7);
  const std::vector<double> plain =
      disagreement_weights(std::vector<double>{1, 2, 3}, KappaWeights::unweighted);
  EXPECT_NEAR(cohen_kappa(counts, plain, few_draws()).figure.analytic.value.value(), 0.491525, 5e-7);
}

// The same observed agreement (60 %) and different kappas.
TEST(CohenKappa, DependsOnTheHabitsOfTheRaters) {
  EXPECT_NEAR(cohen_kappa(from_square({{45, 15}, {25, 15}}), {}, few_draws()).figure.analytic.value.value(),
              0.1304, 5e-5);
  EXPECT_NEAR(cohen_kappa(from_square({{25, 35}, {5, 35}}), {}, few_draws()).figure.analytic.value.value(),
              0.2593, 5e-5);
}

// The paradox of rare positives: 94.4 % raw agreement, kappa below 0, AC1 0.94.
TEST(Agreement, OfRarePositivesNeedsMoreThanKappa) {
  const Ratings ratings = from_square({{118, 5}, {2, 0}});
  const Estimate raw = raw_agreement(ratings);
  EXPECT_NEAR(raw.value.value(), 0.944, 1e-12);
  EXPECT_EQ(raw.method, "wilson");
  EXPECT_EQ(raw.count, 118);
  EXPECT_NEAR(cohen_kappa(ratings).figure.analytic.value.value(), -0.0234, 5e-5);
  const AgreementFigure ac1 = gwet_ac1(ratings);
  EXPECT_NEAR(ac1.analytic.value.value(), 0.9408, 5e-5);
  EXPECT_LE(ac1.analytic.ci.value().high, 1);
  EXPECT_LT(ac1.resampled.ci.value().low, 0.9408);
}

TEST(CohenKappa, AgreesWithRInValueAndError) {
  for (const Json& pair : reference_file("agreement.json").at("pairs").as_array()) {
    const Ratings ratings = rated_in(pair.at("ratings"));
    for (const auto& [weights, name] : {std::pair(KappaWeights::unweighted, "unweighted"),
                                        {KappaWeights::linear, "linear"},
                                        {KappaWeights::quadratic, "quadratic"}}) {
      const CohenKappa kappa = cohen_kappa(ratings, weights, few_draws());
      EXPECT_NEAR(kappa.figure.analytic.value.value(), number_in(pair.at(name).at("kappa")), 1e-12) << name;
      EXPECT_NEAR(kappa.figure.standard_error.value(), number_in(pair.at(name).at("se")), 2e-9) << name;
    }
  }
}

TEST(CohenKappa, WeighsDistancesBetweenValuesNotPlaces) {
  // 3 is never used; the distance from 2 to 4 is still 2.
  const Ratings gap = rated({{1, 2}, {2, 2}, {4, 2}, {4, 4}, {1, 1}});
  const std::vector<double> all = disagreement_weights(std::vector<double>{1, 2, 3, 4}, KappaWeights::linear);
  std::vector<std::int64_t> counts(16);
  for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>(0, 1), {1, 1}, {3, 1}, {3, 3}, {0, 0}})
    ++counts[i * 4 + j];
  EXPECT_NEAR(cohen_kappa(gap, KappaWeights::linear, few_draws()).figure.analytic.value.value(),
              cohen_kappa(counts, all, few_draws()).figure.analytic.value.value(), 1e-12);
}

TEST(CohenKappa, RefusesWhatIsNoTable) {
  const auto reason = [](const std::vector<std::int64_t>& counts, const std::vector<double>& weights) {
    return cohen_kappa(counts, weights, few_draws()).figure.analytic.undefined;
  };
  EXPECT_EQ(reason({}, {}), "no units");
  EXPECT_EQ(reason({0, 0, 0, 0}, {0, 1, 1, 0}), "no units");
  EXPECT_EQ(reason({1, 2, 3}, {0, 1, 1}), "the table of counts is not square");
  EXPECT_EQ(reason({1, 2, 3, 4}, {0, 1, 1}), "there is not one weight per cell");
  EXPECT_EQ(reason({1, -2, 3, 4}, {0, 1, 1, 0}), "a count is negative");
  EXPECT_EQ(reason({1, 2, 3, 4}, {0, std::nan(""), 1, 0}), "a weight is negative or not finite");
  EXPECT_EQ(reason({1, 2, 3, 4}, {0, 1, 1, 2}), "a weight on the diagonal is not 0");
  EXPECT_NE(reason({1, 2, 3, 4}, {0, 0, 0, 0}), "");
  EXPECT_NE(cohen_kappa(rated({{1, 2, 3}})).figure.analytic.undefined, "");  // three raters
}

TEST(Agreement, OfNothingIsUndefined) {
  const Ratings none(2);
  EXPECT_EQ(raw_agreement(none).undefined, "no units");
  EXPECT_EQ(cohen_kappa(none).figure.resampled.undefined, "no units");
  EXPECT_EQ(cohen_kappa(none).chance.test.undefined, "no units");
  EXPECT_EQ(fleiss_kappa(none).figure.analytic.undefined, "no units");
  EXPECT_EQ(gwet_ac1(none).resampled.undefined, "no units");
  EXPECT_EQ(kendall_w(none).w.undefined, "no units");
  EXPECT_EQ(raw_agreement(Ratings(1)).undefined, "agreement needs at least two raters");
  Ratings ragged(2);
  ragged.add_unit(std::vector<double>{1, 2, 3});
  EXPECT_EQ(gwet_ac1(ragged).analytic.undefined, "a unit has not one rating per rater");
  EXPECT_EQ(ragged.pair(0, 1).ragged(), true);
}

TEST(Agreement, OfOneUnitHasNoChanceCorrectedInterval) {
  const Ratings one = rated({{1, 2, 2}});
  EXPECT_NEAR(raw_agreement(one).value.value(), 1.0 / 3, 1e-12);
  EXPECT_FALSE(raw_agreement(one).ci.has_value());
  const FleissKappa fleiss = fleiss_kappa(one);
  EXPECT_TRUE(fleiss.figure.analytic.value.has_value());
  EXPECT_FALSE(fleiss.figure.analytic.ci.has_value());
  EXPECT_FALSE(fleiss.figure.resampled.ci.has_value());
  EXPECT_NE(fleiss.figure.analytic.undefined, "");
  EXPECT_NE(fleiss.figure.resampled.undefined, "");
  EXPECT_FALSE(gwet_ac1(one).analytic.ci.has_value());
  EXPECT_FALSE(cohen_kappa(rated({{1, 2}})).figure.analytic.ci.has_value());
  EXPECT_FALSE(cohen_kappa(rated({{1, 2}})).figure.resampled.ci.has_value());
}

TEST(Agreement, OfOneCategoryThroughoutIsNotChanceCorrected) {
  const Ratings same = rated({{1, 1}, {1, 1}, {1, 1}});
  EXPECT_DOUBLE_EQ(raw_agreement(same).value.value(), 1);
  EXPECT_LT(raw_agreement(same).ci.value().low, 0.5);  // Wilson on three
  EXPECT_FALSE(cohen_kappa(same).figure.analytic.value.has_value());
  EXPECT_FALSE(fleiss_kappa(same).figure.analytic.value.has_value());
  EXPECT_FALSE(gwet_ac1(same).analytic.value.has_value());
  EXPECT_NE(gwet_ac1(same).analytic.undefined, "");
  // If raters could have said something else, AC1 has a value, and still no interval.
  EXPECT_DOUBLE_EQ(gwet_ac1(same, 2).analytic.value.value(), 1);
  EXPECT_FALSE(gwet_ac1(same, 2).analytic.ci.has_value());
  EXPECT_FALSE(gwet_ac1(same, 2).resampled.ci.has_value());
}

TEST(Agreement, ThatIsPerfectClaimsNoCertainty) {
  const Ratings perfect = rated({{1, 1}, {2, 2}, {3, 3}, {1, 1}, {2, 2}});
  for (const AgreementFigure& figure :
       {cohen_kappa(perfect).figure, fleiss_kappa(perfect).figure, gwet_ac1(perfect)}) {
    EXPECT_NEAR(figure.analytic.value.value(), 1, 1e-12);
    EXPECT_FALSE(figure.analytic.ci.has_value());
    EXPECT_FALSE(figure.resampled.ci.has_value());
    EXPECT_NE(figure.analytic.undefined, "");
    EXPECT_NE(figure.resampled.undefined, "");
  }
  EXPECT_FALSE(raw_agreement(rated({{1, 1, 1}, {2, 2, 2}})).ci.has_value());
}

TEST(Agreement, LeavesOutWhatIsMissingAndCountsIt) {
  const Ratings ratings = rated({{1, 1}, {2, kInfinity}, {2, 1}, {Ratings::kAbsent, 3}, {2, 2}});
  const CohenKappa kappa = cohen_kappa(ratings, {}, few_draws());
  EXPECT_EQ(kappa.figure.analytic.n, 3);
  EXPECT_EQ(kappa.figure.analytic.missing.at("units_not_rated_by_all"), 2);
  EXPECT_EQ(kappa.figure.resampled.missing.at("ratings_absent"), 1);
  EXPECT_EQ(kappa.figure.analytic.missing.at("ratings_not_finite"), 1);
  EXPECT_NEAR(kappa.figure.analytic.value.value(),
              cohen_kappa(rated({{1, 1}, {2, 1}, {2, 2}}), {}, few_draws()).figure.analytic.value.value(),
              1e-15);
  EXPECT_EQ(raw_agreement(ratings).missing.at("units_with_fewer_than_two_ratings"), 2);
  // Fleiss' test under chance needs equally many ratings.
  const FleissKappa uneven =
      fleiss_kappa(rated({{1, 1, 2}, {2, 2, Ratings::kAbsent}, {1, 2, 2}}), few_draws());
  EXPECT_TRUE(uneven.figure.analytic.value.has_value());
  EXPECT_FALSE(uneven.chance.test.p.has_value());
  EXPECT_NE(uneven.chance.test.undefined, "");
}

TEST(Agreement, RefusesMeasurementsAsLabels) {
  Ratings many(2);
  for (int i = 0; i < 300; ++i) many.add_unit(std::vector<double>{i * 0.1, i * 0.1});
  EXPECT_NE(cohen_kappa(many).figure.analytic.undefined.find("measurements"), std::string::npos);
  EXPECT_NE(fleiss_kappa(many).figure.analytic.undefined.find("measurements"), std::string::npos);
}

TEST(Agreement, RefusesALevelThatIsNone) {
  Resampling resampling = few_draws();
  resampling.level = 1;
  const Ratings ratings = rated({{1, 1}, {2, 1}, {2, 2}, {1, 2}});
  EXPECT_NE(cohen_kappa(ratings, {}, resampling).figure.analytic.undefined, "");
  EXPECT_NE(gwet_ac1(ratings, std::nullopt, resampling).analytic.undefined, "");
  EXPECT_TRUE(gwet_ac1(ratings, std::nullopt, resampling).analytic.value.has_value());
}

// friedman.test in R is the same statistic, ties included: W = χ²/(m(n−1)).
TEST(KendallW, AgreesWithFriedmansTestInR) {
  for (const Json& table : reference_file("agreement.json").at("intraclass").as_array()) {
    const KendallW result = kendall_w(rated_in(table.at("ranks")), few_draws());
    EXPECT_NEAR(result.w.value.value(), number_in(table.at("kendall_w")), 1e-12);
    EXPECT_NEAR(result.test.statistic.value(), number_in(table.at("chi_squared")), 1e-10);
    EXPECT_NEAR(result.test.p.value(), number_in(table.at("p")), 1e-12);
  }
}

TEST(KendallW, IsOneForTheSameOrderAndZeroForOppositeOnes) {
  const KendallW same = kendall_w(rated({{1, 10}, {2, 20}, {3, 50}, {4, 51}}));
  EXPECT_DOUBLE_EQ(same.w.value.value(), 1);
  const KendallW opposite = kendall_w(rated({{1, 4}, {2, 3}, {3, 2}, {4, 1}}));
  EXPECT_NEAR(opposite.w.value.value(), 0, 1e-15);
  EXPECT_EQ(same.test.df, 3);
}

TEST(KendallW, NeedsUnitsThatDiffer) {
  EXPECT_EQ(kendall_w(rated({{1, 2}})).w.undefined, "one unit has no order");
  EXPECT_NE(kendall_w(rated({{1, 2}, {1, 2}, {1, 2}})).w.undefined.find("no order"), std::string::npos);
  const KendallW missing = kendall_w(rated({{1, 1}, {2, Ratings::kAbsent}, {3, 4}}), few_draws());
  EXPECT_EQ(missing.w.n, 2);
  EXPECT_EQ(missing.w.missing.at("units_not_rated_by_all"), 1);
}

Ratings drawn_labels(const std::vector<std::array<unsigned char, 3>>& rows) {
  Ratings ratings(3);
  for (const auto& row : rows) {
    std::vector<double> unit;
    for (const unsigned char value : row) unit.push_back(value % 11 == 10 ? Ratings::kAbsent : value % 3);
    ratings.add_unit(unit);
  }
  return ratings;
}

bool same(const Estimate& a, const Estimate& b) {
  if (a.value != b.value || a.undefined != b.undefined || a.n != b.n || a.missing != b.missing) return false;
  if (a.ci.has_value() != b.ci.has_value()) return false;
  return !a.ci || (a.ci->low == b.ci->low && a.ci->high == b.ci->high);
}

RC_GTEST_PROP(Agreement, DoesNotDependOnTheOrderOfUnits,
              (const std::vector<std::array<unsigned char, 3>>& rows, unsigned seed)) {
  auto shuffled_rows = rows;
  std::shuffle(shuffled_rows.begin(), shuffled_rows.end(), std::mt19937(seed));
  const Ratings one = drawn_labels(rows);
  const Ratings other = drawn_labels(shuffled_rows);
  RC_ASSERT(same(raw_agreement(one, few_draws(50)), raw_agreement(other, few_draws(50))));
  const FleissKappa a = fleiss_kappa(one, few_draws(50));
  const FleissKappa b = fleiss_kappa(other, few_draws(50));
  RC_ASSERT(same(a.figure.analytic, b.figure.analytic) && same(a.figure.resampled, b.figure.resampled));
  const AgreementFigure c = gwet_ac1(one, 4, few_draws(50));
  const AgreementFigure d = gwet_ac1(other, 4, few_draws(50));
  RC_ASSERT(same(c.analytic, d.analytic) && same(c.resampled, d.resampled));
  const CohenKappa e = cohen_kappa(one.pair(0, 1), KappaWeights::linear, few_draws(50));
  const CohenKappa f = cohen_kappa(other.pair(0, 1), KappaWeights::linear, few_draws(50));
  RC_ASSERT(same(e.figure.analytic, f.figure.analytic) && same(e.figure.resampled, f.figure.resampled));
  RC_ASSERT(same(kendall_w(one, few_draws(50)).w, kendall_w(other, few_draws(50)).w));
}

RC_GTEST_PROP(Agreement, SurvivesRelabellingAndSwappingOfRaters,
              (const std::vector<std::array<unsigned char, 3>>& rows)) {
  const Ratings ratings = drawn_labels(rows);
  Ratings relabelled(3);
  for (std::size_t i = 0; i < ratings.units(); ++i) {
    std::vector<double> row;
    for (const double value : ratings.unit(i)) row.push_back(value == 0 ? 9.5 : value);
    relabelled.add_unit(row);
  }
  const auto near = [](const Estimate& a, const Estimate& b) {
    return a.value.has_value() == b.value.has_value() &&
           (!a.value || std::fabs(*a.value - *b.value) < 1e-12) && a.ci.has_value() == b.ci.has_value() &&
           (!a.ci || std::fabs(a.ci->low - b.ci->low) < 1e-9);
  };
  const Resampling none = few_draws(0);
  RC_ASSERT(
      near(fleiss_kappa(ratings, none).figure.analytic, fleiss_kappa(relabelled, none).figure.analytic));
  RC_ASSERT(near(gwet_ac1(ratings, {}, none).analytic, gwet_ac1(relabelled, {}, none).analytic));
  RC_ASSERT(near(cohen_kappa(ratings.pair(0, 1), {}, none).figure.analytic,
                 cohen_kappa(relabelled.pair(0, 1), {}, none).figure.analytic));
  for (const KappaWeights weights :
       {KappaWeights::unweighted, KappaWeights::linear, KappaWeights::quadratic}) {
    RC_ASSERT(near(cohen_kappa(ratings.pair(0, 1), weights, none).figure.analytic,
                   cohen_kappa(ratings.pair(1, 0), weights, none).figure.analytic));
  }
}

}  // namespace
}  // namespace assay
