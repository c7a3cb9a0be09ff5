// rag_answers: how good are the answers? Judged metrics, each run several times, so that the judge's own
// noise is seen beside the answers' quality.
#pragma once

#include <memory>
#include <vector>

#include "evaluations/evaluation.h"

namespace assay::components {

Keys rag_answers_keys();
std::unique_ptr<Evaluation> make_rag_answers(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::components
