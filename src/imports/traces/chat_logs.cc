// Logs of chat completions (OpenAI) and messages (Anthropic).
#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "imports/traces/conversation.h"

namespace assay {
namespace {

const Json kNothing;

const Json& member(const Json& value, std::string_view key) {
  const Json* found = find_member(value, key);
  return found == nullptr ? kNothing : *found;
}

const Json& first_member(const Json& value, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const Json& found = member(value, key); !found.is_null()) return found;
  }
  return kNothing;
}

// A text, or the texts of a list of parts one below the other.
std::string text_of(const Json& content) {
  if (const auto text = as_text(content)) return std::string(*text);
  std::string out;
  const JsonArray* parts = content.if_array();
  if (parts == nullptr) return content.is_null() ? "" : to_text(content);
  for (const Json& part : *parts) {
    const std::string text = part.is_string() ? text_or_json(part) : text_at(part, "text");
    if (!text.empty()) out += (out.empty() ? "" : "\n") + text;
  }
  return out;
}

// A result as it stands: a text, or the texts of its parts.
Json result_of(const Json& content) {
  return content.is_array() ? Json(boost::json::string(text_of(content))) : content;
}

// What was sent and what came back, by the names that logs give them.
struct Exchange {
  const Json* request = &kNothing;
  const Json* response = &kNothing;
};

Exchange exchange_in(const Json& line) {
  Exchange out;
  out.request = &first_member(line, {"request", "body"});
  out.response = &first_member(line, {"response", "completion"});
  // A batch wraps the response once more.
  if (const Json& body = member(*out.response, "body"); body.is_object()) out.response = &body;
  if (const Json& body = member(*out.request, "body"); body.is_object()) out.request = &body;
  if (out.request->is_null()) out.request = &line;
  if (out.response->is_null() && (line.is_object() && (line.get_object().contains("choices") ||
                                                       line.get_object().contains("stop_reason"))))
    out.response = &line;
  return out;
}

Result<const JsonArray*> messages_in(const Json& line, const Exchange& exchange) {
  if (const JsonArray* bare = line.if_array()) return bare;
  if (!line.is_object())
    return fail(ErrorKind::data,
                fmt::format("found a {}, expected an object or a list of messages", kind_word(line)));
  if (const Json& error = member(*exchange.response, "error"); !error.is_null())
    return fail(ErrorKind::data, fmt::format("the response is an error: {}", excerpt(error, 120)));
  const JsonArray* messages = member(*exchange.request, "messages").if_array();
  if (messages == nullptr)
    return fail(ErrorKind::data,
                "found no list `messages`, expected it at the top, under `request` or under `body`");
  return messages;
}

void read_meta(Conversation& out, const Json& line, const Exchange& exchange) {
  const Json& latency = first_member(line, {"latency_ms", "duration_ms", "latencyMs"});
  if (latency.is_number()) out.meta["latency_ms"] = latency;
  const Json& usage = member(*exchange.response, "usage");
  JsonObject counted;
  const auto count = [&](std::string_view ours, std::initializer_list<std::string_view> theirs) {
    if (const auto number = as_integer(first_member(usage, theirs))) counted[ours] = *number;
  };
  count("prompt_tokens", {"prompt_tokens", "input_tokens"});
  count("completion_tokens", {"completion_tokens", "output_tokens"});
  if (!counted.empty()) out.meta["usage"] = std::move(counted);
  const Json& model = first_member(*exchange.response, {"model"}).is_null()
                          ? member(*exchange.request, "model")
                          : member(*exchange.response, "model");
  if (model.is_string()) out.meta["model"] = model;
  for (const Json& id : {first_member(line, {"custom_id", "id"}), member(*exchange.response, "id")}) {
    if (out.id.empty() && (id.is_string() || id.is_int64())) out.id = text_or_json(id);
  }
}

// --- OpenAI ------------------------------------------------------------------------------------------------

