// All judged queries of an experiment: writes its files as they come, keeps the judgements as numbers, and
// hands them to the analysis at the end.
#pragma once

#include <memory>

#include "evaluations/evaluation.h"
#include "evaluations/experiment/judging/judged_query.h"

namespace assay::experiment {

class ExperimentEvaluation;

// What the line of a query hands over.
struct QueryFacts final : CaseFacts {
  JudgedQuery judged;
};

// `evaluation` must outlive it.
std::unique_ptr<Aggregate> make_aggregate(const ExperimentEvaluation& evaluation, OutputFiles& files,
                                          const RunFacts& run);

}  // namespace assay::experiment
