// jailbreak_guardrails: does the guard tell attempts to break out from honest questions?
#pragma once

#include <memory>
#include <vector>

#include "evaluations/evaluation.h"

namespace assay::components {

std::unique_ptr<Evaluation> make_jailbreak_guardrails(const Config& config,
                                                      std::vector<ConfigProblem>& problems);

}  // namespace assay::components
