// Does one measure rise with another? The slope of the straight line through all points, with an error that
// honours clusters: b = Σ(x-x̄)(y-ȳ)/S with S = Σ(x-x̄)², and with residuals e
//   variance = C/(C-1)·Σ_c(Σ_{i∈c}(x_i-x̄)·e_i)²/S²,   C - 1 degrees of freedom
// (Liang, Zeger 1986, the sandwich of least squares). For the slope within groups (every group with a level
// of its own) subtract each group's means from x and y first: slope and residuals are then those of the model
// with one constant per group.
#pragma once

#include <span>
#include <string>

#include "stats/test_result.h"

namespace assay {

// x[i], y[i] and clusters[i] belong to one case; lists of different length are undefined, and a case with a
// value that is not finite is left out and counted. No slope without spread of x; neither interval nor test
// with one cluster, or if all points lie on the line. Method "slope_t_clustered".
Contrast clustered_slope(std::span<const double> x, std::span<const double> y,
                         std::span<const std::string> clusters, double level = 0.95);

}  // namespace assay
