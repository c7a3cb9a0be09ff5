#include "service/data/data_routes.h"

namespace assay {

std::vector<Route> data_routes(DataStore& store, Jobs& jobs) {
  return joined({record_routes(store), fetch_routes(store), job_routes(store, jobs)});
}

}  // namespace assay
