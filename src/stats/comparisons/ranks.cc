#include "stats/comparisons/ranks.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace assay {

std::vector<double> mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    for (std::size_t i = from; i < to; ++i) ranks[order[i]] = static_cast<double>(from + to + 1) / 2;
    from = to;
  }
  return ranks;
}

double tie_sum(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  double sum = 0;
  for (std::size_t from = 0; from < sorted.size();) {
    std::size_t to = from;
    while (to < sorted.size() && sorted[to] == sorted[from]) ++to;
    const auto equal = static_cast<double>(to - from);
    sum += equal * equal * equal - equal;
    from = to;
  }
  return sum;
}

double kth_smallest(const std::function<std::int64_t(double)>& count_at_most, std::int64_t k) {
  // The doubles in their order as whole numbers: negative ones have their bits turned round.
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto place = [](double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return bits & kSign ? ~bits : bits | kSign;
  };
  const auto number = [](std::uint64_t at) { return std::bit_cast<double>(at & kSign ? at & ~kSign : ~at); };
  std::uint64_t low = place(-std::numeric_limits<double>::infinity());
  std::uint64_t high = place(std::numeric_limits<double>::infinity());
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (count_at_most(number(middle)) >= k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return number(low) + 0.0;  // never -0
}

}  // namespace assay
