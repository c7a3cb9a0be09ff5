// One planned run from where it stands to its score: read what its file says, go on or leave it, find the
// answer, score it, keep the file.
#pragma once

#include "core/task.h"
#include "engine/context.h"
#include "engine/outcome.h"
#include "evaluations/benchmark/plan.h"
#include "evaluations/benchmark/run_state.h"
#include "evaluations/benchmark/scoring/scoring.h"

namespace assay::benchmark {

// The outcome's result is a RunOutcome.
Task<Outcome> run_case(const BenchmarkPlan& plan, const RubricJudge* judge, PlannedRun run, RunState state,
                       CaseContext& context);

}  // namespace assay::benchmark
