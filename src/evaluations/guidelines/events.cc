#include "evaluations/guidelines/events.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::guidelines {
namespace {

constexpr std::array<std::string_view, 7> kSources = {
    "user",           "customer", "ai_agent", "assistant", "human_service_agent", "frontend_application",
    "system-provided"};

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

// --- the source's own form --------------------------------------------------------------------------------

void read_tool_calls(const Json& data, std::string_view source, const std::string& where,
                     std::vector<Json>& events, Problems& problems) {
  const Json* calls = present(data, "tool_calls");
  if (calls == nullptr || !calls->is_array())
    return complain(problems, where + ".data.tool_calls", shown(calls), "a list");
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

// --- transcripts in OpenAI's and Anthropic's forms --------------------------------------------------------

// What a part of a message's content is, by its `type`.
enum class PartKind {
  text,      // said; `text` holds it, in a refusal `refusal`
  call,      // tool_use: `id`, `name`, `input`
  result,    // tool_result: `tool_use_id`, `content`, `is_error`
  thought,   // never said to anybody
  unseeable  // said or shown, but not in words
};

std::optional<PartKind> part_kind(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, PartKind>, 17> kKinds{{
      {"text", PartKind::text},
      {"input_text", PartKind::text},
      {"output_text", PartKind::text},
      {"refusal", PartKind::text},
      {"tool_use", PartKind::call},
      {"server_tool_use", PartKind::call},
      {"mcp_tool_use", PartKind::call},
      {"thinking", PartKind::thought},
      {"redacted_thinking", PartKind::thought},
      {"reasoning", PartKind::thought},
      {"image", PartKind::unseeable},
      {"image_url", PartKind::unseeable},
      {"input_image", PartKind::unseeable},
      {"input_audio", PartKind::unseeable},
      {"file", PartKind::unseeable},
      {"input_file", PartKind::unseeable},
      {"document", PartKind::unseeable},
  }};
  const auto found = std::ranges::find(kKinds, type, &std::pair<std::string_view, PartKind>::first);
  if (found != kKinds.end()) return found->second;
  // tool_result, web_search_tool_result, …
  if (type.ends_with("tool_result")) return PartKind::result;
  return std::nullopt;
}

Json parsed_or_text(const std::string& text) {
  auto parsed = parse_json(text);
  return parsed ? std::move(*parsed) : Json(boost::json::string(text));
}

class Transcript {
 public:
  Transcript(Events& events, Problems& problems)
      : events_(events.list), notes_(events.notes), problems_(problems) {}

  void add(const Json& message, const std::string& where) {
    if (!message.is_object()) return complain(problems_, where, excerpt(message), "an object");
    const std::string role = text_at(message, "role");
    const Json* content = present(message, "content");
    if (content != nullptr && !content->is_string() && !content->is_array())
      complain(problems_, where + ".content", excerpt(*content), "text, or a list of parts");
    if (role == "tool") return add_reply(text_at(message, "tool_call_id"), "tool_call_id", message, where);
    // The older form, in which a call has no id but its name.
    if (role == "function") return add_reply(text_at(message, "name"), "name", message, where);
    if (role == "user") source_ = "user";
    if (role == "assistant") source_ = "ai_agent";
    if (role == "system" || role == "developer") source_ = "system-provided";
    if (role != "user" && role != "assistant" && role != "system" && role != "developer") {
      return complain(problems_, where + ".role", shown(find_member(message, "role")),
                      "system, developer, user, assistant, tool or function");
    }
    participant_ = find_text(message, "name");
    if (const auto text = content != nullptr ? as_text(*content) : std::nullopt) say(*text);
    if (content != nullptr && content->is_array()) add_parts(content->get_array(), where + ".content");
    flush();
    say(text_at(message, "refusal"));
    flush();
    if (present(message, "tool_calls") != nullptr) add_calls(message, where);
    if (const Json* call = present(message, "function_call")) {
      pending_calls_.push_back({text_at(*call, "name"), function_call(*call, where + ".function_call")});
      flush();
    }
  }

 private:
  struct PendingCall {
    std::string id;
    Json call;
  };

  // Texts of one message that stand side by side are one message; a call between them parts them.
  void say(std::string_view text) {
    if (text.empty()) return;
    if (!pending_calls_.empty()) flush();
    said_ += (said_.empty() ? "" : "\n") + std::string(text);
  }

  void flush() {
    if (!said_.empty())
      events_.push_back(message_event(source_, participant_, std::exchange(said_, std::string())));
    if (pending_calls_.empty()) return;
    JsonArray calls;
    for (auto& [id, call] : pending_calls_) {
      if (!id.empty()) places_[id] = {events_.size(), calls.size()};
      calls.push_back(std::move(call));
    }
    pending_calls_.clear();
    events_.push_back(tool_event("ai_agent", std::move(calls)));
  }

  void add_parts(const JsonArray& parts, const std::string& where) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string place = fmt::format("{}[{}]", where, i);
      const Json& part = parts[i];
      if (const auto text = as_text(part)) {
        say(*text);
        continue;
      }
      if (!part.is_object()) {
        complain(problems_, place, excerpt(part), "a part: an object, or text");
        continue;
      }
      add_part(part, place);
    }
  }

