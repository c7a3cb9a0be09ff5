#include "service/data_routes.h"

#include <chrono>
#include <limits>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/schema/schema.h"
#include "evaluations/persona/schemas.h"
#include "service/evaluation_records.h"
#include "service/job_request.h"

namespace assay {
namespace {

using ExchangePointer = std::shared_ptr<Exchange>;

constexpr std::int64_t kMostPages = 1'000'000'000;
constexpr std::int64_t kMostPerPage = 10'000;
constexpr double kMostHours = 1e6;  // a century
constexpr std::size_t kMostItemsAtOnce = 10'000;

const std::vector<QueryParameter> kPaging = {
    {"page", "integer", "Page, from 1."},
    {"count", "integer", "Entries of a page; 20 by default, at most 10000, which 0 stands for."}};

std::vector<QueryParameter> with_paging(std::vector<QueryParameter> parameters) {
  parameters.insert(parameters.end(), kPaging.begin(), kPaging.end());
  return parameters;
}

// `offset` and `count` of a query.
template <class Query>
void read_paging(Exchange& exchange, Query& query) {
  query.count = exchange.whole("count", 0, kMostPerPage).value_or(20);
  if (query.count == 0) query.count = kMostPerPage;
  query.offset = (exchange.whole("page", 1, kMostPages).value_or(1) - 1) * query.count;
}

std::optional<std::int64_t> since(Exchange& exchange) {
  const auto hours = exchange.number("lastNHours", 0, kMostHours);
  if (!hours) return std::nullopt;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() -
         static_cast<std::int64_t>(*hours * 3'600'000);
}

void check_mode(Exchange& exchange, const std::string& name, const std::string& mode) {
  if (!mode.empty() && !persona::mode_of(mode))
    exchange.add_error(name, fmt::format("found \"{}\", expected mode1, mode2 or mode3", mode));
}

Json schema_body(std::string_view file) {
  return persona::schema_document(file);
}

Json parsed(const char* text) {
  return parse_json(text).value();
}

// A body schema of our own, checked against its requests.
class BodySchema {
 public:
  explicit BodySchema(const char* text) : json_(parsed(text)), schema_(Schema::compile(json_).value()) {}
  const Json& json() const { return json_; }
  // False, and answered, if the body does not fit.
  bool fits(Exchange& exchange, const Json& body) const {
    for (const SchemaDefect& defect : schema_.validate(body))
      exchange.add_error(defect.instance_pointer, defect.message);
    return !exchange.refused();
  }

 private:
  Json json_;
  Schema schema_;
};

const BodySchema& items_schema() {
  static const BodySchema schema(
      R"({"type": "object", "properties": {"items": {"type": "array", "minItems": 1,
    "items": {"type": "object"}}}, "required": ["items"]})");
  return schema;
}

const BodySchema& subset_schema() {
  static const BodySchema schema(R"({"type": "object", "properties": {
    "tag": {"type": "string", "minLength": 1}, "percent": {"type": "integer", "minimum": 1, "maximum": 100},
    "incremental": {"type": "boolean", "description": "Keep the members there are."},
    "seed": {"type": "integer", "minimum": 0}}, "required": ["tag", "percent"], "additionalProperties": false})");
  return schema;
}

const BodySchema& feedback_schema() {
  static const BodySchema schema(R"({"type": "object", "properties": {
    "resultId": {"type": "integer", "minimum": 1}, "person": {"type": "string", "minLength": 1},
    "likert": {"type": "integer", "minimum": 1, "maximum": 5}, "agreement": {"enum": ["AGREE", "DISAGREE"]},
    "text": {"type": "string"}}, "required": ["resultId", "person"],
    "oneOf": [{"required": ["likert"]}, {"required": ["agreement"]}], "additionalProperties": false})");
  return schema;
}

void add_all(Exchange& exchange, const std::vector<FieldError>& errors) {
  for (const FieldError& error : errors) exchange.add_error(error.pointer, error.message);
}

// --- handlers ---------------------------------------------------------------------------------------------

void record_result(DataStore& store, const ExchangePointer& exchange, const Json& body) {
  std::vector<FieldError> errors;
  auto record = read_result(body, errors);
  add_all(*exchange, errors);
  if (exchange->refused()) return;
  store.add_result(std::move(*record), [exchange](Result<ResultRecorded> done) {
    if (!done) return exchange->send_failure(done.error());
    exchange->send(done->known ? 200 : 201, JsonObject{{"recordId", done->record_id},
                                                       {"known", done->known},
                                                       {"resultsAdded", done->verdicts_added},
                                                       {"personaVersion", done->persona_version}});
  });
}

