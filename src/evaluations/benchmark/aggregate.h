// All runs of a benchmark: their figures go into the contest, what was said and done in them on a page.
#pragma once

#include <memory>

#include "evaluations/benchmark/contest.h"
#include "evaluations/benchmark/plan.h"
#include "evaluations/evaluation.h"

namespace assay::benchmark {

// What the line of a run hands over.
struct RunLineFacts final : CaseFacts {
  RunFigures figures;
};

// `plan` must outlive it.
std::unique_ptr<Aggregate> make_aggregate(const BenchmarkPlan& plan, OutputFiles& files);

}  // namespace assay::benchmark
