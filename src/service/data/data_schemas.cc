#include "service/data/data_schemas.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/json/json.h"
#include "evaluations/persona/schemas.h"
#include "service/data/lists.h"

namespace assay {
namespace {

Json json_of(const char* text) {
  return parse_json(text).value();
}

// In the order of the members that the source of the service has, ours behind them.
constexpr const char* kJob = R"({"type": "object", "properties": {
  "job_id": {"type": "string"}, "status": {"enum": ["INITIATED", "PROCESSING", "COMPLETE", "ERROR", "CANCELLED"]},
  "message": {"type": "string"}, "processed_items": {"type": "integer"}, "processed_requests": {"type": "integer"},
  "failed_requests": {"type": "integer"},
  "skipped_items": {"type": "integer", "description": "Matched, but beyond items_to_process."},
  "init_remaining": {"type": "integer", "description": "Items that matched when the job began."},
  "remaining": {"type": "integer", "description": "Of them, not processed; beyond a limit too."},
  "items_to_process": {"type": ["integer", "null"]},
  "usage": {"type": "object", "description": "Summed over all requests, failed ones included.", "properties": {
    "prompt_tokens": {"type": "integer"}, "completion_tokens": {"type": "integer"}, "total_tokens": {"type": "integer"}},
    "required": ["prompt_tokens", "completion_tokens", "total_tokens"]},
  "mode": {"enum": ["mode1", "mode2", "mode3"]}, "tag_source": {"type": ["string", "null"]},
  "tags_dest": {"type": "array", "items": {"type": "string"}}, "is_exclude_existing": {"type": "boolean"},
  "exclude_tag": {"type": ["string", "null"]}, "openai_model": {"type": "string"}, "params": {"type": "object"},
  "persona_id": {"type": "string"}, "persona_name": {"type": "string"},
  "subset_tag": {"type": ["string", "null"]}, "subset_percent": {"type": ["integer", "null"]},
  "is_most_recent": {"type": "boolean"}, "last_n_hours": {"type": ["number", "null"]}, "by_uuid": {"type": "boolean"},
  "is_async": {"type": "boolean"}, "is_dry_run": {"type": "boolean"}, "is_error": {"type": "boolean"},
  "stop_reason": {"type": ["string", "null"]}, "error": {"type": ["string", "null"]},
  "lists_truncated": {"type": "boolean"}, "agent": {"type": "string"},
  "seal": {"type": "string", "description": "Of the job's directory once it has ended: see assay verify."},
  "createdMs": {"type": "integer", "description": "Milliseconds since 1970; in the list."}},
  "required": ["job_id", "status", "message", "mode", "processed_items", "processed_requests", "failed_requests",
    "usage", "is_error"]})";

constexpr const char* kEvalInfo = R"({"type": "object", "properties": {
  "item": {"type": "string", "description": "id - mode - persona"}, "content": {"type": "string"},
  "classification": {"type": "string", "description": "VALUE - id"}, "evaluationText": {"type": "string"},
  "evaluationResult": {"type": ["integer", "string"], "description": "1 to 5, or AGREE or DISAGREE."},
  "perspective": {"type": "string"}},
  "required": ["item", "content", "classification", "evaluationText", "evaluationResult"]})";

// A request with what was said to it.
constexpr const char* kEvaluation = R"({"type": "object", "properties": {
  "request_items": {"type": "array", "items": {"type": "object"}},
  "info": {"type": "object", "properties": {"query_info": {"type": "object"}, "query_state": {"type": "object"},
    "usage": {"type": "object", "properties": {"prompt_tokens": {"type": "integer"},
      "completion_tokens": {"type": "integer"}, "total_tokens": {"type": "integer"}}}},
    "required": ["query_info", "query_state", "usage"]},
  "results": {"type": "array", "items": {"type": "object", "properties": {"itemId": {"type": "string"},
    "classificationName": {"type": "string"}, "perspectiveId": {"type": "string"},
    "evaluatedSelection": {"type": ["string", "null"]}, "evaluationLikert": {"type": "integer"},
    "evaluationAgreement": {"enum": ["AGREE", "DISAGREE"]}, "evaluationText": {"type": "string"}},
    "required": ["itemId", "classificationName", "perspectiveId", "evaluationText"]}}},
  "required": ["request_items", "info", "results"]})";

}  // namespace

std::string item_schema() {
  return to_text(persona::whole_schema("evaluation-item.schema.json"));
}

// Which of its two shapes it came in, and what it must not be taken for, is no matter of reading it.
std::string failure_schema() {
  Json schema = persona::whole_schema("record-evaluation-failure.schema.json");
  JsonObject& record = schema.as_object();
  record.erase("anyOf");
  JsonObject& properties = record["properties"].as_object();
  properties.erase("context");
  for (const auto& [name, type] : {std::pair("failureId", kWhole),
                                   {"recordedMs", kWhole},
                                   {"resolvedMs", kWhole},
                                   {"jobId", kTextOrNull},
                                   {"error", kTextOrNull}})
    properties[name] = json_of(type);
  for (const char* name : {"failureId", "recordedMs", "jobId"})
    record["required"].as_array().emplace_back(name);
  return to_text(schema);
}

std::string persona_schema() {
  return to_text(persona::whole_schema("persona.schema.json"));
}

std::string perspective_schema() {
  return to_text(persona::whole_schema("perspective.schema.json"));
}

std::string job_schema() {
  return kJob;
}

std::string job_status_schema() {
  Json schema = json_of(kJob);
  JsonObject& properties = schema.as_object()["properties"].as_object();
  const auto list = [&](const std::string& name, const std::string& entry) {
    properties[name] = parse_json(list_of(entry)).value();
    properties[name + "_total"] = json_of(kWhole);
  };
  list("eval_info", kEvalInfo);
  list("evaluations", kEvaluation);
  list("evaluation_success_data", to_text(persona::whole_schema("record-evaluation-data.schema.json")));
  list("evaluation_failure_data", to_text(persona::whole_schema("record-evaluation-failure.schema.json")));
  return to_text(schema);
}

std::string job_totals_schema() {
  return to_text(object_schema({{"processed_items", kWhole},
                                {"processed_requests", kWhole},
                                {"failed_requests", kWhole},
                                {"total_tokens", kWhole}}));
}

}  // namespace assay
