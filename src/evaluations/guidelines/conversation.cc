#include "evaluations/guidelines/conversation.h"

#include <algorithm>
#include <array>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace assay::guidelines {
namespace {

using Problems = std::vector<std::string>;

constexpr std::array<std::string_view, 7> kSources = {
    "user",           "customer", "ai_agent", "assistant", "human_service_agent", "frontend_application",
    "system-provided"};

void complain(Problems& problems, const std::string& field, std::string_view found,
              std::string_view expected) {
  problems.push_back(fmt::format("field {}: found {}, expected {}", field, found, expected));
}

std::string shown(const Json* value) {
  return value == nullptr ? std::string("nothing") : excerpt(*value);
}

const Json* present(const Json& object, std::string_view name) {
  const Json* value = find_member(object, name);
  return value != nullptr && value->is_null() ? nullptr : value;
}

// Text that must be there and not be empty.
std::string needed_text(const Json& object, std::string_view name, const std::string& where,
                        Problems& problems) {
  const Json* value = present(object, name);
  const auto text = value != nullptr ? as_text(*value) : std::nullopt;
  if (!text || trim(*text).empty()) {
    complain(problems, fmt::format("{}.{}", where, name), shown(value), "text");
    return "";
  }
  return std::string(*text);
}

std::optional<std::string> optional_text(const Json& object, std::string_view name, const std::string& where,
                                         Problems& problems) {
  const Json* value = present(object, name);
  if (value == nullptr) return std::nullopt;
  const auto text = as_text(*value);
  if (!text) complain(problems, fmt::format("{}.{}", where, name), excerpt(*value), "text");
  return std::string(text.value_or(""));
}

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

// --- events -----------------------------------------------------------------------------------------------

Json message_event(std::string_view source, const std::optional<std::string>& participant,
                   std::string_view text) {
  JsonObject data;
  if (participant) data["participant"] = *participant;
  data["message"] = text;
  return JsonObject{{"event_kind", "message"}, {"event_source", source}, {"data", std::move(data)}};
}

Json tool_event(std::string_view source, JsonArray calls) {
  return JsonObject{{"event_kind", "tool"},
                    {"event_source", source},
                    {"data", JsonObject{{"tool_calls", std::move(calls)}}}};
}

void read_tool_calls(const Json& data, std::string_view source, const std::string& where,
                     std::vector<Json>& events, Problems& problems) {
  const Json* calls = present(data, "tool_calls");
  if (calls == nullptr || !calls->is_array()) {
    complain(problems, where + ".data.tool_calls", shown(calls), "a list");
    return;
  }
  JsonArray kept;
  for (std::size_t i = 0; i < calls->get_array().size(); ++i) {
    const Json& call = calls->get_array()[i];
    const std::string place = fmt::format("{}.data.tool_calls[{}]", where, i);
    if (!call.is_object()) {
      complain(problems, place, excerpt(call), "an object");
      continue;
    }
    const Json* arguments = find_member(call, "arguments");
    const Json* result = find_member(call, "result");
    kept.push_back(JsonObject{{"tool_id", needed_text(call, "tool_id", place, problems)},
                              {"arguments", arguments != nullptr ? *arguments : Json(nullptr)},
                              {"result", result != nullptr ? *result : Json(nullptr)}});
  }
  events.push_back(tool_event(source, std::move(kept)));
}

void read_event(const Json& event, const std::string& where, std::vector<Json>& events, Problems& problems) {
  if (!event.is_object()) return complain(problems, where, excerpt(event), "an object");
  const Json* source = present(event, "event_source");
  const auto name = source != nullptr ? as_text(*source) : std::nullopt;
  if (!name || std::ranges::find(kSources, *name) == kSources.end())
    complain(problems, where + ".event_source", shown(source),
             fmt::format("one of {}", fmt::join(kSources, ", ")));
  const Json* kind = present(event, "event_kind");
  const auto kind_name = kind != nullptr ? as_text(*kind) : std::nullopt;
  if (kind_name == "status") return;  // the system's own book-keeping
  const Json* data = present(event, "data");
  if (kind_name != "message" && kind_name != "tool")
    return complain(problems, where + ".event_kind", shown(kind), "message or tool");
  if (data == nullptr || !data->is_object())
    return complain(problems, where + ".data", shown(data), "an object");
  if (kind_name == "tool") return read_tool_calls(*data, name.value_or(""), where, events, problems);
  const Json* message = present(*data, "message");
  const auto text = message != nullptr ? as_text(*message) : std::nullopt;
  if (!text) return complain(problems, where + ".data.message", shown(message), "text");
  // A participant may be a name, or an object with one.
  std::optional<std::string> participant = find_text(*data, "participant");
  if (const Json* given = present(*data, "participant"); given != nullptr && given->is_object())
    participant = find_text(*given, "display_name");
  events.push_back(message_event(name.value_or(""), participant, *text));
}

// --- transcripts in OpenAI's form -------------------------------------------------------------------------

// A text, or the text parts of a list of parts; nothing if there is none.
std::optional<std::string> content_text(const Json* content) {
  if (content == nullptr) return std::nullopt;
  if (const auto text = as_text(*content)) return std::string(*text);
  std::string joined;
  if (!content->is_array()) return std::nullopt;
  for (const Json& part : content->get_array()) {
    if (const auto text = find_text(part, "text")) joined += (joined.empty() ? "" : "\n") + *text;
  }
  return joined;
}

class Transcript {
 public:
  Transcript(std::vector<Json>& events, Problems& problems) : events_(events), problems_(problems) {}

