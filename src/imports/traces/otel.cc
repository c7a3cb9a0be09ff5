#include "imports/traces/otel.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::string_view kPrefix = "gen_ai.";

std::uint64_t nanoseconds(const Json* value) {
  if (value == nullptr) return 0;
  const std::string text = text_or_json(*value);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// {"stringValue": "a"} → "a"; whole numbers are texts in OTLP's JSON.
Json plain_value(const Json& value) {
  if (const Json* text = find_member(value, "stringValue")) return *text;
  if (const Json* number = find_member(value, "doubleValue")) return *number;
  if (const Json* yes = find_member(value, "boolValue")) return *yes;
  if (const Json* number = find_member(value, "intValue")) {
    const std::string digits = text_or_json(*number);
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    return error == std::errc() && end == digits.data() + digits.size() ? Json(whole) : *number;
  }
  if (const Json* list = find_member(value, "arrayValue")) {
    JsonArray out;
    for (const Json& one : list_at(*list, "values")) out.push_back(plain_value(one));
    return out;
  }
  if (const Json* object = find_member(value, "kvlistValue")) {
    JsonObject out;
    for (const Json& one : list_at(*object, "values")) {
      if (const Json* inner = find_member(one, "value")) out[text_at(one, "key")] = plain_value(*inner);
    }
    return out;
  }
  return nullptr;
}

JsonObject attributes_of(const Json& holder) {
  JsonObject out;
  for (const Json& one : list_at(holder, "attributes")) {
    const std::string key = text_at(one, "key");
    const Json* value = find_member(one, "value");
    if (value != nullptr &&
        (key.starts_with(kPrefix) || key == "content" || key == "role" || key == "message"))
      out[key] = plain_value(*value);
  }
  return out;
}

std::string text_in(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value == nullptr || value->is_null() ? "" : text_or_json(*value);
}

// A tree that stands as JSON text, as attributes must hold it.
Json tree_of(const JsonObject& attributes, std::string_view key) {
  const Json* value = attributes.if_contains(key);
  if (value == nullptr) return nullptr;
  const auto text = as_text(*value);
  if (!text) return *value;
  auto parsed = parse_json(*text);
  if (parsed) return std::move(*parsed);
  return *value;
}

// A message with parts, as gen_ai.input.messages has it, or with content, as chat requests have it.
void take_message(const Json& message, Conversation& out, std::string& said) {
  const Json* parts = find_member(message, "parts");
  if (parts == nullptr) {
    const Json* content = find_member(message, "content");
    if (content != nullptr && !content->is_null()) said += text_or_json(*content);
    return;
  }
  if (!parts->is_array()) return;
  for (const Json& part : parts->get_array()) {
    const std::string type = text_at(part, "type");
    const auto member = [&](std::string_view key) {
      const Json* value = find_member(part, key);
      return value == nullptr ? Json() : *value;
    };
    if (type == "text") {
      said += (said.empty() ? "" : "\n") + text_or_json(member("content"));
    } else if (type == "tool_call") {
      const std::string id = text_at(part, "id");
      // The next request repeats the call of the last answer.
      const bool known = !id.empty() && std::ranges::find(out.calls, id, &LoggedCall::id) != out.calls.end();
      if (!known)
        out.calls.push_back({id, text_at(part, "name"), call_arguments(member("arguments")), nullptr});
    } else if (type == "tool_call_response") {
      Json result = member("response");
      if (result.is_null()) result = member("result");
      out.add_result(text_at(part, "id"), std::move(result));
    }
  }
}

// gen_ai.prompt.0.role, gen_ai.prompt.0.content, gen_ai.prompt.1.role, …
std::vector<Conversation::Said> numbered(const JsonObject& attributes, std::string_view head) {
  constexpr std::size_t kMost = 100'000;
  std::vector<Conversation::Said> out;
  for (std::size_t i = 0; i < kMost; ++i) {
    const Json* content = attributes.if_contains(fmt::format("{}.{}.content", head, i));
    const Json* role = attributes.if_contains(fmt::format("{}.{}.role", head, i));
    if (content == nullptr && role == nullptr) break;
    out.push_back(
        {role == nullptr ? "" : text_or_json(*role), content == nullptr ? "" : text_or_json(*content)});
  }
  return out;
}

}  // namespace

