// Is a winner declared by absence? Experiments in which both conditions are equally good, with answers or
// judgements missing in ways that favour one of them. `bench/experiment_promises.cc` counts over a thousand
// of them; tests run fewer.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "evaluations/experiment/analysis/arms.h"
#include "evaluations/experiment/analysis/by_query.h"
#include "stats/comparisons/two_groups.h"
#include "tests/evaluations/experiment/simulated.h"

namespace assay::experiment {

enum class Absence {
  nothing,
  at_random,     // one answer in seven of the condition never came
  hard_queries,  // the condition leaves the quarter of queries unanswered on which everybody does worst
  judge_fails,   // the judge fails on every rating of the condition that would be a 1 or a 2
};
inline constexpr Absence kAbsences[] = {Absence::nothing, Absence::at_random, Absence::hard_queries,
                                        Absence::judge_fails};

// Queries differ much, conditions not at all.
inline Truth even_truth() {
  Truth truth;
  truth.effects = {0};
  truth.query_spread = 0.9;
  truth.condition_spread = 0.2;
  truth.runs = truth.raters = truth.pair_judges = 3;
  return truth;
}

inline void leave_unanswered(ExperimentData& data, std::size_t query, std::size_t condition, int run) {
  for (AnswerFact& answer : data.answers) {
    if (answer.query == query && answer.condition == condition && answer.run == run) answer.present = false;
  }
  std::erase_if(data.ratings, [&](const Rating& rating) {
    return rating.query == query && rating.condition == condition && rating.run == run;
  });
  std::erase_if(data.pairs, [&](const PairVerdict& verdict) {
    return verdict.query == query && verdict.run == run &&
           (verdict.condition_a == condition || verdict.condition_b == condition);
  });
}

// Of the first condition.
inline ExperimentData with_absence(ExperimentData data, Absence absence, std::uint64_t seed) {
  Random random = Random::keyed("absence", seed);
  if (absence == Absence::at_random) {
    for (std::size_t query = 0; query < data.queries.size(); ++query) {
      for (int run = 1; run <= data.runs; ++run) {
        if (random.below(7) == 0) leave_unanswered(data, query, 0, run);
      }
    }
  }
  if (absence == Absence::hard_queries) {
    std::map<std::size_t, double> sums;
    for (const Rating& rating : data.ratings) sums[rating.query] += rating.scores[kOverall];
    std::vector<std::pair<double, std::size_t>> order;
    order.reserve(sums.size());
    for (const auto& [query, sum] : sums) order.emplace_back(sum, query);
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size() / 4; ++i) {
      for (int run = 1; run <= data.runs; ++run) leave_unanswered(data, order[i].second, 0, run);
    }
  }
  if (absence == Absence::judge_fails) {
    std::erase_if(data.ratings,
                  [](const Rating& rating) { return rating.condition == 0 && rating.scores[kOverall] <= 2; });
  }
  return data;
}

// Of the first condition from control, which is the second.
inline Finding overall_difference(const ExperimentData& data, double level) {
  return paired_difference(rating_cells(data, 0, kOverall), rating_cells(data, 1, kOverall), level);
}

struct FalseWinners {
  int all_against_all = 0;  // every rating of one against every rating of the other, clustered by query
  int paired = 0;           // paired by query, p alone
  int declared = 0;         // what a conclusion would claim
};

inline FalseWinners false_winners(int experiments, Absence absence) {
  constexpr double kLevel = 0.95;
  FalseWinners winners;
  for (int i = 0; i < experiments; ++i) {
    const auto seed = 9000 + static_cast<std::uint64_t>(i);
    const ExperimentData data = with_absence(simulated(even_truth(), seed), absence, seed);
    Sample own;
    Sample control;
    for (const Rating& rating : data.ratings)
      (rating.condition == 0 ? own : control).add(rating.query, rating.scores[kOverall]);
    const auto alarm = [](const std::optional<double>& p) { return p && *p < 0.05 ? 1 : 0; };
    winners.all_against_all +=
        alarm(clustered_t(own.values, own.clusters, control.values, control.clusters, kLevel).test.p);
    Finding overall = overall_difference(data, kLevel);
    winners.paired += alarm(overall.test.p);
    adjust({&overall});
    winners.declared += standing_of(overall, kLevel) == Standing::shown ? 1 : 0;
  }
  return winners;
}

// How often a true difference of 0.6 points is declared with so many of the condition's answers missing at
// random.
struct Found {
  int declared = 0;
  int shaky = 0;
};
inline Found found_with_missing(int experiments, int one_in) {
  constexpr double kLevel = 0.95;
  Truth truth = even_truth();
  truth.effects = {0.6};
  Found found;
  for (int i = 0; i < experiments; ++i) {
    const auto seed = 70'000 + static_cast<std::uint64_t>(i);
    ExperimentData data = simulated(truth, seed);
    Random random = Random::keyed("found", seed);
    for (std::size_t query = 0; one_in > 0 && query < data.queries.size(); ++query) {
      for (int run = 1; run <= data.runs; ++run) {
        if (random.below(static_cast<std::uint64_t>(one_in)) == 0) leave_unanswered(data, query, 0, run);
      }
    }
    Finding overall = overall_difference(data, kLevel);
    adjust({&overall});
    found.declared += standing_of(overall, kLevel) == Standing::shown ? 1 : 0;
    found.shaky += standing_of(overall, kLevel) == Standing::shaky ? 1 : 0;
  }
  return found;
}

}  // namespace assay::experiment
