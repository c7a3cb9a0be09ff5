#include "evaluations/guidelines/checks.h"

#include <algorithm>
#include <map>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay::guidelines {
namespace {

constexpr std::string_view kNewSpelling = "is_missing_part_functional_or_behavioral_rationale";
constexpr std::string_view kOldSpelling = "is_missing_part_functional_or_behavioral_rational";
constexpr std::string_view kMissing = "is_missing_part_functional_or_behavioral";

Check read_check(const Json& json) {
  Check check;
  check.guideline_id = text_at(json, "guideline_id");
  for (const Json& segment : list_at(json, "guideline_applied_rationale"))
    check.segments.push_back(segment_from(segment));
  check.degree = text_at(json, "guideline_applied_degree");
  check.missing = text_at(json, kMissing);
  check.missing_rationale = text_at(json, kNewSpelling);
  if (const Json* applied = find_member(json, "guideline_applied"))
    check.applied = as_boolean(*applied).value_or(false);
  return check;
}

// Whether degree, missing part and verdict go together; the code and the words if not.
std::optional<std::pair<const char*, const char*>> contradiction(const Check& check) {
  if (check.degree == "fully" && !check.applied)
    return std::pair{"fully_not_applied",
                     "guideline_applied_degree is \"fully\", so guideline_applied must be true"};
  if (check.degree == "no" && check.applied)
    return std::pair{"no_but_applied",
                     "guideline_applied_degree is \"no\", so guideline_applied must be false"};
  if (check.degree != "partially") return std::nullopt;
  if (check.missing.empty())
    return std::pair{
        "partially_without_missing_part",
        "guideline_applied_degree is \"partially\", so is_missing_part_functional_or_behavioral must be "
        "functional or behavioral"};
  if (check.missing == "behavioral" && !check.applied)
    return std::pair{"partially_behavioral_not_applied",
                     "only a behavioral part is missing, so guideline_applied must be true"};
  if (check.missing == "functional" && check.applied)
    return std::pair{"partially_functional_applied",
                     "a functional part is missing, so guideline_applied must be false"};
  return std::nullopt;
}

}  // namespace

Json with_new_spelling(Json answer) {
  JsonObject* object = answer.if_object();
  Json* checks = object == nullptr ? nullptr : object->if_contains("checks");
  if (checks == nullptr || !checks->is_array()) return answer;
  for (Json& check : checks->get_array()) {
    JsonObject* one = check.if_object();
    if (one == nullptr || one->contains(kNewSpelling) || !one->contains(kOldSpelling)) continue;
    // Taken out before the new one goes in: an insertion may move every member.
    Json old = std::move(one->at(kOldSpelling));
    one->erase(kOldSpelling);
    one->emplace(kNewSpelling, std::move(old));
  }
  return answer;
}

std::vector<CheckDefect> inconsistencies(const Json& answer, std::size_t asked, std::size_t events) {
  std::vector<CheckDefect> defects;
  std::map<std::string, int> seen;
  const auto is_asked = [&](const std::string& id) {
    for (std::size_t i = 1; i <= asked; ++i) {
      if (id == std::to_string(i)) return true;
    }
    return false;
  };
  for (const Json& json : list_at(answer, "checks")) {
    const Check check = read_check(json);
    const std::string& id = check.guideline_id;
    if (!is_asked(id)) {
      defects.push_back(
          {"unknown_id", id, fmt::format("guideline_id \"{}\" is none of the numbers 1 to {}", id, asked)});
      continue;
    }
    if (++seen[id] == 2)
      defects.push_back({"double_id", id, fmt::format("guideline {} has more than one check", id)});
    if (const auto wrong = contradiction(check))
      defects.push_back({wrong->first, id, fmt::format("guideline {}: {}", id, wrong->second)});
    if (check.segments.empty())
      defects.push_back(
          {"no_segment", id, fmt::format("guideline {}: guideline_applied_rationale has no segment", id)});
    const bool bare = std::ranges::none_of(check.segments,
                                           [](const Segment& one) { return one.message_index.has_value(); });
    if (check.applied && bare && !check.segments.empty())
      defects.push_back(
          {"applied_without_evidence", id,
           fmt::format("guideline {}: it is applied, so a segment must name the message_index that it "
                       "rests on",
                       id)});
    for (const Segment& segment : check.segments) {
      if (!segment.message_index) continue;
      if (*segment.message_index >= 0 && *segment.message_index < static_cast<std::int64_t>(events)) continue;
      defects.push_back(
          {"message_index_out_of_range", id,
           events == 0 ? fmt::format("guideline {}: there is no message, so message_index must be null", id)
                       : fmt::format("guideline {}: there is no message_index {}; they are 0 to {}", id,
                                     *segment.message_index, events - 1)});
      break;
    }
  }
  for (std::size_t i = 1; i <= asked; ++i) {
    const std::string id = std::to_string(i);
    if (!seen.contains(id))
      defects.push_back({"missing_id", id, fmt::format("guideline {} has no check", id)});
  }
  return defects;
}

std::vector<Check> sound_checks(const Json& answer, const std::vector<CheckDefect>& defects) {
  std::vector<Check> checks;
  for (const Json& json : list_at(answer, "checks")) {
    Check check = read_check(json);
    if (std::ranges::find(defects, check.guideline_id, &CheckDefect::guideline_id) == defects.end())
      checks.push_back(std::move(check));
  }
  return checks;
}

Json to_json(const Segment& segment) {
  return JsonObject{{"action_segment", segment.text},
                    {"message_index", segment.message_index ? Json(*segment.message_index) : Json(nullptr)},
                    {"action_applied_rationale", segment.rationale}};
}

Segment segment_from(const Json& json) {
  Segment segment{text_at(json, "action_segment"), std::nullopt, text_at(json, "action_applied_rationale")};
  if (const Json* index = find_member(json, "message_index")) segment.message_index = as_integer(*index);
  return segment;
}

}  // namespace assay::guidelines
