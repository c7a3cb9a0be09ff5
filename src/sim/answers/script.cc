#include "sim/answers/script.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include "core/file.h"
#include "core/text.h"
#include "sim/answers/answer.h"
#include "sim/protocols/wire.h"

namespace assay::sim {
namespace {

constexpr auto kRuleKeys = std::to_array<std::string_view>(
    {"match", "in", "times", "reply", "finish_reason", "usage", "reasoning", "delay_ms"});
constexpr auto kMatchKeys = std::to_array<std::string_view>({"contains", "regex", "contains_all"});
constexpr auto kReplyKeys = std::to_array<std::string_view>({"text", "json", "tool_calls", "error", "fault"});
constexpr auto kErrorKeys = std::to_array<std::string_view>({"status", "body", "headers"});
constexpr auto kCallKeys = std::to_array<std::string_view>({"id", "name", "arguments"});
constexpr auto kUsageKeys = std::to_array<std::string_view>(
    {"prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens"});

enum class Scope { last_user, conversation };

struct Match {
  std::vector<std::string> parts;
  std::unique_ptr<RE2> regex;
  Scope scope = Scope::last_user;

  bool fits(std::string_view text) const {
    if (regex) return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex);
    return std::ranges::all_of(
        parts, [&](const std::string& part) { return text.find(part) != std::string_view::npos; });
  }
};

// Reads one line; notes every problem instead of stopping at the first.
class LineReading {
 public:
  LineReading(const std::string& file, std::size_t line, std::vector<Error>& problems)
      : file_(file), line_(line), problems_(problems) {}

  void problem(std::string_view field, std::string message) {
    Error error{ErrorKind::config, std::move(message), {}};
    if (!field.empty()) error = std::move(error).with("field", std::string(field));
    error = std::move(error).with("line", std::to_string(line_));
    problems_.push_back(std::move(error).with("file", file_));
  }

  void wrong(std::string_view field, std::string_view expected, const Json& found) {
    problem(field, fmt::format("found {}, expected {}", excerpt(found), expected));
  }

  void known_keys(const JsonObject& object, std::span<const std::string_view> known, std::string_view base) {
    for (const auto& member : object) {
      const std::string_view key = member.key();
      if (std::ranges::find(known, key) != known.end()) continue;
      const auto meant = nearest(key, known);
      problem(field(base, key), meant ? fmt::format("unknown field; did you mean {}?", *meant)
                                      : fmt::format("unknown field; known are {}", fmt::join(known, ", ")));
    }
  }

  static std::string field(std::string_view base, std::string_view key) {
    return base.empty() ? std::string(key) : fmt::format("{}.{}", base, key);
  }

  void read_match(const Json& json, Match& match) {
    if (json.is_string()) {
      match.parts.emplace_back(json.get_string());
      return;
    }
    const JsonObject* object = json.if_object();
    if (object == nullptr) return wrong("match", "text or an object", json);
    known_keys(*object, kMatchKeys, "match");
    if (object->size() != 1) return problem("match", "expected exactly one of contains, regex, contains_all");
    const Json& value = object->begin()->value();
    const std::string_view key = object->begin()->key();
    const std::string name = field("match", key);
    if (key == "contains_all") {
      if (!value.is_array() || value.get_array().empty()) return wrong(name, "a list of texts", value);
      for (const Json& part : value.get_array()) {
        if (!part.is_string()) return wrong(name, "a list of texts", value);
        match.parts.emplace_back(part.get_string());
      }
      return;
    }
    if (!value.is_string()) return wrong(name, "text", value);
    if (key == "contains") match.parts.emplace_back(value.get_string());
    if (key == "regex") {
      RE2::Options options;
      options.set_log_errors(false);
      match.regex = std::make_unique<RE2>(std::string(value.get_string()), options);
      if (!match.regex->ok()) problem(name, "not a regular expression: " + match.regex->error());
    }
  }

