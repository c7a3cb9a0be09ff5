#include "stats/comparisons/slope.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

namespace assay {

Contrast clustered_slope(std::span<const double> x, std::span<const double> y,
                         std::span<const std::string> clusters, double level) {
  const std::string method = "slope_t_clustered";
  Estimate slope;
  slope.level = level;
  if (x.size() != y.size() || x.size() != clusters.size()) {
    return undefined_contrast(slope, "the lists have different lengths", method);
  }
  if (!(level > 0 && level < 1)) {
    return undefined_contrast(slope, "an interval's level must lie between 0 and 1", method);
  }
  std::vector<std::size_t> kept;
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    kept.push_back(i);
    mean_x += x[i];
    mean_y += y[i];
  }
  slope.n = static_cast<std::int64_t>(kept.size());
  if (kept.size() < x.size()) slope.missing["not_finite"] = static_cast<std::int64_t>(x.size() - kept.size());
  if (kept.empty()) return undefined_contrast(slope, "no values", method);
  const double n = static_cast<double>(kept.size());
  mean_x /= n;
  mean_y /= n;
  double square = 0;
  double product = 0;
  double largest = 0;
  for (const std::size_t i : kept) {
    square += (x[i] - mean_x) * (x[i] - mean_x);
    product += (x[i] - mean_x) * (y[i] - mean_y);
    largest = std::max({largest, std::fabs(x[i]), std::fabs(y[i])});
  }
  // Rounding of the means leaves a trace where all values are equal.
  constexpr double kRounding = 1e-12;
  if (square <= n * std::pow(kRounding * std::max(largest, 1.0), 2)) {
    return undefined_contrast(slope, "the first measure does not vary", method);
  }
  const double value = product / square;
  slope.value = value;
  std::map<std::string_view, double> scores;
  double residuals = 0;
  for (const std::size_t i : kept) {
    const double residual = y[i] - mean_y - value * (x[i] - mean_x);
    residuals += residual * residual;
    scores[clusters[i]] += (x[i] - mean_x) * residual;
  }
  const double count = static_cast<double>(scores.size());
  if (scores.size() < 2) return undefined_contrast(slope, "no interval: there is one cluster only", method);
  double spread = 0;
  for (const auto& [name, score] : scores) spread += score * score;
  const double error = std::sqrt(count / (count - 1) * spread) / square;
  if (residuals <= n * std::pow(kRounding * std::max(largest, 1.0), 2) || !(error > 0)) {
    return undefined_contrast(slope, "no interval: all points lie on the line", method);
  }
  const double half = error * quantile(boost::math::students_t(count - 1), 0.5 + level / 2);
  slope.ci = Interval{value - half, value + half};
  slope.method = method;
  return {t_result(value / error, count - 1, Alternative::two_sided, method), slope};
}

}  // namespace assay
