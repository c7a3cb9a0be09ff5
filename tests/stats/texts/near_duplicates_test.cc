#include "stats/texts/near_duplicates.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/random.h"

namespace assay {
namespace {

// Nine words have seven shingles; another last word changes one: six are common of eight in all.
TEST(NearDuplicates, TheIndexIsCommonShinglesOverAll) {
  const auto first = shingles_of("May I build a small shed behind my house?");
  const auto second = shingles_of("MAY I build, a small shed behind my garden");
  EXPECT_EQ(first.size(), 7U);
  EXPECT_DOUBLE_EQ(jaccard(first, second), 6.0 / 8);
  EXPECT_DOUBLE_EQ(jaccard(first, first), 1);
  EXPECT_DOUBLE_EQ(jaccard(shingles_of(""), shingles_of("…")), 0);
  EXPECT_DOUBLE_EQ(jaccard(shingles_of("yes"), shingles_of("Yes!")), 1);
}

std::string words(Random& random, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "w" + std::to_string(random.below(2'000)) + " ";
  return text;
}

// The share of equal hashes is unbiased with variance J(1 − J)/128: over 200 pairs of every likeness the mean
// error is within four standard errors of 0, and no single one is further off than five of its own.
TEST(NearDuplicates, MinHashEstimatesTheExactIndex) {
  Random random = Random::keyed("pairs");
  double sum = 0;
  double variance = 0;
  for (int pair = 0; pair < 200; ++pair) {
    const std::string common = words(random, 5 + static_cast<int>(random.below(60)));
    const auto first = shingles_of(common + words(random, static_cast<int>(random.below(40))));
    const auto second = shingles_of(common + words(random, static_cast<int>(random.below(40))));
    const double exact = jaccard(first, second);
    const double error = estimated_jaccard(min_hashes(first), min_hashes(second)) - exact;
    EXPECT_LE(std::abs(error), 5 * std::sqrt(exact * (1 - exact) / kMinHashes) + 1e-12) << exact;
    sum += error;
    variance += exact * (1 - exact) / kMinHashes;
  }
  EXPECT_LE(std::abs(sum), 4 * std::sqrt(variance));
}

// Against every pair compared exactly.
TEST(NearDuplicates, ClustersAreThoseOfAllPairs) {
  Random random = Random::keyed("clusters");
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) {
    texts.push_back(words(random, 40));
    if (i % 3 == 0) texts.push_back("another beginning " + texts.back());
    if (i % 6 == 0) texts.push_back(texts.back() + "and another end");
  }
  const NearDuplicates found = near_duplicates(texts, 0.7);
  for (std::size_t a = 0; a < texts.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool alike = jaccard(shingles_of(texts[a]), shingles_of(texts[b])) >= 0.7;
      EXPECT_EQ(found.cluster_of[a] == found.cluster_of[b], alike) << a << ' ' << b;
    }
  }
  EXPECT_EQ(found.links.size(), 30U);
  EXPECT_LT(found.compared, 200U);
}

}  // namespace
}  // namespace assay
