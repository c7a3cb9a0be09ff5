#include "stats/comparisons/adjust.h"

#include <algorithm>

namespace assay {
namespace {

using PValues = std::span<const std::optional<double>>;

// Where the defined p-values stand, from the smallest to the largest.
std::vector<std::size_t> ascending(PValues p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] && *p[i] >= 0 && *p[i] <= 1) order.push_back(i);
  }
  std::ranges::sort(order, [&](std::size_t i, std::size_t j) { return *p[i] < *p[j]; });
  return order;
}

// min_{j>=i} min(1, factor·m·p_(j)/j).
std::vector<std::optional<double>> step_up(PValues p, double factor) {
  std::vector<std::optional<double>> adjusted(p.size());
  const std::vector<std::size_t> order = ascending(p);
  const auto m = static_cast<double>(order.size());
  double smallest = 1;
  for (std::size_t place = order.size(); place >= 1; --place) {
    const std::size_t at = order[place - 1];
    smallest = std::min(smallest, factor * (m / static_cast<double>(place)) * *p[at]);
    adjusted[at] = smallest;
  }
  return adjusted;
}

}  // namespace

std::vector<std::optional<double>> holm(PValues p) {
  std::vector<std::optional<double>> adjusted(p.size());
  const std::vector<std::size_t> order = ascending(p);
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - i) * *p[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

std::vector<std::optional<double>> benjamini_hochberg(PValues p) {
  return step_up(p, 1);
}

std::vector<std::optional<double>> benjamini_yekutieli(PValues p) {
  double factor = 0;
  for (std::size_t j = 1; j <= ascending(p).size(); ++j) factor += 1 / static_cast<double>(j);
  return step_up(p, factor);
}

}  // namespace assay