Status OtelTraces::add(const Json& document) {
  const Json* resources = find_member(document, "resourceSpans");
  if (resources == nullptr || !resources->is_array())
    return fail(ErrorKind::data, "found no list `resourceSpans`: expected OTLP as JSON");
  for (const Json& resource : resources->get_array()) {
    for (const std::string_view name : {"scopeSpans", "instrumentationLibrarySpans"}) {
      for (const Json& scope : list_at(resource, name)) {
        for (const Json& span : list_at(scope, "spans")) add_span(span);
      }
    }
  }
  return {};
}

void OtelTraces::add_span(const Json& span) {
  Span kept;
  kept.start = nanoseconds(find_member(span, "startTimeUnixNano"));
  kept.end = nanoseconds(find_member(span, "endTimeUnixNano"));
  kept.attributes = attributes_of(span);
  for (const Json& event : list_at(span, "events"))
    kept.events.push_back(JsonObject{{"name", text_at(event, "name")}, {"attributes", attributes_of(event)}});
  const std::string operation = text_in(kept.attributes, "gen_ai.operation.name");
  kept.is_tool = operation == "execute_tool" || kept.attributes.contains("gen_ai.tool.name");
  const bool other = operation == "invoke_agent" || operation == "create_agent" || operation == "embeddings";
  kept.is_model = !kept.is_tool && !other &&
                  (!operation.empty() || kept.attributes.contains("gen_ai.request.model") ||
                   kept.attributes.contains("gen_ai.response.model"));
  if (const Json* status = find_member(span, "status")) {
    const Json* code = find_member(*status, "code");
    kept.failed = code != nullptr && (as_integer(*code) == 2 || as_text(*code) == "STATUS_CODE_ERROR");
  }
  std::vector<Span>& trace = spans_[text_at(span, "traceId")];
  kept.number = trace.size();
  trace.push_back(std::move(kept));
}

std::size_t OtelTraces::without_model() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      spans_, [](const auto& entry) { return std::ranges::none_of(entry.second, &Span::is_model); }));
}

void OtelTraces::read_input(const Span& span, Conversation& out) {
  Json messages = tree_of(span.attributes, "gen_ai.input.messages");
  const Json instructions = tree_of(span.attributes, "gen_ai.system_instructions");
  std::vector<Conversation::Said> said = numbered(span.attributes, "gen_ai.prompt");
  if (instructions.is_array()) {
    std::string text;
    take_message(JsonObject{{"parts", instructions}}, out, text);
    if (!text.empty()) said.insert(said.begin(), {"system", text});
  }
  for (const Json& event : span.events) {
    const JsonObject& attributes = event.at("attributes").get_object();
    const std::string name = text_at(event, "name");
    if (name == "gen_ai.content.prompt" && messages.is_null())
      messages = tree_of(attributes, "gen_ai.prompt");
    for (const std::string_view role : {"system", "user", "assistant"}) {
      if (name == fmt::format("gen_ai.{}.message", role))
        said.push_back({std::string(role), text_in(attributes, "content")});
    }
  }
  if (const JsonArray* list = messages.if_array()) {
    for (const Json& message : *list) {
      std::string text;
      take_message(message, out, text);
      if (!text.empty()) said.push_back({text_at(message, "role"), text});
    }
  }
  // Each request of a trace holds what was said before: the longest is the whole.
  if (said.size() > out.said.size()) out.said = std::move(said);
}

