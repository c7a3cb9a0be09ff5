// Ends of the scales that figures are drawn on.
#pragma once

#include <cmath>

#include "stats/estimate.h"

namespace assay {

// The smallest of 1, 2, 5 times a power of ten that is not below `size`, which is above 0.
inline double round_up(double size) {
  const double power = std::pow(10, std::floor(std::log10(size)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (size <= factor * power * (1 + 1e-9)) return factor * power;
  }
  return 10 * power;
}

// For what lies on both sides of 0: as far to the one as to the other, and at least as far as `size`.
inline Interval around_zero(double size) {
  const double end = size > 0 ? round_up(size) : 1;
  return {-end, end};
}

}  // namespace assay
