#include "evaluations/guidelines/conversation.h"

#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/guidelines/events.h"

namespace assay::guidelines {
namespace {

// A list of objects that each have a name.
Json named_list(const Json& line, std::string_view field, Problems& problems) {
  const Json* value = present(line, field);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) {
    complain(problems, std::string(field), excerpt(*value), "a list");
    return nullptr;
  }
  for (std::size_t i = 0; i < value->get_array().size(); ++i) {
    const std::string where = fmt::format("{}[{}]", field, i);
    const Json& entry = value->get_array()[i];
    if (!entry.is_object()) {
      complain(problems, where, excerpt(entry), "an object");
    } else {
      (void)needed_text(entry, "name", where, problems);
    }
  }
  return value->get_array().empty() ? Json(nullptr) : *value;
}

Guideline read_guideline(const Json& json, const std::string& where, const SkipRules& rules,
                         Problems& problems) {
  Guideline guideline;
  guideline.id = needed_text(json, "id", where, problems);
  guideline.condition = optional_text(json, "condition", where, problems).value_or("");
  guideline.description = optional_text(json, "description", where, problems).value_or("");
  if (const auto level = find_text(json, "criticality"); level || present(json, "criticality") != nullptr) {
    if (level == "low") guideline.criticality = Criticality::low;
    if (level == "high") guideline.criticality = Criticality::high;
    if (level != "low" && level != "medium" && level != "high")
      complain(problems, where + ".criticality", shown(find_member(json, "criticality")),
               "low, medium or high");
  }
  if (const Json* continuous = present(json, "continuous")) {
    const auto value = as_boolean(*continuous);
    if (!value) complain(problems, where + ".continuous", excerpt(*continuous), "true or false");
    guideline.continuous = value.value_or(false);
  }
  const Json* action = present(json, "action");
  if (action != nullptr && !action->is_string()) {
    complain(problems, where + ".action", excerpt(*action), "text");
    return guideline;
  }
  guideline.action = trim(text_at(json, "action"));
  if (guideline.action.empty() && skipped_because(guideline, rules).empty())
    complain(problems, where + ".action", shown(action), "an action, or `skip` with no_action in the config");
  return guideline;
}

void read_expected(const Json& line, Conversation& conversation, Problems& problems) {
  const Json* expected = present(line, "expected");
  if (expected == nullptr) return;
  if (!expected->is_object()) return complain(problems, "expected", excerpt(*expected), "an object");
  for (const auto& [id, value] : expected->get_object()) {
    const std::string where = fmt::format("expected.{}", std::string_view(id));
    const auto verdict = as_boolean(value);
    if (!verdict) complain(problems, where, excerpt(value), "true or false");
    if (std::ranges::find(conversation.guidelines, std::string(id), &Guideline::id) ==
        conversation.guidelines.end())
      complain(problems, where, "a guideline that is not there", "an id of one of the guidelines");
    conversation.expected.emplace(id, verdict.value_or(false));
  }
}

}  // namespace

std::string_view skipped_because(const Guideline& guideline, const SkipRules& rules) {
  if (rules.continuous && guideline.continuous) return "continuous";
  if (rules.no_action && guideline.action.empty()) return "no_action";
  if (rules.low_criticality && guideline.criticality == Criticality::low) return "low_criticality";
  return "";
}

std::vector<Guideline> read_guidelines(const Json& list, const std::string& where, const SkipRules& rules,
                                       Problems& problems) {
  std::vector<Guideline> guidelines;
  if (!list.is_array()) {
    complain(problems, where, excerpt(list), "a list");
    return guidelines;
  }
  if (list.get_array().empty()) complain(problems, where, "an empty list", "at least one guideline");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.get_array().size(); ++i) {
    const std::string place = fmt::format("{}[{}]", where, i);
    const Json& entry = list.get_array()[i];
    if (!entry.is_object()) {
      complain(problems, place, excerpt(entry), "an object");
      continue;
    }
    guidelines.push_back(read_guideline(entry, place, rules, problems));
    const std::string& id = guidelines.back().id;
    if (!id.empty() && !seen.insert(id).second)
      complain(problems, place + ".id", fmt::format("\"{}\", which an earlier guideline has", id),
               "an id of its own");
  }
  return guidelines;
}

Conversation read_conversation(const Json& line, const std::vector<Guideline>& shared, const SkipRules& rules,
                               Problems& problems) {
  Conversation conversation;
  if (!line.is_object()) {
    problems.push_back(fmt::format("found {}, expected a JSON object", kind_word(line)));
    return conversation;
  }
  if (const Json* id = present(line, "id")) {
    const auto whole = as_integer(*id);
    conversation.id = whole ? std::to_string(*whole) : std::string(as_text(*id).value_or(""));
    if (conversation.id.empty()) complain(problems, "id", excerpt(*id), "text or a whole number");
  }
  if (const Json* agent = present(line, "agent")) {
    if (!agent->is_object()) complain(problems, "agent", excerpt(*agent), "an object");
    conversation.agent_name = optional_text(*agent, "name", "agent", problems);
    conversation.agent_description = optional_text(*agent, "description", "agent", problems);
  }
  if (const Json* customer = present(line, "customer")) {
    if (!customer->is_object()) complain(problems, "customer", excerpt(*customer), "an object");
    conversation.customer = optional_text(*customer, "name", "customer", problems);
  }
  conversation.context_variables = named_list(line, "context_variables", problems);
  conversation.glossary = named_list(line, "glossary", problems);
  Events events = read_events(line, problems);
  conversation.events = std::move(events.list);
  conversation.notes = std::move(events.notes);
  const Json* own = present(line, "guidelines");
  const bool brings_none = own == nullptr || (own->is_array() && own->get_array().empty() && !shared.empty());
  if (!brings_none) {
    conversation.guidelines = read_guidelines(*own, "guidelines", rules, problems);
  } else if (shared.empty()) {
    complain(problems, "guidelines", "nothing", "a list of guidelines, here or in the config's `guidelines`");
  } else {
    conversation.guidelines = shared;
  }
  read_expected(line, conversation, problems);
  return conversation;
}

}  // namespace assay::guidelines
