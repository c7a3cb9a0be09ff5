#include "stats/agreement/drawn_pairs.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stats/agreement/cohen_kappa.h"
#include "stats/agreement/krippendorff.h"
#include "stats/agreement/ratings.h"

namespace assay {
namespace {

std::vector<DrawnPair> some(double probability) {
  std::vector<DrawnPair> pairs;
  for (int i = 0; i < 40; ++i) {
    const double first = i % 3;
    const double second = i % 7 == 0 ? (i + 1) % 3 : first;
    pairs.push_back({first, second, first == second, probability});
  }
  return pairs;
}

TEST(DrawnPairs, DrawnAlikeHaveTheFiguresOfAnyRatings) {
  for (const double probability : {1.0, 0.1}) {
    const std::vector<DrawnPair> pairs = some(probability);
    Ratings ratings(2);
    for (const DrawnPair& pair : pairs) ratings.add_unit(std::vector{pair.first, pair.second});
    EXPECT_NEAR(weighted_kappa(pairs).value.value(), cohen_kappa(ratings).figure.resampled.value.value(),
                1e-12);
    EXPECT_NEAR(weighted_alpha(pairs).value.value(),
                krippendorff_alpha(ratings, Scale::interval).value.value(), 1e-12);
    EXPECT_NEAR(weighted_share(pairs).value.value(), 34.0 / 40, 1e-12);
  }
}

// Of 900 rows that the second rater lets pass 72 were drawn, of 100 that it fails 72; the first lets 64 of
// the former pass. Of all: 0.8 pass by the first, 0.9 by the second, 0.9 alike; chance 0.8·0.9 + 0.2·0.1 =
// 0.74, kappa 0.16/0.26. Counted alike 136 of 144 would be the same.
std::vector<DrawnPair> drawn_by_score() {
  std::vector<DrawnPair> pairs;
  for (int i = 0; i < 72; ++i) pairs.push_back({i < 64 ? 1.0 : 0.0, 1, i < 64, 0.08});
  for (int i = 0; i < 72; ++i) pairs.push_back({0, 0, true, 0.72});
  return pairs;
}

TEST(DrawnPairs, SpeakOfAllRowsAndNotOfTheDraw) {
  const Estimate share = weighted_share(drawn_by_score());
  EXPECT_NEAR(share.value.value(), 0.9, 1e-12);
  EXPECT_EQ(share.method, "wilson_weighted");
  // ψ = w·(same − 0.9): 64·(12.5·0.1)² + 8·(12.5·0.9)² + 72·(0.1/0.72)² = 1113.8889; times 144/143 over
  // 1000².
  const double variance = 144.0 / 143 * 1113.888889 / 1e6;
  const double size = 0.09 / variance;
  const double t = 1.976692;  // of 143 degrees of freedom
  const double centre = (0.9 + t * t / (2 * size)) / (1 + t * t / size);
  const double half = t * std::sqrt(0.09 / size + t * t / (4 * size * size)) / (1 + t * t / size);
  EXPECT_NEAR(share.ci->low, centre - half, 1e-6);
  EXPECT_NEAR(share.ci->high, centre + half, 1e-6);
  const Estimate kappa = weighted_kappa(drawn_by_score());
  EXPECT_NEAR(kappa.value.value(), 0.16 / 0.26, 1e-12);
  EXPECT_LT(kappa.ci->low, 0.6);
  EXPECT_GT(kappa.ci->high, 0.63);
}

TEST(DrawnPairs, ThatAreAllTheSameAreKnownAsWellAsTheirWeightsAllow) {
  std::vector<DrawnPair> pairs(10, {1, 1, true, 1});
  pairs.push_back({1, 1, true, 0.05});  // stands for twenty
  const Estimate share = weighted_share(pairs);
  EXPECT_EQ(share.value, 1);
  EXPECT_EQ(share.ci->high, 1);
  // (10 + 20)²/(10 + 400) = 2.195 rows; t of 10 degrees of freedom.
  EXPECT_NEAR(share.ci->low, 1 / (1 + 2.228139 * 2.228139 / (900.0 / 410)), 1e-6);
  EXPECT_FALSE(weighted_kappa(pairs).value);
  EXPECT_FALSE(weighted_alpha(pairs).value);
}

TEST(DrawnPairs, OfClustersAreMadeFromClusters) {
  std::vector<DrawnPair> pairs = some(0.5);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].cluster = i % 14 < 7 ? "a" : "b";
  EXPECT_EQ(weighted_share(pairs).method, "wilson_weighted_clustered");
  EXPECT_FALSE(weighted_kappa(pairs).ci) << "two clusters are too few";
  for (DrawnPair& pair : pairs) pair.cluster = "a";
  EXPECT_EQ(weighted_share(pairs).undefined, "no interval: all rows belong to one cluster");
}

TEST(DrawnPairs, WithoutARowOrWithAnImpossibleProbabilityAreUndefined) {
  EXPECT_FALSE(weighted_share({}).value);
  EXPECT_FALSE(weighted_kappa({}).value);
  for (const double probability : {0.0, -1.0, 2.0, std::nan("")}) {
    EXPECT_FALSE(weighted_share(some(probability)).value) << probability;
    EXPECT_FALSE(weighted_alpha(some(probability)).value) << probability;
  }
}

}  // namespace
}  // namespace assay
