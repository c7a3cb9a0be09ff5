#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "service/data/cursor.h"
#include "service/data/data_routes.h"
#include "service/data/data_schemas.h"
#include "service/data/evaluation_records.h"
#include "service/data/lists.h"
#include "service/http/route_parts.h"

namespace assay {
namespace {

constexpr std::int64_t kMostVersions = 1'000'000'000;

constexpr ListColumn kItemColumns[] = {{"itemId", "/contentItemSummary/itemId"},
                                       {"evaluateTime", "/evaluateTime"},
                                       {"evaluateTitle", "/evaluateTitle"},
                                       {"evaluateText", "/evaluateText"},
                                       {"evaluateSourceType", "/evaluateSourceType"},
                                       {"evaluateSourceOriginator", "/evaluateSourceOriginator"},
                                       {"evaluateSourceChannel", "/evaluateSourceChannel"},
                                       {"evaluateClassifications", "/evaluateClassifications"},
                                       {"tags", "/tags"}};
constexpr ListColumn kResultColumns[] = {{"resultId", "/resultId"},
                                         {"recordId", "/recordId"},
                                         {"jobId", "/jobId"},
                                         {"agent", "/agent"},
                                         {"contextId", "/contextId"},
                                         {"personaId", "/personaId"},
                                         {"personaVersion", "/personaVersion"},
                                         {"perspectiveId", "/perspectiveId"},
                                         {"perspectiveVersion", "/perspectiveVersion"},
                                         {"itemId", "/itemId"},
                                         {"classificationName", "/classificationName"},
                                         {"classificationValue", "/classificationValue"},
                                         {"mode", "/mode"},
                                         {"evaluatedSelection", "/evaluatedSelection"},
                                         {"evaluationLikertVal", "/evaluationLikertVal"},
                                         {"evaluationAgreement", "/evaluationAgreement"},
                                         {"evaluationText", "/evaluationText"},
                                         {"recordedMs", "/recordedMs"},
                                         {"tags", "/tags"}};
constexpr ListColumn kFailureColumns[] = {{"failureId", "/failureId"},
                                          {"jobId", "/jobId"},
                                          {"recordedMs", "/recordedMs"},
                                          {"resolvedMs", "/resolvedMs"},
                                          {"agent", "/agent"},
                                          {"contextIdentifier", "/contextIdentifier"},
                                          {"mode", "/mode"},
                                          {"model", "/model"},
                                          {"personaId", "/evaluationPersona/id"},
                                          {"items", "/items"},
                                          {"finishReason", "/finishReason"},
                                          {"statusCode", "/statusCode"},
                                          {"error", "/error"},
                                          {"responseText", "/responseText"}};

// `lastNHours`, or `publishedSince` and `publishedUntil`.
TimeSpan published_filter(Exchange& exchange) {
  const auto hours = since(exchange);
  const auto from = time_filter(exchange, "publishedSince");
  if (hours && from) exchange.add_error("lastNHours", "found together with publishedSince, expected one");
  return {hours ? hours : from, time_filter(exchange, "publishedUntil")};
}

constexpr char letter_of(ItemQuery::Order order) {
  switch (order) {
    case ItemQuery::Order::stored:
      return 's';
    case ItemQuery::Order::newest:
      return 'n';
    default:
      return 'i';
  }
}

void read_item_cursor(Exchange& exchange, ItemQuery& query) {
  if (const auto given = exchange.text("cursor")) {
    if (auto cursor = read_cursor(letter_of(query.order), 2, *given)) {
      query.after = ItemPlace{cursor->numbers[0], cursor->numbers[1], std::move(cursor->text)};
    } else {
      exchange.add_error("cursor", "expected `next` of an answer to the same query in the same order");
    }
    if (exchange.text("page")) exchange.add_error("page", "a cursor says where the page begins");
  } else if (!query.exclude_tag.empty() && query.offset > 0) {
    // Every item that is done meanwhile would move the pages behind it, and as many would be missed.
    exchange.add_error(
        "page",
        "with excludeExistingWithTag items go as results come, and pages would skip some: give "
        "`next` of the answer before as cursor, or ask for the first page again");
  }
}

ItemQuery item_query(Exchange& exchange) {
  ItemQuery query;
  query.tag = exchange.text("tag").value_or("");
  query.exclude_tag = exchange.text("excludeExistingWithTag").value_or("");
  query.persona_id = exchange.text("persona").value_or("");
  query.persona_version = exchange.whole("personaVersion", 1, kMostVersions);
  query.mode = exchange.text("mode").value_or("");
  const TimeSpan published = published_filter(exchange);
  query.published_since_ms = published.since_ms;
  query.published_until_ms = published.until_ms;
  query.search = exchange.text("search").value_or("");
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
  read_item_cursor(exchange, query);
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
  send_list(exchange, "items", kItemColumns, 200, query, [&store](ItemQuery& asked) -> Result<ListedPage> {
    auto page = store.items(asked);
    if (!page) return fail(std::move(page.error()));
    ListedPage listed{{}, page->total, page->remaining, {}};
    for (const StoredItem& item : page->items) {
      if (auto json = to_json(item); !json.is_null()) listed.entries.push_back(std::move(json));
    }
    if (page->remaining > 0 && page->last) {
      listed.next = cursor_text(letter_of(asked.order), {page->last->position, page->last->published_ms},
                                page->last->item_id);
      asked.after = std::move(page->last);
    }
    return listed;
  });
}

ResultQuery result_query(Exchange& exchange) {
  ResultQuery query;
  query.tag = exchange.text("tag").value_or("");
  query.agent = exchange.text("agent").value_or("");
  query.persona_id = exchange.text("persona").value_or("");
  query.mode = exchange.text("mode").value_or("");
  query.item_id = exchange.text("itemId").value_or("");
  query.classification = exchange.text("classification").value_or("");
  query.perspective_id = exchange.text("perspective").value_or("");
  const TimeSpan published = published_filter(exchange);
  query.published_since_ms = published.since_ms;
  query.published_until_ms = published.until_ms;
  query.recorded = recorded_filter(exchange);
  query.job_id = exchange.text("job").value_or("");
  query.context_id = exchange.text("context").value_or("");
  if (const auto likert = exchange.whole("likert", 1, 5)) query.likert = static_cast<int>(*likert);
  query.agreement = exchange.text("agreement").value_or("");
  query.value = exchange.text("value").value_or("");
  query.resolved = exchange.flag("resolved");
  read_paging(exchange, query);
  return query;
}

void get_results(DataStore& store, const ExchangePointer& exchange) {
  ResultQuery query = result_query(*exchange);
  query.after = number_cursor(*exchange, 'v');
  if (exchange->refused()) return;
  send_list(exchange, "results", kResultColumns, 500, std::move(query),
            [&store](ResultQuery& asked) -> Result<ListedPage> {
              auto page = store.results(asked);
              if (!page) return fail(std::move(page.error()));
              ListedPage listed{{}, page->total, page->remaining, {}};
              for (const ResultRow& row : page->rows) listed.entries.push_back(to_json(row));
              if (page->remaining > 0 && !page->rows.empty()) {
                asked.after = page->rows.back().result_id;
                listed.next = cursor_text('v', {*asked.after});
              }
              return listed;
            });
}

void get_failures(DataStore& store, const ExchangePointer& exchange) {
  ResultQuery query = result_query(*exchange);
  query.after = number_cursor(*exchange, 'f');
  if (exchange->refused()) return;
  // Each has the prompts in it.
  send_list(exchange, "failures", kFailureColumns, 20, std::move(query),
            [&store](ResultQuery& asked) -> Result<ListedPage> {
              auto page = store.failures(asked);
              if (!page) return fail(std::move(page.error()));
              ListedPage listed{{}, page->total, page->remaining, {}};
              for (const FailurePage::Row& row : page->rows) {
                if (auto json = to_json(row); !json.is_null()) listed.entries.push_back(std::move(json));
              }
              if (page->remaining > 0 && !page->rows.empty()) {
                asked.after = page->rows.back().failure_id;
                listed.next = cursor_text('f', {*asked.after});
              }
              return listed;
            });
}

const std::vector<QueryParameter> kItemFilters = {
    {"tag", "string", "Items that have this tag."},
    {"excludeExistingWithTag", "string", "Leave out items that have a result under this tag …"},
    {"persona", "string", "… of this persona"},
    from_to({"personaVersion", "integer", "… in this version of it"}, 1, kMostVersions),
    mode_parameter("… in this mode."),
    hours_parameter(),
    {"publishedSince", "string", "Published at this time or later: ISO 8601, or milliseconds since 1970."},
    {"publishedUntil", "string", "Published before this time."},
    {"search", "string", "Items with this text in their id, title or text."},
    {"subsetTag", "string", "Members of this subset only …"},
    from_to({"subsetPercent", "integer", "… of this size."}, 1, 100),
    {"mostRecent", "boolean", "Newest publication first."},
    {"byUuid", "boolean", "In the order of item ids."}};

const std::vector<QueryParameter> kResultFilters = {
    {"tag", "string", "Tag of the result."},
    {"agent", "string", "Who recorded it."},
    {"persona", "string", "Id of the persona."},
    mode_parameter("Of this mode."),
    {"itemId", "string", "Id of the item."},
    {"classification", "string", "Id of the classification."},
    {"perspective", "string", "Id of the perspective."},
    {"job", "string", "Id of the job that recorded it."},
    {"context", "string", "Id of the context that it was recorded with."},
    from_to({"likert", "integer", "Verdicts of this value."}, 1, 5),
    one_of({"agreement", "string", "Verdicts that say so."}, {"AGREE", "DISAGREE"}),
    {"value", "string", "Verdicts on this value of the classification."},
    {"since", "string", "Recorded at this time or later: ISO 8601, or milliseconds since 1970."},
    {"until", "string", "Recorded before this time."},
    {"publishedSince", "string", "Of items published at this time or later."},
    {"publishedUntil", "string", "Of items published before this time."},
    hours_parameter()};

const std::vector<QueryParameter> kFailureFilters = {
    {"agent", "string", "Who recorded it."},
    {"persona", "string", "Id of the persona."},
    mode_parameter("Of this mode."),
    {"itemId", "string", "Id of an item that it was about."},
    {"resolved", "boolean", "Also those that have a result by now."},
    {"job", "string", "Id of the job that recorded it."},
    {"context", "string", "Id of the context that it was recorded with."},
    {"since", "string", "Recorded at this time or later: ISO 8601, or milliseconds since 1970."},
    {"until", "string", "Recorded before this time."},
    {"publishedSince", "string", "Of items published at this time or later."},
    {"publishedUntil", "string", "Of items published before this time."},
    hours_parameter()};

}  // namespace

std::vector<Route> fetch_routes(DataStore& store) {
  const std::string base = kDataBase;
  return {
      {.method = "GET",
       .path = base + "/fetch-evaluation-items",
       .role = TokenRole::read,
       .summary = "Items, a page at a time.",
       .query = with_cursor(kItemFilters, Streamed::yes),
       .answer = list_schema("items", item_schema()),
       .also = streamed_media(),
       .statuses = {200, 400, 404},
       .handle = asking(store, fetch_items)},
      {.method = "GET",
       .path = base + "/items",
       .role = TokenRole::read,
       .summary = "The same by a shorter name.",
       .query = with_cursor(kItemFilters, Streamed::yes),
       .answer = list_schema("items", item_schema()),
       .also = streamed_media(),
       .statuses = {200, 400, 404},
       .handle = asking(store, fetch_items)},
      {.method = "GET",
       .path = base + "/get-evaluation-data",
       .role = TokenRole::read,
       .summary = "Results, one per verdict.",
       .query = with_cursor(kResultFilters, Streamed::yes),
       .answer = list_schema("results", result_schema()),
       .also = streamed_media(),
       .statuses = {200, 400},
       .handle = asking(store, get_results)},
      {.method = "GET",
       .path = base + "/get-evaluation-failures",
       .role = TokenRole::read,
       .summary = "Failure records, without those that have a result by now.",
       .query = with_cursor(kFailureFilters, Streamed::yes),
       .answer = list_schema("failures", failure_schema()),
       .also = streamed_media(),
       .statuses = {200, 400},
       .handle = asking(store, get_failures)},
  };
}

}  // namespace assay
