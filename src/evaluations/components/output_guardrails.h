// output_guardrails: do the guardrails hold back the answers that they should, and for the right reason?
#pragma once

#include <memory>
#include <vector>

#include "evaluations/evaluation.h"

namespace assay::components {

std::unique_ptr<Evaluation> make_output_guardrails(const Config& config,
                                                   std::vector<ConfigProblem>& problems);

}  // namespace assay::components
