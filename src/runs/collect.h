// The two ends of a run: all data are looked at before anything is asked, and in the end every case, in input
// order, goes into figures, tables and the report.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/task.h"
#include "evaluations/evaluation.h"
#include "runs/collecting/collection.h"
#include "store/run_store.h"

namespace assay {

struct Scan {
  std::string unit = "lines";  // what is counted below
  std::int64_t cases = 0;
  std::int64_t lines = 0;
  std::int64_t invalid = 0;
  std::int64_t beside = 0;    // cases that are done beside these; in the estimate where all are estimated
  std::int64_t left_out = 0;  // cases that are not chosen; counted where all are estimated
  CallEstimate estimate;
  // The case whose prompts are longest, by model: about so many tokens each, the mean of its requests.
  struct Longest {
    std::string case_id = {};
    std::int64_t tokens = 0;
  };
  std::map<std::string, Longest> longest = {};
  std::int64_t estimated = 0;  // cases that the estimate is of
  ProblemList problems;

  // Nothing if no case was estimated.
  std::optional<double> calls_a_case() const;
};

// Of how many cases it is estimated what they ask: enough of them to know what one asks, or all.
enum class Estimating { some, all };
// Reads all data once, checking every line.
Result<Scan> scan_data(const Evaluation& evaluation, Estimating estimating);

// Every case that has an outcome in the store, in input order; `ready` is awaited after each, unless it is
// empty. All outlive the task.
Task<Status> hear_outcomes(const Evaluation& evaluation, RunStore& store,
                           std::function<void(const Case& input, const Outcome& outcome)> hear,
                           std::function<Task<void>()> ready = {});

// Tells an evaluation that goes on with a run how the cases in the store ended so far. Both outlive the task.
Task<Status> recall_outcomes(Evaluation& evaluation, RunStore& store);

// The same for `check`, which leaves the directory as it is: what is finished there is not asked again. A
// directory that is not there, or an evaluation that does not go on, is nothing to look at.
Task<Status> look_at_earlier(Evaluation& evaluation, std::string directory);

// Collects every case at once. The problems are given to `problems`, also if it fails. What the request names
// outlives the task.
Task<Result<Collected>> collect_run(CollectRequest request, RunEnding ending, ProblemList& problems);

}  // namespace assay
