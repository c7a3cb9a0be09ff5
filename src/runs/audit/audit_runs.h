// Several runs over the same cases as one table of systems and cases: each run is a system, and of a run with
// variants each of them.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "report/audit/audit.h"

namespace assay {

// `figure`: a mean over cases that all runs have, without the name of a variant ("correct.rate"); empty: the
// first one. Cases are paired by id; those that some run lacks are counted and left out. An error names a run
// that is not finished, or a figure that a run has not.
Result<AuditInput> read_for_audit(const std::vector<std::string>& directories, const std::string& figure);

}  // namespace assay
