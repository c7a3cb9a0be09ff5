// What difference could this design have shown, and how many queries would show a given one? Both from the
// clustered error seen, for a two-sided test at 1 − level with power 0.8 and without adjustment for several
// tests.
#pragma once

#include <optional>
#include <vector>

#include "evaluations/experiment/analysis/pair_figures.h"
#include "evaluations/experiment/analysis/score_contrasts.h"
#include "stats/comparisons/planning.h"

namespace assay::experiment {

struct PowerFigures {
  enum class Of { overall_score, win_rate };
  struct Need {
    double difference = 0;  // points, or distance of the win rate from 0.5
    SampleSize queries;
  };
  std::size_t condition = 0;
  Of of = Of::overall_score;
  Estimate detectable;  // n counts queries; the interval is that of the spread between queries
  std::vector<Need> needs;
};

std::vector<PowerFigures> power_figures(const std::vector<ScoreContrast>& contrasts,
                                        const std::vector<PairFigures>& pairs, const ExperimentData& data,
                                        double level);

}  // namespace assay::experiment
