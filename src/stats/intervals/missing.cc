#include "stats/intervals/missing.h"

#include <utility>

namespace assay {

Estimate with_missing(Estimate estimate, const std::map<std::string, std::int64_t>& missing, Interval range) {
  std::int64_t absent = 0;
  for (const auto& [reason, count] : missing) {
    if (count <= 0) continue;
    absent += count;
    estimate.missing[reason] += count;
  }
  if (absent == 0) return estimate;
  const double seen = estimate.value ? static_cast<double>(estimate.n) : 0;
  const double sum = estimate.value ? *estimate.value * seen : 0;
  const double all = seen + static_cast<double>(absent);
  estimate.bounds = Interval{(sum + static_cast<double>(absent) * range.low) / all,
                             (sum + static_cast<double>(absent) * range.high) / all};
  return estimate;
}

}  // namespace assay
