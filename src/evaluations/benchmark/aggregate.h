// Gathers the runs of a benchmark into figures, tables and the transcripts.
#pragma once

#include <memory>

#include "evaluations/benchmark/plan.h"
#include "evaluations/evaluation.h"

namespace assay::benchmark {

// `plan` must outlive the collector.
std::unique_ptr<Collector> make_collector(const BenchmarkPlan& plan, OutputFiles& files);

}  // namespace assay::benchmark
