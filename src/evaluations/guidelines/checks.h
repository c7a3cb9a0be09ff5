// The judge's answer on a chunk of guidelines: read, and held against itself. A verdict counts only if it
// does not contradict its own degree. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"

namespace assay::guidelines {

// One thing that an action asks of the agent, and what was found.
struct Segment {
  std::string text;
  std::optional<std::int64_t> message_index;  // the event that the finding rests on
  std::string rationale;
};

struct Check {
  std::string guideline_id;  // its number in the chunk, from "1"
  std::vector<Segment> segments;
  std::string degree;   // no, partially, fully
  std::string missing;  // functional, behavioral or ""
  std::string missing_rationale;
  bool applied = false;
};

// What is wrong with an answer that fits the schema.
struct CheckDefect {
  std::string code;  // missing_id, unknown_id, double_id, fully_not_applied, …
  std::string guideline_id;
  std::string words;  // for the judge
};

// The older spelling is_missing_part_functional_or_behavioral_rational becomes the newer one.
Json with_new_spelling(Json answer);

// `asked` guidelines, numbered from 1; `events` of the conversation.
std::vector<CheckDefect> inconsistencies(const Json& answer, std::size_t asked, std::size_t events);
// The checks of guidelines without defect, in the order of the answer.
std::vector<Check> sound_checks(const Json& answer, const std::vector<CheckDefect>& defects);

Json to_json(const Segment& segment);
Segment segment_from(const Json& json);

}  // namespace assay::guidelines
