// What the store holds, read back: one item with all that was said of it, records, contexts, feedback, tags
// and subsets.
#include <utility>

#include <fmt/format.h>

#include "service/data/cursor.h"
#include "service/data/data_routes.h"
#include "service/data/data_schemas.h"
#include "service/data/evaluation_records.h"
#include "service/data/lists.h"

namespace assay {
namespace {

constexpr std::int64_t kSaidOfAnItem = 1000;  // entries of each kind; the lists have the rest

constexpr ListColumn kFeedbackColumns[] = {{"feedbackId", "/feedbackId"},
                                           {"resultId", "/resultId"},
                                           {"person", "/person"},
                                           {"likert", "/likert"},
                                           {"agreement", "/agreement"},
                                           {"text", "/text"},
                                           {"recordedMs", "/recordedMs"},
                                           {"itemId", "/result/itemId"},
                                           {"classificationName", "/result/classificationName"},
                                           {"classificationValue", "/result/classificationValue"},
                                           {"personaId", "/result/personaId"},
                                           {"perspectiveId", "/result/perspectiveId"},
                                           {"mode", "/result/mode"},
                                           {"evaluationLikertVal", "/result/evaluationLikertVal"},
                                           {"evaluationAgreement", "/result/evaluationAgreement"},
                                           {"jobId", "/result/jobId"}};

const std::vector<QueryParameter> kFeedbackFilters = {
    from_to({"resultId", "integer", "Id of the result that it is about."}, 1, kMostPages),
    {"person", "string", "Who said it."},
    {"itemId", "string", "Id of the item."},
    {"job", "string", "Id of the job that recorded the result."},
    {"since", "string", "Recorded at this time or later: ISO 8601, or milliseconds since 1970."},
    {"until", "string", "Recorded before this time."}};

const std::vector<QueryParameter> kRecordFilters = {
    {"tag", "string", "Tag of a result in it."},
    {"agent", "string", "Who recorded it."},
    {"persona", "string", "Id of the persona."},
    mode_parameter("Of this mode."),
    {"itemId", "string", "Id of an item that it judges."},
    {"context", "string", "Id of its context."},
    {"job", "string", "Id of the job that recorded it."},
    {"since", "string", "Recorded at this time or later: ISO 8601, or milliseconds since 1970."},
    {"until", "string", "Recorded before this time."}};

JsonArray to_json(const std::vector<SubsetSize>& subsets) {
  JsonArray list;
  for (const SubsetSize& one : subsets)
    list.push_back(
        JsonObject{{"tag", one.tag}, {"percent", one.percent}, {"members", one.members}, {"of", one.of}});
  return list;
}

void get_item(DataStore& store, const ExchangePointer& exchange) {
  const std::string id = needed_id(*exchange);
  if (exchange->refused()) return;
  const auto view = store.item(id);
  if (!view) return exchange->send_failure(view.error());
  if (!*view) return exchange->send_error(404, "there is no such item");
  const auto results = store.results({.item_id = id, .count = kSaidOfAnItem});
  if (!results) return exchange->send_failure(results.error());
  const auto failures = store.failures({.item_id = id, .resolved = true, .count = kSaidOfAnItem});
  if (!failures) return exchange->send_failure(failures.error());
  const auto feedback = store.feedback({.item_id = id, .count = kSaidOfAnItem});
  if (!feedback) return exchange->send_failure(feedback.error());
  JsonArray tags;
  for (const std::string& tag : (*view)->item.tags) tags.emplace_back(tag);
  JsonArray said;
  for (const ResultRow& row : results->rows) said.push_back(to_json(row));
  JsonArray failed;
  for (const FailurePage::Row& row : failures->rows) {
    if (auto json = to_json(row); !json.is_null()) failed.push_back(std::move(json));
  }
  JsonArray people;
  for (const FeedbackRow& row : feedback->rows) people.push_back(to_json(row));
  exchange->send(200, JsonObject{{"itemId", id},
                                 {"publishedMs", (*view)->item.published_ms},
                                 {"item", to_json((*view)->item)},
                                 {"tags", std::move(tags)},
                                 {"subsets", to_json((*view)->subsets)},
                                 {"results", std::move(said)},
                                 {"resultsTotal", results->total},
                                 {"failures", std::move(failed)},
                                 {"failuresTotal", failures->total},
                                 {"feedback", std::move(people)},
                                 {"feedbackTotal", feedback->total}});
}

void list_records(DataStore& store, const ExchangePointer& exchange) {
  RecordQuery query;
  query.tag = exchange->text("tag").value_or("");
  query.agent = exchange->text("agent").value_or("");
  query.persona_id = exchange->text("persona").value_or("");
  query.mode = exchange->text("mode").value_or("");
  query.item_id = exchange->text("itemId").value_or("");
  query.context_id = exchange->text("context").value_or("");
  query.job_id = exchange->text("job").value_or("");
  query.recorded = recorded_filter(*exchange);
  read_paging(*exchange, query);
  query.after = number_cursor(*exchange, 'r');
  if (exchange->refused()) return;
  auto page = store.records(query);
  if (!page) return exchange->send_failure(page.error());
  ListedPage listed{{}, page->total, page->remaining, {}};
  for (const RecordRow& row : page->rows) listed.entries.push_back(to_json(row));
  if (page->remaining > 0 && !page->rows.empty())
    listed.next = cursor_text('r', {page->rows.back().record_id});
  send_page(*exchange, "records", std::move(listed));
}

// The record stands in the answer as it came, byte for byte.
void get_record(DataStore& store, const ExchangePointer& exchange) {
  const auto id = number_parameter(*exchange, "record_id");
  if (exchange->refused()) return;
  const auto record = id ? store.record(*id) : Result<std::optional<WholeRecord>>(std::nullopt);
  if (!record) return exchange->send_failure(record.error());
  if (!*record) return exchange->send_error(404, "there is no such record");
  std::string text = to_text(to_json((*record)->glance));
  text.back() = ',';
  text += "\"record\":" + (*record)->json + "}\n";
  exchange->send_bytes(200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
                       std::move(text));
}

void list_contexts(DataStore& store, const ExchangePointer& exchange) {
  ContextQuery query;
  query.count = exchange->whole("count", 1, kMostPerPage).value_or(20);
  if (const auto given = exchange->text("cursor")) {
    if (auto cursor = read_cursor('c', 1, *given)) {
      query.after = ContextPlace{std::move(cursor->text), cursor->numbers.front()};
    } else {
      exchange->add_error("cursor", "expected `next` of an answer to the same query");
    }
  }
  if (exchange->refused()) return;
  const auto page = store.contexts(query);
  if (!page) return exchange->send_failure(page.error());
  JsonArray list;
  for (const ContextRow& row : page->rows)
    list.push_back(JsonObject{{"contextId", row.context_id},
                              {"agent", row.agent},
                              {"firstRecordedMs", row.first_ms},
                              {"lastRecordedMs", row.last_ms},
                              {"records", row.records},
                              {"verdicts", row.verdicts}});
  Json next = nullptr;
  if (page->next) next = boost::json::string(cursor_text('c', {page->next->agent}, page->next->context_id));
  exchange->send(200, JsonObject{{"contexts", std::move(list)}, {"next", std::move(next)}});
}

void list_tags(DataStore& store, const ExchangePointer& exchange) {
  const NameQuery query = name_query(*exchange, 't');
  if (exchange->refused()) return;
  const auto page = store.tags(query);
  if (!page) return exchange->send_failure(page.error());
  JsonArray list;
  for (const TagSize& one : page->rows)
    list.push_back(JsonObject{{"tag", one.tag}, {"items", one.items}, {"results", one.results}});
  exchange->send(200, JsonObject{{"tags", std::move(list)}, {"next", next_name(page->next, 't')}});
}

void list_subsets(DataStore& store, const ExchangePointer& exchange) {
  if (exchange->refused()) return;
  const auto subsets = store.subsets();
  if (!subsets) return exchange->send_failure(subsets.error());
  exchange->send(200, JsonObject{{"subsets", to_json(*subsets)}, {"next", nullptr}});
}

void list_feedback(DataStore& store, const ExchangePointer& exchange) {
  FeedbackQuery query;
  query.result_id = exchange->whole("resultId", 1, kMostPages);
  query.person = exchange->text("person").value_or("");
  query.item_id = exchange->text("itemId").value_or("");
  query.job_id = exchange->text("job").value_or("");
  query.recorded = recorded_filter(*exchange);
  read_paging(*exchange, query);
  query.after = number_cursor(*exchange, 'b');
  if (exchange->refused()) return;
  send_list(exchange, "feedback", kFeedbackColumns, 200, std::move(query),
            [&store](FeedbackQuery& asked) -> Result<ListedPage> {
              auto page = store.feedback(asked);
              if (!page) return fail(std::move(page.error()));
              ListedPage listed{{}, page->total, page->remaining, {}};
              for (const FeedbackRow& row : page->rows) listed.entries.push_back(to_json(row));
              if (page->remaining > 0 && !page->rows.empty()) {
                asked.after = page->rows.back().feedback_id;
                listed.next = cursor_text('b', {*asked.after});
              }
              return listed;
            });
}

std::string record_schema() {
  return to_text(object_schema({{"recordId", kWhole},
                                {"recordedMs", kWhole},
                                {"agent", kText},
                                {"contextId", kText},
                                {"personaId", kText},
                                {"personaVersion", kWhole},
                                {"mode", kTextOrNull},
                                {"jobId", kTextOrNull},
                                {"items", list_of(kText)},
                                {"verdicts", kWhole}}));
}

std::string feedback_schema() {
  return R"({"type": "object", "properties": {"feedbackId": {"type": "integer"}, "resultId": {"type": "integer"},
    "person": {"type": "string"}, "likert": {"type": "integer"}, "agreement": {"enum": ["AGREE", "DISAGREE"]},
    "text": {"type": ["string", "null"]}, "recordedMs": {"type": "integer"}, "result": )" +
         result_schema() + R"(}, "required": ["feedbackId", "resultId", "person", "recordedMs", "result"]})";
}

std::string subset_schema() {
  return to_text(object_schema({{"tag", kText}, {"percent", kWhole}, {"members", kWhole}, {"of", kWhole}}));
}

}  // namespace

