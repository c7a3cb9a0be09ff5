// The sentences of schema defects: what was found, what was expected. Only called when there is a defect.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "core/schema/schema.h"
#include "core/schema/tree.h"

namespace assay::schema {

// "found 7, expected at most 5"
std::string found_expected(const Json& found, std::string_view expected);
// "text or null"
std::string type_words(std::uint8_t types);
// "one of "a", "b"", with the nearest of them if `found` looks like a typing error.
std::string choice_words(const JsonArray& choices, const Json& found);
// For a member that nothing allows: "unexpected, expected only a, b", with the nearest of them.
std::string unexpected_member(std::string_view name, const ObjectRules& rules);
// "1 item", "2 items"
std::string counted(std::size_t count, std::string_view one, std::string_view many);
// Why none of the alternatives fits, one part each. `base` is the pointer of the value they are about.
std::string no_alternative(std::span<const std::vector<SchemaDefect>> defects, std::string_view base);

}  // namespace assay::schema
