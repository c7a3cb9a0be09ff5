// One planned run from where its output file stands to its score: read the file, go on or leave it, find the
// answer, score it, write the file.
#pragma once

#include <string>

#include "core/task.h"
#include "engine/context.h"
#include "engine/outcome.h"
#include "evaluations/benchmark/plan.h"
#include "evaluations/benchmark/run_file.h"
#include "evaluations/benchmark/scoring/scoring.h"

namespace assay::benchmark {

RunForm form_of(System system);

// What the outcome's result holds, beside `answer`, `details` and `notes`:
//   score        absent if nothing is expected, or if the judge failed; 0 if the run failed
//   failed       the system gave no answer because of an error
//   answer_state found, missing, invalid, empty; absent if failed
//   tool_calls, turns, nudges, usage, seconds   over all sittings
//   done         ran, went_on, or skipped because it was finished
//   sitting      how often the run was taken up, this time included
Task<Outcome> run_case(const BenchmarkPlan& plan, const RubricJudge* judge, std::string directory,
                       PlannedRun run, CaseContext& context);

}  // namespace assay::benchmark
