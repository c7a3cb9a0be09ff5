#include "stats/proportion.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>

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

}  // namespace

Estimate wilson(std::int64_t count, std::int64_t n, double level) {
  Estimate estimate = rate(count, n, level, "wilson");
  if (!wants_interval(estimate)) return estimate;
  const double z = quantile(boost::math::normal(), 0.5 + level / 2);
  const double size = static_cast<double>(n);
  const double p = *estimate.value;
  const double shrink = 1 + z * z / size;
  const double centre = (p + z * z / (2 * size)) / shrink;
  const double half = z * std::sqrt(p * (1 - p) / size + z * z / (4 * size * size)) / shrink;
  // The formula gives exactly 0 and 1 at the ends; rounding would leave 1e-17.
  estimate.ci =
      Interval{count == 0 ? 0 : std::max(0.0, centre - half), count == n ? 1 : std::min(1.0, centre + half)};
  return estimate;
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
