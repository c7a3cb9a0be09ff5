// Property names as the judge reads them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace assay::sim {

using Names = std::initializer_list<std::string_view>;

// All without regard to ASCII case.
bool is_one_of(std::string_view name, Names names);
bool mentions(std::string_view text, Names words);
bool is_id(std::string_view name);
bool is_reason(std::string_view name);
bool is_confidence(std::string_view name);
bool is_list_of_verdicts(std::string_view name);
// "is_not_relevant", "isNotRelevant" → "is not relevant".
std::string spaced(std::string_view name);

}  // namespace assay::sim