void record_failure(DataStore& store, const ExchangePointer& exchange, const Json& body) {
  std::vector<FieldError> errors;
  auto record = read_failure(body, errors);
  add_all(*exchange, errors);
  if (exchange->refused()) return;
  store.add_failure(std::move(*record), [exchange](Result<std::int64_t> done) {
    if (!done) return exchange->send_failure(done.error());
    exchange->send(201, JsonObject{{"failureId", *done}});
  });
}

void record_either(DataStore& store, const ExchangePointer& exchange, const Json& body) {
  switch (record_kind(body)) {
    case RecordKind::success:
      return record_result(store, exchange, body);
    case RecordKind::failure:
      return record_failure(store, exchange, body);
    case RecordKind::unknown:
      exchange->add_error("",
                          "neither a success record (has `context`) nor a failure record (has "
                          "`contextIdentifier`)");
      (void)exchange->refused();
  }
}

void record_items(DataStore& store, const ExchangePointer& exchange, const Json& body) {
  if (!items_schema().fits(*exchange, body)) return;
  const JsonArray& list = list_at(body, "items");
  if (list.size() > kMostItemsAtOnce)
    exchange->add_error("/items",
                        fmt::format("found {} items, expected at most {}", list.size(), kMostItemsAtOnce));
  std::vector<FieldError> errors;
  std::vector<StoredItem> items;
  for (std::size_t i = 0; i < list.size() && !exchange->has_errors(); ++i) {
    if (auto item = read_stored_item(list[i], fmt::format("/items/{}", i), errors))
      items.push_back(std::move(*item));
  }
  add_all(*exchange, errors);
  if (exchange->refused()) return;
  store.add_items(std::move(items), [exchange](Result<ItemsAdded> done) {
    if (!done) return exchange->send_failure(done.error());
    exchange->send(201, JsonObject{{"added", done->added}, {"known", done->known}});
  });
}

void fetch_items(DataStore& store, const ExchangePointer& exchange) {
  ItemQuery query;
  query.tag = exchange->text("tag").value_or("");
  query.exclude_tag = exchange->text("excludeExistingWithTag").value_or("");
  query.persona_id = exchange->text("persona").value_or("");
  query.mode = exchange->text("mode").value_or("");
  check_mode(*exchange, "mode", query.mode);
  query.published_since_ms = since(*exchange);
  query.subset_tag = exchange->text("subsetTag").value_or("");
  const auto percent = exchange->whole("subsetPercent", 1, 100);
  query.subset_percent = static_cast<int>(percent.value_or(0));
  if (query.subset_tag.empty() != !percent)
    exchange->add_error(percent ? "subsetTag" : "subsetPercent",
                        "missing: subsetTag and subsetPercent go together");
  const bool by_id = exchange->flag("byUuid");
  query.order = exchange->flag("mostRecent") ? ItemQuery::Order::newest
                : by_id                      ? ItemQuery::Order::item_id
                                             : ItemQuery::Order::stored;
  read_paging(*exchange, query);
  if (exchange->refused()) return;
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
  exchange->send(
      200, JsonObject{{"items", std::move(items)}, {"remaining", page->remaining}, {"total", page->total}});
}

void create_subset(DataStore& store, const ExchangePointer& exchange, const Json& body) {
  if (!subset_schema().fits(*exchange, body)) return;
  const Json* incremental = find_member(body, "incremental");
  const Json* seed = find_member(body, "seed");
  SubsetPlan plan{text_at(body, "tag"),
                  static_cast<int>(as_integer(*find_member(body, "percent")).value_or(0)),
                  incremental != nullptr && as_boolean(*incremental).value_or(false),
                  seed != nullptr ? static_cast<std::uint64_t>(as_integer(*seed).value_or(0)) : 0};
  store.make_subset(std::move(plan), [exchange](Result<Subset> done) {
    if (!done) return exchange->send_failure(done.error());
    exchange->send(200, JsonObject{{"members", done->members}, {"of", done->of}});
  });
}

ResultQuery result_query(Exchange& exchange) {
  ResultQuery query;
  query.tag = exchange.text("tag").value_or("");
  query.agent = exchange.text("agent").value_or("");
  query.persona_id = exchange.text("persona").value_or("");
  query.mode = exchange.text("mode").value_or("");
  check_mode(exchange, "mode", query.mode);
  query.item_id = exchange.text("itemId").value_or("");
  query.classification = exchange.text("classification").value_or("");
  query.perspective_id = exchange.text("perspective").value_or("");
  query.published_since_ms = since(exchange);
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
    json->get_object()["failureId"] = row.failure_id;
    json->get_object()["recordedMs"] = row.recorded_ms;
    failures.push_back(std::move(*json));
  }
  exchange->send(
      200,
      JsonObject{{"failures", std::move(failures)}, {"remaining", page->remaining}, {"total", page->total}});
}

