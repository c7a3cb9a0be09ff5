// retrieval: does the search find the chunks that it should, and does it put them first?
#pragma once

#include <memory>
#include <vector>

#include "evaluations/evaluation.h"

namespace assay::components {

Keys retrieval_keys();
std::unique_ptr<Evaluation> make_retrieval(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::components
