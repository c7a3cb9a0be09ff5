#include "stats/agreement/krippendorff.h"

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

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Scale kScales[] = {Scale::nominal, Scale::ordinal, Scale::interval, Scale::ratio};

double alpha(const Ratings& ratings, Scale scale) {
  return krippendorff_alpha(ratings, scale, few_draws(0)).value.value();
}

// Krippendorff's own example, 4 observers × 12 units; the values stand in fast-krippendorff's documentation.
Ratings canonical() {
  return rated_by({"123321412...", "1233224125.3", ".3332342251.", "12332441251."});
}

TEST(Krippendorff, GivesThePublishedValuesOfTheCanonicalData) {
  EXPECT_NEAR(alpha(canonical(), Scale::nominal), 0.743421, 5e-7);
  EXPECT_NEAR(alpha(canonical(), Scale::ordinal), 0.815388, 5e-7);
  EXPECT_NEAR(alpha(canonical(), Scale::interval), 0.849107, 5e-7);
  EXPECT_NEAR(alpha(canonical(), Scale::ratio), 0.797403, 5e-7);
}

// 3 observers × 15 units, 26 pairable values (Krippendorff 2011; values in fast-krippendorff's tests).
TEST(Krippendorff, GivesThePublishedValuesOfTheSecondData) {
  const Ratings ratings = rated_by({".....34121133.3", "1.213343.......", "..21344.21133.4"});
  EXPECT_NEAR(alpha(ratings, Scale::nominal), 0.691358, 5e-7);
  EXPECT_NEAR(alpha(ratings, Scale::ordinal), 0.806721, 5e-7);
  EXPECT_NEAR(alpha(ratings, Scale::interval), 0.810845, 5e-7);
  EXPECT_NEAR(alpha(ratings, Scale::ratio), 0.808944, 5e-7);
}

// Krippendorff 2011, sections A (two observers, binary) and B (two observers, nominal).
TEST(Krippendorff, GivesThePublishedValuesOfTwoObservers) {
  EXPECT_NEAR(alpha(rated_by({"0100000010", "1110010000"}), Scale::nominal), 0.095238, 5e-7);
  EXPECT_NEAR(alpha(rated_by({"aabbdcccedda", "babbbccceddd"}), Scale::nominal), 0.691964, 5e-7);
}

// Fleiss 1971, 30 patients × 6 raters; alpha recomputed in shared reference/statistics.md.
TEST(Krippendorff, DiffersFromFleissByTheSmallSampleCorrection) {
  const std::vector<std::string_view> patients = {
      "444444", "222555", "233335", "555555", "222444", "113333", "333355", "113334", "114444", "555555",
      "144444", "124444", "222333", "144444", "224445", "333335", "111455", "111112", "224444", "133555",
      "555555", "244444", "224555", "114444", "144445", "222224", "111155", "224444", "133333", "555555"};
  std::vector<std::vector<double>> units;
  for (const std::string_view patient : patients) {
    std::vector<double>& unit = units.emplace_back();
    for (const char rating : patient) unit.push_back(rating - '0');
  }
  EXPECT_NEAR(alpha(rated(units), Scale::nominal), 0.433410, 5e-7);
}

TEST(Krippendorff, AgreesWithTheSumOverAllPairsInR) {
  for (const Json& table : reference_file("agreement.json").at("tables").as_array()) {
    const Ratings ratings = rated_in(table.at("ratings"));
    EXPECT_NEAR(alpha(ratings, Scale::nominal), as_number(table.at("nominal")).value(), 1e-12);
    EXPECT_NEAR(alpha(ratings, Scale::ordinal), as_number(table.at("ordinal")).value(), 1e-12);
    EXPECT_NEAR(alpha(ratings, Scale::interval), as_number(table.at("interval")).value(), 1e-12);
    EXPECT_NEAR(alpha(ratings, Scale::ratio), as_number(table.at("ratio")).value(), 1e-12);
  }
}

