#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "engine/outcome.h"
#include "runs/show/listed_cases.h"
#include "service/http/route_parts.h"
#include "service/results/result_routes.h"
#include "service/results/schemas.h"

namespace assay {
namespace {

constexpr std::int64_t kMostCases = 1000;
constexpr double kAnyScore = 1e300;

// How a case may have ended (CaseGlance::ended).
std::vector<std::string> endings() {
  std::vector<std::string> names = {"not passed", std::string(kUnderWay)};
  for (const OutcomeKind kind :
       {OutcomeKind::scored, OutcomeKind::target_failed, OutcomeKind::judge_failed, OutcomeKind::infra_failed,
        OutcomeKind::refused, OutcomeKind::limit_hit, OutcomeKind::skipped})
    names.emplace_back(to_string(kind));
  return names;
}

CaseQuery case_query(Exchange& exchange) {
  CaseQuery query;
  query.outcome = exchange.text("outcome").value_or("");
  query.failed = exchange.flag("failed");
  query.search = exchange.text("search").value_or("");
  query.sort = exchange.text("sort").value_or("");
  query.descending = exchange.flag("descending");
  query.offset = static_cast<std::size_t>(exchange.whole("offset", 0, kMostPages).value_or(0));
  query.count = static_cast<std::size_t>(exchange.whole("count", 0, kMostCases).value_or(50));
  if (const auto slice = exchange.text("slice")) {
    const std::size_t colon = slice->find(':');
    if (colon == std::string::npos || colon == 0)
      exchange.add_error("slice", fmt::format("found \"{}\", expected NAME:VALUE", *slice));
    else
      query.traits.emplace_back(slice->substr(0, colon), slice->substr(colon + 1));
  }
  if (auto label = exchange.text("label")) query.traits.emplace_back("", std::move(*label));
  query.metric = exchange.text("metric").value_or("");
  query.above = exchange.number("above", -kAnyScore, kAnyScore);
  query.below = exchange.number("below", -kAnyScore, kAnyScore);
  if (query.metric.empty() && (query.above || query.below))
    exchange.add_error("metric", "missing: above and below are about a score");
  return query;
}

Json glance_json(const CaseGlance& one) {
  JsonObject scores;
  for (const auto& [name, value] : one.scores) scores[name] = value ? Json(*value) : Json(nullptr);
  JsonObject json{{"id", one.id},
                  {"outcome", one.outcome},
                  {"ended", one.ended()},
                  {"scores", std::move(scores)},
                  {"cost_usd", one.cost_usd ? Json(*one.cost_usd) : Json(nullptr)},
                  {"latency_ms", one.latency_ms ? Json(*one.latency_ms) : Json(nullptr)}};
  if (!one.error.empty()) json["error"] = one.error;
  if (!one.text.empty()) json["text"] = one.text;
  return json;
}

JsonArray texts(const std::vector<std::string>& list) {
  JsonArray array;
  for (const std::string& text : list) array.emplace_back(text);
  return array;
}

// What `page` is of: all cases, or the first ones of so many while the others are read.
Json page_json(const CaseIndex& index, const CasePage& page, std::optional<std::size_t> of_all = {}) {
  JsonArray rows;
  for (const CaseGlance& one : page.rows) rows.push_back(glance_json(one));
  JsonObject outcomes;
  for (const auto& [outcome, count] : index.outcomes()) outcomes[outcome] = count;
  JsonObject traits;
  for (const auto& [name, values] : index.traits()) traits[name] = texts(values);
  return JsonObject{{"rows", std::move(rows)},
                    {"fitting", of_all.value_or(page.fitting)},
                    {"total", of_all.value_or(index.size())},
                    {"not_begun", index.not_begun()},
                    {"finished", index.finished()},
                    {"complete", !of_all.has_value()},
                    {"scores", texts(index.scores())},
                    {"outcomes", std::move(outcomes)},
                    {"traits", std::move(traits)}};
}

constexpr std::size_t kFirst = 2'000;       // rows that are read at once
constexpr std::size_t kLearnFrom = 5'000;   // cases from which it helps to know their places
constexpr std::int64_t kSoonFrom = 20'000;  // cases that are read in no time

// Makes what the next questions need, after this one was answered.
void learn(Results& results, const std::string& directory) {
  if (results.cases.knows(directory)) return;
  (void)results.readers.post([&results, directory] { results.cases.prepare(directory); });
}

// The first rows of a large finished run as long as the others are being read; false if they have to be
// waited for.
bool sent_first_rows(Results& results, const ExchangePointer& exchange, const CataloguedRun& run,
                     const CaseQuery& query) {
  const std::string& directory = run.run.directory;
  const bool plain = query.same_rows(CaseQuery{}) && query.offset + query.count <= kFirst;
  if (!plain || run.run.done < kSoonFrom || !has_results(directory) || results.indexes.ready(directory))
    return false;
  const auto first = CaseIndex::read_first(directory, kFirst);
  const auto page = first ? (*first)->page(query) : fail(first.error());
  if (!page) return false;
  exchange->send(200, page_json(**first, *page, static_cast<std::size_t>(run.run.done)));
  (void)results.readers.post([&results, directory] { (void)results.indexes.of(directory); });
  return true;
}

void list_cases_route(Results& results, const ExchangePointer& exchange) {
  CaseQuery query = case_query(*exchange);
  const bool soon = exchange->flag("soon");
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange, soon, query = std::move(query)] {
    const auto run = named_run(results, *exchange);
    if (run == nullptr) return;
    if (soon && sent_first_rows(results, exchange, *run, query)) return;
    const auto index = results.indexes.of(run->run.directory);
    if (!index) return exchange->send_failure(index.error());
    const auto page = (*index)->page(query);
    if (!page) return exchange->send_failure(page.error());
    exchange->send(200, page_json(**index, *page));
    if ((*index)->finished() && (*index)->size() >= kLearnFrom) learn(results, run->run.directory);
  });
}