void give_feedback(DataStore& store, const ExchangePointer& exchange, const Json& body) {
  if (!feedback_schema().fits(*exchange, body)) return;
  Feedback feedback;
  feedback.result_id = as_integer(*find_member(body, "resultId")).value_or(0);
  feedback.person = text_at(body, "person");
  if (const Json* likert = find_member(body, "likert"))
    feedback.likert = static_cast<int>(as_integer(*likert).value_or(0));
  feedback.agreement = find_text(body, "agreement");
  feedback.json = to_text(body);
  store.add_feedback(std::move(feedback), [exchange](Result<std::optional<std::int64_t>> done) {
    if (!done) return exchange->send_failure(done.error());
    if (!*done) return exchange->send_error(404, "there is no such result");
    exchange->send(201, JsonObject{{"feedbackId", **done}});
  });
}

void process(Jobs& jobs, const ExchangePointer& exchange, const Json& body) {
  const std::string mode = exchange->parameter("mode");
  if (!persona::mode_of(mode))
    return exchange->send_error(404,
                                fmt::format("there is no mode {}; there are mode1, mode2 and mode3", mode));
  std::vector<FieldError> errors;
  auto parameters = read_job_parameters(body, mode, JobSource::request, errors);
  add_all(*exchange, errors);
  const auto items = exchange->whole("items_to_process", std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max());
  const bool async = exchange->flag("async");
  const bool dry = exchange->flag("dry_run");
  if (exchange->refused()) return;
  if (items) parameters->items_to_process = items;
  parameters->async = parameters->async || async;
  parameters->dry_run = parameters->dry_run || dry;
  const auto send = [exchange](int status) {
    return [exchange, status](Result<Json> answer) {
      if (answer) return exchange->send(status, *answer);
      const bool theirs = answer.error().kind == ErrorKind::config;
      exchange->send_error(theirs                                        ? 400
                           : answer.error().kind == ErrorKind::cancelled ? 503
                                                                         : 500,
                           answer.error().text());
    };
  };
  const std::string agent = exchange->client().empty() ? "assay" : exchange->client();
  if (parameters->async) return jobs.submit(std::move(*parameters), agent, send(202), nullptr);
  jobs.submit(
      std::move(*parameters), agent,
      [send](Result<Json> begun) {
        if (!begun) send(200)(std::move(begun));
      },
      send(200));
}

bool of_mode(const Json& status, const std::string& mode) {
  return text_at(status, "mode") == mode;
}

void job_status(Jobs& jobs, const ExchangePointer& exchange) {
  auto status = jobs.status(exchange->parameter("job_id"));
  if (!status) return exchange->send_failure(status.error());
  if (!*status || !of_mode(**status, exchange->parameter("mode")))
    return exchange->send_error(404, "there is no such job");
  exchange->send(200, **status);
}

void cancel_job(Jobs& jobs, const ExchangePointer& exchange) {
  auto known = jobs.status(exchange->parameter("job_id"));
  if (!known) return exchange->send_failure(known.error());
  if (!*known || !of_mode(**known, exchange->parameter("mode")))
    return exchange->send_error(404, "there is no such job");
  jobs.cancel(exchange->parameter("job_id"), [exchange](Result<std::optional<Json>> status) {
    if (!status) return exchange->send_failure(status.error());
    if (!*status) return exchange->send_error(404, "there is no such job");
    exchange->send(200, **status);
  });
}

void list_jobs(DataStore& store, const ExchangePointer& exchange) {
  JobQuery query;
  query.mode = exchange->text("mode").value_or("");
  check_mode(*exchange, "mode", query.mode);
  query.status = exchange->text("status").value_or("");
  query.persona_id = exchange->text("persona").value_or("");
  read_paging(*exchange, query);
  if (exchange->refused()) return;
  auto page = store.jobs(query);
  if (!page) return exchange->send_failure(page.error());
  JsonArray list;
  std::int64_t items = 0;
  std::int64_t requests = 0;
  std::int64_t failed = 0;
  std::int64_t tokens = 0;
  const auto add = [](std::int64_t& sum, const Json* value) {
    if (value != nullptr) sum += as_integer(*value).value_or(0);
  };
  for (const StoredJob& job : page->jobs) {
    auto json = parse_json(job.json);
    if (!json || !json->is_object()) continue;
    add(items, find_member(*json, "processed_items"));
    add(requests, find_member(*json, "processed_requests"));
    add(failed, find_member(*json, "failed_requests"));
    add(tokens, find_pointer(*json, "/usage/total_tokens"));
    // The long lists are for the job's own page.
    for (const char* name :
         {"eval_info", "evaluations", "evaluation_success_data", "evaluation_failure_data"})
      json->get_object().erase(name);
    list.push_back(std::move(*json));
  }
  exchange->send(200, JsonObject{{"jobs", std::move(list)},
                                 {"totals", JsonObject{{"processed_items", items},
                                                       {"processed_requests", requests},
                                                       {"failed_requests", failed},
                                                       {"total_tokens", tokens}}},
                                 {"remaining", page->remaining},
                                 {"total", page->total}});
}

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
    {"itemId", "string", "Id of the item."},
    {"lastNHours", "number", "Items published in the last hours only."}};

