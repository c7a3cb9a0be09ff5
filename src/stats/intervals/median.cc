#include "stats/intervals/median.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include <boost/math/distributions/binomial.hpp>

#include "stats/finite.h"

namespace assay {
namespace {

double middle(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2;
}

// The largest number of values that may be cut off at each end so that the rest encloses the true median with
// probability 1 - 2·tail at least; none if even the whole range does not.
std::optional<std::size_t> cut_off(std::size_t n, double tail) {
  const boost::math::binomial coin(static_cast<double>(n), 0.5);
  if (boost::math::cdf(coin, 0) > tail) return std::nullopt;
  std::size_t low = 0;           // P(X <= low) <= tail
  std::size_t high = n / 2 + 1;  // P(X <= high) > tail
  while (high - low > 1) {
    const std::size_t between = low + (high - low) / 2;
    (boost::math::cdf(coin, static_cast<double>(between)) <= tail ? low : high) = between;
  }
  return low;
}

}  // namespace

std::optional<double> median(std::span<const double> values) {
  const std::vector<double> sorted = finite_sorted(values);
  if (sorted.empty()) return std::nullopt;
  return middle(sorted);
}

Estimate estimate_median(std::span<const double> values, double level) {
  const std::vector<double> sorted = finite_sorted(values);
  if (sorted.empty()) return undefined_figure("no observations");
  Estimate estimate;
  estimate.value = middle(sorted);
  estimate.n = static_cast<std::int64_t>(sorted.size());
  estimate.method = "order_statistics";
  estimate.level = level;
  if (sorted.size() < values.size()) {
    estimate.missing["not_finite"] = static_cast<std::int64_t>(values.size() - sorted.size());
  }
  if (!(level > 0 && level < 1)) {
    estimate.undefined = "an interval's level must lie between 0 and 1";
  } else if (const auto cut = cut_off(sorted.size(), (1 - level) / 2)) {
    estimate.ci = Interval{sorted[*cut], sorted[sorted.size() - 1 - *cut]};
  } else {
    estimate.undefined = "no interval: too few observations to enclose the median at this level";
  }
  return estimate;
}

}  // namespace assay
