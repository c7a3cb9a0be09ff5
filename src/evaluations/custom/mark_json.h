// Marks as the journal and results.jsonl have them.
#pragma once

#include "core/json/json.h"
#include "evaluations/custom/marks.h"

namespace assay::custom {

// {score, passed, label, expected, votes, scores, reason} as far as there is anything to say; a mark that is
// not given says `not_applicable` (why), or `error` and `outcome`.
JsonObject to_json(const Mark& mark);
Mark mark_from_json(const Json& json);

}  // namespace assay::custom
