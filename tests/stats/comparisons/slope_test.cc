#include "stats/comparisons/slope.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

// By hand: S = 5, Σ(x-x̄)(y-ȳ) = 4.5; residuals 0.1, 0.2, -0.7, 0.4, so the clusters' scores are ∓0.25 and the
// error is sqrt(2·0.125)/5 = 0.1. t = 9 with one degree of freedom: p = 1 - 2·atan(9)/π; its 97.5 % quantile
// is 12.7062.
TEST(ClusteredSlope, IsLeastSquaresWithTheSandwichError) {
  const std::vector<double> x = {0, 1, 2, 3};
  const std::vector<double> y = {1, 2, 2, 4};
  const std::vector<std::string> clusters = {"a", "a", "b", "b"};
  const Contrast slope = clustered_slope(x, y, clusters);
  EXPECT_NEAR(*slope.difference.value, 0.9, 1e-12);
  ASSERT_TRUE(slope.difference.ci);
  EXPECT_NEAR(slope.difference.ci->low, 0.9 - 1.270620, 1e-5);
  EXPECT_NEAR(*slope.test.statistic, 9, 1e-9);
  EXPECT_NEAR(*slope.test.p, 1 - 2 * std::atan(9) / std::acos(-1), 1e-9);
  EXPECT_EQ(slope.difference.n, 4);
}

TEST(ClusteredSlope, SaysWhyThereIsNone) {
  const std::vector<double> x = {0, 1, 2};
  const std::vector<double> y = {1, 3, 5};
  const std::vector<double> flat = {2, 2, 2};
  const std::vector<std::string> three = {"a", "b", "c"};
  const std::vector<std::string> one = {"a", "a", "a"};
  EXPECT_THAT(clustered_slope(x, y, three).difference.undefined, testing::HasSubstr("on the line"));
  EXPECT_EQ(clustered_slope(x, y, three).difference.value, 2);
  EXPECT_THAT(clustered_slope(flat, y, three).difference.undefined, testing::HasSubstr("does not vary"));
  EXPECT_FALSE(clustered_slope(flat, y, three).difference.value);
  EXPECT_THAT(clustered_slope(x, flat, one).difference.undefined, testing::HasSubstr("one cluster"));
  EXPECT_NE(clustered_slope({}, {}, {}).difference.undefined, "");
  EXPECT_NE(clustered_slope(x, flat, {}).difference.undefined, "");
}

TEST(ClusteredSlope, LeavesOutWhatIsNotFinite) {
  const std::vector<double> x = {0, 1, 2, 3, 7};
  const std::vector<double> y = {1, 2, 2, 4, std::numeric_limits<double>::quiet_NaN()};
  const std::vector<std::string> clusters = {"a", "a", "b", "b", "b"};
  const Contrast slope = clustered_slope(x, y, clusters);
  EXPECT_NEAR(*slope.difference.value, 0.9, 1e-12);
  EXPECT_EQ(slope.difference.missing.at("not_finite"), 1);
}

}  // namespace
}  // namespace assay
