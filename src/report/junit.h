// A run as JUnit XML, which every CI system shows: one test case per gate, one per case that ended in error.
// Well formed for any model text: characters that XML 1.0 does not allow become U+FFFD.
#pragma once

#include <string>
#include <string_view>

#include "report/summary.h"

namespace assay {

std::string junit_report(const ReportInput& input);

// Safe as XML text and inside a quoted attribute; line breaks survive an attribute.
std::string xml_escape(std::string_view text);

}  // namespace assay
