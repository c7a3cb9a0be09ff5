// What failed where: answers that did not come, by variant, and marks that a metric could not give, with the
// first reason of each. Failures are no scores; these counts stand beside the figures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/custom/design.h"
#include "evaluations/custom/marks.h"

namespace assay::custom {

struct FailureCount {
  std::int64_t count = 0;
  std::map<std::string, std::int64_t> reasons;  // by outcome
  std::string first;                            // what was said of the first
  void add(OutcomeKind outcome, const std::string& error);
};

struct Failures {
  std::vector<FailureCount> answers;             // by variant
  std::vector<std::int64_t> asked;               // by variant
  std::vector<std::vector<FailureCount>> marks;  // by variant, then metric; of answers that came
  explicit Failures(const Design& design);
  void add(const Design& design, const CaseMarks& marks);
};

}  // namespace assay::custom
