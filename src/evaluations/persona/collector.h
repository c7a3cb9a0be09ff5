// Collects the requests of a persona run: records, job status, the table of verdicts and the figures.
#pragma once

#include <memory>

#include "evaluations/evaluation.h"

namespace assay::persona {

class PersonaEvaluation;

// `evaluation` must outlive the collector.
std::unique_ptr<Collector> make_collector(const PersonaEvaluation& evaluation, OutputFiles& files,
                                          const RunFacts& run);

}  // namespace assay::persona
