// The JSON Schemas under schemas/, compiled in: what items, requests, answers and records must look like.
#pragma once

#include <string_view>

#include "core/json/json.h"
#include "core/schema/schema.h"

namespace assay::persona {

// By file name: "persona.schema.json". References between them are resolved. There is no other name than
// those of the files.
const Schema& schema(std::string_view file);
const Json& schema_document(std::string_view file);
// The same with the schemas that it refers to in their places, and without an identity of its own: for a
// description that stands by itself.
Json whole_schema(std::string_view file);

// The pointer and the problem of each defect, in words: "/evaluateTime: missing".
std::vector<std::string> schema_problems(std::string_view file, const Json& value);

}  // namespace assay::persona
