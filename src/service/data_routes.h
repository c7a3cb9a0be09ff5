// The routes of the data service under /data/eval: items, subsets, results, failures, feedback and jobs.
#pragma once

#include <vector>

#include "service/jobs.h"
#include "service/routes.h"
#include "store/data_store.h"

namespace assay {

// Both must outlive the routes.
std::vector<Route> data_routes(DataStore& store, Jobs& jobs);

}  // namespace assay