std::vector<Route> reading_routes(DataStore& store) {
  const std::string base = kDataBase;
  Json whole_record = parse_json(record_schema()).value();
  whole_record.get_object()["properties"].get_object()["record"] = JsonObject{{"type", "object"}};
  return {
      {.method = "GET",
       .path = base + "/item",
       .role = TokenRole::read,
       .summary = "One item with everything that was said of it: results, failures, feedback.",
       .query = {id_parameter()},
       .answer = object_schema({{"itemId", kText},
                                {"publishedMs", kWhole},
                                {"item", fmt::format(R"({{"description": "null: only results speak of it.",
                                  "anyOf": [{}, {{"type": "null"}}]}})",
                                                     item_schema())},
                                {"tags", list_of(kText)},
                                {"subsets", list_of(subset_schema())},
                                {"results", list_of(result_schema())},
                                {"resultsTotal", kWhole},
                                {"failures", list_of(failure_schema())},
                                {"failuresTotal", kWhole},
                                {"feedback", list_of(feedback_schema())},
                                {"feedbackTotal", kWhole}}),
       .statuses = {200, 400, 404},
       .handle = asking(store, get_item)},
      {.method = "GET",
       .path = base + "/records",
       .role = TokenRole::read,
       .summary = "Records at a glance, in the order of their recording.",
       .query = with_cursor(kRecordFilters, Streamed::no),
       .answer = list_schema("records", record_schema()),
       .handle = asking(store, list_records)},
      {.method = "GET",
       .path = base + "/records/{record_id}",
       .role = TokenRole::read,
       .summary = "One record, whole, as it came.",
       .answer = std::move(whole_record),
       .statuses = {200, 400, 404},
       .handle = asking(store, get_record)},
      {.method = "GET",
       .path = base + "/contexts",
       .role = TokenRole::read,
       .summary = "Contexts that results were recorded with, by id.",
       .query = short_list_parameters(),
       .answer = short_list_schema("contexts", to_text(object_schema({{"contextId", kText},
                                                                      {"agent", kText},
                                                                      {"firstRecordedMs", kWhole},
                                                                      {"lastRecordedMs", kWhole},
                                                                      {"records", kWhole},
                                                                      {"verdicts", kWhole}}))),
       .handle = asking(store, list_contexts)},
      {.method = "GET",
       .path = base + "/feedback",
       .role = TokenRole::read,
       .summary = "What people have said of results.",
       .query = with_cursor(kFeedbackFilters, Streamed::yes),
       .answer = list_schema("feedback", feedback_schema()),
       .also = streamed_media(),
       .handle = asking(store, list_feedback)},
      {.method = "GET",
       .path = base + "/tags",
       .role = TokenRole::read,
       .summary = "Tags of items and of results, with how many have them.",
       .query = short_list_parameters(),
       .answer = short_list_schema(
           "tags", to_text(object_schema({{"tag", kText}, {"items", kWhole}, {"results", kWhole}}))),
       .handle = asking(store, list_tags)},
      {.method = "GET",
       .path = base + "/subsets",
       .role = TokenRole::read,
       .summary = "Subsets that were made, with how many members they have.",
       .answer = short_list_schema("subsets", subset_schema()),
       .statuses = {200, 400},
       .handle = asking(store, list_subsets)},
  };
}

}  // namespace assay
