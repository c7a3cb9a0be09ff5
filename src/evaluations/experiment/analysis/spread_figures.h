// Where does the spread of the overall ratings come from: queries, runs, evaluators, or the rest? And how
// many evaluators and runs would do?
//
// The comparison with control rests on the queries' differences, so the plan asks for the fewest evaluators
// and runs at which at least `kTarget` of the spread between the queries' mean differences is the queries'
// own: more of either could then shorten the interval by little, and only more queries help.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluations/experiment/judging/judgements.h"
#include "stats/variance/nested_design.h"

namespace assay::experiment {

struct SpreadFigures {
  static constexpr double kTarget = 0.9;
  enum class Of { score, difference };
  struct Plan {
    std::optional<std::size_t> runs;
    std::optional<std::size_t> evaluators;
    std::optional<double> reliability;  // reached with them
    std::string undefined;              // why there is none
  };
  std::size_t condition = 0;
  Of of = Of::score;
  NestedStudy study;  // query, run within query, evaluator, query×evaluator, residual
  Plan plan;          // for differences
};

std::vector<SpreadFigures> spread_figures(const ExperimentData& data, std::uint64_t seed, double level);

}  // namespace assay::experiment
