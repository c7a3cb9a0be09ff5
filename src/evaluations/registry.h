// Every evaluation there is. A new one is one line in registry.cc.
#pragma once

#include <span>
#include <string_view>

#include "evaluations/evaluation.h"

namespace assay {

std::span<const EvaluationKind> evaluation_kinds();
const EvaluationKind* find_evaluation(std::string_view name);
// The common keys and the evaluation's own.
Keys all_keys(const EvaluationKind& kind);

}  // namespace assay
