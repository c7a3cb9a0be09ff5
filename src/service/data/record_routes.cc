#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/persona/schemas.h"
#include "service/data/data_routes.h"
#include "service/data/evaluation_records.h"
#include "service/http/route_parts.h"

namespace assay {
namespace {

constexpr std::size_t kMostItemsAtOnce = 10'000;

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

// With tokens, a client records under its own name, or under one that begins with it and a slash: one client
// may have several agents, and none can pass for another's. False, and answered, if it does not.
bool own_agent(Exchange& exchange, const std::string& agent) {
  const std::string& client = exchange.client();
  if (client.empty() || agent == client || agent.starts_with(client + "/")) return true;
  exchange.add_error("/agent", fmt::format("found \"{}\", expected {} or {}/…", agent, client, client));
  exchange.send_error(403, "this token may not record for that agent");
  return false;
}

void record_result(DataStore& store, const ExchangePointer& exchange, const Json& body) {
  std::vector<FieldError> errors;
  auto record = read_result(body, errors);
  add_all(*exchange, errors);
  if (exchange->refused() || !own_agent(*exchange, record->agent)) return;
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
  if (exchange->refused() || !own_agent(*exchange, record->agent)) return;
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

void create_subset(DataStore& store, const ExchangePointer& exchange, const Json& body) {
  if (!subset_schema().fits(*exchange, body)) return;
  const Json* incremental = find_member(body, "incremental");
  const Json* seed = find_member(body, "seed");
  SubsetPlan plan{text_at(body, "tag"),
                  static_cast<int>(as_integer(*find_member(body, "percent")).value_or(0)),
                  incremental != nullptr && as_boolean(*incremental).value_or(false),
                  seed != nullptr ? static_cast<std::uint64_t>(as_integer(*seed).value_or(0)) : 0};
  const auto tagged = store.tagged(plan.tag);
  if (!tagged) return exchange->send_failure(tagged.error());
  if (*tagged == 0) return exchange->send_error(404, fmt::format("no item has the tag \"{}\"", plan.tag));
  store.make_subset(std::move(plan), [exchange](Result<Subset> done) {
    if (!done) return exchange->send_failure(done.error());
    exchange->send(200, JsonObject{{"members", done->members}, {"of", done->of}});
  });
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

}  // namespace

std::vector<Route> record_routes(DataStore& store) {
  const std::string base = kDataBase;
  const Json success = persona::whole_schema("record-evaluation-data.schema.json");
  const Json failure = persona::whole_schema("record-evaluation-failure.schema.json");
  const std::string whole = R"({"type": "integer"})";
  const Json recorded = object_schema({{"recordId", whole},
                                       {"known", R"({"type": "boolean"})"},
                                       {"resultsAdded", whole},
                                       {"personaVersion", whole}});
  const Json failed = object_schema({{"failureId", whole}});
  return {
      {.method = "POST",
       .path = base,
       .role = TokenRole::write,
       .summary = "Records a success or a failure, told apart by shape.",
       .body = JsonObject{{"oneOf", JsonArray{success, failure}}},
       .answer = JsonObject{{"oneOf", JsonArray{recorded, failed}}},
       .statuses = {200, 201, 400, 403, 409, 413, 415},
       .handle = taking(store, record_either)},
      {.method = "POST",
       .path = base + "/record-evaluation-data",
       .role = TokenRole::write,
       .summary = "Records the results of a request.",
       .body = success,
       .answer = recorded,
       .statuses = {200, 201, 400, 403, 409, 413, 415},
       .handle = taking(store, record_result)},
      {.method = "POST",
       .path = base + "/record-evaluation-failure",
       .role = TokenRole::write,
       .summary = "Records a request that failed.",
       .body = failure,
       .answer = failed,
       .statuses = {201, 400, 403, 413, 415},
       .handle = taking(store, record_failure)},
      {.method = "POST",
       .path = base + "/record-evaluation-items",
       .role = TokenRole::write,
       .summary = "Stores items with their tags; a known one gets the tags added.",
       .body = items_schema().json(),
       .answer = object_schema({{"added", whole}, {"known", whole}}),
       .statuses = {201, 400, 413, 415},
       .handle = taking(store, record_items)},
      {.method = "POST",
       .path = base + "/create-subset",
       .role = TokenRole::write,
       .summary = "Draws a random subset of the items that have a tag.",
       .body = subset_schema().json(),
       .answer = object_schema({{"members", whole}, {"of", whole}}),
       .statuses = {200, 400, 404, 415},
       .reads_first = true,
       .handle = taking(store, create_subset)},
      {.method = "POST",
       .path = base + "/feedback",
       .role = TokenRole::label,
       .summary = "A person's own rating of a result.",
       .body = feedback_schema().json(),
       .answer = object_schema({{"feedbackId", whole}}),
       .statuses = {201, 400, 404, 415},
       .handle = taking(store, give_feedback)},
  };
}

}  // namespace assay
