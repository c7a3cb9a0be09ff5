#include "stats/intervals/resample.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The share of the first cell.
void first_share(std::span<const std::int64_t> counts, std::span<double> out) {
  double total = 0;
  for (const std::int64_t count : counts) total += static_cast<double>(count);
  out[0] = static_cast<double>(counts[0]) / total;
}

TEST(Resample, GivesTheQuantilesOfTheBinomial) {
  // The bootstrap of a share is binomial. qbinom(c(.025,.975), 100, .3) = 21, 39; (1000, .3) = 272, 329;
  // (20, .5) = 6, 14, which is drawn case by case.
  struct Setting {
    std::int64_t count;
    std::int64_t n;
    double low;
    double high;
  };
  for (const Setting& s : {Setting{30, 100, 21, 39}, Setting{300, 1000, 272, 329}, Setting{10, 20, 6, 14}}) {
    const std::vector<std::int64_t> counts{s.count, s.n - s.count};
    const auto intervals = resample_cells(counts, 1, first_share, {});
    ASSERT_EQ(intervals.size(), 1U);
    ASSERT_TRUE(intervals[0].ci.has_value()) << intervals[0].undefined;
    // One count of tolerance: the quantile falls between two atoms.
    EXPECT_NEAR(intervals[0].ci->low * static_cast<double>(s.n), s.low, 1.0) << s.n;
    EXPECT_NEAR(intervals[0].ci->high * static_cast<double>(s.n), s.high, 1.0) << s.n;
  }
}

TEST(Resample, KeepsTheTotalAndTouchesNoEmptyCell) {
  for (const std::int64_t size : {3, 3000}) {  // case by case and by binomials
    const std::vector<std::int64_t> counts{size, 0, 2 * size, 0, size};
    resample_cells(counts, 1,
                   [&](std::span<const std::int64_t> drawn, std::span<double> out) {
                     EXPECT_EQ(drawn[1], 0);
                     EXPECT_EQ(drawn[3], 0);
                     EXPECT_EQ(drawn[0] + drawn[2] + drawn[4], 4 * size);
                     out[0] = 0;
                   },
                   {.draws = 200});
  }
}

