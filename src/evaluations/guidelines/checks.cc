#include "evaluations/guidelines/checks.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::guidelines {
namespace {

constexpr std::string_view kDegree = "guideline_applied_degree";
constexpr std::string_view kApplied = "guideline_applied";
constexpr std::string_view kRationale = "guideline_applied_rationale";
constexpr std::string_view kMissing = "is_missing_part_functional_or_behavioral";
constexpr std::string_view kMissingRationale = "is_missing_part_functional_or_behavioral_rationale";
constexpr std::string_view kOldMissingRationale = "is_missing_part_functional_or_behavioral_rational";

using Defects = std::vector<std::string>;

std::string found(const Json& check, std::string_view field) {
  const Json* value = find_member(check, field);
  return value == nullptr ? "not there" : excerpt(*value);
}

// A word in small letters; "" if there is none.
std::string word_at(const Json& json, std::string_view field) {
  return lower_ascii(trim(text_at(json, field)));
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> truth_of(const Json& json) {
  if (const auto value = as_boolean(json)) return value;
  const auto text = as_text(json);
  const std::string word = text ? lower_ascii(trim(*text)) : "";
  if (word == "true" || word == "yes") return true;
  if (word == "false" || word == "no") return false;
  return std::nullopt;
}

void read_segment(const Json& json, Check& check, Defects& defects) {
  if (const auto text = as_text(json)) {
    check.segments.push_back({"", std::nullopt, std::string(*text)});
    return;
  }
  if (!json.is_object()) {
    defects.push_back(fmt::format("an entry of its {} is {}, expected an object", kRationale, excerpt(json)));
    return;
  }
  Segment segment = segment_from(json);
  const Json* index = find_member(json, "message_index");
  if (index != nullptr && !index->is_null() && !segment.message_index) {
    const auto text = as_text(*index);
    segment.message_index = text ? whole_number(trim(*text)) : std::nullopt;
    if (!segment.message_index)
      defects.push_back(fmt::format("its message_index is {}, expected a number or null", excerpt(*index)));
  }
  check.segments.push_back(std::move(segment));
}

void read_segments(const Json& json, Check& check, Defects& defects) {
  const Json* list = find_member(json, kRationale);
  if (list != nullptr && list->is_array()) {
    for (const Json& segment : list->get_array()) read_segment(segment, check, defects);
  } else if (list != nullptr && !list->is_null()) {
    read_segment(*list, check, defects);
  }
  if (check.segments.empty() && defects.empty())
    defects.push_back(fmt::format("its {} has no segment", kRationale));
}

void read_degree(const Json& json, Check& check, Defects& defects) {
  constexpr std::array<std::string_view, 3> kDegrees = {"no", "partially", "fully"};
  check.degree = word_at(json, kDegree);
  if (std::ranges::find(kDegrees, check.degree) == kDegrees.end())
    defects.push_back(fmt::format("its {} is {}, expected \"no\", \"partially\" or \"fully\"", kDegree,
                                  found(json, kDegree)));
}

// Only with "partially" does the missing part say anything.
void read_missing_part(const Json& json, Check& check, Defects& defects) {
  if (check.degree != "partially") return;
  std::string kind = word_at(json, kMissing);
  if (kind == "behavioural") kind = "behavioral";
  check.missing_rationale = text_at(json, kMissingRationale);
  if (check.missing_rationale.empty()) check.missing_rationale = text_at(json, kOldMissingRationale);
  if (kind == "functional" || kind == "behavioral") {
    check.missing = kind;
    return;
  }
  defects.push_back(
      fmt::format("its degree is \"partially\", so its {} must be \"functional\" or "
                  "\"behavioral\"; it is {}",
                  kMissing, found(json, kMissing)));
}

void read_verdict(const Json& json, Check& check, Defects& defects) {
  const Json* applied = find_member(json, kApplied);
  const auto truth = applied != nullptr ? truth_of(*applied) : std::nullopt;
  if (truth) {
    check.applied = *truth;
  } else {
    defects.push_back(fmt::format("its {} is {}, expected true or false", kApplied, found(json, kApplied)));
  }
}

// Whether degree, missing part and verdict go together.
std::optional<std::string> contradiction(const Check& check) {
  if (check.degree == "fully" && !check.applied)
    return "its degree is \"fully\", so guideline_applied must be true";
  if (check.degree == "no" && check.applied)
    return "its degree is \"no\", so guideline_applied must be false";
  if (check.missing == "behavioral" && !check.applied)
    return "only a behavioral part is missing, so guideline_applied must be true";
  if (check.missing == "functional" && check.applied)
    return "a functional part is missing, so guideline_applied must be false";
  return std::nullopt;
}

// An applied guideline rests on something that the agent did. Answers in the source's form name no message;
// those that do must name the agent's own.
std::optional<std::string> unfounded(const Json& json, const Check& check, std::span<const Json> events) {
  if (!check.applied) return std::nullopt;
  if (std::ranges::none_of(events, is_agents_doing))
    return "the agent has said and done nothing yet, so it cannot be applied";
  const auto carried = [&](const Segment& one) {
    return one.message_index && is_agents_doing(events[static_cast<std::size_t>(*one.message_index)]);
  };
  const auto foreign = [&](const Segment& one) { return one.message_index && !carried(one); };
  const auto other = std::ranges::find_if(check.segments, foreign);
  const bool all_must_be = check.degree == "fully";
  if (other != check.segments.end() && (all_must_be || std::ranges::none_of(check.segments, carried)))
    return fmt::format(
        "message {} is not the agent's doing but of {}, so it is no evidence that "
        "the agent carried out the action",
        *other->message_index,
        text_at(events[static_cast<std::size_t>(*other->message_index)], "event_source"));
  const bool names_messages = std::ranges::any_of(list_at(json, kRationale), [](const Json& segment) {
    return find_member(segment, "message_index") != nullptr;
  });
  if (names_messages && std::ranges::none_of(check.segments, carried))
    return "it is applied, so a segment must name the message_index that it rests on";
  return std::nullopt;
}

std::optional<std::string> out_of_range(const Check& check, std::size_t events) {
  for (const Segment& segment : check.segments) {
    if (!segment.message_index) continue;
    if (*segment.message_index >= 0 && *segment.message_index < static_cast<std::int64_t>(events)) continue;
    return events == 0 ? "there is no message, so its message_index must be null"
                       : fmt::format("there is no message_index {}; they are 0 to {}", *segment.message_index,
                                     events - 1);
  }
  return std::nullopt;
}

}  // namespace

bool is_agents_doing(const Json& event) {
  const std::string source = text_at(event, "event_source");
  return text_at(event, "event_kind") == "tool" || source == "ai_agent" || source == "assistant";
}

std::optional<std::int64_t> number_of(const Json& check) {
  const Json* id = find_member(check, "guideline_id");
  if (id == nullptr) return std::nullopt;
  if (const auto whole = as_integer(*id)) return whole;
  const auto text = as_text(*id);
  if (!text) return std::nullopt;
  std::string word = lower_ascii(trim(*text));
  if (word.starts_with("guideline")) word.erase(0, std::string_view("guideline").size());
  constexpr std::string_view kSigns = " #.):(";
  const std::size_t first = word.find_first_not_of(kSigns);
  if (first == std::string::npos) return std::nullopt;
  return whole_number(std::string_view(word).substr(first, word.find_last_not_of(kSigns) - first + 1));
}

CheckReading read_check(const Json& json, std::span<const Json> events) {
  CheckReading reading;
  auto& [check, defects] = reading;
  read_segments(json, check, defects);
  read_degree(json, check, defects);
  read_missing_part(json, check, defects);
  read_verdict(json, check, defects);
  if (auto wrong = out_of_range(check, events.size())) defects.push_back(std::move(*wrong));
  // What was read wrongly contradicts itself by accident.
  if (!defects.empty()) return reading;
  if (auto wrong = contradiction(check)) defects.push_back(std::move(*wrong));
  if (auto wrong = unfounded(json, check, events)) defects.push_back(std::move(*wrong));
  return reading;
}

Json to_json(const Check& check, std::string_view number, std::string_view action) {
  JsonArray segments;
  for (const Segment& segment : check.segments) segments.push_back(to_json(segment));
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(boost::json::string(text));
  };
  return JsonObject{{"guideline_id", number},
                    {"action", action},
                    {kRationale, std::move(segments)},
                    {kDegree, check.degree},
                    {kMissingRationale, text_or_null(check.missing_rationale)},
                    {kMissing, text_or_null(check.missing)},
                    {kApplied, check.applied}};
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
