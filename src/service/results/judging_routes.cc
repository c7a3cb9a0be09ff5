// Routes about what the runs' figures rest on: are the cases worth their place, and the judge?
#include <optional>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "report/audit/audit.h"
#include "report/drift/drift_report.h"
#include "report/judging_plan.h"
#include "runs/audit/audit_runs.h"
#include "runs/drift/anchor_runs.h"
#include "runs/pilot/pilot.h"
#include "service/http/route_parts.h"
#include "service/results/result_routes.h"
#include "service/results/schemas.h"

namespace assay {
namespace {

constexpr std::size_t kMostAudited = 20;
constexpr double kMostWidth = 1e9;
constexpr std::size_t kMostListed = 200;
constexpr std::size_t kMostAnchored = 500;  // runs whose anchors are read, the newest

using RunPointer = std::shared_ptr<const CataloguedRun>;

Json parsed(const std::string& schema) {
  return parse_json(schema).value();
}

// Those runs, or nothing and answered 404.
std::optional<std::vector<RunPointer>> named_runs(Results& results, const Exchange& exchange,
                                                  const std::vector<std::string>& ids) {
  const auto list = results.catalogue.look();
  std::vector<RunPointer> runs;
  for (const std::string& id : ids) {
    RunPointer run = with_files(list->find(id), id, exchange);
    if (run == nullptr) return std::nullopt;
    runs.push_back(std::move(run));
  }
  return runs;
}

JsonArray glances(const std::vector<RunPointer>& runs) {
  JsonArray list;
  for (const RunPointer& run : runs) list.push_back(to_json(*run));
  return list;
}

JsonArray texts(const std::vector<std::string>& all) {
  JsonArray list;
  for (const std::string& one : all) list.emplace_back(one);
  return list;
}

void audit(Results& results, const ExchangePointer& exchange) {
  const std::vector<std::string> given = exchange->texts("runs");
  const std::string figure = exchange->text("figure").value_or("");
  AuditOptions options;
  options.similarity = exchange->number("similarity", 0.3, 1).value_or(options.similarity);
  options.suspected = exchange->number("suspected", 0, 1).value_or(options.suspected);
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange, given, figure, options] {
    const std::vector<std::string> ids = run_ids_in(given, *results.catalogue.look());
    std::set<std::string> seen;
    for (const std::string& id : ids) {
      if (!seen.insert(id).second)
        exchange->add_error("runs", fmt::format("found {} twice", shorten(id, 200)));
    }
    if (ids.size() > kMostAudited)
      exchange->add_error("runs",
                          fmt::format("found {} runs, expected at most {}", ids.size(), kMostAudited));
    if (exchange->refused()) return;
    const auto runs = named_runs(results, *exchange, ids);
    if (!runs) return;
    std::vector<std::string> directories;
    for (const RunPointer& run : *runs) directories.push_back(run->run.directory);
    const auto input = read_for_audit(directories, figure);
    if (!input) return exchange->send_failure(input.error());
    const auto found = audit_cases(*input, options);
    if (!found) return exchange->send_failure(found.error());
    exchange->send(200, JsonObject{{"runs", glances(*runs)},
                                   {"figures", texts(input->figures)},
                                   {"audit", glance_json(*found, kMostListed)}});
  });
}

// Whether a run's anchors are of the same kind as those of `one`.
bool same_anchors(const AnchorRun& one, const AnchorRun& other) {
  const Summary& a = one.run.summary;
  const Summary& b = other.run.summary;
  return a.evaluation == b.evaluation && a.anchors->hash == b.anchors->hash &&
         a.anchors->figure == b.anchors->figure;
}

// What the anchors of all runs say, of one evaluation or of those with the anchors of one run.
struct AnchorsWanted {
  std::string run;
  std::string evaluation;
};

void send_drift(Results& results, const Exchange& exchange, const AnchorsWanted& wanted) {
  const auto list = results.catalogue.look();
  std::optional<AnchorRun> model;
  if (!wanted.run.empty()) {
    const RunPointer run = with_files(list->find(wanted.run), wanted.run, exchange);
    if (run == nullptr) return;
    auto read = read_anchor_run(run->run.directory);
    if (!read) return exchange.send_failure(read.error());
    if (!*read)
      return exchange.send_error(400, "the run is not finished, or has no anchors (`anchors` in its config)");
    model = std::move(*read);
  }
  std::vector<AnchorRun> runs;
  JsonArray named;
  JsonArray unread;
  std::int64_t left_out = 0;
  for (const RunPointer& one : list->runs()) {  // newest first
    if (!wanted.evaluation.empty() && one->run.evaluation != wanted.evaluation) continue;
    if (one->run.directory.empty()) continue;
    if (runs.size() == kMostAnchored) {
      left_out += has_anchors(one->run.directory) ? 1 : 0;
      continue;
    }
    auto read = read_anchor_run(one->run.directory);
    if (!read) {
      unread.push_back(JsonObject{{"id", one->id}, {"message", read.error().text()}});
      continue;
    }
    if (!*read || (model && !same_anchors(*model, **read))) continue;
    named.push_back(JsonObject{{"id", one->id}, {"directory", one->run.directory}});
    runs.push_back(std::move(**read));
  }
  exchange.send(200, JsonObject{{"drift", to_json(drift_report(std::move(runs)))},
                                {"runs", std::move(named)},
                                {"unread", std::move(unread)},
                                {"left_out", left_out}});
}

