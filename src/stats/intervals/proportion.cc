#include "stats/intervals/proportion.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace assay {
namespace {

using boost::math::quantile;
using Beta = boost::math::beta_distribution<double>;

// The rate without its interval; the caller adds the interval if `value` is there and `undefined` is empty.
Estimate rate(std::int64_t count, std::int64_t n, double level, std::string method) {
  if (n <= 0) return undefined_figure(n == 0 ? "no observations" : "a negative number of observations");
  if (count < 0 || count > n) return undefined_figure("the count lies outside 0 to n", n);
  Estimate estimate;
  estimate.value = static_cast<double>(count) / static_cast<double>(n);
  estimate.n = n;
  estimate.count = count;
  estimate.method = std::move(method);
  estimate.level = level;
  if (!(level > 0 && level < 1)) estimate.undefined = "an interval's level must lie between 0 and 1";
  return estimate;
}

bool wants_interval(const Estimate& estimate) {
  return estimate.value && estimate.undefined.empty();
}

// Wilson's formula for any critical value and a size that need not be whole.
Interval wilson_interval(double p, double size, double critical) {
  const double square = critical * critical;
  const double shrink = 1 + square / size;
  const double centre = (p + square / (2 * size)) / shrink;
  const double half = critical * std::sqrt(p * (1 - p) / size + square / (4 * size * size)) / shrink;
  // The formula gives exactly 0 and 1 at the ends; rounding would leave 1e-17.
  return {p == 0 ? 0 : std::max(0.0, centre - half), p == 1 ? 1 : std::min(1.0, centre + half)};
}

}  // namespace

Estimate wilson(std::int64_t count, std::int64_t n, double level) {
  Estimate estimate = rate(count, n, level, "wilson");
  if (!wants_interval(estimate)) return estimate;
  estimate.ci = wilson_interval(*estimate.value, static_cast<double>(n),
                                quantile(boost::math::normal(), 0.5 + level / 2));
  return estimate;
}

Estimate wilson_clustered(const ClusteredMoments& decisions, double level) {
  const std::int64_t n = decisions.all().n();
  const double p = decisions.all().mean().value_or(0);
  const std::int64_t count = std::llround(p * static_cast<double>(n));
  if (decisions.clusters() == n) return wilson(count, n, level);
  Estimate estimate = rate(count, n, level, "wilson_clustered");
  if (!wants_interval(estimate)) return estimate;
  const auto error = decisions.standard_error();
  if (!error) {
    estimate.undefined = "no interval: all decisions belong to one cluster";
    return estimate;
  }
  const double size = static_cast<double>(n);
  const double clusters = static_cast<double>(decisions.clusters());
  const double naive = p * (1 - p) / size;
  estimate.ci = naive > 0 ? wilson_interval(p, size / std::max(1.0, *error * *error / naive),
                                            quantile(boost::math::students_t(clusters - 1), 0.5 + level / 2))
                          : wilson_of_equal(p, decisions.clusters(), level);
  return estimate;
}

Estimate wilson_shares(const ClusteredMoments& shares, std::int64_t decisions, double level) {
  const std::int64_t n = shares.all().n();
  if (n == 0) return undefined_figure("no observations");
  Estimate estimate;
  estimate.value = shares.all().mean();
  estimate.n = n;
  estimate.level = level;
  estimate.method = shares.clusters() == n ? "wilson_shares" : "wilson_shares_clustered";
  const double p = *estimate.value;
  const auto error = shares.standard_error();
  if (*shares.all().minimum() < 0 || *shares.all().maximum() > 1 || decisions < n) {
    estimate.undefined = "not a mean of shares";
  } else if (!(level > 0 && level < 1)) {
    estimate.undefined = "an interval's level must lie between 0 and 1";
  } else if (!error) {
    estimate.undefined = n == 1 ? "no interval: one observation has no spread"
                                : "no interval: all observations belong to one cluster";
  } else if (const auto equal = wilson_of_equal(p, shares.clusters(), level)) {
    estimate.ci = equal;
  } else {
    const double most = static_cast<double>(decisions);
    const double square = *error * *error;
    const double size = square > 0 ? std::min(most, p * (1 - p) / square) : most;
    const double freedom = static_cast<double>(shares.clusters() - 1);
    estimate.ci = wilson_interval(p, size, quantile(boost::math::students_t(freedom), 0.5 + level / 2));
  }
  return estimate;
}

Interval wilson_of_size(double rate, double size, double freedom, double level) {
  return wilson_interval(rate, size, quantile(boost::math::students_t(freedom), 0.5 + level / 2));
}

std::optional<Interval> wilson_of_equal(double rate, std::int64_t clusters, double level) {
  if ((rate != 0 && rate != 1) || clusters < 2 || !(level > 0 && level < 1)) return std::nullopt;
  return wilson_interval(rate, static_cast<double>(clusters),
                         quantile(boost::math::normal(), 0.5 + level / 2));
}

Estimate clopper_pearson(std::int64_t count, std::int64_t n, double level) {
  Estimate estimate = rate(count, n, level, "clopper_pearson");
  if (!wants_interval(estimate)) return estimate;
  const double hits = static_cast<double>(count);
  const double misses = static_cast<double>(n - count);
  const double tail = (1 - level) / 2;
  estimate.ci = Interval{count == 0 ? 0 : quantile(Beta(hits, misses + 1), tail),
                         count == n ? 1 : quantile(Beta(hits + 1, misses), 1 - tail)};
  return estimate;
}

Estimate jeffreys(std::int64_t count, std::int64_t n, double level) {
  Estimate estimate = rate(count, n, level, "jeffreys");
  if (!wants_interval(estimate)) return estimate;
  const Beta posterior(static_cast<double>(count) + 0.5, static_cast<double>(n - count) + 0.5);
  const double tail = (1 - level) / 2;
  estimate.ci =
      Interval{count == 0 ? 0 : quantile(posterior, tail), count == n ? 1 : quantile(posterior, 1 - tail)};
  return estimate;
}

}  // namespace assay
