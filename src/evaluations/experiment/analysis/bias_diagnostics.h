// What else than quality may have moved the judgements? Each diagnostic has a figure, an interval, the value
// that an unbiased panel would have, and a flag. A flag needs both: the interval excludes the neutral value
// (among several evaluators after Holm's adjustment), and the figure lies at least `margin` from it, since
// with enough data everything differs from everything by a hair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluations/experiment/judging/judgements.h"
#include "stats/estimate.h"
#include "stats/ranking/bradley_terry.h"

namespace assay::experiment {

struct Bias {
  std::string name;              // "position", "flip_rate", "length_slope", …
  std::optional<int> evaluator;  // absent: the panel as a whole
  Estimate figure;
  std::optional<double>
      neutral;  // absent: a rate that is best at 0, flagged if the whole interval lies above margin
  double margin = 0;
  std::optional<double> p_holm;  // among the evaluators, where the flag rests on it
  bool flagged = false;
  std::string meaning;  // one plain sentence: what the figure is
};

// Names, in order: position (share of A among decided verdicts), flip_rate and changed_rate (with swap),
// seat_effect (log odds of Bradley–Terry), longer_wins, length_slope (log odds a doubling),
// rating_length_slope (points a doubling), lost, leaks, missing_responses; then per evaluator position, ties,
// leniency, drift, format_failures.
std::vector<Bias> bias_diagnostics(const ExperimentData& data, const BradleyTerry& ranking, double level);

}  // namespace assay::experiment