void drift(Results& results, const ExchangePointer& exchange) {
  const AnchorsWanted wanted{exchange->text("run").value_or(""), exchange->text("evaluation").value_or("")};
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange, wanted] { send_drift(results, *exchange, wanted); });
}

// Above 0; what is not is kept as an error.
std::optional<double> positive(Exchange& exchange, const std::string& name) {
  const auto given = exchange.number(name, 0, kMostWidth);
  if (given && *given == 0) exchange.add_error(name, "found 0, expected a number above 0");
  return given;
}

// What the pilot itself reached, and the plan for a goal; without one, or if it cannot be planned, why not.
void plan(Results& results, const ExchangePointer& exchange) {
  const std::string id = exchange->text("pilot").value_or("");
  const std::string figure = exchange->text("figure").value_or("");
  const JudgingGoal goal{positive(*exchange, "width"), positive(*exchange, "detect")};
  if (goal.half_width && goal.detect)
    exchange->add_error("detect", "found width and detect, expected one of them");
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange, id, figure, goal] {
    const auto runs = named_runs(results, *exchange, {id});
    if (!runs) return;
    const CataloguedRun& run = *runs->front();
    const auto read = read_pilot(run.run.directory, figure);
    if (!read) return exchange->send_failure(read.error());
    const JudgingPilot pilot = judging_pilot(*read, 0);
    const std::string& undefined = pilot.spread.undefined;
    JsonObject answer{
        {"run", to_json(run)},
        {"figure", pilot.figure},
        {"figures", texts(read->figures)},
        {"reached", undefined.empty() ? reached_sentence(pilot.spread, cost_of(pilot)) : std::string()},
        {"plan", nullptr},
        {"no_plan", undefined}};
    if (undefined.empty() && (goal.half_width || goal.detect)) {
      const auto made = plan_judging(pilot, goal);
      if (made)
        answer["plan"] = to_json(*made);
      else
        answer["no_plan"] = made.error().text();
    }
    exchange->send(200, std::move(answer));
  });
}

}  // namespace

std::vector<Route> judging_routes(Results& results) {
  return {
      {.method = "GET",
       .path = "/api/audit",
       .role = TokenRole::read,
       .summary = "Whether a benchmark is worth its cases, by what several systems made of them.",
       .query = {needed(
                     {"runs", "string",
                      "Ids of finished runs over the same cases, with commas between or each for itself."}),
                 {"figure", "string", "Says whether a case is solved; by default the first that all have."},
                 from_to({"similarity", "number", "Of texts that count as near-duplicates."}, 0.3, 1),
                 from_to({"suspected", "number", "Least probability of a wrong key that is named."}, 0, 1)},
       .answer = parsed(schemas::audit()),
       .statuses = {200, 400, 404, 503},
       .handle = asking(results, audit)},
      {.method = "GET",
       .path = "/api/drift",
       .role = TokenRole::read,
       .summary = "Whether a judge has changed, by the anchors of the runs.",
       .query = {{"run", "string", "Id of a run: those only that have its evaluation, anchors and figure."},
                 {"evaluation", "string", "Runs of this evaluation only."}},
       .answer = parsed(schemas::drift()),
       .statuses = {200, 400, 404, 503},
       .handle = asking(results, drift)},
      {.method = "GET",
       .path = "/api/plan",
       .role = TokenRole::read,
       .summary = "How many cases, answers and votes a wanted certainty needs, by a small run.",
       .query = {needed({"pilot", "string", "Id of the small finished run."}),
                 {"figure", "string", "The judged figure to plan for; by default the run's first."},
                 {"width", "number", "The figure is to be known within plus or minus this (95 %)."},
                 {"detect", "number",
                  "A difference of this size between two systems on the same cases is to be seen."}},
       .answer = parsed(schemas::plan()),
       .statuses = {200, 400, 404, 503},
       .handle = asking(results, plan)},
  };
}

}  // namespace assay
