// Reading the directory of a finished run.
#pragma once

#include <string>

#include "core/error.h"
#include "report/compare.h"
#include "report/summary.h"

namespace assay {

// The summary of a run; the error says what the directory lacks (it is no run, or the run is not finished).
Result<Summary> read_summary(const std::string& directory);

// Summary, config and the scores of every case.
Result<RunScores> read_run_scores(const std::string& directory);

}  // namespace assay
