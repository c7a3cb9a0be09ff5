// The figures of a job, made as those of a run are: its cases and outcomes from its directory, its evaluation
// from its status, and people's feedback on its results as human ratings.
#pragma once

#include <optional>
#include <string>

#include "core/error.h"
#include "report/summary.h"
#include "service/data/jobs.h"
#include "store/data/data_store.h"

namespace assay {

// See Jobs::report. Blocks; writes nothing and locks nothing.
Result<std::optional<ReportInput>> report_job(DataStore& store, const JobsOptions& options,
                                              const std::string& job_id, const std::string& person);

}  // namespace assay
