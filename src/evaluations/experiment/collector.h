// Collects the judged queries: writes the experiment's files as they come, keeps the judgements as numbers,
// and hands them to the analysis at the end.
#pragma once

#include <memory>

#include "evaluations/evaluation.h"

namespace assay::experiment {

class ExperimentEvaluation;

std::unique_ptr<Collector> make_collector(const ExperimentEvaluation& evaluation, OutputFiles& files,
                                          const RunFacts& run);

}  // namespace assay::experiment
