// Whether a case passed all that it had to, by its line of results.jsonl: the one rule for lists, comparisons
// and the page (web/src/screens/case/ended.ts is the same in the browser). Pure.
#pragma once

#include <optional>

#include "core/json/json.h"
#include "core/json/jsonl.h"

namespace assay {

// `said`: its field `passed`; `metrics`: by name, of which those with a threshold say `passed` too. One that
// it missed is enough to fail. Nothing if there was nothing that it had to pass.
std::optional<bool> passed_of(const FieldValue& said, const Json& metrics);

}  // namespace assay
