#include "stats/finite.h"

#include <algorithm>
#include <cmath>

namespace assay {

std::vector<double> finite_sorted(std::span<const double> values) {
  std::vector<double> sorted;
  sorted.reserve(values.size());
  for (const double value : values) {
    if (std::isfinite(value)) sorted.push_back(value);
  }
  std::ranges::sort(sorted);
  return sorted;
}

Moments moments_of(std::span<const double> values) {
  Moments moments;
  for (const double value : values) moments.add(value);
  return moments;
}

Estimate figure_of_kept(std::size_t kept, std::size_t given, double level) {
  Estimate figure;
  figure.n = static_cast<std::int64_t>(kept);
  figure.level = level;
  if (kept < given) figure.missing["not_finite"] = static_cast<std::int64_t>(given - kept);
  return figure;
}

}  // namespace assay
