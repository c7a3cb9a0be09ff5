// The routes of the results API that start, stop and go on with runs. All of
// them need a token of role `run`.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runs/start/config_folder.h"
#include "runs/start/started_runs.h"
#include "service/http/readers.h"
#include "service/http/routes.h"
#include "service/results/results.h"

namespace assay {

struct RunStarts {
  std::optional<ConfigFolder> configs;  // none: nothing can be started, but stopped and gone on with
  std::unique_ptr<StartedRuns> runs;
  // Last, since they use everything above: threads that wait for what was started, and one for configs.
  Readers waiting{4};
  Readers reading{1};
};

// Both must outlive the routes.
std::vector<Route> start_routes(Results& results, RunStarts& starts);

}  // namespace assay
