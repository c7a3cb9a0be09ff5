// Where a planned run stands: its file, read, and what is to be done with it by the rules of resume.h. The
// same for whoever runs it and for whoever only counts what would be asked.
#pragma once

#include <string>

#include "evaluations/benchmark/plan.h"
#include "evaluations/benchmark/resume.h"
#include "evaluations/benchmark/run_file.h"
#include "evaluations/benchmark/run_state.h"

namespace assay::benchmark {

RunForm form_of(System system);

struct Standing {
  RunFile file;
  Resume next;
  std::string unreadable;  // why the file cannot be read; "" if it can, or if there is none
  // Of a run that is only scored: why there is nothing to score. It is skipped as if it were finished.
  std::string unfinished = {};
};
Standing standing_of(const BenchmarkPlan& plan, const PlannedRun& run, const RunState& state);

// Where the file of a run is kept that holds an answer to another question.
std::string replaced_file(const PlannedRun& run, const RunState& state);

// What a reader must know of a file whose question is not, or may not be, the one that is asked now; "" if
// there is nothing to tell. `aside` is the file that an answer to another question is kept in.
std::string change_words(const BenchmarkPlan& plan, const PlannedRun& run, const Standing& standing,
                         const std::string& aside);

}  // namespace assay::benchmark
