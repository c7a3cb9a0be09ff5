#include "stats/sequential/quantiles.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"
#include "stats/sequential/boundaries.h"

namespace assay {
namespace {

std::vector<double> first_numbers(int n) {
  std::vector<double> numbers;
  for (int i = 1; i <= n; ++i) numbers.push_back(i);
  return numbers;
}

// After 1,000 observations, looked at from 100 on, the published band is 0.08204769 (boundaries_test.cc). So
// the median of 1 … 1000 lies between the observations with at least 0.41795 and 0.58205 of all below.
TEST(QuantileSequence, ReadsTheIntervalOffThePublishedBand) {
  const Estimate median = quantile_sequence(first_numbers(1000), 0.5);
  EXPECT_EQ(median.value, 500);
  EXPECT_EQ(median.ci.value().low, 418);
  EXPECT_EQ(median.ci.value().high, 583);
  EXPECT_EQ(median.n, 1000);
  EXPECT_EQ(median.method, "distribution_band");
  const Estimate ninth = quantile_sequence(first_numbers(1000), 0.9);
  EXPECT_EQ(ninth.value, 900);
  EXPECT_EQ(ninth.ci.value().low, 818);
  EXPECT_EQ(ninth.ci.value().high, 983);
}

TEST(QuantileSequence, SaysWhyThereIsNoInterval) {
  EXPECT_EQ(quantile_sequence({}, 0.5).undefined, "no observations");
  EXPECT_EQ(quantile_sequence(first_numbers(9), 0).undefined, "a quantile's share lies between 0 and 1");
  const Estimate early = quantile_sequence(first_numbers(99), 0.5);
  EXPECT_EQ(early.value, 50);
  EXPECT_FALSE(early.ci.has_value());
  EXPECT_EQ(early.undefined, "no interval before 100 observations: none is promised");
  const Estimate tail = quantile_sequence(first_numbers(1000), 0.95);
  EXPECT_EQ(tail.value, 950);
  EXPECT_EQ(tail.undefined, "no interval: 1000 observations do not bound this quantile on both sides");
  EXPECT_FALSE(quantile_sequence(first_numbers(10), 0.5, {.level = 1, .first_look = 2}).ci.has_value());
}

TEST(QuantileSequence, TakesKnownLimitsWhereTheBandReachesBeyondTheData) {
  const Estimate tail = quantile_sequence(first_numbers(1000), 0.95, {.range = Interval{0, 2000}});
  EXPECT_EQ(tail.ci.value().low, 868);
  EXPECT_EQ(tail.ci.value().high, 2000);
  EXPECT_EQ(quantile_sequence(first_numbers(1000), 0.05, {.range = Interval{0, 2000}}).ci.value().low, 0);
}

// Looked at after every observation from the 50th to the 500th, at most 5 % of streams may ever exclude the
// truth; the band allows for every quantile at once, so one alone stays far below.
TEST(QuantileSequence, HoldsAtAllTimesTogether) {
  int excluded = 0;
  for (int stream = 0; stream < 100; ++stream) {
    Random random = Random::keyed("quantiles", stream);
    std::vector<double> seen;
    bool held = true;
    for (int i = 1; i <= 500; ++i) {
      const double value = random.normal();
      seen.insert(std::ranges::upper_bound(seen, value), value);
      if (i < 50 || i % 25 != 0) continue;
      const Estimate median = quantile_sequence(seen, 0.5, {.first_look = 50});
      held = held && (!median.ci || (median.ci->low <= 0 && median.ci->high >= 0));
    }
    excluded += held ? 0 : 1;
  }
  EXPECT_LE(excluded, 5);
}

}  // namespace
}  // namespace assay