void OtelTraces::read_output(const Span& span, Conversation& out) {
  Json messages = tree_of(span.attributes, "gen_ai.output.messages");
  std::string text;
  for (const Conversation::Said& one : numbered(span.attributes, "gen_ai.completion")) text += one.text;
  for (const Json& event : span.events) {
    const JsonObject& attributes = event.at("attributes").get_object();
    const std::string name = text_at(event, "name");
    if (name == "gen_ai.content.completion" && messages.is_null())
      messages = tree_of(attributes, "gen_ai.completion");
    if (name == "gen_ai.choice") {
      const Json message = tree_of(attributes, "message");
      text += message.is_null() ? text_in(attributes, "content")
                                : text_or_json(message.is_object() && message.get_object().contains("content")
                                                   ? message.at("content")
                                                   : message);
    }
  }
  if (const JsonArray* list = messages.if_array(); list != nullptr && !list->empty()) {
    take_message(list->front(), out, text);
    const std::string finish = text_at(list->front(), "finish_reason");
    if (!finish.empty()) out.meta["finish_reason"] = finish;
  }
  out.answer = text.empty() ? std::nullopt : std::optional(text);
  const Json finish = tree_of(span.attributes, "gen_ai.response.finish_reasons");
  if (const JsonArray* list = finish.if_array(); list != nullptr && !list->empty())
    out.meta["finish_reason"] = list->front();
}

Conversation OtelTraces::conversation(const std::string& trace, std::vector<Span> spans) {
  std::ranges::sort(spans, [](const Span& a, const Span& b) {
    return a.start != b.start ? a.start < b.start : a.number < b.number;
  });
  Conversation out;
  out.id = trace;
  std::vector<LoggedCall> run;  // by spans of tools
  std::uint64_t first = UINT64_MAX;
  std::uint64_t last = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  for (const Span& span : spans) {
    first = std::min(first, span.start);
    last = std::max(last, span.end);
    if (span.is_tool) {
      Json result = tree_of(span.attributes, "gen_ai.tool.call.result");
      run.push_back({text_in(span.attributes, "gen_ai.tool.call.id"),
                     text_in(span.attributes, "gen_ai.tool.name"),
                     tree_of(span.attributes, "gen_ai.tool.call.arguments"), std::move(result), span.failed});
    }
    if (!span.is_model) continue;
    read_input(span, out);
    read_output(span, out);
    const auto tokens = [&](std::string_view now, std::string_view before) {
      const Json* value = span.attributes.if_contains(now);
      if (value == nullptr) value = span.attributes.if_contains(before);
      return value == nullptr ? std::int64_t{0} : as_integer(*value).value_or(0);
    };
    prompt_tokens += tokens("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens");
    completion_tokens += tokens("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens");
    for (const std::string_view key : {"gen_ai.request.model", "gen_ai.response.model"}) {
      if (const std::string model = text_in(span.attributes, key); !model.empty()) out.meta["model"] = model;
    }
  }
  // Spans of tools know when each ran and what it gave; messages are the second best.
  if (!run.empty()) {
    for (LoggedCall& call : run) {
      const auto asked = std::ranges::find(out.calls, call.id, &LoggedCall::id);
      if (call.id.empty() || asked == out.calls.end()) continue;
      if (call.arguments.is_null()) call.arguments = asked->arguments;
      if (call.result.is_null()) call.result = asked->result;
    }
    out.calls = std::move(run);
  }
  if (last > first) out.meta["latency_ms"] = static_cast<double>(last - first) / 1e6;
  if (prompt_tokens + completion_tokens > 0)
    out.meta["usage"] =
        JsonObject{{"prompt_tokens", prompt_tokens}, {"completion_tokens", completion_tokens}};
  return out;
}

std::vector<Conversation> OtelTraces::conversations() const {
  std::vector<std::pair<std::uint64_t, const std::string*>> order;
  for (const auto& [trace, spans] : spans_) {
    if (std::ranges::none_of(spans, &Span::is_model)) continue;
    order.emplace_back(std::ranges::min(spans, {}, &Span::start).start, &trace);
  }
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : *a.second < *b.second;
  });
  std::vector<Conversation> out;
  out.reserve(order.size());
  for (const auto& [start, trace] : order) out.push_back(conversation(*trace, spans_.at(*trace)));
  return out;
}

}  // namespace assay
