// A judge's whole answer, from whatever form it came in: JSON by the schema, JSON with other spellings, or
// lines such as "Helpfulness: [A] - it says what to do first". All become the one shape that the schemas
// under prompts/experiment declare; what was not found is left out, so that the schema names it and the judge
// is asked again. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "core/json/json.h"

namespace assay::experiment {

enum class AnswerForm { pairwise, pairwise_tone, absolute, absolute_tone, role, role_ambiguous };

// Of lines. Nothing if there is no line of the form at all; a criterion that is there twice with different
// values counts as missing.
std::optional<Json> read_lines(std::string_view text, AnswerForm form);

// Of JSON: other names and cases of keys, "A - because" for an object, criteria one level down. Members that
// are not asked for go; what cannot be read stays as it is, for the schema to complain about.
Json with_usual_spelling(const Json& answer, AnswerForm form);

}  // namespace assay::experiment
