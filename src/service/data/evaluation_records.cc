#include "service/data/evaluation_records.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/time.h"
#include "evaluations/persona/answer.h"
#include "evaluations/persona/request.h"
#include "evaluations/persona/schemas.h"

namespace assay {
namespace {

constexpr std::size_t kMostAwaited = 100'000;  // verdicts that one failure stands for

std::vector<std::string> texts_of(const JsonArray& list) {
  std::vector<std::string> texts;
  for (const Json& text : list) texts.emplace_back(as_text(text).value_or(""));
  return texts;
}

// Milliseconds since 1970 of a time that ISO 8601 can write.
std::optional<std::int64_t> as_time_ms(const Json& json) {
  const auto ms = as_number(json);
  if (!ms || !(*ms >= static_cast<double>(kFirstTimeMs)) || !(*ms <= static_cast<double>(kLastTimeMs)))
    return std::nullopt;
  return std::llround(*ms);
}

// One perspective of one classification of one item.
std::optional<StoredVerdict> read_verdict(const Json& json, const std::string& item,
                                          const std::string& classification,
                                          const std::map<std::string, std::optional<std::string>>& values) {
  StoredVerdict verdict;
  verdict.item_id = item;
  verdict.classification = classification;
  verdict.perspective_id = text_at(json, "perspectiveId");
  verdict.selection = find_text(json, "evaluatedSelection");
  verdict.text = text_at(json, "evaluationText");
  verdict.agreement = find_text(json, "evaluationAgreement");
  if (const Json* likert = find_member(json, "evaluationLikertVal")) {
    if (const auto value = as_integer(*likert)) verdict.likert = static_cast<int>(*value);
  }
  // The documented form has no mode. An agreement is of mode 3; a Likert value does not say which of the
  // other two it was, and neither do we.
  verdict.mode = find_text(json, "mode").value_or(verdict.agreement ? "mode3" : "");
  if (const auto value = values.find(classification); value != values.end()) verdict.value = value->second;
  return verdict;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(boost::json::string(text));
}

}  // namespace

RecordKind record_kind(const Json& body) {
  if (find_member(body, "context") != nullptr) return RecordKind::success;
  if (find_member(body, "contextIdentifier") != nullptr) return RecordKind::failure;
  return RecordKind::unknown;
}

std::vector<FieldError> schema_errors(std::string_view schema_file, const Json& value) {
  std::vector<FieldError> errors;
  for (const SchemaDefect& defect : persona::schema(schema_file).validate(value))
    errors.push_back({defect.instance_pointer, defect.message});
  return errors;
}

std::optional<ResultRecord> read_result(const Json& body, std::vector<FieldError>& errors) {
  const std::size_t before = errors.size();
  for (FieldError& error : schema_errors("record-evaluation-data.schema.json", body))
    errors.push_back(std::move(error));
  if (errors.size() > before) return std::nullopt;
  ResultRecord record;
  record.agent = text_at(body, "agent");
  record.context_id = text_at(*find_member(body, "context"), "contextId");
  const Json& persona = *find_member(body, "evaluationPersona");
  record.persona = {text_at(persona, "id"), canonical_text(persona)};
  for (const Json& one : list_at(body, "evaluationPerspectives"))
    record.perspectives.push_back({text_at(one, "perspectiveId"), canonical_text(one)});
  // A record may have a hundred thousand verdicts.
  std::set<std::string_view> perspectives_known;
  for (const Versioned& one : record.perspectives) perspectives_known.insert(one.id);
  std::set<std::tuple<std::string, std::string, std::string>> judged;
  const JsonArray& items = list_at(body, "items");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Json& item = items[i];
    StoredItem evaluated;
    evaluated.item_id = text_at(item, "itemId");
    if (const Json* time = find_member(item, "evaluateTimeMs")) {
      const auto ms = as_time_ms(*time);
      if (!ms)
        errors.push_back({fmt::format("/items/{}/evaluateTimeMs", i),
                          fmt::format("found {}, expected milliseconds since 1970 of the years 0 to 9999",
                                      excerpt(*time))});
      evaluated.published_ms = ms.value_or(0);
    }
    evaluated.tags = texts_of(list_at(item, "tags"));
    std::map<std::string, std::optional<std::string>> values;
    for (const Json& one : list_at(item, "classifications"))
      values[text_at(one, "classificationName")] = find_text(one, "classificationValue");
    const JsonArray& responses = list_at(item, "evaluationResponses");
    for (std::size_t r = 0; r < responses.size(); ++r) {
      const JsonArray& perspectives = list_at(responses[r], "perspectives");
      for (std::size_t p = 0; p < perspectives.size(); ++p) {
        auto verdict = read_verdict(perspectives[p], evaluated.item_id,
                                    text_at(responses[r], "classificationName"), values);
        if (!perspectives_known.contains(verdict->perspective_id)) {
          errors.push_back(
              {fmt::format("/items/{}/evaluationResponses/{}/perspectives/{}/perspectiveId", i, r, p),
               fmt::format("\"{}\" is none of evaluationPerspectives", verdict->perspective_id)});
        }
        const std::string place = fmt::format("/items/{}/evaluationResponses/{}", i, r);
        if (!values.contains(verdict->classification))
          errors.push_back(
              {place + "/classificationName",
               fmt::format("\"{}\" is none of the item's classifications", verdict->classification)});
        if (!judged.emplace(verdict->item_id, verdict->classification, verdict->perspective_id).second)
          errors.push_back({fmt::format("{}/perspectives/{}", place, p), "this is judged more than once"});
        record.verdicts.push_back(std::move(*verdict));
      }
    }
    record.items.push_back(std::move(evaluated));
  }
  record.json = to_text(body);
  if (errors.size() > before) return std::nullopt;
  return record;
}

