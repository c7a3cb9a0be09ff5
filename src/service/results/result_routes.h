// The routes of the results API under /api: runs, their cases and files, comparisons.
#pragma once

#include <string>
#include <vector>

#include "service/http/routes.h"
#include "service/results/results.h"
#include "service/results/run_events.h"

namespace assay {

// What the service offers beside runs, for GET /api/about.
struct Offered {
  bool configs = false;  // there are configs that runs can be started from
  bool starts = false;   // runs can be started, stopped and gone on with
  bool data = false;     // the data service is there
};

// `results` must outlive the routes.
std::vector<Route> about_routes(Offered offered);
std::vector<Route> run_routes(Results& results);
std::vector<Route> case_routes(Results& results);
std::vector<Route> file_routes(Results& results);
std::vector<Route> judging_routes(Results& results);  // audits, drift, plans
std::vector<Route> event_routes(Results& results, RunEvents& events);
// All of them; `events` must outlive them too.
std::vector<Route> result_routes(Results& results, RunEvents& events, Offered offered);

}  // namespace assay
