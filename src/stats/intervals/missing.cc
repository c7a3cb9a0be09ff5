#include "stats/intervals/missing.h"

#include <utility>

#include "stats/intervals/median.h"

namespace assay {
namespace {

std::int64_t absent_of(const std::map<std::string, std::int64_t>& missing) {
  std::int64_t absent = 0;
  for (const auto& [reason, count] : missing) absent += count > 0 ? count : 0;
  return absent;
}

}  // namespace

Estimate count_missing(Estimate estimate, const std::map<std::string, std::int64_t>& missing) {
  for (const auto& [reason, count] : missing) {
    if (count > 0) estimate.missing[reason] += count;
  }
  return estimate;
}

Estimate median_with_missing(std::vector<double> values, const std::map<std::string, std::int64_t>& missing,
                             Interval range) {
  Estimate estimate = count_missing(estimate_median(values), missing);
  const auto absent = static_cast<std::size_t>(absent_of(missing));
  if (absent == 0) return estimate;
  const auto with = [&](double all_of_them) {
    std::vector<double> completed = values;
    completed.insert(completed.end(), absent, all_of_them);
    return *median(completed);
  };
  estimate.bounds = Interval{with(range.low), with(range.high)};
  return estimate;
}

Estimate with_missing(Estimate estimate, const std::map<std::string, std::int64_t>& missing, Interval range) {
  estimate = count_missing(std::move(estimate), missing);
  const std::int64_t absent = absent_of(missing);
  if (absent == 0) return estimate;
  const double seen = estimate.value ? static_cast<double>(estimate.n) : 0;
  const double sum = estimate.value ? *estimate.value * seen : 0;
  const double all = seen + static_cast<double>(absent);
  estimate.bounds = Interval{(sum + static_cast<double>(absent) * range.low) / all,
                             (sum + static_cast<double>(absent) * range.high) / all};
  return estimate;
}

}  // namespace assay
