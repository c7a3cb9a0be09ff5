// What all figures of an experiment share: who control is, what a verdict is worth, and figures that count
// queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/experiment/judging/judgements.h"
#include "stats/intervals/mean.h"
#include "stats/test_result.h"

namespace assay::experiment {

inline constexpr const char* kNoControl = "there is not exactly one control";
// Of each bootstrap: enough for the second digit of a limit, and all of them together stay below a second.
inline constexpr std::int64_t kDraws = 2'000;

// Absent unless there is exactly one.
std::optional<std::size_t> control_of(const ExperimentData& data);

// The name under which a query's judgements are one cluster; by place, since ids come from users.
std::string cluster_of(std::size_t query);

// 1 if `condition` won, 0 if it lost, 0.5 for a tie. It stands at one of the two seats.
double points_for(const PairVerdict& verdict, Choice choice, std::size_t condition);
// Whether the verdict compares these two, at whichever seats.
bool compares(const PairVerdict& verdict, std::size_t one, std::size_t other);

// Numbers with the query that each belongs to.
struct Sample {
  std::vector<double> values;
  std::vector<std::string> clusters;

  void add(std::size_t query, double value) {
    values.push_back(value);
    clusters.push_back(cluster_of(query));
  }
};
ClusteredMoments moments_of(const Sample& sample);

// Of values within `range`: t, clustered by query; where all are equal at an end of [0, 1], Wilson's with
// queries as cases, since a rate of 1 is no certainty.
Estimate clustered_rate(const Sample& sample, double level);

// Is the mean `neutral`? t with queries − 1 degrees; where the queries show no spread, the exact sign-flip
// test of whole queries.
TestResult clustered_test(const Sample& sample, double neutral);

}  // namespace assay::experiment
