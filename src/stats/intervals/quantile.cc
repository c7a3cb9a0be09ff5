#include "stats/intervals/quantile.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "stats/finite.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/resample.h"

namespace assay {
namespace {

constexpr const char* kBeyond =
    "no interval: too few observations; one of its ends would lie beyond all of them";

// The ranks of both ends, from 1; none if one of them is beyond the n observations.
std::optional<std::pair<std::size_t, std::size_t>> ranks(std::size_t n, double share, double tail) {
  const boost::math::binomial below(static_cast<double>(n), share);
  const auto at_most = [&](std::size_t k) { return boost::math::cdf(below, static_cast<double>(k)); };
  const auto more_than = [&](std::size_t k) {
    return boost::math::cdf(boost::math::complement(below, static_cast<double>(k)));
  };
  if (at_most(0) > tail || more_than(n - 1) > tail) return std::nullopt;
  std::size_t low = 0;   // P(X <= low) <= tail
  std::size_t high = n;  // P(X <= high) = 1
  while (high - low > 1) {
    const std::size_t between = low + (high - low) / 2;
    (at_most(between) <= tail ? low : high) = between;
  }
  std::size_t under = 0;     // P(X > under) > tail, or under is 0
  std::size_t over = n - 1;  // P(X > over) <= tail
  while (over - under > 1) {
    const std::size_t between = under + (over - under) / 2;
    (more_than(between) <= tail ? over : under) = between;
  }
  return std::pair(low + 1, over + 1);
}

void add_order_statistics(const std::vector<double>& sorted, double share, Estimate& estimate) {
  estimate.method = "order_statistics";
  if (const auto found = ranks(sorted.size(), share, (1 - estimate.level) / 2)) {
    estimate.ci = Interval{sorted[found->first - 1], sorted[found->second - 1]};
  } else {
    estimate.undefined = kBeyond;
  }
}

void add_woodruff(std::span<const double> values, std::span<const std::uint32_t> clusters, double share,
                  std::vector<double>& sorted, Estimate& estimate) {
  estimate.method = "woodruff_clustered";
  ClusteredMoments below;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) below.add(clusters[i], values[i] <= *estimate.value ? 1 : 0);
  }
  const auto error = below.standard_error();
  if (!error) {
    estimate.undefined = "no interval: one cluster shows no spread between clusters";
    return;
  }
  // Clusters that all hold the same share show no spread; independent observations are the least to allow
  // for.
  const double naive = std::sqrt(share * (1 - share) / static_cast<double>(sorted.size()));
  const boost::math::students_t t(static_cast<double>(below.clusters() - 1));
  const double half = boost::math::quantile(t, 0.5 + estimate.level / 2) * (*error > 0 ? *error : naive);
  if (share - half <= 0 || share + half >= 1) {
    estimate.undefined = kBeyond;
    return;
  }
  estimate.ci = Interval{quantile_of(sorted, share - half), quantile_of(sorted, share + half)};
}

}  // namespace

Estimate estimate_quantile(std::span<const double> values, double share,
                           std::span<const std::uint32_t> clusters, double level) {
  std::vector<double> sorted = finite_sorted(values);
  Estimate estimate = figure_of_kept(sorted.size(), values.size(), level);
  if (sorted.empty()) {
    estimate.undefined = "no observations";
  } else if (!(share > 0 && share < 1)) {
    estimate.undefined = "a quantile's share must lie between 0 and 1";
  } else if (!clusters.empty() && clusters.size() != values.size()) {
    estimate.undefined = "not every value has its cluster";
  } else {
    estimate.value = quantile_of(sorted, share);
    std::ranges::sort(sorted);
    if (!(level > 0 && level < 1)) {
      estimate.undefined = "an interval's level must lie between 0 and 1";
    } else if (clusters.empty()) {
      add_order_statistics(sorted, share, estimate);
    } else {
      add_woodruff(values, clusters, share, sorted, estimate);
    }
  }
  return estimate;
}

}  // namespace assay
