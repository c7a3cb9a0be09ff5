// Input as every figure takes it: values that are not finite are left out and counted, and sums are taken in
// an order that does not depend on the order of the rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/estimate.h"
#include "stats/intervals/mean.h"

namespace assay {

std::vector<double> finite_sorted(std::span<const double> values);
Moments moments_of(std::span<const double> values);
// A figure that has no value yet: n of the values that are kept, the others missing as "not_finite".
Estimate figure_of_kept(std::size_t kept, std::size_t given, double level);

}  // namespace assay
