// A run as JSON for those who draw it: the page of the service and the script of report.html show the same.
#pragma once

#include <string>
#include <vector>

#include "core/json/json.h"
#include "report/summary.h"

namespace assay {

// {"summary", "rests_on", "plots", "notable", "problems", "problem_count", "config", "command", "pages"}.
// Very long texts and tables are cut, and say so.
JsonObject report_json(const ReportInput& input);

// Sentences on the cases that the figures rest on: how many there are, what was left out, why the run
// stopped.
std::vector<std::string> rests_on(const Summary& summary);
JsonArray rests_on_json(const Summary& summary);

}  // namespace assay
