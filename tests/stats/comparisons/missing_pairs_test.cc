#include "stats/comparisons/missing_pairs.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stats/comparisons/pairs.h"

namespace assay {
namespace {

TEST(MissingPairs, GiveTheBoundsOfTheDifference) {
  MissingPairs missing;
  missing.lacks_first(0.25, "a_failed");   // from -0.25 to 0.75
  missing.lacks_second(0.5, "b_refused");  // from -0.5 to 0.5
  missing.lacks_second(1, "b_refused");    // from 0 to 1
  const Estimate estimate = missing.added_to(plain_figure(0.1, 7));
  EXPECT_EQ(missing.count(), 3);
  EXPECT_EQ(estimate.missing.at("b_refused"), 2);
  EXPECT_NEAR(estimate.bounds->low, (0.7 - 0.75) / 10, 1e-12);
  EXPECT_NEAR(estimate.bounds->high, (0.7 + 2.25) / 10, 1e-12);
}

TEST(MissingPairs, WithoutAKnownRangeAreCountedOnly) {
  MissingPairs missing(std::nullopt);
  missing.lacks_first(17, "a_failed");
  const Estimate estimate = missing.added_to(plain_figure(3, 7));
  EXPECT_EQ(estimate.missing.at("a_failed"), 1);
  EXPECT_FALSE(estimate.bounds.has_value());
  EXPECT_FALSE(missing.interval(std::vector<double>{1, 2, 3}, {}));
}

TEST(MissingPairs, GiveTheIntervalWhateverTheyWere) {
  MissingPairs missing;
  const std::vector<double> whole = {0.5, 0.25, 0, 0.25, 0.5};
  EXPECT_FALSE(missing.interval(whole, {}));
  missing.lacks_first(0.25, "a_failed");  // from -0.25 to 0.75
  const std::vector<double> worst = {0.5, 0.25, 0, 0.25, 0.5, -0.25};
  const std::vector<double> best = {0.5, 0.25, 0, 0.25, 0.5, 0.75};
  const std::vector<double> nothing(6, 0);
  const auto interval = missing.interval(whole, {});
  EXPECT_NEAR(interval->low, paired_t(worst, nothing).difference.ci->low, 1e-12);
  EXPECT_NEAR(interval->high, paired_t(best, nothing).difference.ci->high, 1e-12);
}

TEST(PairedDifference, IsPairedTWhereThereIsSpread) {
  const std::vector<double> a = {1, 1, 0, 1};
  const std::vector<double> b = {0, 1, 0, 0};
  EXPECT_EQ(paired_difference(a, b).difference.ci->low, paired_t(a, b).difference.ci->low);
  EXPECT_EQ(paired_difference(a, b).difference.method, "paired_t");
}

TEST(PairedDifference, OfEqualDifferencesIsMadeAsIfOneMorePairShowedNone) {
  // {-1, -1, -1, -1, 0}: mean -0.8, standard error 0.2, t with 4 degrees of freedom 2.776445.
  const std::vector<double> a(4, 0);
  const std::vector<double> b(4, 1);
  const Contrast contrast = paired_difference(a, b);
  EXPECT_EQ(contrast.difference.value, -1);
  EXPECT_EQ(contrast.difference.n, 4);
  EXPECT_NEAR(contrast.difference.ci->low, -0.8 - 2.776445 * 0.2, 1e-6);
  EXPECT_NEAR(contrast.difference.ci->high, -0.8 + 2.776445 * 0.2, 1e-6);
  EXPECT_EQ(contrast.difference.method, "paired_t_plus_one");
  EXPECT_TRUE(contrast.test.p.has_value());
  // Three pairs are too few, one says nothing, and no difference is none.
  EXPECT_GT(paired_difference(std::vector<double>(3, 0), std::vector<double>(3, 1)).difference.ci->high, 0);
  EXPECT_FALSE(paired_difference(std::vector<double>{0}, std::vector<double>{1}).difference.ci);
  EXPECT_FALSE(paired_difference(a, a).difference.ci);
}

TEST(PairedDifference, ThatIsRoundingAloneIsNone) {
  // 0.1 + 0.2 - 0.3 is 5.55e-17 in doubles.
  const std::vector<double> a = {0.1, 0.2, 0};
  const std::vector<double> b = {0, 0, 0.3};
  EXPECT_NE(*paired_t(a, b).difference.value, 0);
  EXPECT_EQ(*paired_difference(a, b).difference.value, 0);
  EXPECT_NE(*paired_difference(std::vector<double>{1e-9, 0}, std::vector<double>{0, 0}).difference.value, 0);
}

TEST(PairedDifference, WithClustersAddsACluster) {
  const std::vector<double> a(6, 0.5);
  const std::vector<double> b(6, 0.75);
  const std::vector<std::string> clusters = {"p", "p", "q", "q", "r", "r"};
  // Cluster sums of deviations from -0.1875: -0.125 three times and 0.375; variance 4/3·0.1875, over 8.
  const Contrast contrast = paired_difference(a, b, clusters);
  EXPECT_NEAR(contrast.difference.ci->high, -0.1875 + 3.182446 * std::sqrt(4.0 / 3 * 0.1875) / 8, 1e-6);
  EXPECT_EQ(contrast.difference.method, "paired_t_clustered_plus_one");
}

}  // namespace
}  // namespace assay