const std::vector<QueryParameter> kItemFilters = {
    {"tag", "string", "Items that have this tag."},
    {"excludeExistingWithTag", "string", "Leave out items that have a result under this tag …"},
    {"persona", "string", "… of this persona"},
    {"mode", "string", "… in this mode."},
    {"lastNHours", "number", "Items published in the last hours only."},
    {"subsetTag", "string", "Members of this subset only …"},
    {"subsetPercent", "integer", "… of this size."},
    {"mostRecent", "boolean", "Newest publication first."},
    {"byUuid", "boolean", "In the order of item ids."}};

}  // namespace

std::vector<Route> data_routes(DataStore& store, Jobs& jobs) {
  const std::string base = "/data/eval";
  const Json either = JsonObject{{"oneOf", JsonArray{schema_body("record-evaluation-data.schema.json"),
                                                     schema_body("record-evaluation-failure.schema.json")}}};
  // A handler that needs the body, and one that does not.
  const auto taking = [](auto& about, auto handler) {
    return [&about, handler](const ExchangePointer& exchange, const Json& body) {
      handler(about, exchange, body);
    };
  };
  const auto asking = [](auto& about, auto handler) {
    return [&about, handler](const ExchangePointer& exchange, const Json&) { handler(about, exchange); };
  };
  return {
      {"POST",
       base,
       "Records a success or a failure, told apart by shape.",
       {},
       either,
       {200, 201, 400, 413, 415},
       taking(store, record_either)},
      {"POST",
       base + "/record-evaluation-data",
       "Records the results of a request.",
       {},
       schema_body("record-evaluation-data.schema.json"),
       {200, 201, 400, 413, 415},
       taking(store, record_result)},
      {"POST",
       base + "/record-evaluation-failure",
       "Records a request that failed.",
       {},
       schema_body("record-evaluation-failure.schema.json"),
       {201, 400, 413, 415},
       taking(store, record_failure)},
      {"POST",
       base + "/record-evaluation-items",
       "Stores items with their tags; a known one gets the tags added.",
       {},
       items_schema().json(),
       {201, 400, 413, 415},
       taking(store, record_items)},
      {"GET",
       base + "/fetch-evaluation-items",
       "Items, a page at a time.",
       with_paging(kItemFilters),
       {},
       {200, 400},
       asking(store, fetch_items)},
      {"POST",
       base + "/create-subset",
       "Draws a random subset of the items that have a tag.",
       {},
       subset_schema().json(),
       {200, 400, 415},
       taking(store, create_subset)},
      {"POST",
       base + "/process-evals/{mode}",
       "Starts an evaluation job; without async it answers when it is done.",
       {{"items_to_process", "integer", "At most so many items; below 1 or absent: all."},
        {"async", "boolean", "Answer at once with the job's first status."},
        {"dry_run", "boolean", "Ask the model, store nothing, and return what would have been stored."}},
       job_request_schema(),
       {200, 202, 400, 404, 415, 503},
       taking(jobs, process)},
      {"GET",
       base + "/process-evals/{mode}/{job_id}",
       "A job's status.",
       {},
       {},
       {200, 404},
       asking(jobs, job_status)},
      {"POST",
       base + "/process-evals/{mode}/{job_id}/cancel",
       "Starts nothing new for the job and answers with its last status.",
       {},
       {},
       {200, 404},
       asking(jobs, cancel_job)},
      {"GET",
       base + "/get-evaluation-jobs",
       "Jobs, newest first, with totals over the page.",
       with_paging({{"mode", "string", "mode1, mode2 or mode3."},
                    {"status", "string", "INITIATED, PROCESSING, COMPLETE, ERROR or CANCELLED."},
                    {"persona", "string", "Id of the persona."}}),
       {},
       {200, 400},
       asking(store, list_jobs)},
      {"GET",
       base + "/get-evaluation-data",
       "Results, one per verdict.",
       with_paging(kResultFilters),
       {},
       {200, 400},
       asking(store, get_results)},
      {"GET",
       base + "/get-evaluation-failures",
       "Failure records.",
       with_paging(kFailureFilters),
       {},
       {200, 400},
       asking(store, get_failures)},
      {"POST",
       base + "/feedback",
       "A person's own rating of a result.",
       {},
       feedback_schema().json(),
       {201, 400, 404, 415},
       taking(store, give_feedback)},
  };
}

}  // namespace assay
