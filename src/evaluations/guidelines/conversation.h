// A conversation with the guidelines that it is judged by: read from a line of JSONL in the form of the
// source, or from a transcript in OpenAI's or Anthropic's. Pure; every problem is named by its place.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"

namespace assay::guidelines {

enum class Criticality { low, medium, high };

struct Guideline {
  std::string id;
  std::string condition;
  std::string action;
  std::string description;
  Criticality criticality = Criticality::medium;
  bool continuous = false;
};

// Which guidelines are not judged.
struct SkipRules {
  bool continuous = false;
  bool no_action = false;
  bool low_criticality = false;
};
// "continuous", "no_action" or "low_criticality"; "" if it is judged.
std::string_view skipped_because(const Guideline& guideline, const SkipRules& rules);

struct Conversation {
  std::string id;  // "" if the line has none
  std::optional<std::string> agent_name;
  std::optional<std::string> agent_description;
  std::optional<std::string> customer;
  Json context_variables;  // as given; null if there are none
  Json glossary;
  // event_kind, event_source and data of each, with nothing else in them.
  std::vector<Json> events;
  std::vector<std::string> notes;  // what of a transcript the judge does not see
  std::vector<Guideline> guidelines;
  std::map<std::string, bool> expected;
};

// A list of guidelines, as in a line or in a file of their own; problems name places from `where` on.
std::vector<Guideline> read_guidelines(const Json& list, const std::string& where, const SkipRules& rules,
                                       std::vector<std::string>& problems);

// `shared` are the guidelines of conversations that bring none of their own.
Conversation read_conversation(const Json& line, const std::vector<Guideline>& shared, const SkipRules& rules,
                               std::vector<std::string>& problems);

}  // namespace assay::guidelines
