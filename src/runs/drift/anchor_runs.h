// Reads what the judges of finished runs said of their anchors.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "report/drift/drift_report.h"

namespace assay {

// Whether a run is finished and something was said of anchors in it.
bool has_anchors(const std::string& directory);

// Nothing if the run is not finished or has no anchors.
Result<std::optional<AnchorRun>> read_anchor_run(const std::string& directory);

// Those of all runs below `results`.
struct AnchorRuns {
  std::vector<AnchorRun> runs;
  std::vector<std::pair<std::string, Error>> unread;  // directories of those that cannot be read
};
AnchorRuns find_anchor_runs(const std::string& results);

}  // namespace assay
