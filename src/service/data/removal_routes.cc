// DELETE: one thing by name, with all that follows from it. It is off the disk when it is answered.
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "service/data/data_routes.h"
#include "service/data/lists.h"

namespace assay {
namespace {

Json to_json(const Removed& removed) {
  return JsonObject{{"items", removed.items},       {"records", removed.records},
                    {"results", removed.results},   {"failures", removed.failures},
                    {"feedback", removed.feedback}, {"jobs", removed.jobs}};
}

void remove(DataStore& store, const ExchangePointer& exchange, Removal what, const char* word) {
  if (exchange->refused()) return;
  store.remove(std::move(what), [exchange, word](Result<Removed> removed) {
    if (!removed) return exchange->send_failure(removed.error());
    if (!removed->any()) return exchange->send_error(404, fmt::format("there is no such {}", word));
    exchange->send(200, to_json(*removed));
  });
}

void remove_item(DataStore& store, const ExchangePointer& exchange) {
  const std::string id = needed_id(*exchange);
  const bool with_records = exchange->flag("records");
  remove(store, exchange,
         {.kind = with_records ? Removal::Kind::item_and_records : Removal::Kind::item, .id = id}, "item");
}

void remove_job(Jobs& jobs, const ExchangePointer& exchange) {
  if (exchange->refused()) return;
  const auto known = jobs.status(exchange->parameter("job_id"), {0, 0});
  if (!known) return exchange->send_failure(known.error());
  if (!*known || text_at(**known, "mode") != exchange->parameter("mode"))
    return exchange->send_error(404, "there is no such job");
  jobs.remove(exchange->parameter("job_id"), [exchange](Result<bool> removed) {
    if (!removed) return exchange->send_failure(removed.error());
    if (!*removed) return exchange->send_error(404, "there is no such job");
    exchange->send(200, to_json(Removed{.jobs = 1}));
  });
}

// What is known by its number.
struct Numbered {
  Removal::Kind kind;
  const char* path;
  const char* parameter;
  const char* word;
  const char* summary;
};
constexpr Numbered kNumbered[] = {
    {Removal::Kind::record, "/records/{record_id}", "record_id", "record",
     "Removes a record with its verdicts, their tags and feedback; what it judged may be asked about again."},
    {Removal::Kind::failure, "/failures/{failure_id}", "failure_id", "failure", "Removes a failure record."},
    {Removal::Kind::feedback, "/feedback/{feedback_id}", "feedback_id", "feedback",
     "Removes what a person has said of a result."}};

}  // namespace

std::vector<Route> removal_routes(DataStore& store, Jobs& jobs) {
  const std::string base = kDataBase;
  const Json removed = object_schema({{"items", kWhole},
                                      {"records", kWhole},
                                      {"results", kWhole},
                                      {"failures", kWhole},
                                      {"feedback", kWhole},
                                      {"jobs", kWhole}});
  std::vector<Route> routes;
  for (const Numbered& one : kNumbered) {
    routes.push_back({.method = "DELETE",
                      .path = base + one.path,
                      .role = TokenRole::write,
                      .summary = one.summary,
                      .answer = removed,
                      .statuses = {200, 400, 404},
                      .handle = [&store, &one](const ExchangePointer& exchange, const Json&) {
                        const auto number = number_parameter(*exchange, one.parameter);
                        remove(store, exchange, {.kind = one.kind, .number = number.value_or(0)}, one.word);
                      }});
  }
  routes.push_back({.method = "DELETE",
                    .path = base + "/item",
                    .role = TokenRole::write,
                    .summary = "Removes an item with its tags and places in subsets.",
                    .query = {id_parameter(),
                              {"records", "boolean",
                               "Also every record and failure that speaks of it, with all they hold."}},
                    .answer = removed,
                    .statuses = {200, 400, 404},
                    .handle = asking(store, remove_item)});
  routes.push_back({.method = "DELETE",
                    .path = base + "/process-evals/{mode}/{job_id}",
                    .role = TokenRole::write,
                    .summary = "Removes a job that has ended, with its directory; its results stay.",
                    .answer = removed,
                    .statuses = {200, 400, 404, 409},
                    .reads_first = true,
                    .handle = asking(jobs, remove_job)});
  return routes;
}

}  // namespace assay
