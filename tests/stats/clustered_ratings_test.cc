#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "stats/agreement/agreement.h"
#include "stats/agreement/krippendorff.h"

namespace assay {
namespace {

double width(const Estimate& estimate) {
  EXPECT_TRUE(estimate.ci) << estimate.undefined;
  return estimate.ci ? estimate.ci->high - estimate.ci->low : 0;
}

// Forty units, and the same forty copied five times: a copy adds no knowledge, and an interval that draws
// clusters knows that.
TEST(ClusteredRatings, CopiesOfAUnitInOneClusterDoNotShortenTheInterval) {
  Random random = Random::keyed("clustered ratings");
  Ratings once(3);
  Ratings copied(3);
  Ratings clustered(3);
  for (int unit = 0; unit < 40; ++unit) {
    const double truth = static_cast<double>(random.below(3));
    std::vector<double> row(3);
    for (double& rating : row) rating = random.uniform() < 0.7 ? truth : static_cast<double>(random.below(3));
    once.add_unit(row);
    for (int copy = 0; copy < 5; ++copy) {
      copied.add_unit(row);
      clustered.add_unit(row, fmt::format("cluster {}", unit));
    }
  }
  const Estimate kappa = fleiss_kappa(clustered).figure.resampled;
  EXPECT_EQ(kappa.method, "bootstrap_clusters");
  EXPECT_EQ(kappa.n, 200);
  EXPECT_NEAR(*kappa.value, *fleiss_kappa(once).figure.resampled.value, 1e-12);
  EXPECT_NEAR(width(kappa) / width(fleiss_kappa(once).figure.resampled), 1, 0.1);
  EXPECT_LT(width(fleiss_kappa(copied).figure.resampled), 0.6 * width(kappa));
  const Estimate alpha = krippendorff_alpha(clustered, Scale::ordinal);
  EXPECT_EQ(alpha.method, "bootstrap_clusters");
  EXPECT_NEAR(width(alpha) / width(krippendorff_alpha(once, Scale::ordinal)), 1, 0.1);
  EXPECT_NEAR(width(raw_agreement(clustered)) / width(raw_agreement(once)), 1, 0.1);
}

}  // namespace
}  // namespace assay
