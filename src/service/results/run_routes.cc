#include <algorithm>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "core/version.h"
#include "report/report_json.h"
#include "runs/collecting/problem_log.h"
#include "runs/finished.h"
#include "service/http/route_parts.h"
#include "service/results/result_routes.h"
#include "service/results/schemas.h"

namespace assay {
namespace {

constexpr std::int64_t kMostRuns = 1000;
constexpr std::size_t kMostCompared = 20;

using RunPointer = std::shared_ptr<const CataloguedRun>;

Json parsed(const std::string& schema) {
  return parse_json(schema).value();
}

struct RunQuery {
  std::string evaluation;
  std::string state;
  std::string search;  // lower case
  std::string sort;
  bool descending = true;
  std::size_t offset = 0;
  std::size_t count = 0;

  bool fits(const CataloguedRun& one) const {
    if (!evaluation.empty() && one.run.evaluation != evaluation) return false;
    if (!state.empty() && state_words(one) != state) return false;
    if (search.empty()) return true;
    const auto holds = [this](const std::string& text) {
      return lower_ascii(text).find(search) != std::string::npos;
    };
    return holds(one.id) || holds(one.run.evaluation) || holds(one.run.what) || holds(one.run.headline) ||
           std::ranges::any_of(one.run.models, holds);
  }
};

double number_of(const std::optional<double>& value) {
  return value.value_or(-std::numeric_limits<double>::infinity());
}

// What runs can be sorted by.
using Less = bool (*)(const RunPointer&, const RunPointer&);
struct Order {
  const char* name;
  Less less;
};
constexpr Order kOrders[] = {
    {"started", [](const RunPointer& a, const RunPointer& b) { return a->run.started < b->run.started; }},
    {"finished", [](const RunPointer& a, const RunPointer& b) { return a->run.finished < b->run.finished; }},
    {"evaluation",
     [](const RunPointer& a, const RunPointer& b) { return a->run.evaluation < b->run.evaluation; }},
    {"what", [](const RunPointer& a, const RunPointer& b) { return a->run.what < b->run.what; }},
    {"state", [](const RunPointer& a, const RunPointer& b) { return state_words(*a) < state_words(*b); }},
    {"cases", [](const RunPointer& a, const RunPointer& b) { return a->run.cases < b->run.cases; }},
    {"done", [](const RunPointer& a, const RunPointer& b) { return a->run.done < b->run.done; }},
    {"errored", [](const RunPointer& a, const RunPointer& b) { return a->run.errored < b->run.errored; }},
    {"models", [](const RunPointer& a, const RunPointer& b) { return a->run.models < b->run.models; }},
    {"cost", [](const RunPointer& a,
                const RunPointer& b) { return number_of(a->run.cost_usd) < number_of(b->run.cost_usd); }},
    {"headline",
     [](const RunPointer& a, const RunPointer& b) {
       const auto value = [](const RunPointer& one) {
         return number_of(one->run.figure ? one->run.figure->estimate.value : std::nullopt);
       };
       return value(a) < value(b);
     }},
    {"gates",  // by how many have failed, then by how many there are
     [](const RunPointer& a, const RunPointer& b) {
       const auto key = [](const RunPointer& one) {
         return std::pair(one->run.failed_gates, one->run.passed_gates);
       };
       return key(a) < key(b);
     }},
};

std::vector<std::string> order_names() {
  std::vector<std::string> names;
  for (const Order& order : kOrders) names.emplace_back(order.name);
  return names;
}

RunQuery run_query(Exchange& exchange) {
  RunQuery query;
  query.evaluation = exchange.text("evaluation").value_or("");
  query.state = exchange.text("state").value_or("");
  query.search = lower_ascii(exchange.text("search").value_or(""));
  query.sort = exchange.text("sort").value_or("");
  // The newest first, unless an order is asked for.
  query.descending = query.sort.empty() || exchange.flag("descending");
  if (query.sort.empty()) query.sort = kOrders[0].name;
  query.offset = static_cast<std::size_t>(exchange.whole("offset", 0, kMostPages).value_or(0));
  query.count = static_cast<std::size_t>(exchange.whole("count", 0, kMostRuns).value_or(100));
  return query;
}

void list_runs(Results& results, const ExchangePointer& exchange) {
  const RunQuery query = run_query(*exchange);
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange, query] {
    const auto list = results.catalogue.look();
    std::set<std::string> evaluations;
    std::vector<RunPointer> fitting;
    for (const RunPointer& one : list->runs()) {
      evaluations.insert(one->run.evaluation);
      if (query.fits(*one)) fitting.push_back(one);
    }
    const Less less = std::ranges::find(kOrders, query.sort, &Order::name)->less;
    std::ranges::sort(fitting, [&](const RunPointer& a, const RunPointer& b) {
      if (query.descending ? less(b, a) : less(a, b)) return true;
      if (query.descending ? less(a, b) : less(b, a)) return false;
      return a->run.started != b->run.started ? a->run.started > b->run.started : a->id < b->id;
    });
    JsonArray runs;
    const std::size_t end =
        query.offset + std::min(query.count, fitting.size() - std::min(query.offset, fitting.size()));
    for (std::size_t i = query.offset; i < end; ++i) runs.push_back(to_json(*fitting[i]));
    JsonArray names;
    for (const std::string& name : evaluations) names.emplace_back(name);
    exchange->send(200, JsonObject{{"runs", std::move(runs)},
                                   {"fitting", fitting.size()},
                                   {"total", list->runs().size()},
                                   {"evaluations", std::move(names)}});
  });
}