std::optional<FailureRecord> read_failure(const Json& body, std::vector<FieldError>& errors) {
  const std::size_t before = errors.size();
  for (FieldError& error : schema_errors("record-evaluation-failure.schema.json", body))
    errors.push_back(std::move(error));
  if (errors.size() > before) return std::nullopt;
  FailureRecord record;
  record.agent = text_at(body, "agent");
  record.context_id = text_at(body, "contextIdentifier");
  record.persona_id = text_at(*find_member(body, "evaluationPersona"), "id");
  record.mode = text_at(body, "mode");
  if (const Json* item = find_pointer(body, "/evaluationItem/contentItemSummary");
      item != nullptr && find_text(*item, "itemId")) {
    record.item_ids.push_back(text_at(*item, "itemId"));
  }
  std::set<std::string> named(record.item_ids.begin(), record.item_ids.end());
  for (std::string& id : texts_of(list_at(body, "items"))) {
    if (named.insert(id).second) record.item_ids.push_back(std::move(id));
  }
  for (const Json& one : list_at(body, "evaluationPerspectives"))
    record.perspectives.push_back(text_at(one, "perspectiveId"));
  // Each item is awaited from each perspective: a short body could name more pairs than a disk holds.
  const std::size_t perspectives = std::max<std::size_t>(1, record.perspectives.size());
  if (record.item_ids.size() > kMostAwaited / perspectives) {
    errors.push_back(
        {"/items", fmt::format("found {} items and {} perspectives, expected at most {} pairs of "
                               "them; record the failures of each request for themselves",
                               record.item_ids.size(), perspectives, kMostAwaited)});
    return std::nullopt;
  }
  record.json = to_text(body);
  return record;
}

std::optional<StoredItem> read_stored_item(const Json& body, const std::string& pointer,
                                           std::vector<FieldError>& errors) {
  const std::vector<std::string> problems = persona::item_problems(body);
  if (!problems.empty()) {
    for (const std::string& problem : problems) {
      const std::size_t colon = problem.find(": ");
      const bool placed = problem.starts_with('/') && colon != std::string::npos;
      errors.push_back({pointer + (placed ? problem.substr(0, colon) : std::string()),
                        placed ? problem.substr(colon + 2) : problem});
    }
    return std::nullopt;
  }
  const Json json = persona::camel_case(body);
  const persona::Item item = persona::read_item(json);
  return StoredItem{item.id, item.time_ms, item.tags, to_text(json)};
}

