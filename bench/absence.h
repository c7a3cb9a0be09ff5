// Two runs of systems that are equally good, of which one loses scores: which answers are missing is the
// scenario. Whatever a comparison then calls better or worse in the scores, it does by absence.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/random.h"
#include "report/compare/compare.h"

namespace assay::absence {

// A case as the simulation knows it: how likely an answer is right, and whether each run's was.
struct Truth {
  double easy = 0;
  bool base_right = false;
  bool new_right = false;
};

struct Loss {
  const char* outcome = "target_failed";
  std::function<double(const Truth&)> chance = {};  // that the score is missing
};

struct Scenario {
  const char* name;
  Loss of_base;
  Loss of_new;
};

inline double never(const Truth& /*truth*/) {
  return 0;
}

inline std::vector<Scenario> scenarios() {
  const Loss none{"target_failed", never};
  const auto hard = [](const Truth& one) { return one.easy < 0.5 ? 0.5 : 0; };
  const auto wrong_in_new = [](const Truth& one) { return one.new_right ? 0 : 0.5; };
  const auto wrong_in_base = [](const Truth& one) { return one.base_right ? 0 : 0.5; };
  return {
      {"nothing is missing", none, none},
      {"answers of new missing at random (1 in 10)",
       none,
       {"target_failed", [](const Truth&) { return 0.1; }}},
      {"new fails on half of the hard cases", none, {"target_failed", hard}},
      {"new fails on half of what it would get wrong", none, {"target_failed", wrong_in_new}},
      {"base failed on half of what it would get wrong", {"target_failed", wrong_in_base}, none},
      {"judge fails in new at random (1 in 10)", none, {"judge_failed", [](const Truth&) { return 0.1; }}},
      {"judge fails in new on half of the wrong answers", none, {"judge_failed", wrong_in_new}},
  };
}

struct Study {
  RunScores base;
  RunScores fresh;
};

// `gain` is added to the chance of the new system on every case.
inline Study simulated(const Scenario& scenario, std::uint64_t number, int cases, double gain = 0) {
  Random random = Random::keyed("absence", scenario.name).at(number);
  Study study;
  for (RunScores* run : {&study.base, &study.fresh}) {
    run->summary.evaluation = "question_router";
    run->figures = {"accuracy"};
    Metric metric;
    metric.name = "accuracy";
    metric.form = Metric::Form::share;
    run->summary.metrics.push_back(metric);
  }
  for (int i = 0; i < cases; ++i) {
    Truth truth;
    truth.easy = 0.2 + 0.8 * random.uniform();
    truth.base_right = random.uniform() < truth.easy;
    truth.new_right = random.uniform() < truth.easy + gain;
    const auto add = [&](RunScores& run, const Loss& loss, bool right) {
      const bool lost = random.uniform() < loss.chance(truth);
      ScoredCase one;
      one.id = fmt::format("c{}", i);
      one.outcome = lost ? loss.outcome : "scored";
      one.scores = {lost ? std::nullopt : std::optional(right ? 1.0 : 0.0)};
      run.cases.push_back(std::move(one));
    };
    add(study.base, scenario.of_base, truth.base_right);
    add(study.fresh, scenario.of_new, truth.new_right);
  }
  return study;
}

}  // namespace assay::absence