  void add(const Json& message, const std::string& where) {
    if (!message.is_object()) return complain(problems_, where, excerpt(message), "an object");
    const std::string role = text_at(message, "role");
    const Json* content = present(message, "content");
    if (content != nullptr && !content->is_string() && !content->is_array())
      complain(problems_, where + ".content", excerpt(*content), "text, or a list of parts");
    if (const Json* calls = present(message, "tool_calls"); calls != nullptr && !calls->is_array())
      complain(problems_, where + ".tool_calls", excerpt(*calls), "a list");
    const auto text = content_text(content);
    if (role == "tool") return add_result(message, where, text.value_or(""));
    std::string_view source;
    if (role == "user") source = "user";
    if (role == "assistant") source = "ai_agent";
    if (role == "system" || role == "developer") source = "system-provided";
    if (source.empty()) {
      return complain(problems_, where + ".role", shown(find_member(message, "role")),
                      "system, developer, user, assistant or tool");
    }
    if (text && !text->empty()) events_.push_back(message_event(source, find_text(message, "name"), *text));
    if (present(message, "tool_calls") != nullptr) add_calls(message, where);
  }

 private:
  void add_calls(const Json& message, const std::string& where) {
    const JsonArray& calls = list_at(message, "tool_calls");
    JsonArray kept;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::string place = fmt::format("{}.tool_calls[{}]", where, i);
      const Json* function = find_member(calls[i], "function");
      if (function == nullptr) {
        complain(problems_, place + ".function", "nothing", "an object");
        continue;
      }
      const std::string arguments = text_at(*function, "arguments");
      auto parsed = parse_json(arguments.empty() ? "{}" : arguments);
      if (!parsed) complain(problems_, place + ".function.arguments", "text that is not JSON", "JSON");
      calls_[text_at(calls[i], "id")] = {events_.size(), kept.size()};
      kept.push_back(JsonObject{{"tool_id", needed_text(*function, "name", place + ".function", problems_)},
                                {"arguments", parsed ? std::move(*parsed) : Json(nullptr)},
                                {"result", nullptr}});
    }
    if (!kept.empty()) events_.push_back(tool_event("ai_agent", std::move(kept)));
  }

  void add_result(const Json& message, const std::string& where, const std::string& text) {
    const auto call = calls_.find(text_at(message, "tool_call_id"));
    if (call == calls_.end()) {
      return complain(problems_, where + ".tool_call_id", shown(find_member(message, "tool_call_id")),
                      "the id of an earlier call");
    }
    auto parsed = parse_json(text);
    Json& event = events_[call->second.first];
    event.get_object()["data"]
        .get_object()["tool_calls"]
        .get_array()[call->second.second]
        .get_object()["result"] = parsed ? std::move(*parsed) : Json(boost::json::string(text));
  }

  std::vector<Json>& events_;
  Problems& problems_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> calls_;  // id → event and position in it
};

void read_events(const Json& line, std::vector<Json>& events, Problems& problems) {
  const Json* given = present(line, "events");
  const Json* messages = present(line, "messages");
  if (given != nullptr && messages != nullptr)
    return complain(problems, "messages", "messages beside events", "one of the two");
  const Json* list = messages != nullptr ? messages : given;
  const char* name = messages != nullptr ? "messages" : "events";
  if (list == nullptr || !list->is_array()) return complain(problems, name, shown(list), "a list");
  Transcript transcript(events, problems);
  for (std::size_t i = 0; i < list->get_array().size(); ++i) {
    const std::string where = fmt::format("{}[{}]", name, i);
    if (messages != nullptr) {
      transcript.add(list->get_array()[i], where);
    } else {
      read_event(list->get_array()[i], where, events, problems);
    }
  }
}

// --- guidelines -------------------------------------------------------------------------------------------

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
  read_events(line, conversation.events, problems);
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
