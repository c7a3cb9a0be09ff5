// By how much do the ratings of a condition differ from control's, and could chance have done it?
//
// The headline is the clustered contrast: the difference of all ratings with the variance between queries,
// since answers to the same query are not independent. Beside it stand the tests on one number per query (the
// design pairs by query), and the naive ones, which count every rating as if it were independent and
// therefore claim too much; they are named so.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

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
  std::size_t criterion = 0;
  Contrast clustered;            // the headline: condition minus control
  std::optional<double> p_holm;  // of its p, over conditions × criteria
  Contrast paired;               // t over the queries' mean differences
  Contrast wilcoxon;             // of the same differences
  Estimate cohen_dz;             // of the same differences
  Contrast naive_welch;          // every rating by itself
  Contrast naive_mann_whitney;
  EffectFigures cohen_d;
  EffectFigures hedges_g;
  EffectFigures cliffs_delta;
};

// Every condition but control, in their order, each with every criterion.
std::vector<ScoreContrast> score_contrasts(const ExperimentData& data, std::uint64_t seed, double level);

}  // namespace assay::experiment
