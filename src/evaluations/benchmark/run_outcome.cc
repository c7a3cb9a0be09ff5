#include "evaluations/benchmark/run_outcome.h"

#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace assay::benchmark {
namespace {

JsonArray list_of(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.push_back(boost::json::string(text));
  return list;
}

std::vector<std::string> texts_of(const JsonArray& list) {
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const Json& text : list) texts.emplace_back(as_text(text).value_or(""));
  return texts;
}

}  // namespace

JsonObject to_json(const RunOutcome& outcome) {
  JsonObject json;
  const auto put = [&](std::string_view key, const auto& value) {
    if (value) json[key] = *value;
  };
  put("score", outcome.score);
  put("failed", outcome.failed);
  if (!outcome.answer_state.empty()) json["answer_state"] = outcome.answer_state;
  put("answer", outcome.answer);
  if (!outcome.answer_error.empty()) json["answer_error"] = outcome.answer_error;
  if (!outcome.scorer.empty()) json["scorer"] = outcome.scorer;
  if (!outcome.details.empty()) json["details"] = outcome.details;
  if (!outcome.notes.empty()) json["notes"] = list_of(outcome.notes);
  put("tool_calls", outcome.tool_calls);
  put("turns", outcome.turns);
  put("nudges", outcome.nudges);
  if (!outcome.usage.is_null()) json["usage"] = outcome.usage;
  put("seconds", outcome.seconds);
  if (!outcome.done.empty()) json["done"] = outcome.done;
  if (!outcome.changed.empty()) json["changed"] = list_of(outcome.changed);
  json["sitting"] = outcome.sitting;
  if (!outcome.judged.empty()) json["judged"] = outcome.judged;
  if (!outcome.warnings.empty()) json["warnings"] = list_of(outcome.warnings);
  return json;
}

RunOutcome run_outcome_from(const JsonObject& result) {
  const Json json(result);
  const auto at = [&](std::string_view key) { return find_member(json, key); };
  const auto number = [&](std::string_view key) {
    const Json* value = at(key);
    return value != nullptr ? as_number(*value) : std::nullopt;
  };
  const auto count = [&](std::string_view key) {
    const Json* value = at(key);
    return value != nullptr ? as_integer(*value) : std::nullopt;
  };
  RunOutcome outcome;
  outcome.score = number("score");
  if (const Json* failed = at("failed")) outcome.failed = as_boolean(*failed);
  outcome.answer_state = text_at(json, "answer_state");
  if (const Json* answer = at("answer")) outcome.answer = *answer;
  outcome.answer_error = text_at(json, "answer_error");
  outcome.scorer = text_at(json, "scorer");
  if (const Json* details = at("details"); details != nullptr && details->is_object())
    outcome.details = details->get_object();
  outcome.notes = texts_of(list_at(json, "notes"));
  outcome.tool_calls = count("tool_calls");
  outcome.turns = count("turns");
  outcome.nudges = count("nudges");
  if (const Json* usage = at("usage")) outcome.usage = *usage;
  outcome.seconds = number("seconds");
  outcome.done = text_at(json, "done");
  outcome.changed = texts_of(list_at(json, "changed"));
  outcome.sitting = count("sitting").value_or(0);
  outcome.judged = text_at(json, "judged");
  outcome.warnings = texts_of(list_at(json, "warnings"));
  return outcome;
}

}  // namespace assay::benchmark
