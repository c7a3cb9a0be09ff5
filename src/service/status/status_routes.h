// How the service is: GET /health for whoever starts it, GET /metrics for Prometheus.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/http/counted.h"
#include "service/http/routes.h"
#include "service/results/result_routes.h"
#include "store/data/data_store.h"

namespace assay {

// What is counted, as far as it is there; everything must outlive the routes.
struct Counted {
  std::function<const RouteCounts*()>
      requests;  // asked on each look: the routes are made before they are counted
  std::function<std::pair<std::size_t, std::uint64_t>()> connections;  // open now, and since the start
  Results* results = nullptr;
  RunEvents* events = nullptr;
  DataStore* store = nullptr;  // null: there is no data service
  std::string store_file = {};
};

std::vector<Route> status_routes(const Counted& counted);

// One figure of the text that Prometheus reads; a name may have several, told apart by labels.
struct Gauge {
  std::string name;
  std::string help;
  std::string type;  // "gauge", "counter"
  struct Value {
    std::vector<std::pair<std::string, std::string>> labels = {};
    double value = 0;
  };
  std::vector<Value> values = {};
};
// The exposition format, version 0.0.4. Pure.
std::string prometheus_text(const std::vector<Gauge>& gauges);

}  // namespace assay
