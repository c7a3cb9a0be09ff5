#include "service/data/data_routes.h"

namespace assay {

std::vector<Route> data_routes(DataStore& store, Jobs& jobs) {
  return joined({record_routes(store), fetch_routes(store), reading_routes(store), version_routes(store),
                 job_routes(store, jobs), job_report_routes(jobs), removal_routes(store, jobs)});
}

}  // namespace assay