  void read_reply(const Json& json, ScriptRule& rule) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) return wrong("reply", "an object", json);
    known_keys(*object, kReplyKeys, "reply");
    if (object->size() != 1) {
      return problem("reply", fmt::format("expected exactly one of {}", fmt::join(kReplyKeys, ", ")));
    }
    const Json& value = object->begin()->value();
    const std::string_view key = object->begin()->key();
    if (key == "text") {
      if (!value.is_string()) return wrong("reply.text", "text", value);
      rule.reply = ScriptedText{std::string(value.get_string())};
    } else if (key == "json") {
      rule.reply = ScriptedJson{value};
    } else if (key == "tool_calls") {
      read_calls(value, rule);
    } else if (key == "error") {
      read_error(value, rule);
    } else if (key == "fault") {
      const auto fault = value.is_string() ? fault_named(value.get_string()) : std::nullopt;
      if (!fault)
        return wrong("reply.fault", fmt::format("one of {}", fmt::join(fault_names(), ", ")), value);
      rule.reply = *fault;
    }
  }

  void read_calls(const Json& json, ScriptRule& rule) {
    if (!json.is_array() || json.get_array().empty())
      return wrong("reply.tool_calls", "a list of calls", json);
    ScriptedCalls calls;
    for (std::size_t i = 0; i < json.get_array().size(); ++i) {
      const std::string base = fmt::format("reply.tool_calls[{}]", i);
      const Json& entry = json.get_array()[i];
      const JsonObject* object = entry.if_object();
      if (object == nullptr) {
        wrong(base, "an object", entry);
        continue;
      }
      known_keys(*object, kCallKeys, base);
      ToolCall call;
      const Json* name = object->if_contains("name");
      if (name == nullptr || !name->is_string()) {
        problem(field(base, "name"), "expected the name of a tool");
      } else {
        call.name = name->get_string();
      }
      const Json* id = object->if_contains("id");
      if (id != nullptr && !id->is_string()) wrong(field(base, "id"), "text", *id);
      call.id = id != nullptr && id->is_string() ? std::string(id->get_string())
                                                 : "call_" + id_text(line_ * 100 + i);
      const Json* arguments = object->if_contains("arguments");
      if (arguments != nullptr && arguments->is_string()) {
        call.arguments_text = arguments->get_string();  // as written, well-formed or not
      } else {
        call.arguments = arguments == nullptr ? Json(JsonObject{}) : *arguments;
      }
      calls.calls.push_back(std::move(call));
    }
    rule.reply = std::move(calls);
  }

  void read_error(const Json& json, ScriptRule& rule) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) return wrong("reply.error", "an object", json);
    known_keys(*object, kErrorKeys, "reply.error");
    ScriptedError error;
    const Json* status = object->if_contains("status");
    const auto code = status == nullptr ? std::nullopt : as_integer(*status);
    if (!code || *code < 400 || *code > 599) {
      problem("reply.error.status", status == nullptr
                                        ? "missing; expected an HTTP status from 400 to 599"
                                        : fmt::format("found {}, expected 400 to 599", excerpt(*status)));
    } else {
      error.status = static_cast<int>(*code);
    }
    if (const Json* body = object->if_contains("body")) {
      error.body = body->is_string() ? std::string(body->get_string()) : to_text(*body);
    }
    if (const Json* headers = object->if_contains("headers")) {
      if (!headers->is_object()) return wrong("reply.error.headers", "an object of texts", *headers);
      for (const auto& member : headers->get_object()) {
        const std::string value =
            member.value().is_string() ? std::string(member.value().get_string()) : to_text(member.value());
        if (!is_http_token(member.key()) || !is_http_field_value(value)) {
          problem("reply.error.headers",
                  fmt::format("\"{}\" is not a header", std::string_view(member.key())));
        }
        error.headers.add(std::string(member.key()), value);
      }
    }
    rule.reply = std::move(error);
  }

  void read_usage(const Json& json, ScriptRule& rule) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) return wrong("usage", "an object", json);
    known_keys(*object, kUsageKeys, "usage");
    Usage usage;
    const std::array<std::int64_t*, kUsageKeys.size()> slots = {
        &usage.prompt_tokens, &usage.completion_tokens, &usage.cached_tokens, &usage.reasoning_tokens};
    for (std::size_t i = 0; i < kUsageKeys.size(); ++i) {
      const Json* value = object->if_contains(kUsageKeys[i]);
      if (value == nullptr) continue;
      const auto count = as_integer(*value);
      if (!count || *count < 0) {
        wrong(field("usage", kUsageKeys[i]), "a whole number from 0", *value);
      } else {
        *slots[i] = *count;
      }
    }
    rule.usage = usage;
  }

  void read_finish(const Json& json, ScriptRule& rule) {
    const std::string_view word = json.is_string() ? std::string_view(json.get_string()) : std::string_view();
    if (word == "stop") {
      rule.finish = FinishReason::stop;
    } else if (word == "length") {
      rule.finish = FinishReason::length;
    } else if (word == "tool_calls") {
      rule.finish = FinishReason::tool_calls;
    } else if (word == "content_filter" || word == "refusal") {
      rule.finish = FinishReason::refusal;
    } else {
      wrong("finish_reason", "one of stop, length, tool_calls, content_filter", json);
    }
  }

 private:
  const std::string& file_;
  std::size_t line_;
  std::vector<Error>& problems_;
};

}  // namespace

struct Script::Entry {
  Match match;
  ScriptRule rule;
  std::optional<std::uint64_t> times;
  std::atomic<std::uint64_t> used{0};