TEST(Resample, DrawsEveryCellInProportion) {
  // Means of 10,000 draws against the counts, five standard errors.
  const std::vector<std::int64_t> counts{700, 200, 90, 10};
  std::vector<double> sums(4);
  resample_cells(counts, 1,
                 [&](std::span<const std::int64_t> drawn, std::span<double> out) {
                   for (std::size_t i = 0; i < drawn.size(); ++i)
                     sums[i] += static_cast<double>(drawn[i]) / 10'000;
                   out[0] = 0;
                 },
                 {});
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double p = static_cast<double>(counts[i]) / 1000;
    EXPECT_NEAR(sums[i], static_cast<double>(counts[i]), 5 * std::sqrt(1000 * p * (1 - p) / 10'000));
  }
}

TEST(Resample, IsTheSameEveryTimeAndDiffersByKey) {
  const std::vector<std::int64_t> counts{30, 70};
  const auto one = resample_cells(counts, 1, first_share, {.draws = 500, .random = Random::keyed(1)});
  const auto same = resample_cells(counts, 1, first_share, {.draws = 500, .random = Random::keyed(1)});
  EXPECT_EQ(one[0].ci->low, same[0].ci->low);
  EXPECT_EQ(one[0].ci->high, same[0].ci->high);
  std::vector<double> first;
  std::vector<double> second;
  const auto record = [](std::vector<double>* into) {
    return [into](std::span<const std::int64_t> drawn, std::span<double> out) {
      into->push_back(static_cast<double>(drawn[0]));
      out[0] = 0;
    };
  };
  resample_cells(counts, 1, record(&first), {.draws = 500, .random = Random::keyed(1)});
  resample_cells(counts, 1, record(&second), {.draws = 500, .random = Random::keyed(2)});
  EXPECT_NE(first, second);
}

TEST(Resample, IsBounded) {
  // A million cells would take hours at 10,000 draws: there is no interval, and the reason is given at once.
  const std::vector<std::int64_t> counts(1'000'000, 1);
  const auto intervals = resample_cells(counts, 1, first_share, {});
  EXPECT_FALSE(intervals[0].ci.has_value());
  EXPECT_EQ(intervals[0].undefined, "no interval: there are too many distinct outcomes to resample");
}

// 300,000 clusters of two cases that are alike: the share's error is that of 300,000 yes/no decisions.
TEST(Resample, DrawsVeryManyClustersInGroups) {
  constexpr std::int64_t kClusters = 300'000;
  std::vector<ClusterCells> clusters;
  for (std::int64_t i = 0; i < kClusters; ++i) clusters.push_back({{i < kClusters * 3 / 10 ? 0U : 1U, 2}});
  const std::vector<std::int64_t> counts{kClusters * 6 / 10, kClusters * 14 / 10};
  const auto interval = resample_cells(counts, 1, first_share, {}, clusters).front();
  ASSERT_TRUE(interval.ci.has_value()) << interval.undefined;
  const double half = 1.959964 * std::sqrt(0.3 * 0.7 / static_cast<double>(kClusters));
  EXPECT_NEAR((interval.ci->high - interval.ci->low) / (2 * half), 1, 0.06);
  EXPECT_NEAR((interval.ci->high + interval.ci->low) / 2, 0.3, 0.05 * half);
}

TEST(Resample, RefusesNegativeCountsAndNoDraws) {
  EXPECT_FALSE(resample_cells(std::vector<std::int64_t>{-1, 5}, 1, first_share, {})[0].ci.has_value());
  EXPECT_FALSE(
      resample_cells(std::vector<std::int64_t>{1, 5}, 1, first_share, {.draws = 0})[0].ci.has_value());
}

TEST(PercentileInterval, InterpolatesBetweenNeighbours) {
  std::vector<double> draws;
  for (int i = 100; i >= 0; --i) draws.push_back(i);  // positions 2.5 and 97.5 of 0…100
  const ResampledInterval interval = percentile_interval(draws, 0.95);
  EXPECT_NEAR(interval.ci.value().low, 2.5, 1e-9);
  EXPECT_NEAR(interval.ci.value().high, 97.5, 1e-9);
}

TEST(PercentileInterval, LeavesOutUndefinedDraws) {
  const ResampledInterval half = percentile_interval({1, kNaN, 2, kNaN}, 0.95);
  EXPECT_TRUE(half.ci.has_value());
  EXPECT_NEAR(half.ci->low, 1.025, 1e-9);
  const ResampledInterval most = percentile_interval({1, kNaN, 2, kNaN, kNaN}, 0.95);
  EXPECT_FALSE(most.ci.has_value());
  EXPECT_EQ(most.undefined, "no interval: the figure is undefined in 3 of 5 resamples");
  EXPECT_FALSE(percentile_interval({}, 0.95).ci.has_value());
}

TEST(PercentileInterval, ClaimsNoCertaintyFromEqualDraws) {
  const ResampledInterval interval = percentile_interval({1, 1, 1}, 0.95);
  EXPECT_FALSE(interval.ci.has_value());
  EXPECT_NE(interval.undefined, "");
}

// Hesterberg 2015, section 4.1: what is cut off on each side for 95 %.
TEST(ExpandedLevel, CutsOffAsMuchAsPublished) {
  const auto cut_off = [](std::int64_t units) { return (1 - expanded_level(0.95, units)) / 2; };
  EXPECT_NEAR(cut_off(5), 0.0010, 5e-5);
  EXPECT_NEAR(cut_off(10), 0.0086, 5e-5);
  EXPECT_NEAR(cut_off(20), 0.0159, 5e-5);
  EXPECT_NEAR(cut_off(40), 0.0203, 5e-5);
  EXPECT_NEAR(cut_off(100), 0.0231, 5e-5);
  EXPECT_EQ(expanded_level(0.95, 1), 0.95);
}

TEST(PercentileInterval, RefusesAnImpossibleLevel) {
  EXPECT_FALSE(percentile_interval({1, 2, 3}, 1).ci.has_value());
  EXPECT_FALSE(percentile_interval({1, 2, 3}, kNaN).ci.has_value());
}

}  // namespace
}  // namespace assay
