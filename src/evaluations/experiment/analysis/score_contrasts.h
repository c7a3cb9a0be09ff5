// By how much do the ratings of a condition differ from control's, and could chance have done it?
//
// The headline is paired by query: the mean over the queries that both have of the difference of their mean
// ratings, t over queries. Beside it stand the rank test of the same differences, and the naive tests, which
// count every rating as if it were independent and therefore claim too much; they are named so. All of them,
// the standardised effects included, are taken over the queries that both have.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/experiment/analysis/finding.h"
#include "evaluations/experiment/judging/judgements.h"
#include "stats/test_result.h"

namespace assay::experiment {

// A standardised effect with the interval that honours queries (bootstrap over queries), and the textbook
// one.
struct EffectFigures {
  Estimate clustered;
  Estimate naive;
};

struct ScoreContrast {
  std::size_t condition = 0;
  std::size_t criterion = 0;  // by its place in rated_name()
  Finding difference;         // the headline: condition minus control, paired by query
  std::int64_t ratings = 0;   // of the condition, on the queries that both have
  std::int64_t ratings_control = 0;
  Contrast wilcoxon;     // of the queries' differences
  Estimate cohen_dz;     // of the same
  Contrast naive_welch;  // every rating by itself
  Contrast naive_mann_whitney;
  EffectFigures cohen_d;
  EffectFigures hedges_g;
  EffectFigures cliffs_delta;
};

// Every condition but control, in their order, each with every criterion that was rated. Not adjusted yet.
std::vector<ScoreContrast> score_contrasts(const ExperimentData& data, std::uint64_t seed, double level);

}  // namespace assay::experiment
