#include "service/data/data_routes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace assay {

std::vector<Route> data_routes(DataStore& store, Jobs& jobs) {
  std::vector<Route> all = record_routes(store);
  for (std::vector<Route> part : {fetch_routes(store), job_routes(store, jobs)})
    std::ranges::move(part, std::back_inserter(all));
  return all;
}

}  // namespace assay