  void add_part(const Json& part, const std::string& where) {
    const std::string type = find_text(part, "type").value_or("text");
    const auto kind = part_kind(type);
    if (!kind) {
      return complain(problems_, where + ".type", fmt::format("\"{}\"", type),
                      "text, refusal, tool_use, tool_result, thinking, image, document, file or audio");
    }
    switch (*kind) {
      case PartKind::text: {
        const std::string_view field = type == "refusal" ? "refusal" : "text";
        const Json* text = find_member(part, field);
        if (text == nullptr || !text->is_string())
          return complain(problems_, fmt::format("{}.{}", where, field), shown(text), "text");
        return say(std::string_view(text->get_string()));
      }
      case PartKind::call: {
        if (!said_.empty()) flush();
        const Json* input = find_member(part, "input");
        pending_calls_.push_back(
            {text_at(part, "id"), JsonObject{{"tool_id", needed_text(part, "name", where, problems_)},
                                             {"arguments", input != nullptr ? *input : Json(nullptr)},
                                             {"result", nullptr}}});
        return;
      }
      case PartKind::result:
        return add_reply(text_at(part, "tool_use_id"), "tool_use_id", part, where);
      case PartKind::thought:
        notes_.push_back(fmt::format("{}: a part of type {} is left out: nobody was told it", where, type));
        return;
      case PartKind::unseeable:
        notes_.push_back(fmt::format("{}: the judge does not see what is in a part of type {}", where, type));
        return say(fmt::format("[{}: not shown]", type));
    }
  }

  Json function_call(const Json& function, const std::string& where) {
    const Json* given = present(function, "arguments");
    Json arguments = given != nullptr ? *given : Json(JsonObject{});
    if (const auto text = as_text(arguments)) {
      auto parsed = parse_json(trim(*text).empty() ? "{}" : *text);
      if (!parsed) complain(problems_, where + ".arguments", "text that is not JSON", "JSON");
      arguments = parsed ? std::move(*parsed) : Json(nullptr);
    }
    return JsonObject{{"tool_id", needed_text(function, "name", where, problems_)},
                      {"arguments", std::move(arguments)},
                      {"result", nullptr}};
  }

  void add_calls(const Json& message, const std::string& where) {
    const Json& calls = *find_member(message, "tool_calls");
    if (!calls.is_array()) return complain(problems_, where + ".tool_calls", excerpt(calls), "a list");
    for (std::size_t i = 0; i < calls.get_array().size(); ++i) {
      const Json& call = calls.get_array()[i];
      const std::string place = fmt::format("{}.tool_calls[{}].function", where, i);
      const Json* function = find_member(call, "function");
      if (function == nullptr) {
        complain(problems_, place, "nothing", "an object");
        continue;
      }
      pending_calls_.push_back({text_at(call, "id"), function_call(*function, place)});
    }
    flush();
  }

  // What a call came to, as the judge sees it.
  Json result_of(const Json& from, const std::string& where) {
    const Json* content = present(from, "content");
    Json result = nullptr;
    if (content != nullptr && content->is_string()) {
      result = parsed_or_text(std::string(content->get_string()));
    } else if (content != nullptr && content->is_array()) {
      std::string text;
      bool words = true;
      for (const Json& part : content->get_array()) {
        const auto own = find_text(part, "text");
        words = words && own;
        if (own) text += (text.empty() ? "" : "\n") + *own;
      }
      // Parts other than text are shown as they are, unless they are pictures.
      result = words ? parsed_or_text(text) : without_pictures(content->get_array(), where);
    } else if (content != nullptr) {
      result = *content;
    }
    const Json* failed = find_member(from, "is_error");
    if (failed == nullptr || !as_boolean(*failed).value_or(false)) return result;
    return JsonObject{{"is_error", true}, {"content", std::move(result)}};
  }

  Json without_pictures(const JsonArray& parts, const std::string& where) {
    JsonArray kept;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string type = text_at(parts[i], "type");
      if (part_kind(type) != PartKind::unseeable) {
        kept.push_back(parts[i]);
        continue;
      }
      notes_.push_back(
          fmt::format("{}.content[{}]: the judge does not see what is in a part of type {}", where, i, type));
      kept.push_back(boost::json::string(fmt::format("[{}: not shown]", type)));
    }
    return kept;
  }

  void add_reply(const std::string& id, std::string_view field, const Json& from, const std::string& where) {
    flush();  // a call of the same message
    const auto call = places_.find(id);
    if (call == places_.end()) {
      return complain(problems_, fmt::format("{}.{}", where, field), shown(find_member(from, field)),
                      field == "name" ? "the name of an earlier call" : "the id of an earlier call");
    }
    const auto [event, position] = call->second;
    events_[event].at("data").at("tool_calls").as_array()[position].as_object()["result"] =
        result_of(from, where);
  }

  std::vector<Json>& events_;
  std::vector<std::string>& notes_;
  Problems& problems_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> places_;  // id → event and position in it
  // Of the message that is being read.
  std::string_view source_;
  std::optional<std::string> participant_;
  std::string said_;
  std::vector<PendingCall> pending_calls_;
};

}  // namespace

Events read_events(const Json& line, Problems& problems) {
  Events events;
  const Json* given = present(line, "events");
  const Json* messages = present(line, "messages");
  if (given != nullptr && messages != nullptr) {
    complain(problems, "messages", "messages beside events", "one of the two");
    return events;
  }
  const Json* list = messages != nullptr ? messages : given;
  const char* name = messages != nullptr ? "messages" : "events";
  if (list == nullptr || !list->is_array()) {
    complain(problems, name, shown(list), "a list");
    return events;
  }
  Transcript transcript(events, problems);
  for (std::size_t i = 0; i < list->get_array().size(); ++i) {
    const std::string where = fmt::format("{}[{}]", name, i);
    if (messages != nullptr) {
      transcript.add(list->get_array()[i], where);
    } else {
      read_event(list->get_array()[i], where, events.list, problems);
    }
  }
  return events;
}

}  // namespace assay::guidelines