void show_case_route(Results& results, const ExchangePointer& exchange) {
  const std::string id = exchange->text("id").value_or("");
  if (exchange->refused()) return;
  read_for(results, exchange, [&results, exchange, id] {
    const auto run = named_run(results, *exchange);
    if (run == nullptr) return;
    const auto view = results.cases.show(run->run.directory, id);
    if (view) {
      exchange->send(200, to_json(*view));
      if (run->run.complete && run->run.done >= static_cast<std::int64_t>(kLearnFrom))
        learn(results, run->run.directory);
      return;
    }
    if (view.error().kind == ErrorKind::usage) return exchange->send_error(404, view.error().message);
    exchange->send_failure(view.error());
  });
}

}  // namespace

std::vector<Route> case_routes(Results& results) {
  return {
      {.method = "GET",
       .path = "/api/runs/{run}/cases",
       .role = TokenRole::read,
       .summary = "Cases of a run, a page at a time, in input order unless sorted.",
       .query = {one_of({"outcome", "string", "Those that ended so."}, endings()),
                 {"failed", "boolean", "Those only that failed or did not pass."},
                 {"search", "string",
                  "Anywhere in the case's line of results.jsonl; of a run that is not finished in id, text "
                  "and error."},
                 {"slice", "string",
                  "NAME:VALUE, of `traits`. Of a finished run what no case has is refused."},
                 {"label", "string", "A value of whichever trait."},
                 {"metric", "string", "A score that is …"},
                 {"above", "number", "… so high or higher"},
                 {"below", "number", "… so low or lower."},
                 {"sort", "string", "id, outcome, cost, latency or a score; what has none comes last."},
                 {"descending", "boolean", "The highest first."},
                 {"soon", "boolean",
                  "The first rows of a large run before all were read: then `complete` is false, and scores, "
                  "outcomes and traits are those of the first rows."},
                 from_to({"offset", "integer", "Leave out so many."}, 0, kMostPages),
                 from_to({"count", "integer", "At most so many; 50 by default."}, 0, kMostCases)},
       .answer = parse_json(schemas::case_page()).value(),
       .statuses = {200, 400, 404, 503},
       .handle = asking(results, list_cases_route)},
      {.method = "GET",
       .path = "/api/runs/{run}/case",
       .role = TokenRole::read,
       .summary = "One case with everything that was asked and answered for it.",
       .query = {needed({"id", "string", "The id of the case."})},
       .answer = parse_json(schemas::case_view()).value(),
       .statuses = {200, 400, 404, 503},
       .handle = asking(results, show_case_route)},
  };
}

}  // namespace assay
