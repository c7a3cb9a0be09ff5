// How long things are kept here, what is too old by now, and what the last sweep took away.
#include <chrono>
#include <optional>

#include <boost/json/object.hpp>

#include "core/time.h"
#include "service/data/data_routes.h"
#include "service/data/lists.h"
#include "service/data/retention.h"

namespace assay {
namespace {

Json seconds(const std::optional<std::chrono::nanoseconds>& age) {
  return age ? Json(std::chrono::duration<double>(*age).count()) : Json(nullptr);
}

Json to_json(const Pruned& pruned) {
  return JsonObject{{"records", pruned.records},
                    {"results", pruned.results},
                    {"failures", pruned.failures},
                    {"items", pruned.items},
                    {"jobs", pruned.job_ids.size()}};
}

Json to_json(const std::optional<Sweep>& sweep) {
  if (!sweep) return nullptr;
  JsonObject json{{"ended", iso_time(sweep->ended)}, {"removed", to_json(sweep->removed)}};
  if (!sweep->problem.empty()) json["problem"] = sweep->problem;
  return json;
}

void show_retention(const Retention& retention, const ExchangePointer& exchange) {
  if (exchange->refused()) return;
  const auto due = retention.due();
  if (!due) return exchange->send_failure(due.error());
  const RetentionPlan& plan = retention.plan();
  exchange->send(200, JsonObject{{"keep", JsonObject{{"records", seconds(plan.records)},
                                                     {"jobs", seconds(plan.jobs)},
                                                     {"items", seconds(plan.items)}}},
                                 {"due", to_json(*due)},
                                 {"last_sweep", to_json(retention.last_sweep())}});
}

constexpr const char* kKeep = R"({"type": "object", "description": "Seconds; null: for ever.",
  "properties": {"records": {"type": ["number", "null"]}, "jobs": {"type": ["number", "null"]},
    "items": {"type": ["number", "null"]}}, "required": ["records", "jobs", "items"]})";
constexpr const char* kPruned = R"({"type": "object", "properties": {"records": {"type": "integer"},
  "results": {"type": "integer", "description": "Verdicts of those records."},
  "failures": {"type": "integer"}, "items": {"type": "integer"}, "jobs": {"type": "integer"}},
  "required": ["records", "results", "failures", "items", "jobs"]})";

// Null before the first has ended, and where everything is kept.
Json sweep_schema() {
  return JsonObject{
      {"type", JsonArray{"object", "null"}},
      {"properties",
       JsonObject{{"ended", JsonObject{{"type", "string"}, {"format", "date-time"}}},
                  {"removed", parse_json(kPruned).value()},
                  {"problem", JsonObject{{"type", "string"}, {"description", "Why it was not all."}}}}},
      {"required", JsonArray{"ended", "removed"}}};
}

}  // namespace

std::vector<Route> retention_routes(const Retention& retention) {
  return {
      {.method = "GET",
       .path = "/api/retention",
       .role = TokenRole::read,
       .summary = "How long the data service keeps things, what is too old by now and goes with the next "
                  "sweep, and what the last one took away.",
       .answer = object_schema({{"keep", kKeep}, {"due", kPruned}, {"last_sweep", to_text(sweep_schema())}}),
       .statuses = {200, 400, 503},
       .handle = asking(retention, show_retention)}};
}

}  // namespace assay
