// The cases worth a look as a file of the run (notable_cases.json), so that a report in another format shows
// the same ones as the page.
#pragma once

#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "report/summary.h"

namespace assay {

inline constexpr const char* kNotableFile = "notable_cases.json";

// [{"id", "why", "fields": [{"name", "text"}]}], the most telling first.
Json to_json(const std::vector<NotableCase>& cases);
Result<std::vector<NotableCase>> notable_from_json(const Json& json);

}  // namespace assay
