#include "stats/items/item_response.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/random.h"

namespace assay {
namespace {

// LSAT section 6 (Bock and Lieberman 1970): how many of 1,000 people gave each of the 32 patterns of answers
// to five questions, the first question being the highest bit.
SolvedTable lsat6() {
  constexpr int kCounts[32] = {3,  6,  2,  11, 1, 1,  3,  4,  1,  8,  0,  16,  0,  3,  2,  15,
                               10, 29, 14, 81, 3, 28, 15, 80, 16, 56, 21, 173, 11, 61, 28, 298};
  SolvedTable table{0, 5, {}};
  for (int pattern = 0; pattern < 32; ++pattern) {
    for (int i = 0; i < kCounts[pattern]; ++i) {
      ++table.systems;
      for (int bit = 4; bit >= 0; --bit) table.cells.push_back((pattern >> bit) & 1);
    }
  }
  return table;
}

// Rizopoulos, "ltm: An R package for latent variable modeling", Journal of Statistical Software 17(5), 2006:
// ltm(LSAT ~ z1), difficulties and discriminations with their standard errors, log likelihood -2466.653.
TEST(ItemResponse, GivesThePublishedFitOfLsat6) {
  const SolvedTable table = lsat6();
  ASSERT_EQ(table.systems, 1000U);
  const ItemFits fits = fit_items(table, {.priors = std::nullopt});
  ASSERT_EQ(fits.undefined, "");
  EXPECT_NEAR(fits.log_likelihood, -2466.653, 0.002);
  struct Published {
    double difficulty;
    double difficulty_error;
    double discrimination;
    double discrimination_error;
  };
  constexpr Published kPublished[5] = {{-3.3597, 0.8669, 0.8254, 0.2581},
                                       {-1.3696, 0.3073, 0.7229, 0.1867},
                                       {-0.2799, 0.0997, 0.8905, 0.2326},
                                       {-1.8659, 0.4341, 0.6886, 0.1852},
                                       {-3.1236, 0.8700, 0.6575, 0.2100}};
  for (std::size_t i = 0; i < 5; ++i) {
    const ItemFit& fit = fits.cases[i];
    EXPECT_NEAR(*fit.difficulty.value, kPublished[i].difficulty, 0.004) << i;
    EXPECT_NEAR(*fit.difficulty_error, kPublished[i].difficulty_error, 0.004) << i;
    EXPECT_NEAR(*fit.discrimination.value, kPublished[i].discrimination, 0.002) << i;
    EXPECT_NEAR(*fit.discrimination_error, kPublished[i].discrimination_error, 0.002) << i;
    EXPECT_EQ(fit.discrimination.n, 1000);
  }
}

// Cases of one difficulty, the last of which the better systems fail.
TEST(ItemResponse, AMarkedCaseThatBetterSystemsFailHasANegativeDiscrimination) {
  SolvedTable table{8, 40, {}};
  Random random = Random::keyed("turned round");
  for (std::size_t system = 0; system < table.systems; ++system) {
    const double ability = -2 + 4.0 * static_cast<double>(system) / 7;
    for (std::size_t i = 0; i + 1 < table.cases; ++i)
      table.cells.push_back(random.uniform() < 1 / (1 + std::exp(-1.5 * ability)) ? 1 : 0);
    table.cells.push_back(ability < 0 ? 1 : 0);
  }
  const ItemFits fits = fit_items(table);
  ASSERT_EQ(fits.undefined, "");
  EXPECT_LT(*fits.cases.back().discrimination.value, 0);
  EXPECT_GT(fits.abilities.back(), fits.abilities.front() + 1);
  double mean = 0;
  for (std::size_t i = 0; i + 1 < table.cases; ++i) mean += *fits.cases[i].discrimination.value / 39;
  EXPECT_GT(mean, 0.8);
}

TEST(ItemResponse, SaysWhatItCannotKnow) {
  EXPECT_NE(fit_items({2, 1, {1, 0}}).undefined, "");
  EXPECT_NE(fit_items({3, 0, {}}).undefined, "");
  EXPECT_NE(fit_items({3, 2, {1, 0}}).undefined, "");
  // Three systems, a case that all solve: the prior holds the fit, and no difficulty is claimed.
  const double absent = std::numeric_limits<double>::quiet_NaN();
  const ItemFits fits = fit_items({3, 2, {1, 1, 1, 0, 1, absent}});
  ASSERT_EQ(fits.undefined, "");
  EXPECT_EQ(fits.cases[0].difficulty.ci, std::nullopt);
  EXPECT_NE(fits.cases[0].difficulty.undefined, "");
  EXPECT_EQ(fits.cases[1].discrimination.n, 2);
}

}  // namespace
}  // namespace assay
