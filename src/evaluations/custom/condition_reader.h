// Reads the words of a condition; condition.h has its grammar.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "evaluations/custom/condition.h"

namespace assay::custom {

// What tests are about: fields that they name, or one value that goes without saying.
enum class TestsOf { fields, one_value };
// The whole condition is the last of the nodes.
Result<std::vector<ConditionNode>> read_condition(std::string_view text, TestsOf tests_of,
                                                  std::span<const std::string> fields);

}  // namespace assay::custom
