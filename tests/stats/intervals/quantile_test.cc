#include "stats/intervals/quantile.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "stats/intervals/median.h"

namespace assay {
namespace {

std::vector<double> up_to(int n) {
  std::vector<double> values;
  for (int i = n; i >= 1; --i) values.push_back(i);
  return values;
}

// Ranks from sums of binomial probabilities (Python: math.comb): of 100 values and a share of 0.95 P(X <= 89)
// is 0.0115 and P(X <= 90) is 0.0282, so rank 90; P(X >= 100) is 0.0059 and P(X >= 99) is 0.0371, so rank
// 100.
TEST(Quantile, OfIndependentValuesLiesBetweenOrderStatistics) {
  const Estimate p95 = estimate_quantile(up_to(100), 0.95);
  EXPECT_DOUBLE_EQ(*p95.value, 95.05) << "R: quantile(1:100, 0.95)";
  ASSERT_TRUE(p95.ci);
  EXPECT_EQ(p95.ci->low, 90);
  EXPECT_EQ(p95.ci->high, 100);
  EXPECT_EQ(p95.method, "order_statistics");
  const Estimate middle = estimate_quantile(up_to(20), 0.5);
  EXPECT_EQ(middle.ci->low, 6);
  EXPECT_EQ(middle.ci->high, 15);
  EXPECT_EQ(middle.ci->low, estimate_median(up_to(20)).ci->low);
}

TEST(Quantile, HasNoIntervalThatWouldReachBeyondTheData) {
  // 0.95^72 = 0.0249: the largest of 72 is the first that may be the upper end.
  EXPECT_TRUE(estimate_quantile(up_to(72), 0.95).ci);
  const Estimate few = estimate_quantile(up_to(71), 0.95);
  EXPECT_TRUE(few.value);
  EXPECT_FALSE(few.ci);
  EXPECT_NE(few.undefined, "");
  EXPECT_EQ(estimate_quantile({}, 0.5).undefined, "no observations");
}

// Five clusters of four; the median is 7.5, the clustered error of the share below it
// sqrt(5/4·Σ(Σ(yᵢ − ½))²)/20 = 0.1118034 and t with 4 degrees of freedom 2.776445: the shares 0.1895840 and
// 0.8104160, whose quantiles (R's type 7) were computed with Python.
TEST(Quantile, OfClustersIsWoodruffs) {
  const std::vector<double> values = {1, 2,  3,   10,  4,  5,  6,  11, 7,  8,
                                      9, 12, 2.5, 3.5, 13, 14, 15, 16, 17, 1.5};
  std::vector<std::uint32_t> clusters;
  for (std::uint32_t i = 0; i < 20; ++i) clusters.push_back(i / 4);
  const Estimate median = estimate_quantile(values, 0.5, clusters);
  EXPECT_EQ(median.value, 7.5);
  EXPECT_EQ(median.method, "woodruff_clustered");
  ASSERT_TRUE(median.ci);
  EXPECT_NEAR(median.ci->low, 2.801048, 1e-6);
  EXPECT_NEAR(median.ci->high, 13.397904, 1e-6);
  const std::vector<std::uint32_t> one(20, 0);
  EXPECT_FALSE(estimate_quantile(values, 0.5, one).ci);
}

}  // namespace
}  // namespace assay
