#include "models/chat.h"

#include <array>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "core/saturating.h"

namespace assay {
namespace {

template <class Enum>
struct Word {
  Enum value;
  std::string_view text;
};

constexpr std::array<Word<Role>, 4> kRoles{
    {{Role::system, "system"}, {Role::user, "user"}, {Role::assistant, "assistant"}, {Role::tool, "tool"}}};
constexpr std::array<Word<FinishReason>, 5> kFinishReasons{{{FinishReason::stop, "stop"},
                                                            {FinishReason::length, "length"},
                                                            {FinishReason::tool_calls, "tool_calls"},
                                                            {FinishReason::refusal, "refusal"},
                                                            {FinishReason::other, "other"}}};
constexpr std::array<Word<StructuredWay>, 3> kWays{{{StructuredWay::json_schema, "json_schema"},
                                                    {StructuredWay::tools, "tools"},
                                                    {StructuredWay::text, "text"}}};
constexpr std::array<Word<ToolChoice::Mode>, 4> kModes{{{ToolChoice::Mode::automatic, "automatic"},
                                                        {ToolChoice::Mode::none, "none"},
                                                        {ToolChoice::Mode::any, "any"},
                                                        {ToolChoice::Mode::named, "named"}}};

template <class Enum, std::size_t N>
std::string_view word_of(const std::array<Word<Enum>, N>& words, Enum value) {
  for (const auto& word : words) {
    if (word.value == value) return word.text;
  }
  return "?";
}

void put(JsonObject& object, std::string_view key, std::string_view text) {
  if (!text.empty()) object[key] = text;
}

template <class T>
void put(JsonObject& object, std::string_view key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

template <class T, class Convert>
void put_list(JsonObject& object, std::string_view key, const std::vector<T>& items, Convert convert) {
  if (items.empty()) return;
  JsonArray list;
  list.reserve(items.size());
  for (const auto& item : items) list.push_back(convert(item));
  object[key] = std::move(list);
}

Json call_json(const ToolCall& call) {
  JsonObject json;
  put(json, "id", call.id);
  put(json, "name", call.name);
  if (call.arguments_text.empty() || !call.arguments.is_null()) json["arguments"] = call.arguments;
  put(json, "arguments_text", call.arguments_text);
  return json;
}

Json message_json(const Message& message) {
  JsonObject json;
  json["role"] = to_string(message.role);
  put(json, "text", message.text);
  put_list(json, "tool_calls", message.tool_calls, call_json);
  put(json, "tool_call_id", message.tool_call_id);
  if (message.is_error) json["is_error"] = true;
  put(json, "reasoning", message.reasoning);
  if (!message.kept.is_null()) json["kept"] = message.kept;
  return json;
}

Json tool_json(const Tool& tool) {
  JsonObject json;
  json["name"] = tool.name;
  put(json, "description", tool.description);
  if (!tool.parameters.is_null()) json["parameters"] = tool.parameters;
  return json;
}

// What the replies of one model have in common; what each has for itself follows.
JsonObject common_json(const ReplyOrigin& origin) {
  JsonObject json;
  put(json, "finish_reason", origin.finish_reason);
  put(json, "fingerprint", origin.fingerprint);
  if (origin.status != 0) json["status"] = origin.status;
  put(json, "max_tokens", origin.max_tokens);
  if (origin.way) json["way"] = to_string(*origin.way);
  return json;
}

JsonObject common_json(const ChatReply& reply) {
  JsonObject json{{"finish", to_string(reply.finish)}};
  put(json, "model", reply.model);
  return json;
}

// Reads the members of one object; the first thing that is wrong is kept as the error, and everything read
// after it is a default that nobody looks at.
class Reader {
 public:
  Reader(const Json& json, std::string place, std::initializer_list<std::string_view> known)
      : json_(json), place_(std::move(place)) {
    if (!json.is_object()) {
      refuse("", fmt::format("found {}, expected an object", kind_word(json)));
      return;
    }
    for (const auto& member : json.get_object()) {
      bool found = false;
      for (const auto name : known) found = found || std::string_view(member.key()) == name;
      if (!found) refuse(member.key(), "unknown field");
    }
  }

  std::string text(std::string_view key) {
    const Json* member = find_member(json_, key);
    if (member == nullptr) return {};
    if (const auto value = as_text(*member)) return std::string(*value);
    refuse(key, fmt::format("found {}, expected text", kind_word(*member)));
    return {};
  }

  bool boolean(std::string_view key) {
    const Json* member = find_member(json_, key);
    if (member == nullptr) return false;
    if (const auto value = as_boolean(*member)) return *value;
    refuse(key, fmt::format("found {}, expected true or false", kind_word(*member)));
    return false;
  }

  template <class Int>
  std::optional<Int> integer(std::string_view key) {
    const Json* member = find_member(json_, key);
    if (member == nullptr) return std::nullopt;
    const auto value = as_integer(*member);
    if (!value || !std::in_range<Int>(*value)) {
      refuse(key, fmt::format("found {}, expected a whole number", excerpt(*member)));
      return std::nullopt;
    }
    return static_cast<Int>(*value);
  }

  Json any(std::string_view key) {
    const Json* member = find_member(json_, key);
    return member == nullptr ? Json() : *member;
  }

  template <class Enum, std::size_t N>
  Enum word(std::string_view key, const std::array<Word<Enum>, N>& words) {
    const std::string found = text(key);
    for (const auto& candidate : words) {
      if (candidate.text == found) return candidate.value;
    }
    refuse(key, fmt::format("found \"{}\", which is not one of the known words", found));
    return words.front().value;
  }

  template <class Read>
  auto list(std::string_view key, Read read) {
    using Item = decltype(read(std::declval<const Json&>(), std::string()).value());
    std::vector<std::remove_cvref_t<Item>> items;
    const Json* member = find_member(json_, key);
    if (member == nullptr) return items;
    if (!member->is_array()) {
      refuse(key, fmt::format("found {}, expected a list", kind_word(*member)));
      return items;
    }
    std::size_t index = 0;
    for (const auto& element : member->get_array()) {
      auto item = read(element, fmt::format("{}/{}/{}", place_, key, index++));
      if (!item) {
        adopt(item.error());
        return items;
      }
      items.push_back(std::move(*item));
    }
    return items;
  }

  template <class T, class Read>
  std::optional<T> part(std::string_view key, Read read) {
    const Json* member = find_member(json_, key);
    if (member == nullptr) return std::nullopt;
    Result<T> value = read(*member, fmt::format("{}/{}", place_, key));
    if (!value) {
      adopt(value.error());
      return std::nullopt;
    }
    return std::move(*value);
  }

  void require(std::string_view key) {
    if (find_member(json_, key) == nullptr) refuse(key, "missing");
  }

  void refuse(std::string_view key, std::string message) {
    if (error_) return;
    const std::string pointer = key.empty() ? place_ : fmt::format("{}/{}", place_, key);
    error_ = Error{ErrorKind::schema, std::move(message), {{"field", pointer.empty() ? "/" : pointer}}};
  }

  template <class T>
  Result<T> finish(T value) {
    if (error_) return fail(std::move(*error_));
    return value;
  }

 private:
  void adopt(const Error& error) {
    if (!error_) error_ = error;
  }

  const Json& json_;
  std::string place_;
  std::optional<Error> error_;
};

Result<ToolCall> read_call(const Json& json, std::string place) {
  Reader in(json, std::move(place), {"id", "name", "arguments", "arguments_text"});
  ToolCall call{in.text("id"), in.text("name"), in.any("arguments"), in.text("arguments_text")};
  return in.finish(std::move(call));
}

Result<Message> read_message(const Json& json, std::string place) {
  Reader in(json, std::move(place),
            {"role", "text", "tool_calls", "tool_call_id", "is_error", "reasoning", "kept"});
  Message message;
  message.role = in.word("role", kRoles);
  message.text = in.text("text");
  message.tool_calls = in.list("tool_calls", read_call);
  message.tool_call_id = in.text("tool_call_id");
  message.is_error = in.boolean("is_error");
  message.reasoning = in.text("reasoning");
  message.kept = in.any("kept");
  return in.finish(std::move(message));
}

Result<Usage> read_usage(const Json& json, std::string place) {
  Reader in(
      json, std::move(place),
      {"prompt_tokens", "completion_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens"});
  Usage usage;
  usage.prompt_tokens = in.integer<std::int64_t>("prompt_tokens").value_or(0);
  usage.completion_tokens = in.integer<std::int64_t>("completion_tokens").value_or(0);
  usage.cached_tokens = in.integer<std::int64_t>("cached_tokens").value_or(0);
  usage.cache_write_tokens = in.integer<std::int64_t>("cache_write_tokens").value_or(0);
  usage.reasoning_tokens = in.integer<std::int64_t>("reasoning_tokens").value_or(0);
  return in.finish(usage);
}

Result<ReplyOrigin> read_origin(const Json& json, std::string place) {
  Reader in(json, std::move(place),
            {"id", "finish_reason", "fingerprint", "created", "status", "max_tokens", "way"});
  ReplyOrigin origin;
  origin.id = in.text("id");
  origin.finish_reason = in.text("finish_reason");
  origin.fingerprint = in.text("fingerprint");
  origin.created = in.integer<std::int64_t>("created").value_or(0);
  origin.status = in.integer<int>("status").value_or(0);
  origin.max_tokens = in.integer<int>("max_tokens");
  if (find_member(json, "way") != nullptr) origin.way = in.word("way", kWays);
  return in.finish(std::move(origin));
}

bool says_only_text(const Message& message) {
  return !message.text.empty() && message.tool_calls.empty() && message.tool_call_id.empty() &&
         !message.is_error && message.reasoning.empty() && message.kept.is_null();
}

void append_text_message(std::string& out, const Message& message) {
  out += R"({"role":)";
  append_json_string(out, to_string(message.role));
  out += R"(,"text":)";
  append_json_string(out, message.text);
  out += '}';
}

Json choice_json(const ToolChoice& choice) {
  JsonObject json;
  json["mode"] = word_of(kModes, choice.mode);
  put(json, "name", choice.name);
  return json;
}

Json sampling_json(const Sampling& sampling) {
  JsonObject values;
  put(values, "temperature", sampling.temperature);
  put(values, "top_p", sampling.top_p);
  put(values, "max_tokens", sampling.max_tokens);
  put(values, "seed", sampling.seed);
  put_list(values, "stop", sampling.stop, [](const std::string& text) { return Json(text); });
  return values;
}

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
  prompt_tokens = saturating_add(prompt_tokens, other.prompt_tokens);
  completion_tokens = saturating_add(completion_tokens, other.completion_tokens);
  cached_tokens = saturating_add(cached_tokens, other.cached_tokens);
  cache_write_tokens = saturating_add(cache_write_tokens, other.cache_write_tokens);
  reasoning_tokens = saturating_add(reasoning_tokens, other.reasoning_tokens);
  return *this;
}

ChatReply without_secrets(ChatReply reply, const Secrets& secrets) {
  if (secrets.empty()) return reply;
  for (std::string* text :
       {&reply.message.text, &reply.message.reasoning, &reply.refusal, &reply.raw_text, &reply.model})
    *text = secrets.hide(*text);
  reply.message.kept = secrets.hide_in(reply.message.kept);
  for (ToolCall& call : reply.message.tool_calls) {
    for (std::string* text : {&call.id, &call.name, &call.arguments_text}) *text = secrets.hide(*text);
    call.arguments = secrets.hide_in(call.arguments);
  }
  return reply;
}

std::string_view to_string(Role role) {
  return word_of(kRoles, role);
}
std::string_view to_string(FinishReason finish) {
  return word_of(kFinishReasons, finish);
}
std::string_view to_string(StructuredWay way) {
  return word_of(kWays, way);
}

Json to_json(const ChatRequest& request) {
  JsonObject json;
  json["model"] = request.model;
  if (request.output) {
    JsonObject output;
    put(output, "description", request.output->description);
    put(output, "name", request.output->name);
    if (request.output->preferred) output["preferred"] = to_string(*request.output->preferred);
    output["schema"] = request.output->schema.value();
    json["output"] = std::move(output);
  }
  if (request.tool_choice != ToolChoice{}) json["tool_choice"] = choice_json(request.tool_choice);
  put_list(json, "tools", request.tools, tool_json);
  JsonArray messages;
  for (const auto& message : request.messages) messages.push_back(message_json(message));
  json["messages"] = std::move(messages);
  if (request.sampling != Sampling{}) json["sampling"] = sampling_json(request.sampling);
  return json;
}

PrefixedText canonical_text(const ChatRequest& request) {
  return canonical_text(request, request.model, request.sampling);
}

PrefixedText canonical_text(const ChatRequest& request, std::string_view model, const Sampling& sampling) {
  PrefixedText whole;
  std::string& out = whole.text;
  std::size_t expected = 256 + (request.output ? request.output->schema.canonical().size() : 0);
  for (const auto& message : request.messages) expected += message.text.size() + 128;
  out.reserve(expected);
  whole.ends.reserve(request.messages.size() + 1);
  // What is rare or small goes by way of its tree, with members in the order of their names.
  const auto put_tree = [&out](std::string_view name, const Json& tree) {
    out += fmt::format(R"(,"{}":{})", name, canonical_text(tree));
  };
  out += R"({"model":)";
  append_json_string(out, model);
  if (request.output) {
    out += R"(,"output":{)";
    for (const auto& [name, text] :
         {std::pair("description", &request.output->description), std::pair("name", &request.output->name)}) {
      if (text->empty()) continue;
      append_json_string(out, name);
      out += ':';
      append_json_string(out, *text);
      out += ',';
    }
    if (request.output->preferred)
      out += fmt::format(R"("preferred":"{}",)", to_string(*request.output->preferred));
    out += R"("schema":)";
    out += request.output->schema.canonical();
    out += '}';
  }
  if (request.tool_choice != ToolChoice{}) put_tree("tool_choice", choice_json(request.tool_choice));
  if (!request.tools.empty()) {
    JsonObject tools;
    put_list(tools, "tools", request.tools, tool_json);
    put_tree("tools", tools["tools"]);
  }
  out += R"(,"messages":[)";
  whole.ends.push_back(out.size());
  for (const auto& message : request.messages) {
    if (&message != request.messages.data()) out += ',';
    if (says_only_text(message)) {
      append_text_message(out, message);
    } else {
      out += canonical_text(message_json(message));
    }
    whole.ends.push_back(out.size());
  }
  out += ']';
  // Last: a seed is of one case alone.
  if (sampling == Sampling{.seed = sampling.seed} && sampling.seed) {
    out += R"(,"sampling":{"seed":)";
    append_json_number(out, *sampling.seed);
    out += '}';
  } else if (sampling != Sampling{}) {
    put_tree("sampling", sampling_json(sampling));
  }
  out += '}';
  return whole;
}

Json to_json(const Usage& usage) {
  JsonObject json;
  json["prompt_tokens"] = usage.prompt_tokens;
  json["completion_tokens"] = usage.completion_tokens;
  if (usage.cached_tokens != 0) json["cached_tokens"] = usage.cached_tokens;
  if (usage.cache_write_tokens != 0) json["cache_write_tokens"] = usage.cache_write_tokens;
  if (usage.reasoning_tokens != 0) json["reasoning_tokens"] = usage.reasoning_tokens;
  return json;
}

Json to_json(const ChatReply& reply) {
  JsonObject json = common_json(reply);
  if (reply.origin != ReplyOrigin{}) json["origin"] = to_json(reply.origin);
  json["message"] = message_json(reply.message);
  put(json, "refusal", reply.refusal);
  put(json, "raw_text", reply.raw_text);
  json["usage"] = to_json(reply.usage);
  return json;
}

PrefixedText to_text(const ChatReply& reply) {
  // Every reply is written, and most have text alone: without a tree.
  PrefixedText whole;
  std::string& out = whole.text;
  out.reserve(512 + reply.message.text.size() + reply.raw_text.size());
  const auto put_text = [&out](std::string_view key, std::string_view text) {
    if (text.empty()) return;
    if (out.back() != '{') out += ',';
    append_json_string(out, key);
    out += ':';
    append_json_string(out, text);
  };
  const auto put_number = [&out](std::string_view key, std::int64_t number) {
    if (out.back() != '{') out += ',';
    append_json_string(out, key);
    out += ':';
    append_json_number(out, number);
  };
  out += R"({"finish":)";
  append_json_string(out, to_string(reply.finish));
  put_text("model", reply.model);
  const ReplyOrigin& origin = reply.origin;
  const bool told = origin != ReplyOrigin{};
  if (told) {
    out += R"(,"origin":{)";
    put_text("finish_reason", origin.finish_reason);
    put_text("fingerprint", origin.fingerprint);
    if (origin.status != 0) put_number("status", origin.status);
    if (origin.max_tokens) put_number("max_tokens", *origin.max_tokens);
    if (origin.way) put_text("way", to_string(*origin.way));
  }
  whole.ends.push_back(out.size());
  if (told) {
    if (origin.created != 0) put_number("created", origin.created);
    put_text("id", origin.id);
    out += '}';
  }
  out += R"(,"message":)";
  if (says_only_text(reply.message)) {
    append_text_message(out, reply.message);
  } else {
    append_json(out, message_json(reply.message));
  }
  put_text("refusal", reply.refusal);
  put_text("raw_text", reply.raw_text);
  out += R"(,"usage":{)";
  put_number("prompt_tokens", reply.usage.prompt_tokens);
  put_number("completion_tokens", reply.usage.completion_tokens);
  if (reply.usage.cached_tokens != 0) put_number("cached_tokens", reply.usage.cached_tokens);
  if (reply.usage.cache_write_tokens != 0) put_number("cache_write_tokens", reply.usage.cache_write_tokens);
  if (reply.usage.reasoning_tokens != 0) put_number("reasoning_tokens", reply.usage.reasoning_tokens);
  out += "}}";
  return whole;
}

Json to_json(const ReplyOrigin& origin) {
  JsonObject json = common_json(origin);
  if (origin.created != 0) json["created"] = origin.created;
  put(json, "id", origin.id);
  return json;
}

Result<ReplyOrigin> origin_from_json(const Json& json) {
  return read_origin(json, "");
}

Result<ChatReply> reply_from_json(const Json& json) {
  Reader in(json, "", {"message", "finish", "refusal", "raw_text", "usage", "model", "origin"});
  ChatReply reply;
  in.require("message");
  reply.message = in.part<Message>("message", read_message).value_or(Message{});
  reply.finish = in.word("finish", kFinishReasons);
  reply.refusal = in.text("refusal");
  reply.raw_text = in.text("raw_text");
  reply.usage = in.part<Usage>("usage", read_usage).value_or(Usage{});
  reply.model = in.text("model");
  reply.origin = in.part<ReplyOrigin>("origin", read_origin).value_or(ReplyOrigin{});
  return in.finish(std::move(reply));
}

}  // namespace assay
