// The kinds of checks there are, by what they look at. A new one is a function and a row in one of these
// files.
#pragma once

#include <span>

#include "evaluations/custom/checks/check.h"

namespace assay::custom {

std::span<const CheckKind> text_kinds();        // equals, contains, …, one_of
std::span<const CheckKind> pattern_kinds();     // regex
std::span<const CheckKind> json_kinds();        // json, json_schema
std::span<const CheckKind> limit_kinds();       // words, latency, cost, finish
std::span<const CheckKind> tool_kinds();        // tool_called, tool_order, tool_arguments
std::span<const CheckKind> number_kinds();      // number, records, ranking
std::span<const CheckKind> similarity_kinds();  // token_f1, rouge_l, levenshtein

}  // namespace assay::custom