void show_run_route(Results& results, const ExchangePointer& exchange) {
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange] {
    const std::string id = exchange->parameter("run");
    const RunPointer run = results.catalogue.find(id);
    if (run == nullptr) return (void)with_files(run, id, *exchange);
    const auto report =
        run->run.directory.empty()
            ? Result<std::shared_ptr<const ReportInput>>(fail(ErrorKind::usage, elsewhere_words(*run)))
            : results.shown.of(*run);
    // It has only begun, or its data have gone: what is known of it is shown, and why there is no more.
    ReportInput nothing;
    if (!report) {
      const std::string& directory = run->run.directory;
      if (auto why = directory.empty() ? std::nullopt : why_stopped(directory))
        nothing.problems.push_back(std::move(*why));
      nothing.problems.push_back({"error", "", report.error().text()});
      nothing.problem_count = static_cast<std::int64_t>(nothing.problems.size());
    }
    JsonObject detail = report_json(report ? **report : nothing);
    if (!report) {
      detail["summary"] = nullptr;
      detail["rests_on"] = JsonArray();
    }
    detail["run"] = to_json(*run);
    exchange->send(200, std::move(detail));
  });
}

void compare(Results& results, const ExchangePointer& exchange) {
  const std::string base = exchange->text("base").value_or("");
  const std::vector<std::string> fresh = exchange->texts("new");
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange, base, fresh] {
    const auto list = results.catalogue.look();
    const auto known = [&](std::string_view id) { return with_files(list->find(id), id, *exchange); };
    const std::vector<std::string> ids = run_ids_in(fresh, *list);
    if (ids.size() > kMostCompared)
      exchange->add_error("new",
                          fmt::format("found {} runs, expected at most {}", ids.size(), kMostCompared));
    if (exchange->refused()) return;
    const RunPointer before = known(base);
    if (before == nullptr) return;
    JsonArray comparisons;
    for (const std::string& id : ids) {
      const RunPointer after = known(id);
      if (after == nullptr) return;
      auto comparison = compare_finished(before->run.directory, after->run.directory, {.most_changed = 200});
      if (!comparison) return exchange->send_failure(comparison.error());
      comparisons.push_back(JsonObject{{"run", to_json(*after)}, {"comparison", to_json(*comparison)}});
    }
    exchange->send(200, JsonObject{{"base", to_json(*before)}, {"comparisons", std::move(comparisons)}});
  });
}

}  // namespace

std::vector<Route> about_routes(Offered offered) {
  return {{.method = "GET",
           .path = "/api/about",
           .role = TokenRole::any,
           .summary = "What the service is, who asks, and what they may do.",
           .answer = object_schema({{"assay", R"({"type": "string"})"},
                                    {"client", R"({"type": "string"})"},
                                    {"roles", schemas::list_of(R"({"type": "string"})")},
                                    {"configs", R"({"type": "boolean"})"},
                                    {"starts", R"({"type": "boolean"})"},
                                    {"data", R"({"type": "boolean"})"}}),
           .statuses = {200, 400},
           .handle = [offered](const ExchangePointer& exchange, const Json&) {
             if (exchange->refused()) return;
             JsonArray roles;
             for (const std::string_view role : split(exchange->roles().text(), ','))
               roles.emplace_back(role);
             exchange->send(200, JsonObject{{"assay", kVersion},
                                            {"client", exchange->client()},
                                            {"roles", std::move(roles)},
                                            {"configs", offered.configs},
                                            {"starts", offered.starts},
                                            {"data", offered.data}});
           }}};
}

std::vector<Route> run_routes(Results& results) {
  return {
      {.method = "GET",
       .path = "/api/runs",
       .role = TokenRole::read,
       .summary = "Runs of the results directories, a page at a time, newest first.",
       .query = {{"evaluation", "string", "Of this evaluation only."},
                 one_of({"state", "string", "In this state only."},
                        {"running", "unfinished", "done", "gate failed"}),
                 {"search", "string", "In id, evaluation, description, models or headline."},
                 one_of({"sort", "string", "By what; the newest first without it."}, order_names()),
                 {"descending", "boolean", "The highest first; so it is without sort."},
                 from_to({"offset", "integer", "Leave out so many."}, 0, kMostPages),
                 from_to({"count", "integer", "At most so many; 100 by default."}, 0, kMostRuns)},
       .answer = parsed(schemas::run_list()),
       .statuses = {200, 400, 503},
       .handle = asking(results, list_runs)},
      {.method = "GET",
       .path = "/api/runs/{run}",
       .role = TokenRole::read,
       .summary = "A run with its figures, plots, tables, gates and problems; of one under way as of now.",
       .answer = parsed(schemas::run_detail()),
       .statuses = {200, 400, 404, 503},
       .handle = asking(results, show_run_route)},
      {.method = "GET",
       .path = "/api/compare",
       .role = TokenRole::read,
       .summary = "Runs against a first one, paired by case.",
       .query = {needed({"base", "string", "Id of the run that the others are held against."}),
                 needed({"new", "string", "Ids of the others, with commas between or each for itself."})},
       .answer = parsed(schemas::comparisons()),
       .statuses = {200, 400, 404, 503},
       .handle = asking(results, compare)},
  };
}

std::vector<Route> result_routes(Results& results, RunEvents& events, Offered offered) {
  return joined({about_routes(offered), run_routes(results), case_routes(results), file_routes(results),
                 judging_routes(results), event_routes(results, events)});
}

}  // namespace assay
