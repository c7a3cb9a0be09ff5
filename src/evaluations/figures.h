// Short ways to put figures into a summary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/summary.h"

namespace assay::figures {

inline Metric share(std::string name, Estimate estimate, bool headline = false) {
  return {std::move(name), std::move(estimate), Metric::Form::share, Metric::Better::higher, headline};
}

inline Metric number(std::string name, Estimate estimate, Metric::Better better = Metric::Better::higher) {
  return {std::move(name), std::move(estimate), Metric::Form::number, better, false};
}

inline Metric count(std::string name, std::int64_t value, std::int64_t n,
                    Metric::Better better = Metric::Better::neither) {
  Estimate estimate;
  estimate.value = static_cast<double>(value);
  estimate.n = n;
  estimate.method = "count";
  return {std::move(name), std::move(estimate), Metric::Form::count, better, false};
}

// Null if there is none of that name, or it has no value.
inline const Metric* find_defined(const Summary& summary, std::string_view name) {
  for (const Metric& metric : summary.metrics) {
    if (metric.name == name) return metric.estimate.value ? &metric : nullptr;
  }
  return nullptr;
}

}  // namespace assay::figures