Json to_json(const ResultRow& row) {
  const StoredVerdict& verdict = row.verdict;
  JsonObject json{{"resultId", row.result_id},
                  {"agent", row.agent},
                  {"contextId", row.context_id},
                  {"personaId", row.persona_id},
                  {"personaVersion", row.persona_version},
                  {"perspectiveId", verdict.perspective_id},
                  {"perspectiveVersion", row.perspective_version},
                  {"itemId", verdict.item_id},
                  {"classificationName", verdict.classification},
                  {"classificationValue", or_null(verdict.value)},
                  {"mode", text_or_null(verdict.mode)},
                  {"evaluatedSelection", or_null(verdict.selection)},
                  {"evaluatedSelectionAgreesWithOrig", verdict.selection == verdict.value}};
  if (verdict.likert) {
    json["evaluationLikertVal"] = *verdict.likert;
    json["evaluationLikertText"] = persona::likert_label(*verdict.likert);
  }
  if (verdict.agreement) json["evaluationAgreement"] = *verdict.agreement;
  json["evaluationText"] = verdict.text;
  json["recordedMs"] = row.recorded_ms;
  JsonArray tags;
  for (const std::string& tag : row.tags) tags.emplace_back(tag);
  json["tags"] = std::move(tags);
  json["recordId"] = row.record_id;
  json["jobId"] = text_or_null(row.job_id);
  return json;
}

Json to_json(const StoredItem& item) {
  auto json = parse_json(item.json);
  if (!json || !json->is_object()) return nullptr;
  JsonArray tags;
  for (const std::string& tag : item.tags) tags.emplace_back(tag);
  json->get_object()["tags"] = std::move(tags);
  return std::move(*json);
}

Json to_json(const FailurePage::Row& row) {
  auto json = parse_json(row.json);
  if (!json || !json->is_object()) return nullptr;
  JsonObject& failure = json->get_object();
  failure["failureId"] = row.failure_id;
  failure["recordedMs"] = row.recorded_ms;
  if (row.resolved_ms) failure["resolvedMs"] = *row.resolved_ms;
  failure["jobId"] = text_or_null(row.job_id);
  return std::move(*json);
}

Json to_json(const FeedbackRow& row) {
  const Feedback& said = row.feedback;
  JsonObject json{{"feedbackId", row.feedback_id},
                  {"resultId", said.result_id},
                  {"person", said.person},
                  {"recordedMs", row.recorded_ms}};
  if (said.likert) json["likert"] = *said.likert;
  if (said.agreement) json["agreement"] = *said.agreement;
  if (const auto body = parse_json(said.json)) json["text"] = or_null(find_text(*body, "text"));
  // What the judge said of it, so that the two can be compared without another question.
  json["result"] = to_json(row.result);
  return json;
}

Json to_json(const RecordRow& row) {
  JsonArray items;
  for (const std::string& id : row.item_ids) items.emplace_back(id);
  return JsonObject{{"recordId", row.record_id},
                    {"recordedMs", row.recorded_ms},
                    {"agent", row.agent},
                    {"contextId", row.context_id},
                    {"personaId", row.persona_id},
                    {"personaVersion", row.persona_version},
                    {"mode", text_or_null(row.mode)},
                    {"jobId", text_or_null(row.job_id)},
                    {"items", std::move(items)},
                    {"verdicts", row.verdicts}};
}

std::string result_schema() {
  return R"({"type": "object", "properties": {"resultId": {"type": "integer"},
    "agent": {"type": "string"}, "contextId": {"type": "string"}, "personaId": {"type": "string"},
    "personaVersion": {"type": "integer"}, "perspectiveId": {"type": "string"},
    "perspectiveVersion": {"type": "integer"}, "itemId": {"type": "string"},
    "classificationName": {"type": "string"}, "classificationValue": {"type": ["string", "null"]},
    "mode": {"type": ["string", "null"], "description": "null: the record did not say."},
    "evaluatedSelection": {"type": ["string", "null"]}, "evaluatedSelectionAgreesWithOrig": {"type": "boolean"},
    "evaluationLikertVal": {"type": "integer"}, "evaluationLikertText": {"type": "string"},
    "evaluationAgreement": {"enum": ["AGREE", "DISAGREE"]}, "evaluationText": {"type": "string"},
    "recordedMs": {"type": "integer"}, "recordId": {"type": "integer"},
    "jobId": {"type": ["string", "null"], "description": "null: recorded by no job of the service."}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["resultId", "agent", "contextId", "personaId", "itemId", "classificationName", "mode"]})";
}

}  // namespace assay
