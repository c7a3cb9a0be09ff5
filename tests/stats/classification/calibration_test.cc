#include "stats/classification/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

// By hand, ten bins. (0.8, 0.9]: 0.85 right, 0.90 wrong: gap |0.5 - 0.875| = 0.375, n 2.
// (0.5, 0.6]: 0.6 right: gap 0.4, n 1. (0, 0.1]: 0 wrong: gap 0, n 1. ECE (2·0.375 + 0.4 + 0)/4.
TEST(Calibration, AveragesTheGapsByBinSize) {
  Calibration calibration;
  calibration.add(0.85, true);
  calibration.add(0.90, false);
  calibration.add(0.6, true);
  calibration.add(0, false);
  EXPECT_NEAR(calibration.expected_error().value.value(), 1.15 / 4, 1e-12);
  EXPECT_EQ(calibration.expected_error().n, 4);
  EXPECT_FALSE(calibration.expected_error().ci.has_value());
  EXPECT_NE(calibration.expected_error().undefined, "");
  EXPECT_NEAR(calibration.largest_error().value.value(), 0.4, 1e-12);
  // Brier: (0.15² + 0.9² + 0.4² + 0)/4.
  EXPECT_NEAR(calibration.brier_score().value.value(), (0.0225 + 0.81 + 0.16) / 4, 1e-12);
}

TEST(Calibration, PutsABorderIntoTheLowerBin) {
  for (const std::size_t bins : {10U, 15U, 7U}) {
    for (std::size_t i = 0; i <= bins; ++i) {
      Calibration calibration(bins);
      calibration.add(static_cast<double>(i) / static_cast<double>(bins), true);
      const std::size_t expected = i == 0 ? 0 : i - 1;
      EXPECT_EQ(calibration.reliability()[expected].n, 1) << i << " of " << bins;
    }
  }
}

TEST(Calibration, TableHasEveryBinWithItsInterval) {
  Calibration calibration(15);
  for (int i = 0; i < 10; ++i) calibration.add(0.98, i < 9);
  const auto table = calibration.reliability();
  ASSERT_EQ(table.size(), 15U);
  EXPECT_DOUBLE_EQ(table[14].high, 1);
  EXPECT_EQ(table[14].n, 10);
  EXPECT_NEAR(table[14].mean_confidence.value(), 0.98, 1e-12);
  // Wilson for 9 of 10: 0.5958 to 0.9821.
  EXPECT_NEAR(table[14].accuracy.ci.value().low, 0.5958, 5e-5);
  EXPECT_NEAR(table[14].accuracy.ci.value().high, 0.9821, 5e-5);
  EXPECT_FALSE(table[0].mean_confidence.has_value());
  EXPECT_EQ(table[0].accuracy.undefined, "no observations");
}

TEST(Calibration, CountsWhatIsNoConfidence) {
  Calibration calibration;
  for (const double bad : {-0.1, 1.1, 95.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    calibration.add(bad, true);
  }
  EXPECT_EQ(calibration.n(), 0);
  EXPECT_EQ(calibration.out_of_range(), 5);
  EXPECT_FALSE(calibration.expected_error().value.has_value());
  EXPECT_EQ(calibration.expected_error().undefined, "no case has a confidence");
  EXPECT_EQ(calibration.expected_error().missing.at("out_of_range"), 5);
  EXPECT_EQ(calibration.brier_score().undefined, "no case has a confidence");
}

TEST(Calibration, HasAtLeastOneBin) {
  Calibration calibration(0);
  calibration.add(0.4, true);
  EXPECT_NEAR(calibration.expected_error().value.value(), 0.6, 1e-12);
}

RC_GTEST_PROP(Calibration, ErrorLiesBetweenZeroAndOneInAnyOrder, (unsigned seed)) {
  auto rows = *rc::gen::container<std::vector<std::pair<int, bool>>>(
      rc::gen::pair(rc::gen::inRange(0, 1001), rc::gen::arbitrary<bool>()));
  Calibration one;
  Calibration other;
  for (const auto& [confidence, correct] : rows) one.add(confidence / 1000.0, correct);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(seed));
  for (const auto& [confidence, correct] : rows) other.add(confidence / 1000.0, correct);
  RC_ASSERT(one.n() == static_cast<std::int64_t>(rows.size()));
  if (rows.empty()) return;
  const double error = one.expected_error().value.value();
  RC_ASSERT(error >= 0 && error <= 1);
  RC_ASSERT(std::fabs(error - other.expected_error().value.value()) < 1e-9);
  RC_ASSERT(one.largest_error().value.value() >= error - 1e-12);
}

}  // namespace
}  // namespace assay
