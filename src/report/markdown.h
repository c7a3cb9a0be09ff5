// A run as Markdown that fits a pull-request comment (GitHub's limit is 65,536 characters) and a job summary:
// the verdict first, then figures, gates, problems and how to repeat it. Foreign text stands in code spans,
// so it can neither format, link nor mention anybody.
#pragma once

#include <string>
#include <string_view>

#include "report/summary.h"

namespace assay {

std::string markdown_report(const ReportInput& input);

// Prose that may hold foreign words (the config's `what`, ids in a sentence): shown as written, never read as
// markup or as a mention.
std::string prose(std::string_view text);
// Text as one inline code span, on one line, safe inside a table.
std::string code_span(std::string_view text);

}  // namespace assay
