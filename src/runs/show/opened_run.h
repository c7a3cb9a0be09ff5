// A run that is looked at, not worked on: its journal and, as far as they are still there and as they were,
// its config and data. Locks nothing and writes nothing, so the run may be under way.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/task.h"
#include "engine/finished_case.h"
#include "evaluations/evaluation.h"
#include "net/event_loop.h"
#include "runs/outcome_cursor.h"
#include "runs/plan.h"
#include "store/run_store.h"

namespace assay {

class HashedFiles;

struct OpenedRun {
  // An error if there is neither a journal nor results. Data that are known to be those of the run need not
  // be read for it; else their hash is taken from `hashes`, if there are some.
  enum class Data { unknown, those_of_the_run };
  static Result<std::unique_ptr<OpenedRun>> open(const std::string& directory, Data data = Data::unknown,
                                                 HashedFiles* hashes = nullptr);

  EventLoop loop;
  std::unique_ptr<RunStore> store;  // null: nothing was asked outside, or not yet
  std::optional<RunPlan> plan;
  Evaluation* evaluation = nullptr;    // the plan's; null: the cases cannot be read any more
  std::optional<Error> no_evaluation;  // why not
  // Of an evaluation that goes on: how the last sitting of each case ended, by id.
  std::map<std::string, FinishedCase> last_sittings;
};

// The error says what the directory lacks.
Status check_run_directory(const std::string& directory);

// How a case of the run ended; nothing if it has not. All outlive the task.
Task<Result<std::optional<FinishedCase>>> finished_case(const OpenedRun& run, OutcomeCursor& outcomes,
                                                        const Case& input);

struct LineOfCase {
  std::string line;                // of results.jsonl, with its end
  std::optional<double> goodness;  // the lower, the more it is worth a look; nothing: it is not
  std::string why;                 // if it is
};
LineOfCase result_of(const Evaluation& evaluation, const Case& input, const FinishedCase& finished);

}  // namespace assay
