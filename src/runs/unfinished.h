// The report of a run that is not finished: the figures of the cases that have an outcome so far.
#pragma once

#include <string>

#include "core/error.h"
#include "report/junit.h"
#include "report/summary.h"

namespace assay {

// Whether the directory holds a run without results, or with those of a sitting that it is gone on with
// since.
bool is_unfinished(const std::string& directory);

// Made from the journal, the config and the data, as they are now; writes nothing and locks nothing. Its
// first conclusion says that the run is not finished and how to go on.
Result<ReportInput> report_unfinished(const std::string& directory);

// The same with the cases one by one.
struct UnfinishedReport {
  ReportInput report;
  CaseResults cases;
};
Result<UnfinishedReport> report_unfinished_with_cases(const std::string& directory);

}  // namespace assay
