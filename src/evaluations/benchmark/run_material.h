// What a run was asked and what was said and done in it, for a reader of the report, which is passed on:
// nothing of where the run's file lies or how it is taken up. Pure.
#pragma once

#include "core/json/json.h"
#include "evaluations/benchmark/plan.h"
#include "evaluations/benchmark/run_state.h"

namespace assay::benchmark {

// {"question", "expected_output"?, "conversation"?}: the conversation as messages, from the run's file as it
// stands.
JsonObject run_material(const BenchmarkPlan& plan, const PlannedRun& run, const RunState& state);

}  // namespace assay::benchmark
