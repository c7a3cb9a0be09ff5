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

// The outcome's result is a RunOutcome.
Task<Outcome> run_case(const BenchmarkPlan& plan, const RubricJudge* judge, std::string directory,
                       PlannedRun run, CaseContext& context);

}  // namespace assay::benchmark
