// One check of the judge's answer: read leniently where nothing is lost by it (a number as id, `true` as
// text, "Fully", fields left out that say nothing), and held against itself and the conversation. A verdict
// counts only if it does not contradict its own degree, and if what carries it is the agent's own doing.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
  std::vector<Segment> segments;
  std::string degree;   // no, partially, fully
  std::string missing;  // functional, behavioral or ""
  std::string missing_rationale;
  bool applied = false;
};

// What the agent itself said or did: its messages, and tool calls whatever their source.
bool is_agents_doing(const Json& event);

// The number that a check bears, whether written as a number, as text or with a sign around it ("2.", "#2");
// nothing if it is none.
std::optional<std::int64_t> number_of(const Json& check);

// What stands in a check, and everything that is wrong with it; `check` counts only without defects. They
// speak of "it", so that they fit behind a number for the judge and behind an id for the user.
struct CheckReading {
  Check check;
  std::vector<std::string> defects;
};
CheckReading read_check(const Json& json, std::span<const Json> events);

// In the form of the answer's schema.
Json to_json(const Check& check, std::string_view number, std::string_view action);
Json to_json(const Segment& segment);
Segment segment_from(const Json& json);

}  // namespace assay::guidelines
