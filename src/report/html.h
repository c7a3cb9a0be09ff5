// A run as one self-contained page: no network, no script needed to read it (a small one sorts and filters
// tables). Figures come large and with their interval drawn, then gates, all metrics, tables, cases worth a
// look, problems, usage and how to repeat the run. Whatever comes from data or models is text, never markup;
// a content security policy in the page allows nothing but its own style and script.
#pragma once

#include <string>
#include <string_view>

#include "report/summary.h"

namespace assay {

std::string html_report(const ReportInput& input);

// The frame of every page: head, policy, style and script around `body`.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace assay
