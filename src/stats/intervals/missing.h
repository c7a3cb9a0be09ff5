// What if the observations that failed had been there? A figure says how many are missing and why, and within
// which bounds it would lie if all of them had turned out worst, or all best.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stats/estimate.h"

namespace assay {

// For a mean or a rate of observations that lie in `range` (a score in [0, 1] unless said otherwise). Reasons
// with no observation are dropped; if none is left, the figure stays as it is. An undefined figure's bounds
// are the range itself.
Estimate with_missing(Estimate estimate, const std::map<std::string, std::int64_t>& missing,
                      Interval range = {0, 1});

// The same for a median of `values`.
Estimate median_with_missing(std::vector<double> values, const std::map<std::string, std::int64_t>& missing,
                             Interval range = {0, 1});
// For a figure that describes the data at hand (a deviation) or has no such bounds: what is missing only.
Estimate count_missing(Estimate estimate, const std::map<std::string, std::int64_t>& missing);

}  // namespace assay
