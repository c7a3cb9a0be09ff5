#include "stats/agreement/intraclass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/stats/rated.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

std::vector<const Intraclass*> all_of(const IntraclassFigures& figures) {
  return {&figures.icc_1_1, &figures.icc_2_1, &figures.icc_3_1,
          &figures.icc_1_k, &figures.icc_2_k, &figures.icc_3_k};
}

// Shrout and Fleiss 1979, table 2: 6 targets × 4 judges, with their mean squares and coefficients.
const std::vector<std::vector<double>> kShroutFleiss = {{9, 2, 5, 8}, {6, 1, 3, 2},  {8, 4, 6, 8},
                                                        {7, 1, 2, 6}, {10, 5, 6, 9}, {6, 2, 4, 7}};

TEST(Intraclass, GivesThePublishedValuesOfShroutAndFleiss) {
  const IntraclassFigures figures = intraclass_figures(rated(kShroutFleiss));
  EXPECT_NEAR(figures.mean_squares.value().between_units, 11.2417, 5e-5);
  EXPECT_NEAR(figures.mean_squares.value().within_units, 6.2639, 5e-5);
  EXPECT_NEAR(figures.mean_squares.value().between_raters, 32.4861, 5e-5);
  EXPECT_NEAR(figures.mean_squares.value().residual, 1.0194, 5e-5);
  const double expected[] = {.1657, .2898, .7148, .4428, .6201, .9093};
  for (std::size_t i = 0; i < 6; ++i) {
    const Intraclass& icc = *all_of(figures)[i];
    EXPECT_NEAR(icc.f.value.value(), expected[i], 5e-5);
    EXPECT_EQ(icc.f.method, "f");
    EXPECT_EQ(icc.f.n, 6);
    EXPECT_LT(icc.f.ci.value().low, expected[i]);
    EXPECT_GT(icc.f.ci.value().high, expected[i]);
    EXPECT_EQ(icc.resampled.value, icc.f.value);
    EXPECT_EQ(icc.resampled.method, "bootstrap_percentile");
    EXPECT_TRUE(icc.resampled.ci.has_value());
  }
}

TEST(Intraclass, AgreesWithPsychInR) {
  for (const Json& table : reference_file("agreement.json").at("intraclass").as_array()) {
    const IntraclassFigures figures = intraclass_figures(rated_in(table.at("ratings")), few_draws());
    const std::vector<double> values = reference_numbers(table.at("icc"));
    const std::vector<double> lows = reference_numbers(table.at("low"));
    const std::vector<double> highs = reference_numbers(table.at("high"));
    for (std::size_t i = 0; i < 6; ++i) {
      const Estimate& f = all_of(figures)[i]->f;
      EXPECT_NEAR(f.value.value(), values[i], 1e-10) << i;
      EXPECT_NEAR(f.ci.value().low, lows[i], 1e-8) << i;
      EXPECT_NEAR(f.ci.value().high, highs[i], 1e-8) << i;
    }
  }
}

TEST(Intraclass, IsUndefinedWithoutTwoUnitsOrTwoRaters) {
  EXPECT_EQ(intraclass_figures(Ratings(3)).icc_2_1.f.undefined, "no units");
  EXPECT_EQ(intraclass_figures(rated({{1}, {2}})).icc_2_1.f.undefined, "agreement needs at least two raters");
  const IntraclassFigures one = intraclass_figures(rated({{1, 2, 3}}));
  EXPECT_EQ(one.icc_3_k.resampled.undefined, "one unit shows no spread between units");
  EXPECT_FALSE(one.mean_squares.has_value());
}

TEST(Intraclass, IsUndefinedIfAllRatingsAreEqual) {
  const IntraclassFigures figures = intraclass_figures(rated({{0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}}));
  for (const Intraclass* icc : all_of(figures)) {
    EXPECT_EQ(icc->f.undefined, "all ratings are equal");
    EXPECT_FALSE(icc->f.value.has_value());
  }
}

