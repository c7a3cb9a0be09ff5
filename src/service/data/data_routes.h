// The routes of the data service under /data/eval.
#pragma once

#include <vector>

#include "service/data/jobs.h"
#include "service/data/retention.h"
#include "service/http/routes.h"
#include "store/data/data_store.h"

namespace assay {

// Store and jobs must outlive the routes.
std::vector<Route> record_routes(DataStore& store);   // items, subsets, results, failures, feedback
std::vector<Route> fetch_routes(DataStore& store);    // lists of items, results and failures
std::vector<Route> reading_routes(DataStore& store);  // one item, records, contexts, feedback, tags, subsets
std::vector<Route> version_routes(DataStore& store);  // personas and perspectives
std::vector<Route> removal_routes(DataStore& store, Jobs& jobs);
std::vector<Route> job_routes(DataStore& store, Jobs& jobs);
std::vector<Route> job_report_routes(Jobs& jobs);                 // figures and report
std::vector<Route> retention_routes(const Retention& retention);  // must outlive them
// All of them that need no more than store and jobs.
std::vector<Route> data_routes(DataStore& store, Jobs& jobs);

}  // namespace assay
