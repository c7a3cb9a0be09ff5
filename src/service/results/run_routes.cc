#include <algorithm>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "core/version.h"
#include "report/notable.h"
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
};

RunQuery run_query(Exchange& exchange) {
  RunQuery query;
  query.evaluation = exchange.text("evaluation").value_or("");
  query.state = exchange.text("state").value_or("");
  query.search = lower_ascii(exchange.text("search").value_or(""));
  query.sort = exchange.text("sort").value_or("");
  // The newest first, unless an order is asked for.
  query.descending = query.sort.empty() || exchange.flag("descending");
  if (query.sort.empty()) query.sort = kOrders[0].name;
  if (std::ranges::find(kOrders, query.sort, &Order::name) == std::end(kOrders)) {
    std::string names;
    for (const Order& order : kOrders) names += fmt::format("{}{}", names.empty() ? "" : ", ", order.name);
    exchange.add_error("sort", fmt::format("found \"{}\", expected one of {}", query.sort, names));
  }
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

Json plots_json(const std::vector<Plot>& plots) {
  JsonArray list;
  for (const Plot& plot : plots) {
    list.push_back(JsonObject{{"name", plot.name},
                              {"title", plot.title},
                              {"caption", plot.caption},
                              {"spec", plot.spec},
                              {"wide", plot.wide}});
  }
  return list;
}

Json problems_json(const std::vector<Problem>& problems) {
  JsonArray list;
  for (const Problem& one : problems)
    list.push_back(JsonObject{{"severity", one.severity}, {"place", one.where}, {"message", one.text}});
  return list;
}

Json detail_json(const CataloguedRun& run, const ReportInput& report, Json summary) {
  JsonArray pages;
  for (const std::string& page : report.pages) pages.emplace_back(page);
  return JsonObject{{"run", to_json(run)},
                    {"summary", std::move(summary)},
                    {"plots", plots_json(report.summary.plots)},
                    {"notable", to_json(report.notable)},
                    {"problems", problems_json(report.problems)},
                    {"problem_count", report.problem_count},
                    {"config", report.config_yaml},
                    {"command", report.command},
                    {"pages", std::move(pages)}};
}

void show_run_route(Results& results, const ExchangePointer& exchange) {
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange] {
    const RunPointer run = named_run(results, *exchange);
    if (run == nullptr) return;
    const auto report = results.shown.of(*run);
    if (report) return exchange->send(200, detail_json(*run, **report, to_json((*report)->summary)));
    // It has only begun, or its data have gone: what is known of it is shown, and why there is no more.
    ReportInput nothing;
    nothing.problems.push_back({"error", "", report.error().text()});
    nothing.problem_count = 1;
    exchange->send(200, detail_json(*run, nothing, nullptr));
  });
}

void compare(Results& results, const ExchangePointer& exchange) {
  const std::string base = exchange->text("base").value_or("");
  const std::string fresh = exchange->text("new").value_or("");
  if (base.empty()) exchange->add_error("base", "missing: the id of a run");
  if (fresh.empty()) exchange->add_error("new", "missing: the ids of one or more runs, with commas between");
  const auto ids = split(fresh, ',');
  if (ids.size() > kMostCompared)
    exchange->add_error("new", fmt::format("found {} runs, expected at most {}", ids.size(), kMostCompared));
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange, base, fresh] {
    const auto list = results.catalogue.look();
    const auto known = [&](std::string_view id) {
      RunPointer run = list->find(id);
      if (run == nullptr) exchange->send_error(404, fmt::format("there is no run {}", shorten(id, 200)));
      return run;
    };
    const RunPointer before = known(base);
    if (before == nullptr) return;
    JsonArray comparisons;
    for (const std::string_view id : split(fresh, ',')) {
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
                                            {"data", offered.data}});
           }}};
}

std::vector<Route> run_routes(Results& results) {
  return {
      {.method = "GET",
       .path = "/api/runs",
       .role = TokenRole::read,
       .summary = "Runs of the results directories, a page at a time, newest first.",
       .query =
           {{"evaluation", "string", "Of this evaluation only."},
            {"state", "string", "running, unfinished, done or gate failed."},
            {"search", "string", "In id, evaluation, description, models or headline."},
            {"sort", "string",
             "started, finished, evaluation, what, state, cases, done, errored, models, cost or headline."},
            {"descending", "boolean", "The highest first; so it is without sort."},
            {"offset", "integer", "Leave out so many."},
            {"count", "integer", "At most so many; 100 by default, at most 1000."}},
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
       .query = {{"base", "string", "Id of the run that the others are held against."},
                 {"new", "string", "Ids of the others, with commas between."}},
       .answer = parsed(schemas::comparisons()),
       .statuses = {200, 400, 404, 503},
       .handle = asking(results, compare)},
  };
}

std::vector<Route> result_routes(Results& results, RunEvents& events, Offered offered) {
  return joined({about_routes(offered), run_routes(results), case_routes(results), file_routes(results),
                 event_routes(results, events)});
}

}  // namespace assay
