#include "stats/sequential/quantiles.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stats/sequential/boundaries.h"

namespace assay {
namespace {

// Rounding must not make the interval narrower.
constexpr double kRounding = 1e-9;

}  // namespace

Estimate quantile_sequence(std::span<const double> ascending, double share, const QuantilePlan& plan) {
  const auto n = static_cast<std::int64_t>(ascending.size());
  if (n == 0) return undefined_figure("no observations");
  if (!(share > 0 && share < 1)) return undefined_figure("a quantile's share lies between 0 and 1", n);
  const double count = static_cast<double>(n);
  // The observation with at least `part` of all at or below it; 1 is the smallest.
  const auto rank = [&](double part) { return static_cast<std::int64_t>(std::ceil(part)); };
  Estimate estimate;
  estimate.n = n;
  estimate.level = plan.level;
  estimate.method = "distribution_band";
  estimate.value = ascending[static_cast<std::size_t>(
      std::clamp<std::int64_t>(rank(count * share - kRounding), 1, n) - 1)];
  if (n < plan.first_look) {
    estimate.undefined = fmt::format("no interval before {} observations: none is promised", plan.first_look);
    return estimate;
  }
  const double band = distribution_boundary(count, static_cast<double>(plan.first_look), 1 - plan.level);
  if (!std::isfinite(band)) {
    estimate.undefined = "no interval: the level lies between 0 and 1, and the first look is at least 1";
    return estimate;
  }
  const std::int64_t low = rank(count * (share - band) - kRounding);
  const std::int64_t high = rank(count * (share + band) + kRounding);
  if ((low < 1 || high > n) && !plan.range) {
    estimate.undefined =
        fmt::format("no interval: {} observations do not bound this quantile on both sides", n);
    return estimate;
  }
  estimate.ci = Interval{low < 1 ? plan.range->low : ascending[static_cast<std::size_t>(low - 1)],
                         high > n ? plan.range->high : ascending[static_cast<std::size_t>(high - 1)]};
  return estimate;
}

}  // namespace assay