  void read(const JsonObject& object, LineReading& line) {
    line.known_keys(object, kRuleKeys, "");
    if (const Json* value = object.if_contains("match")) line.read_match(*value, match);
    if (const Json* value = object.if_contains("in")) {
      const std::string_view scope =
          value->is_string() ? std::string_view(value->get_string()) : std::string_view();
      if (scope == "conversation") {
        match.scope = Scope::conversation;
      } else if (scope != "last_user") {
        line.wrong("in", "last_user or conversation", *value);
      }
    }
    if (const Json* value = object.if_contains("times")) {
      const auto count = as_integer(*value);
      if (!count || *count < 1) {
        line.wrong("times", "a whole number from 1", *value);
      } else {
        times = static_cast<std::uint64_t>(*count);
      }
    }
    if (const Json* value = object.if_contains("reply")) {
      line.read_reply(*value, rule);
    } else {
      line.problem("reply", "missing");
    }
    if (const Json* value = object.if_contains("finish_reason")) line.read_finish(*value, rule);
    if (const Json* value = object.if_contains("usage")) line.read_usage(*value, rule);
    if (const Json* value = object.if_contains("reasoning")) {
      const auto text = as_text(*value);
      text ? void(rule.reasoning = *text) : line.wrong("reasoning", "text", *value);
    }
    if (const Json* value = object.if_contains("delay_ms")) {
      const auto delay = as_integer(*value);
      if (!delay || *delay < 0 || *delay > 3'600'000) {
        line.wrong("delay_ms", "a whole number from 0 to 3600000", *value);
      } else {
        rule.delay = std::chrono::milliseconds(*delay);
      }
    }
  }

  // Counts a use unless the rule is used up; many threads may ask at once.
  bool use() {
    if (!times) return true;
    auto before = used.load();
    while (before < *times) {
      if (used.compare_exchange_weak(before, before + 1)) return true;
    }
    return false;
  }
};

Script::Script() = default;
Script::Script(Script&&) noexcept = default;
Script& Script::operator=(Script&&) noexcept = default;
Script::~Script() = default;

std::expected<Script, std::vector<Error>> Script::parse(std::string_view text, const std::string& file) {
  Script script;
  std::vector<Error> problems;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    LineReading reading(file, number, problems);
    const auto json = parse_json(line);
    if (!json) {
      reading.problem("", json.error().message);
    } else if (!json->is_object()) {
      reading.wrong("", "an object", *json);
    } else {
      auto entry = std::make_unique<Entry>();
      entry->read(json->get_object(), reading);
      script.entries_.push_back(std::move(entry));
    }
  }
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return script;
}

std::expected<Script, std::vector<Error>> Script::load(const std::string& file) {
  auto text = read_file(file);
  if (!text) return std::unexpected(std::vector<Error>{std::move(text.error())});
  return parse(*text, file);
}

const ScriptRule* Script::take(const ChatRequest& request) const {
  if (entries_.empty()) return nullptr;
  std::string_view last_user;
  for (const Message& message : request.messages) {
    if (message.role == Role::user) last_user = message.text;
  }
  std::string conversation;
  for (const auto& entry : entries_) {
    if (entry->match.scope == Scope::conversation && conversation.empty()) {
      for (const Message& message : request.messages) conversation += message.text + "\n";
    }
    const std::string_view text =
        entry->match.scope == Scope::conversation ? std::string_view(conversation) : last_user;
    if (entry->match.fits(text) && entry->use()) return &entry->rule;
  }
  return nullptr;
}

void Script::reset() const {
  for (const auto& entry : entries_) entry->used = 0;
}

std::size_t Script::size() const {
  return entries_.size();
}

ChatReply scripted_reply(const ScriptRule& rule, const ChatRequest& request) {
  ChatReply reply;
  reply.message.role = Role::assistant;
  reply.model = answering_name(request.model);
  if (const auto* text = std::get_if<ScriptedText>(&rule.reply)) {
    reply.message.text = text->text;
  } else if (const auto* json = std::get_if<ScriptedJson>(&rule.reply)) {
    const bool forced = request.tool_choice.mode == ToolChoice::Mode::named ||
                        (request.tool_choice.mode == ToolChoice::Mode::any && !request.tools.empty());
    if (forced) {
      const std::string& name = request.tool_choice.mode == ToolChoice::Mode::named
                                    ? request.tool_choice.name
                                    : request.tools.front().name;
      reply.message.tool_calls.push_back({"call_" + id_text(hash_request(request)), name, json->value, {}});
    } else {
      reply.message.text = to_text(json->value);
    }
  } else if (const auto* calls = std::get_if<ScriptedCalls>(&rule.reply)) {
    reply.message.tool_calls = calls->calls;
  }
  reply.finish = reply.message.tool_calls.empty() ? FinishReason::stop : FinishReason::tool_calls;
  if (rule.finish) reply.finish = *rule.finish;
  if (reply.finish == FinishReason::refusal) reply.refusal = std::exchange(reply.message.text, "");
  reply.usage = {prompt_tokens(request), completion_tokens(reply.message), 0, 0, 0};
  reply.message.reasoning = rule.reasoning;
  if (rule.usage) reply.usage = *rule.usage;
  return reply;
}

}  // namespace assay::sim
