#include "service/status/status_routes.h"

#include <map>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/text.h"
#include "core/version.h"
#include "service/http/route_parts.h"

namespace assay {
namespace {

double bytes_of(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? static_cast<double>(info.st_size) : 0;
}

Gauge requests(const RouteCounts& counts) {
  Gauge gauge{"assay_requests_total", "Requests by route and status of the answer.", "counter"};
  for (const auto& [key, count] : counts.all()) {
    const std::size_t space = key.first.find(' ');
    gauge.values.push_back({{{"method", key.first.substr(0, space)},
                             {"route", key.first.substr(space + 1)},
                             {"status", std::to_string(key.second)}},
                            static_cast<double>(count)});
  }
  return gauge;
}

Gauge runs(RunCatalogue& catalogue) {
  std::map<std::string_view, double> by_state = {
      {"running", 0}, {"unfinished", 0}, {"done", 0}, {"gate failed", 0}};
  for (const auto& one : catalogue.look()->runs()) ++by_state[state_words(*one)];
  Gauge gauge{"assay_runs", "Runs of the results directories and of the store by state.", "gauge"};
  for (const auto& [state, count] : by_state)
    gauge.values.push_back({{{"state", std::string(state)}}, count});
  return gauge;
}

Gauge workers(RunCatalogue& catalogue) {
  std::size_t count = 0;
  for (const auto& one : catalogue.look()->runs()) count += one->live ? one->live->workers.size() : 0;
  return {"assay_workers",
          "Workers that are alive for runs under way, of each run.",
          "gauge",
          {{{}, static_cast<double>(count)}}};
}

Gauge jobs(DataStore& store) {
  Gauge gauge{"assay_jobs", "Jobs of the data service by status.", "gauge"};
  for (const char* status : {"INITIATED", "PROCESSING", "COMPLETE", "ERROR", "CANCELLED"}) {
    const auto page = store.jobs({.status = status, .count = 1});
    if (page) gauge.values.push_back({{{"status", status}}, static_cast<double>(page->total)});
  }
  return gauge;
}

std::string metrics_text(const Counted& counted) {
  const auto [open, accepted] = counted.connections();
  std::vector<Gauge> gauges = {
      {"assay_info", "The program.", "gauge", {{{{"version", kVersion}}, 1}}},
      {"assay_connections", "Connections that are open.", "gauge", {{{}, static_cast<double>(open)}}},
      {"assay_connections_total",
       "Connections since the start.",
       "counter",
       {{{}, static_cast<double>(accepted)}}},
      {"assay_listeners",
       "Listeners to events.",
       "gauge",
       {{{}, static_cast<double>(counted.events->listeners())}}},
  };
  if (const RouteCounts* counts = counted.requests()) gauges.push_back(requests(*counts));
  gauges.push_back(runs(counted.results->catalogue));
  gauges.push_back(workers(counted.results->catalogue));
  if (counted.store != nullptr) {
    gauges.push_back(jobs(*counted.store));
    // A server knows its own size.
    if (!counted.store_file.empty()) {
      const double bytes = bytes_of(counted.store_file) + bytes_of(counted.store_file + "-wal");
      gauges.push_back({"assay_data_bytes", "Size of the data service's store.", "gauge", {{{}, bytes}}});
    }
  }
  struct rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) == 0) {
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    gauges.push_back({"assay_cpu_seconds_total",
                      "Processor time.",
                      "counter",
                      {{{}, seconds(used.ru_utime) + seconds(used.ru_stime)}}});
    gauges.push_back({"assay_memory_peak_bytes",
                      "Most memory at one time.",
                      "gauge",
                      {{{}, static_cast<double>(used.ru_maxrss) * 1024}}});
  }
  return prometheus_text(gauges);
}

}  // namespace

std::vector<Route> status_routes(const Counted& counted) {
  const std::string text = R"({"type": "string"})";
  return {
      {.method = "GET",
       .path = "/health",
       .role = TokenRole::none,
       .summary = "That the service answers.",
       .answer = object_schema({{"status", text}, {"assay", text}}),
       .statuses = {200},
       .handle = [](const ExchangePointer& exchange,
                    const Json&) { exchange->send(200, JsonObject{{"status", "ok"}, {"assay", kVersion}}); }},
      {.method = "GET",
       .path = "/metrics",
       .role = TokenRole::read,
       .summary = "Figures of the service, as Prometheus reads them.",
       .answer = parse_json(text).value(),
       .media = "text/plain",
       .statuses = {200, 400, 503},
       .handle =
           [counted](const ExchangePointer& exchange, const Json&) {
             if (exchange->refused()) return;
             read_for(*counted.results, exchange, [counted, exchange] {
               exchange->send_bytes(200,
                                    {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"},
                                     {"Cache-Control", "no-store"},
                                     {"X-Content-Type-Options", "nosniff"}},
                                    metrics_text(counted));
             });
           }},
  };
}

}  // namespace assay
