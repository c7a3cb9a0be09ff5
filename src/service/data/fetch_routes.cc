#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "service/data/data_routes.h"
#include "service/data/evaluation_records.h"
#include "service/data/item_cursor.h"
#include "service/http/route_parts.h"

namespace assay {
namespace {

constexpr std::int64_t kMostVersions = 1'000'000'000;

ItemQuery item_query(Exchange& exchange) {
  ItemQuery query;
  query.tag = exchange.text("tag").value_or("");
  query.exclude_tag = exchange.text("excludeExistingWithTag").value_or("");
  query.persona_id = exchange.text("persona").value_or("");
  query.persona_version = exchange.whole("personaVersion", 1, kMostVersions);
  query.mode = mode_filter(exchange);
  query.published_since_ms = since(exchange);
  query.subset_tag = exchange.text("subsetTag").value_or("");
  const auto percent = exchange.whole("subsetPercent", 1, 100);
  query.subset_percent = static_cast<int>(percent.value_or(0));
  if (query.subset_tag.empty() != !percent)
    exchange.add_error(percent ? "subsetTag" : "subsetPercent",
                       "missing: subsetTag and subsetPercent go together");
  const bool by_id = exchange.flag("byUuid");
  query.order = exchange.flag("mostRecent") ? ItemQuery::Order::newest
                : by_id                     ? ItemQuery::Order::item_id
                                            : ItemQuery::Order::stored;
  read_paging(exchange, query);
  if (const auto cursor = exchange.text("cursor")) {
    query.after = read_cursor(query.order, *cursor);
    if (!query.after)
      exchange.add_error("cursor", "expected `next` of an answer to the same query in the same order");
    if (exchange.text("page")) exchange.add_error("page", "a cursor says where the page begins");
  } else if (!query.exclude_tag.empty() && query.offset > 0) {
    // Every item that is done meanwhile would move the pages behind it, and as many would be missed.
    exchange.add_error(
        "page",
        "with excludeExistingWithTag items go as results come, and pages would skip some: give "
        "`next` of the answer before as cursor, or ask for the first page again");
  }
  return query;
}

void fetch_items(DataStore& store, const ExchangePointer& exchange) {
  const ItemQuery query = item_query(*exchange);
  if (exchange->refused()) return;
  if (!query.subset_tag.empty()) {
    const auto members = store.members(query.subset_tag, query.subset_percent);
    if (!members) return exchange->send_failure(members.error());
    if (*members == 0) {
      return exchange->send_error(404, fmt::format("there is no subset of {} percent of the tag \"{}\"; "
                                                   "create-subset makes one",
                                                   query.subset_percent, query.subset_tag));
    }
  }
  auto page = store.items(query);
  if (!page) return exchange->send_failure(page.error());
  JsonArray items;
  for (const StoredItem& item : page->items) {
    auto json = parse_json(item.json);
    if (!json || !json->is_object()) continue;
    JsonArray tags;
    for (const std::string& tag : item.tags) tags.emplace_back(tag);
    json->get_object()["tags"] = std::move(tags);  // all it has, those added later too
    items.push_back(std::move(*json));
  }
  Json next = nullptr;
  if (page->remaining > 0 && page->last) next = boost::json::string(cursor_text(query.order, *page->last));
  exchange->send(200, JsonObject{{"items", std::move(items)},
                                 {"remaining", page->remaining},
                                 {"total", page->total},
                                 {"next", std::move(next)}});
}

ResultQuery result_query(Exchange& exchange) {
  ResultQuery query;
  query.tag = exchange.text("tag").value_or("");
  query.agent = exchange.text("agent").value_or("");
  query.persona_id = exchange.text("persona").value_or("");
  query.mode = mode_filter(exchange);
  query.item_id = exchange.text("itemId").value_or("");
  query.classification = exchange.text("classification").value_or("");
  query.perspective_id = exchange.text("perspective").value_or("");
  query.published_since_ms = since(exchange);
  query.resolved = exchange.flag("resolved");
  read_paging(exchange, query);
  return query;
}

void get_results(DataStore& store, const ExchangePointer& exchange) {
  const ResultQuery query = result_query(*exchange);
  if (exchange->refused()) return;
  auto page = store.results(query);
  if (!page) return exchange->send_failure(page.error());
  JsonArray results;
  for (const ResultRow& row : page->rows) results.push_back(to_json(row));
  exchange->send(
      200,
      JsonObject{{"results", std::move(results)}, {"remaining", page->remaining}, {"total", page->total}});
}

void get_failures(DataStore& store, const ExchangePointer& exchange) {
  const ResultQuery query = result_query(*exchange);
  if (exchange->refused()) return;
  auto page = store.failures(query);
  if (!page) return exchange->send_failure(page.error());
  JsonArray failures;
  for (const FailurePage::Row& row : page->rows) {
    auto json = parse_json(row.json);
    if (!json || !json->is_object()) continue;
    JsonObject& failure = json->get_object();
    failure["failureId"] = row.failure_id;
    failure["recordedMs"] = row.recorded_ms;
    if (row.resolved_ms) failure["resolvedMs"] = *row.resolved_ms;
    failures.push_back(std::move(*json));
  }
  exchange->send(
      200,
      JsonObject{{"failures", std::move(failures)}, {"remaining", page->remaining}, {"total", page->total}});
}

const std::vector<QueryParameter> kItemFilters = {
    {"tag", "string", "Items that have this tag."},
    {"excludeExistingWithTag", "string", "Leave out items that have a result under this tag …"},
    {"persona", "string", "… of this persona"},
    {"personaVersion", "integer", "… in this version of it"},
    {"mode", "string", "… in this mode."},
    {"lastNHours", "number", "Items published in the last hours only."},
    {"subsetTag", "string", "Members of this subset only …"},
    {"subsetPercent", "integer", "… of this size."},
    {"mostRecent", "boolean", "Newest publication first."},
    {"byUuid", "boolean", "In the order of item ids."},
    {"cursor", "string", "`next` of the answer before: goes on behind its last item."}};

const std::vector<QueryParameter> kResultFilters = {
    {"tag", "string", "Tag of the result."},
    {"agent", "string", "Who recorded it."},
    {"persona", "string", "Id of the persona."},
    {"mode", "string", "mode1, mode2 or mode3."},
    {"itemId", "string", "Id of the item."},
    {"classification", "string", "Id of the classification."},
    {"perspective", "string", "Id of the perspective."},
    {"lastNHours", "number", "Items published in the last hours only."}};

const std::vector<QueryParameter> kFailureFilters = {
    {"agent", "string", "Who recorded it."},
    {"persona", "string", "Id of the persona."},
    {"mode", "string", "mode1, mode2 or mode3."},
    {"itemId", "string", "Id of an item that it was about."},
    {"resolved", "boolean", "Also those that have a result by now."},
    {"lastNHours", "number", "Items published in the last hours only."}};

}  // namespace

std::vector<Route> fetch_routes(DataStore& store) {
  const std::string base = kDataBase;
  const std::string object = R"({"type": "object"})";
  const std::string result = R"({"type": "object", "properties": {"resultId": {"type": "integer"},
    "agent": {"type": "string"}, "contextId": {"type": "string"}, "personaId": {"type": "string"},
    "personaVersion": {"type": "integer"}, "perspectiveId": {"type": "string"},
    "perspectiveVersion": {"type": "integer"}, "itemId": {"type": "string"},
    "classificationName": {"type": "string"}, "classificationValue": {"type": ["string", "null"]},
    "mode": {"type": ["string", "null"], "description": "null: the record did not say."},
    "evaluatedSelection": {"type": ["string", "null"]}, "evaluatedSelectionAgreesWithOrig": {"type": "boolean"},
    "evaluationLikertVal": {"type": "integer"}, "evaluationLikertText": {"type": "string"},
    "evaluationAgreement": {"enum": ["AGREE", "DISAGREE"]}, "evaluationText": {"type": "string"},
    "recordedMs": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["resultId", "agent", "contextId", "personaId", "itemId", "classificationName", "mode"]})";
  return {
      {.method = "GET",
       .path = base + "/fetch-evaluation-items",
       .role = TokenRole::read,
       .summary = "Items, a page at a time.",
       .query = with_paging(kItemFilters),
       .answer = page_schema("items", object, {{"next", R"({"type": ["string", "null"],
                                "description": "The cursor of what follows; null at the end."})"}}),
       .statuses = {200, 400, 404},
       .handle = asking(store, fetch_items)},
      {.method = "GET",
       .path = base + "/get-evaluation-data",
       .role = TokenRole::read,
       .summary = "Results, one per verdict.",
       .query = with_paging(kResultFilters),
       .answer = page_schema("results", result),
       .statuses = {200, 400},
       .handle = asking(store, get_results)},
      {.method = "GET",
       .path = base + "/get-evaluation-failures",
       .role = TokenRole::read,
       .summary = "Failure records, without those that have a result by now.",
       .query = with_paging(kFailureFilters),
       .answer = page_schema("failures", object),
       .statuses = {200, 400},
       .handle = asking(store, get_failures)},
  };
}

}  // namespace assay