TEST(Krippendorff, HasAnIntervalAroundItsValueFromDrawingUnitsAgain) {
  for (const Scale scale : kScales) {
    const Estimate estimate = krippendorff_alpha(canonical(), scale);
    EXPECT_EQ(estimate.method, "bootstrap_percentile");
    EXPECT_LT(estimate.ci.value().low, estimate.value.value());
    EXPECT_GT(estimate.ci.value().high, estimate.value.value());
    EXPECT_LE(estimate.ci.value().high, 1);
    EXPECT_EQ(estimate.undefined, "");
  }
}

TEST(Krippendorff, CountsWhatItCannotUse) {
  const Estimate estimate = krippendorff_alpha(canonical(), Scale::nominal, few_draws());
  EXPECT_EQ(estimate.n, 11);  // unit 12 has one rating
  EXPECT_EQ(estimate.missing.at("units_with_fewer_than_two_ratings"), 1);
  EXPECT_EQ(estimate.missing.at("ratings_absent"), 7);

  const Estimate infinite =
      krippendorff_alpha(rated({{1, 1}, {2, kInfinity}, {2, 3}, {3, 3}}), Scale::interval);
  EXPECT_EQ(infinite.n, 3);
  EXPECT_EQ(infinite.missing.at("ratings_not_finite"), 1);
  EXPECT_TRUE(std::isfinite(infinite.value.value()));
}

TEST(Krippendorff, IsUndefinedWithoutPairs) {
  EXPECT_EQ(krippendorff_alpha(Ratings(3), Scale::nominal).undefined, "no units");
  EXPECT_EQ(krippendorff_alpha(Ratings(1), Scale::nominal).undefined, "agreement needs at least two raters");
  EXPECT_EQ(krippendorff_alpha(rated({{1, Ratings::kAbsent}}), Scale::nominal).undefined,
            "no unit has two ratings");
  Ratings ragged = rated({{1, 2}, {2, 2}});
  ragged.add_unit(std::vector<double>{1});
  EXPECT_EQ(krippendorff_alpha(ragged, Scale::nominal).undefined, "a unit has not one rating per rater");
}

TEST(Krippendorff, IsUndefinedIfEveryRatingIsTheSame) {
  for (const Scale scale : kScales) {
    const Estimate estimate = krippendorff_alpha(rated({{0.1, 0.1}, {0.1, 0.1}, {0.1, 0.1}}), scale);
    EXPECT_FALSE(estimate.value.has_value());
    EXPECT_NE(estimate.undefined.find("every rating is the same"), std::string::npos);
  }
}

TEST(Krippendorff, OfOneUnitHasAValueAndNoInterval) {
  for (const Scale scale : kScales) {
    const Estimate estimate = krippendorff_alpha(rated({{1, 2, 4}}), scale);
    EXPECT_NEAR(estimate.value.value(), 0, 1e-12);  // inside the unit is all there is
    EXPECT_FALSE(estimate.ci.has_value());
    EXPECT_NE(estimate.undefined, "");
  }
}

TEST(Krippendorff, OfPerfectAgreementIsOneWithoutCertainty) {
  for (const Scale scale : kScales) {
    const Estimate estimate = krippendorff_alpha(rated({{1, 1}, {2, 2}, {3, 3}, {3, 3}}), scale);
    EXPECT_DOUBLE_EQ(estimate.value.value(), 1);
    EXPECT_FALSE(estimate.ci.has_value());
    EXPECT_NE(estimate.undefined, "");
  }
}

TEST(Krippendorff, RefusesNegativeValuesOnTheRatioScaleOnly) {
  const Ratings ratings = rated({{-1, 2}, {3, 3}, {0, 0}});
  EXPECT_NE(krippendorff_alpha(ratings, Scale::ratio).undefined.find("negative"), std::string::npos);
  EXPECT_TRUE(krippendorff_alpha(ratings, Scale::interval).value.has_value());
  // Two zeros do not differ.
  EXPECT_TRUE(krippendorff_alpha(rated({{0, 0}, {3, 3}, {0, 1}}), Scale::ratio).value.has_value());
}

