// Runs to be compared.
#pragma once

#include <string>
#include <vector>

#include "report/compare/compare.h"

namespace assay {

// Cases c0, c1, … with these scores, all scored.
inline RunScores run(const std::vector<double>& scores, const std::string& figure = "accuracy",
                     Metric::Better better = Metric::Better::higher) {
  RunScores made;
  made.directory = "runs/x";
  made.summary.evaluation = "question_router";
  made.summary.assay = "0.1.0";
  Metric metric;
  metric.name = figure;
  metric.better = better;
  made.summary.metrics.push_back(metric);
  made.figures = {figure};
  for (std::size_t i = 0; i < scores.size(); ++i)
    made.cases.push_back(
        {"c" + std::to_string(i), "", "scored", "question " + std::to_string(i), {scores[i]}});
  return made;
}

// The case fails instead.
inline void fail_case(RunScores& run, std::size_t number, const std::string& outcome = "target_failed") {
  ScoredCase& one = run.cases[number];
  one.outcome = outcome;
  one.error = "no answer";
  for (auto& score : one.scores) score.reset();
}

}  // namespace assay
