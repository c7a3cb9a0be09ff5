// What a provider's strict mode refuses in a schema, written down apart from the client's own opinion of it
// (models/schema_subset.h), so that each can catch the other's mistakes.
#pragma once

#include <optional>
#include <string>

#include "core/json/json.h"

namespace assay::sim {

// "in context=('properties', 'a'), 'additionalProperties' must be false"; none if strict mode takes the
// schema. Rules: an object at the root, not anyOf; each object closed and with every property required; a
// list has items; at most ten levels and 5,000 properties; no allOf, not, if, oneOf, dependent*,
// patternProperties, prefixItems, …
std::optional<std::string> strict_schema_defect(const Json& schema);

}  // namespace assay::sim
