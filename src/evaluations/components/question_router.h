// question_router: is each question sent to the right place?
#pragma once

#include <memory>
#include <vector>

#include "evaluations/evaluation.h"

namespace assay::components {

std::unique_ptr<Evaluation> make_question_router(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::components
