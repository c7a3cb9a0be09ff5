// Where the score of a judge's answer stands in the user's own schema, and what its levels are called. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"

namespace assay::custom {

// Where a pointer leads in a schema: the schema of what stands there, as far as properties and items say;
// null if the schema does not allow anything there.
const Json* schema_at(const Json& schema, std::string_view pointer);

// The levels of an enum from low to high; none if the schema is no enum of texts.
std::vector<std::string> levels_of(const Json& schema);

// Where the score stands if the config does not say.
inline constexpr std::string_view kUsualScore = "/score";

}  // namespace assay::custom
