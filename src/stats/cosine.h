// How near two vectors are by their direction.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>

namespace assay {

// -1 to 1; 0 if one of them has no length. Both must have as many numbers.
inline double cosine_similarity(std::span<const float> a, std::span<const float> b) {
  assert(a.size() == b.size());
  double both = 0;
  double of_a = 0;
  double of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += static_cast<double>(a[i]) * b[i];
    of_a += static_cast<double>(a[i]) * a[i];
    of_b += static_cast<double>(b[i]) * b[i];
  }
  if (of_a == 0 || of_b == 0) return 0;
  return std::clamp(both / (std::sqrt(of_a) * std::sqrt(of_b)), -1.0, 1.0);
}

}  // namespace assay
