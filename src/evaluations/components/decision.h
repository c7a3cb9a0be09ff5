// A yes/no decision against the truth, in the words of results.
#pragma once

#include <string_view>

namespace assay::components {

inline std::string_view classification(bool expected, bool actual) {
  if (expected) return actual ? "true_positive" : "false_negative";
  return actual ? "false_positive" : "true_negative";
}

inline std::string_view true_or_false(bool value) {
  return value ? "true" : "false";
}

}  // namespace assay::components
