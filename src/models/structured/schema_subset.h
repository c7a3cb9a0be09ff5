// The parts of JSON Schema that providers enforce while they generate. What is sent may say less than the
// real schema, never something else: every answer is validated against the real one afterwards
// (structured.h).
#pragma once

#include <optional>
#include <string>

#include "core/json/json.h"

namespace assay {

// Why OpenAI would refuse this schema with `strict: true` ("/properties/score: not in required"); none if it
// fits. Strict wants a closed object at the root, every property required, and a short list of keywords.
std::optional<std::string> strict_misfit(const Json& schema);

// The schema as Anthropic's `output_config.format` takes it: closed objects, constraints that it cannot
// enforce moved into the description. None if that is not possible (an object with free keys).
std::optional<Json> anthropic_output_schema(const Json& schema);

// The schema as Gemini's `responseJsonSchema` takes it: only keywords that it knows, `const` as an enum of
// one; what it cannot enforce stands in the description.
Json gemini_output_schema(const Json& schema);

// Whether the root says that it is an object, as the parameters of a tool must.
bool describes_object(const Json& schema);

// Without `$schema` and `$comment` at the root, which some servers refuse.
Json without_annotations(const Json& schema);

}  // namespace assay