TEST(Intraclass, OfPerfectAgreementIsOneWithoutCertainty) {
  const IntraclassFigures figures =
      intraclass_figures(rated({{0.1, 0.1, 0.1}, {0.7, 0.7, 0.7}, {0.3, 0.3, 0.3}}));
  for (const Intraclass* icc : all_of(figures)) {
    EXPECT_NEAR(icc->f.value.value(), 1, 1e-12);
    EXPECT_FALSE(icc->f.ci.has_value());
    EXPECT_NE(icc->f.undefined, "");
    EXPECT_FALSE(icc->resampled.ci.has_value());
  }
}

TEST(Intraclass, ForgivesAConstantStrictnessInTheThirdFormOnly) {
  const IntraclassFigures figures =
      intraclass_figures(rated({{0.1, 1.1}, {0.7, 1.7}, {0.3, 1.3}, {0.9, 1.9}}), few_draws());
  EXPECT_NEAR(figures.icc_3_1.f.value.value(), 1, 1e-12);
  EXPECT_FALSE(figures.icc_3_1.f.ci.has_value());  // no error to measure, only rounding
  EXPECT_LT(figures.icc_2_1.f.value.value(), 0.5);
}

TEST(Intraclass, OfUnitsThatDoNotDifferIsNegativeOrUndefinedAndNeverCrashes) {
  const IntraclassFigures figures = intraclass_figures(rated({{1, 2}, {2, 1}, {1, 2}, {2, 1}}), few_draws());
  EXPECT_NEAR(figures.icc_1_1.f.value.value(), -1, 1e-12);
  EXPECT_FALSE(figures.icc_1_k.f.value.has_value());
  EXPECT_EQ(figures.icc_1_k.f.undefined, "the spread between units is too small to divide by");
  EXPECT_FALSE(figures.icc_1_1.f.ci.has_value());
}

TEST(Intraclass, LeavesOutUnitsWithAHole) {
  auto units = kShroutFleiss;
  units.push_back({5, Ratings::kAbsent, 5, 5});
  units.push_back({5, 1, std::numeric_limits<double>::infinity(), 5});
  const IntraclassFigures figures = intraclass_figures(rated(units), few_draws());
  EXPECT_NEAR(figures.icc_2_1.f.value.value(), .2898, 5e-5);
  EXPECT_EQ(figures.icc_2_1.f.n, 6);
  EXPECT_EQ(figures.icc_2_1.f.missing.at("units_not_rated_by_all"), 2);
  EXPECT_EQ(figures.icc_2_1.resampled.missing.at("ratings_absent"), 1);
  EXPECT_EQ(figures.icc_2_1.resampled.missing.at("ratings_not_finite"), 1);
}

RC_GTEST_PROP(Intraclass, DoesNotDependOnOrderOffsetOrScale,
              (const std::vector<std::array<unsigned char, 3>>& rows, unsigned seed)) {
  std::vector<std::vector<double>> units;
  for (const auto& row : rows) units.push_back({row[0] % 7 + 0.0, row[1] % 7 + 0.0, row[2] % 7 + 0.0});
  if (units.empty()) return;
  const IntraclassFigures one = intraclass_figures(rated(units), few_draws(50));
  std::shuffle(units.begin(), units.end(), std::mt19937(seed));
  const IntraclassFigures shuffled = intraclass_figures(rated(units), few_draws(50));
  for (auto& unit : units) {
    for (double& value : unit) value = 3 - 0.5 * value;
  }
  const IntraclassFigures scaled = intraclass_figures(rated(units), few_draws(0));
  for (std::size_t i = 0; i < 6; ++i) {
    const Intraclass& a = *all_of(one)[i];
    const Intraclass& b = *all_of(shuffled)[i];
    const Intraclass& c = *all_of(scaled)[i];
    RC_ASSERT(a.f.value == b.f.value && a.f.value.has_value() == c.f.value.has_value());
    RC_ASSERT(a.resampled.ci.has_value() == b.resampled.ci.has_value());
    if (a.resampled.ci) RC_ASSERT(a.resampled.ci->low == b.resampled.ci->low);
    if (a.f.value) RC_ASSERT(std::fabs(*a.f.value - *c.f.value) <= 1e-9 * (1 + std::fabs(*a.f.value)));
  }
}

}  // namespace
}  // namespace assay
