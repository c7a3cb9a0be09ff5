// Do intervals and tests keep their promises over many simulated experiments? The figures of 200 of them
// stand in docs/experiment_analysis.md; tests run fewer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "evaluations/experiment/analysis/analysis.h"
#include "tests/evaluations/experiment/simulated.h"

namespace assay::experiment {

// Three runs, raters and judges on 24 queries: small enough for hundreds of experiments.
inline Truth small_truth() {
  Truth truth;
  truth.effects = {0.3};
  truth.runs = 3;
  truth.raters = 3;
  truth.pair_judges = 3;
  return truth;
}

struct FalseAlarms {
  int ratings = 0;
  int ratings_wilcoxon = 0;  // of one number per query
  int ratings_welch = 0;     // naive
  int ratings_mann_whitney = 0;
  int verdicts = 0;
  int verdicts_sign = 0;  // naive
};

// No difference at all, but conditions that suit some queries and not others; tests at 0.05. `each`: how many
// runs, raters and judges.
inline FalseAlarms false_alarms(int experiments, int each = 3) {
  Truth truth;
  truth.runs = truth.raters = truth.pair_judges = each;
  truth.effects = {0};
  truth.condition_spread = 0.4;
  truth.discernment = 2;
  FalseAlarms alarms;
  const auto alarm = [](const TestResult& test) { return test.p && *test.p < 0.05 ? 1 : 0; };
  for (int i = 0; i < experiments; ++i) {
    const ExperimentData data = simulated(truth, 1000 + static_cast<std::uint64_t>(i));
    const ScoreContrast contrast = score_contrasts(data, 0, 0.95)[kOverall];
    alarms.ratings += alarm(contrast.difference.test);
    alarms.ratings_wilcoxon += alarm(contrast.wilcoxon.test);
    alarms.ratings_welch += alarm(contrast.naive_welch.test);
    alarms.ratings_mann_whitney += alarm(contrast.naive_mann_whitney.test);
    const WinRate winner = pair_figures(data, 0.95)[0].winner;
    alarms.verdicts += alarm(winner.rate.test);
    alarms.verdicts_sign += alarm(winner.naive_test);
  }
  return alarms;
}

inline const Bias* find_bias(const std::vector<Bias>& biases, std::string_view name,
                             std::optional<int> evaluator = std::nullopt) {
  const auto found = std::ranges::find_if(
      biases, [&](const Bias& one) { return one.name == name && one.evaluator == evaluator; });
  return found == biases.end() ? nullptr : &*found;
}

// How many of the 95 % intervals held what was put in.
inline std::map<std::string, int> intervals_that_hold(int experiments) {
  Truth truth = small_truth();
  truth.position = 0.5;
  truth.length = 0.4;
  truth.leniency = {0.6, -0.5};
  truth.drift = {0, 0, 0.8};
  std::map<std::string, int> held;
  const auto count = [&](const std::string& name, const Estimate& estimate, double value) {
    held[name] += estimate.ci && estimate.ci->low <= value && value <= estimate.ci->high ? 1 : 0;
  };
  for (int i = 0; i < experiments; ++i) {
    const ExperimentData data = simulated(truth, 5000 + static_cast<std::uint64_t>(i));
    const std::vector<Bias> biases = bias_diagnostics(data, ranking(data, 0, 0.95), 0.95);
    count("seat_effect", find_bias(biases, "seat_effect")->figure, truth.position);
    count("length_slope", find_bias(biases, "length_slope")->figure, truth.length);
    // Against the mean of the two others; the third drifts by 0.4 on average.
    count("leniency", find_bias(biases, "leniency", 4)->figure, 0.6 - (-0.5 + 0.4) / 2);
    count("drift", find_bias(biases, "drift", 6)->figure, 0.8);
    count("no drift", find_bias(biases, "drift", 5)->figure, 0);
    count("rating_length_slope", find_bias(biases, "rating_length_slope")->figure, 0);
    count("difference", score_contrasts(data, 0, 0.95)[kOverall].difference.figure, 0.3);
  }
  return held;
}

}  // namespace assay::experiment