void take_openai_calls(Conversation& out, const Json& message) {
  for (const Json& call : list_at(message, "tool_calls")) {
    const Json& function = member(call, "function");
    out.calls.push_back({text_at(call, "id"), text_at(function, "name"),
                         call_arguments(member(function, "arguments")), nullptr});
  }
  if (const Json& function = member(message, "function_call"); function.is_object())
    out.calls.push_back(
        {"", text_at(function, "name"), call_arguments(member(function, "arguments")), nullptr});
}

void take_openai_message(Conversation& out, const Json& message) {
  const std::string role = text_at(message, "role");
  if (role == "tool" || role == "function") {
    out.add_result(text_at(message, "tool_call_id"), result_of(member(message, "content")));
    return;
  }
  take_openai_calls(out, message);
  const std::string text = text_of(member(message, "content"));
  if (!text.empty()) out.said.push_back({role == "developer" ? "system" : role, text});
}

// --- Anthropic ---------------------------------------------------------------------------------------------

// Blocks of a message: what was said, what was called, what tools gave.
void take_blocks(Conversation& out, const Json& content) {
  if (!content.is_array()) return;
  for (const Json& block : content.get_array()) {
    const std::string type = text_at(block, "type");
    if (type == "tool_use" || type == "server_tool_use") {
      out.calls.push_back(
          {text_at(block, "id"), text_at(block, "name"), call_arguments(member(block, "input")), nullptr});
    } else if (type == "tool_result") {
      out.add_result(text_at(block, "tool_use_id"), result_of(member(block, "content")),
                     as_boolean(member(block, "is_error")).value_or(false));
    }
  }
}

std::string said_in(const Json& content) {
  if (!content.is_array()) return text_of(content);
  JsonArray texts;
  for (const Json& block : content.get_array()) {
    if (block.is_string() || text_at(block, "type") == "text") texts.push_back(block);
  }
  return text_of(texts);
}

// The last text of the assistant is the answer where the log has no response.
void answer_from_messages(Conversation& out) {
  if (out.said.empty() || out.said.back().role != "assistant") return;
  out.answer = std::move(out.said.back().text);
  out.said.pop_back();
}

}  // namespace

Result<Conversation> openai_conversation(const Json& line) {
  const Exchange exchange = exchange_in(line);
  const auto messages = messages_in(line, exchange);
  if (!messages) return fail(messages.error());
  Conversation out;
  read_meta(out, line, exchange);
  for (const Json& message : **messages) take_openai_message(out, message);
  if (exchange.response->is_null()) {
    answer_from_messages(out);
    return out;
  }
  const JsonArray& choices = list_at(*exchange.response, "choices");
  if (choices.empty()) return fail(ErrorKind::data, "found a response without `choices`");
  const Json& message = member(choices.front(), "message");
  take_openai_calls(out, message);
  const std::string text = text_of(member(message, "content"));
  if (!text.empty()) out.answer = text;
  if (const Json& finish = member(choices.front(), "finish_reason"); finish.is_string())
    out.meta["finish_reason"] = finish;
  return out;
}

Result<Conversation> anthropic_conversation(const Json& line) {
  const Exchange exchange = exchange_in(line);
  const auto messages = messages_in(line, exchange);
  if (!messages) return fail(messages.error());
  Conversation out;
  read_meta(out, line, exchange);
  const std::string system = said_in(member(*exchange.request, "system"));
  if (!system.empty()) out.said.push_back({"system", system});
  for (const Json& message : **messages) {
    const Json& content = member(message, "content");
    take_blocks(out, content);
    const std::string text = said_in(content);
    if (!text.empty()) out.said.push_back({text_at(message, "role"), text});
  }
  if (exchange.response->is_null()) {
    answer_from_messages(out);
    return out;
  }
  const Json& content = member(*exchange.response, "content");
  if (!content.is_array()) return fail(ErrorKind::data, "found a response without a list `content`");
  take_blocks(out, content);
  const std::string text = said_in(content);
  if (!text.empty()) out.answer = text;
  if (const Json& finish = member(*exchange.response, "stop_reason"); finish.is_string())
    out.meta["finish_reason"] = finish;
  return out;
}

}  // namespace assay
