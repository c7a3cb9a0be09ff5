// The judgements of one arm of an experiment on one question, with what a complete design would have had.
#pragma once

#include <functional>
#include <optional>

#include "evaluations/experiment/analysis/query_cells.h"
#include "evaluations/experiment/judging/judgements.h"

namespace assay::experiment {

inline constexpr Interval kLikert{1, 5};

// Some of the queries, or of the runs; by default all.
struct Part {
  std::function<bool(const Query& query)> queries = {};
  std::optional<int> run = {};

  bool holds(const ExperimentData& data, std::size_t query, int of_run) const {
    return holds(data, query) && (!run || *run == of_run);
  }
  bool holds(const ExperimentData& data, std::size_t query) const {
    return !queries || queries(data.queries[query]);
  }
};

// Whether ratings have marks for tone.
bool tone_asked(const ExperimentData& data);

// `criterion` by its place in rated_name().
QueryCells rating_cells(const ExperimentData& data, std::size_t condition, std::size_t criterion,
                        const Part& part = {});

// What a verdict on the two is worth; nothing if it says nothing on it.
using Worth = std::function<std::optional<double>(const PairVerdict& verdict)>;
QueryCells verdict_cells(const ExperimentData& data, std::size_t condition, std::size_t against,
                         const Worth& worth, Interval scale, const Part& part = {});
// Points of `condition`: 1 for a win of the whole, ½ for a tie.
QueryCells win_cells(const ExperimentData& data, std::size_t condition, std::size_t against,
                     const Part& part = {});

// Whether the role of an answer was found apt.
QueryCells role_cells(const ExperimentData& data, std::size_t condition, const Part& part = {});
// Whether an answer named the role that its query has, whatever the case of letters; queries without a role
// are left out.
QueryCells role_match_cells(const ExperimentData& data, std::size_t condition, const Part& part = {});

}  // namespace assay::experiment
