// A run as its report has it, finished or under way, read from its directory.
#pragma once

#include <string>

#include "core/error.h"
#include "report/summary.h"

namespace assay {

// Of a finished run what its files hold: summary, plots, notable cases, problems, config. Of one that is not,
// the figures of the cases so far (see report_unfinished). Locks nothing and writes nothing.
Result<ReportInput> show_run(const std::string& directory);

}  // namespace assay
