// What difference could this design have shown, and how many queries would show a given one? Both from the
// spread between queries, for a two-sided paired t test at 1 − level with power 0.8 and without adjustment
// for several tests. Never fewer queries than kFewestQueries: fewer do not show how much queries differ, so
// that a plan for them would rest on nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/experiment/analysis/pair_figures.h"
#include "evaluations/experiment/analysis/score_contrasts.h"

namespace assay::experiment {

inline constexpr std::int64_t kFewestQueries = 10;
inline constexpr const char* kNothingPossible =
    "not even the largest difference that is possible would have been shown";

struct PowerFigures {
  enum class Of { overall_score, win_rate };
  struct Need {
    double difference = 0;  // points, or distance of the win rate from 0.5
    std::optional<std::int64_t> queries;
    std::string note;  // why there is no number, or why it is no smaller
  };
  std::size_t condition = 0;
  Of of = Of::overall_score;
  // n counts queries; the interval is that of the spread between queries. Undefined, by kNothingPossible,
  // where no difference that the scale has would have been shown.
  Estimate detectable;
  std::vector<Need> needs;
};

std::vector<PowerFigures> power_figures(const std::vector<ScoreContrast>& contrasts,
                                        const std::vector<PairFigures>& pairs, const ExperimentData& data,
                                        double level);

}  // namespace assay::experiment
