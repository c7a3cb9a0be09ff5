// Where is the middle? The median with a distribution-free interval: the order statistics whose ranks a fair
// coin would enclose (exact, at least the level; needs six observations at 95 %).
#pragma once

#include <optional>
#include <span>

#include "stats/estimate.h"

namespace assay {

// The mean of the two middle values if their number is even; values that are not finite are left out.
std::optional<double> median(std::span<const double> values);
// Method "order_statistics".
Estimate estimate_median(std::span<const double> values, double level = 0.95);

}  // namespace assay