TEST(Krippendorff, SurvivesOffsetAndScale) {
  const double base = alpha(rated({{1, 2}, {3, 3}, {5, 4}, {2, 2}}), Scale::interval);
  EXPECT_NEAR(alpha(rated({{1e9 + 1, 1e9 + 2}, {1e9 + 3, 1e9 + 3}, {1e9 + 5, 1e9 + 4}, {1e9 + 2, 1e9 + 2}}),
                    Scale::interval),
              base, 1e-9);
  EXPECT_NEAR(alpha(rated({{1e200, 2e200}, {3e200, 3e200}, {5e200, 4e200}, {2e200, 2e200}}), Scale::interval),
              base, 1e-12);
}

TEST(Krippendorff, TreatsBothZerosAsOneValue) {
  EXPECT_DOUBLE_EQ(alpha(rated({{0.0, -0.0}, {1, 1}, {1, 1}}), Scale::nominal), 1);
}

Ratings drawn_table(const std::vector<std::vector<int>>& rows) {
  Ratings ratings(3);
  for (std::vector<int> row : rows) {
    row.resize(3, 9);
    std::vector<double> unit;
    for (const int value : row) {
      const int digit = std::abs(value % 10);
      unit.push_back(digit == 9 ? Ratings::kAbsent : digit % 4);
    }
    ratings.add_unit(unit);
  }
  return ratings;
}

RC_GTEST_PROP(Krippendorff, DoesNotDependOnTheOrderOfUnitsOrRaters,
              (const std::vector<std::vector<int>>& rows, unsigned seed)) {
  const Ratings ratings = drawn_table(rows);
  std::vector<std::size_t> order(ratings.units());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  Ratings shuffled(3);
  for (const std::size_t i : order) {
    std::vector<double> row(ratings.unit(i).begin(), ratings.unit(i).end());
    std::shuffle(row.begin(), row.end(), std::mt19937(seed + static_cast<unsigned>(i)));
    shuffled.add_unit(row);
  }
  for (const Scale scale : kScales) {
    const Estimate one = krippendorff_alpha(ratings, scale, few_draws(50));
    const Estimate other = krippendorff_alpha(shuffled, scale, few_draws(50));
    RC_ASSERT(one.value == other.value);  // to the last bit, and so are the intervals
    RC_ASSERT(one.undefined == other.undefined);
    RC_ASSERT(one.ci.has_value() == other.ci.has_value());
    if (one.ci) RC_ASSERT(one.ci->low == other.ci->low && one.ci->high == other.ci->high);
  }
}

RC_GTEST_PROP(Krippendorff, KnowsWhatEachScaleMayForget, (const std::vector<std::vector<int>>& rows)) {
  const Ratings ratings = drawn_table(rows);
  const auto changed = [&](auto change) {
    Ratings other(3);
    for (std::size_t i = 0; i < ratings.units(); ++i) {
      std::vector<double> row;
      for (const double value : ratings.unit(i)) row.push_back(change(value));
      other.add_unit(row);
    }
    return other;
  };
  const auto same = [&](Scale scale, const Ratings& other) {
    const Estimate a = krippendorff_alpha(ratings, scale, few_draws(0));
    const Estimate b = krippendorff_alpha(other, scale, few_draws(0));
    RC_ASSERT(a.value.has_value() == b.value.has_value());
    if (a.value) RC_ASSERT(std::fabs(*a.value - *b.value) < 1e-10);
  };
  same(Scale::nominal, changed([](double value) { return value == 2 ? -7 : value * 3; }));
  same(Scale::ordinal, changed([](double value) { return value * value * value + 1; }));
  same(Scale::interval, changed([](double value) { return 5 - 3 * value; }));
  same(Scale::ratio, changed([](double value) { return 0.3 * value; }));
}

}  // namespace
}  // namespace assay
