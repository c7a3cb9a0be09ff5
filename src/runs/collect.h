// The two ends of a run: all data are looked at before anything is asked, and in the end every case, in input
// order, goes into figures, tables and the report.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/task.h"
#include "evaluations/early_stop.h"
#include "evaluations/evaluation.h"
#include "report/gates.h"
#include "report/summary.h"
#include "runs/seal.h"
#include "store/run_store.h"

namespace assay {

// Problems are all counted, and the first thousand kept.
struct ProblemList {
  static constexpr std::size_t kKept = 1000;
  std::vector<Problem> first;
  std::int64_t count = 0;
  std::int64_t errors = 0;
  void add(Problem problem);
};

struct Scan {
  std::string unit = "lines";  // what is counted below
  std::int64_t cases = 0;
  std::int64_t lines = 0;
  std::int64_t invalid = 0;
  std::int64_t left_out = 0;  // cases that are not chosen; counted where all are estimated
  CallEstimate estimate;
  std::int64_t estimated = 0;  // cases that the estimate is of
  ProblemList problems;

  // Nothing if no case was estimated.
  std::optional<double> calls_a_case() const;
};

// Of how many cases it is estimated what they ask: enough of them to know what one asks, or all.
enum class Estimating { some, all };
// Reads all data once, checking every line.
Result<Scan> scan_data(const Evaluation& evaluation, Estimating estimating);

struct RunHeader {
  std::string evaluation;
  std::string what;
  std::string run_id;
  std::string started;
  std::string command;
  std::string config_yaml;
  std::vector<std::pair<std::string, std::string>> about;
};

// Every case that has an outcome in the store, in input order. All outlive the task.
Task<Status> hear_outcomes(const Evaluation& evaluation, RunStore& store,
                           std::function<void(const Case& input, const Outcome& outcome)> hear);

// Tells an evaluation that goes on with a run how the cases in the store ended so far. Both outlive the task.
Task<Status> recall_outcomes(Evaluation& evaluation, RunStore& store);

// The same for `check`, which leaves the directory as it is: what is finished there is not asked again. A
// directory that is not there, or an evaluation that does not go on, is nothing to look at.
Task<Status> look_at_earlier(Evaluation& evaluation, std::string directory);

// Collects every case and writes the run's files: each whole, one after the other, none if collecting fails.
// Cases without an outcome in the store count as errored with `not_evaluated` as their reason. Without a
// store the cases are scored as they stand. Invalid lines end it with an error of kind data unless they are
// to be skipped; the problems are given to `problems`.
enum class InvalidLines { refuse, skip };
// What a case without outcome is: a failure, or left out by design.
enum class NotTaken { errored, skipped };
struct CollectRequest {
  const Evaluation& evaluation;
  RunHeader header = {};
  std::string directory = {};
  RunStore* store = nullptr;  // null: nothing was asked outside
  std::optional<RunTotals> totals = {};
  NotTaken not_taken = NotTaken::errored;
  std::string not_evaluated = {};         // why, if errored
  const EarlyStop* early_stop = nullptr;  // if the run was allowed to stop early
  std::vector<Gate> gates = {};
  std::vector<Problem> warnings = {};  // of the run itself, for problems.log
  InvalidLines invalid_lines = InvalidLines::refuse;
  // How long the run has worked: up to `since`, and from then on.
  double worked_seconds = 0;
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
};
struct Collected {
  ReportInput report;
  FileHashes files;  // that were written
};
Task<Result<Collected>> collect_run(const CollectRequest& request, ProblemList& problems);

}  // namespace assay
