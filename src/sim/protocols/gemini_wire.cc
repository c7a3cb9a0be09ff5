#include "sim/protocols/gemini_wire.h"

#include <fmt/format.h>

#include "sim/protocols/thoughts.h"

namespace assay::sim {
namespace {

std::string_view finish_word(FinishReason finish) {
  switch (finish) {
    case FinishReason::length:
      return "MAX_TOKENS";
    case FinishReason::refusal:
      return "SAFETY";
    case FinishReason::stop:
    case FinishReason::tool_calls:
    case FinishReason::other:
      break;
  }
  return "STOP";
}

std::string_view status_word(int status) {
  switch (status) {
    case 400:
    case 413:
      return "INVALID_ARGUMENT";
    case 401:
      return "UNAUTHENTICATED";
    case 403:
      return "PERMISSION_DENIED";
    case 404:
      return "NOT_FOUND";
    case 405:
      return "UNIMPLEMENTED";
    case 429:
      return "RESOURCE_EXHAUSTED";
    case 503:
      return "UNAVAILABLE";
    default:
      return status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT";
  }
}

JsonObject usage_object(const Usage& usage) {
  JsonObject json{{"promptTokenCount", usage.prompt_tokens},
                  {"candidatesTokenCount", usage.completion_tokens - usage.reasoning_tokens},
                  {"totalTokenCount", usage.prompt_tokens + usage.completion_tokens}};
  if (usage.reasoning_tokens > 0) json["thoughtsTokenCount"] = usage.reasoning_tokens;
  if (usage.cached_tokens > 0) json["cachedContentTokenCount"] = usage.cached_tokens;
  return json;
}

Json call_part(const ToolCall& call, const std::string& thoughts) {
  // Arguments that broke off are no JSON; the real service shows none then.
  JsonObject part{{"functionCall",
                   JsonObject{{"name", call.name},
                              {"args", call.arguments.is_object() ? call.arguments : Json(JsonObject{})}}}};
  if (!thoughts.empty()) part["thoughtSignature"] = thought_signature(thoughts);
  return part;
}

Json response(JsonArray parts, const ReplyIdentity& identity, const Usage& usage, std::string_view finish) {
  JsonObject candidate{{"content", JsonObject{{"parts", std::move(parts)}, {"role", "model"}}}, {"index", 0}};
  if (!finish.empty()) candidate["finishReason"] = finish;
  return JsonObject{{"candidates", JsonArray{std::move(candidate)}},
                    {"usageMetadata", usage_object(usage)},
                    {"modelVersion", identity.model},
                    {"responseId", id_text(identity.number)}};
}

// Words of a refusal are text like any other on this wire.
const std::string& text_of(const ChatReply& reply) {
  return reply.message.text.empty() ? reply.refusal : reply.message.text;
}

Json text_part(std::string_view text, bool thought) {
  JsonObject part{{"text", text}};
  if (thought) part["thought"] = true;
  return part;
}

}  // namespace

std::string gemini_reply_body(const ChatReply& reply, const ReplyIdentity& identity) {
  JsonArray parts;
  const std::string& thoughts = reply.message.reasoning;
  if (!thoughts.empty()) parts.push_back(text_part(thoughts, true));
  if (!text_of(reply).empty()) parts.push_back(text_part(text_of(reply), false));
  for (const ToolCall& call : reply.message.tool_calls) parts.push_back(call_part(call, thoughts));
  return to_text(response(std::move(parts), identity, reply.usage, finish_word(reply.finish)));
}

std::vector<std::string> gemini_events(const ChatReply& reply, const ReplyIdentity& identity) {
  std::vector<std::string> events;
  const auto add = [&](JsonArray parts, std::string_view finish) {
    events.push_back(
        fmt::format("data: {}\r\n\r\n", to_text(response(std::move(parts), identity, reply.usage, finish))));
  };
  for (const std::string_view piece : stream_pieces(reply.message.reasoning))
    add(JsonArray{text_part(piece, true)}, "");
  for (const std::string_view piece : stream_pieces(text_of(reply)))
    add(JsonArray{text_part(piece, false)}, "");
  for (const ToolCall& call : reply.message.tool_calls)
    add(JsonArray{call_part(call, reply.message.reasoning)}, "");
  add(JsonArray{text_part("", false)}, finish_word(reply.finish));
  return events;
}

std::string gemini_error_body(const WireError& error) {
  JsonObject told{{"code", error.status},
                  {"message", error.message},
                  {"status", error.type.empty() ? status_word(error.status) : std::string_view(error.type)}};
  return to_text(JsonObject{{"error", std::move(told)}});
}

}  // namespace assay::sim
