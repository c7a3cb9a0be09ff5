// Folds the requests of a persona run: records, job status and the figures.
#pragma once

#include <memory>

#include "evaluations/evaluation.h"

namespace assay::persona {

class PersonaEvaluation;

// Of lines that `evaluation` wrote, which must outlive it.
std::unique_ptr<Aggregate> make_aggregate(const PersonaEvaluation& evaluation, OutputFiles& files,
                                          const RunFacts& run);

}  // namespace assay::persona
