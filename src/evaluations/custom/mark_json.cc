#include "evaluations/custom/mark_json.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace assay::custom {

JsonObject to_json(const Mark& mark) {
  JsonObject object;
  switch (mark.state) {
    case Mark::State::given:
      object.emplace("score", mark.score);
      break;
    case Mark::State::not_applicable:
      object.emplace("not_applicable", mark.reason);
      return object;
    case Mark::State::failed:
      object.emplace("error", mark.error);
      object.emplace("outcome", to_string(mark.outcome));
      return object;
    case Mark::State::no_answer:
      object.emplace("no_answer", true);
      return object;
  }
  if (mark.passed) object.emplace("passed", *mark.passed);
  if (!mark.label.empty()) object.emplace("label", mark.label);
  if (!mark.expected.empty()) object.emplace("expected", mark.expected);
  if (!mark.votes.empty()) object.emplace("votes", JsonArray(mark.votes.begin(), mark.votes.end()));
  if (!mark.parts.empty()) {
    JsonObject parts;
    for (const auto& [name, value] : mark.parts) parts.insert_or_assign(name, value);
    object.emplace("scores", std::move(parts));
  }
  if (!mark.reason.empty()) object.emplace("reason", mark.reason);
  return object;
}

Mark mark_from_json(const Json& json) {
  Mark mark;
  if (const Json* why = find_member(json, "not_applicable")) {
    mark.state = Mark::State::not_applicable;
    mark.reason = text_or_json(*why);
    return mark;
  }
  if (find_member(json, "no_answer") != nullptr) {
    mark.state = Mark::State::no_answer;
    return mark;
  }
  if (const Json* error = find_member(json, "error")) {
    mark.state = Mark::State::failed;
    mark.error = text_or_json(*error);
    mark.outcome = outcome_kind(text_at(json, "outcome"));
    return mark;
  }
  mark.state = Mark::State::given;
  if (const Json* score = find_member(json, "score")) mark.score = as_number(*score).value_or(0);
  if (const Json* passed = find_member(json, "passed")) mark.passed = as_boolean(*passed);
  mark.label = text_at(json, "label");
  mark.expected = text_at(json, "expected");
  mark.reason = text_at(json, "reason");
  if (const Json* votes = find_member(json, "votes"); votes != nullptr && votes->is_array()) {
    for (const Json& vote : votes->get_array()) mark.votes.push_back(as_number(vote).value_or(0));
  }
  if (const Json* parts = find_member(json, "scores"); parts != nullptr && parts->is_object()) {
    for (const auto& [name, value] : parts->get_object())
      mark.parts.emplace_back(name, as_number(value).value_or(0));
  }
  return mark;
}

}  // namespace assay::custom
