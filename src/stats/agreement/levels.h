// Whether "the same" is a fair question to ask of scores. Pass or fail and levels are steps of a scale: whole
// numbers, or the quarters that five levels are between 0 and 1. Of shares and means, which have any value,
// hardly two are ever equal however near they are, and a share of equal ones says nothing.
#pragma once

#include <cmath>

namespace assay {

inline bool is_level(double score) {
  return 4 * score == std::round(4 * score);
}

}  // namespace assay
