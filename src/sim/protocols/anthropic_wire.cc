#include "sim/protocols/anthropic_wire.h"

#include <array>

#include <fmt/format.h>

#include "sim/protocols/thoughts.h"

namespace assay::sim {
namespace {

constexpr std::array<std::string_view, 2> kModels = {"judge", "assistant"};

std::string_view stop_reason(FinishReason finish) {
  switch (finish) {
    case FinishReason::length:
      return "max_tokens";
    case FinishReason::tool_calls:
      return "tool_use";
    case FinishReason::refusal:
      return "refusal";
    case FinishReason::stop:
    case FinishReason::other:
      break;
  }
  return "end_turn";
}

// Ids are made in one form for both protocols; each shows its own prefix.
std::string tool_use_id(const ToolCall& call) {
  return call.id.starts_with("call_") ? "toolu_" + call.id.substr(5) : call.id;
}

std::string usage_object(const Usage& usage, std::int64_t output_tokens) {
  return fmt::format(
      R"({{"input_tokens":{},"cache_creation_input_tokens":{},"cache_read_input_tokens":{},"output_tokens":{},)"
      R"("service_tier":"standard"}})",
      usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens, usage.cache_write_tokens,
      usage.cached_tokens, output_tokens);
}

void append_head(std::string& out, const ReplyIdentity& identity) {
  fmt::format_to(std::back_inserter(out), R"({{"id":"msg_{}","type":"message","role":"assistant",)",
                 id_text(identity.number));
  append_quoted(out, "model", identity.model);
}

std::string input_of(const ToolCall& call) {
  return call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text;
}

// Words of a refusal are text like any other on this wire.
const std::string& text_of(const ChatReply& reply) {
  return reply.message.text.empty() ? reply.refusal : reply.message.text;
}

class Events {
 public:
  void add(std::string_view name, std::string_view data) {
    list_.push_back(fmt::format("event: {}\ndata: {}\n\n", name, data));
  }

  // One content block: its opening form, the pieces of what it says, its end.
  void block(std::size_t index, std::string_view opening, std::string_view delta, std::string_view key,
             std::string_view content) {
    add("content_block_start",
        fmt::format(R"({{"type":"content_block_start","index":{},"content_block":{}}})", index, opening));
    for (const std::string_view piece : stream_pieces(content)) {
      std::string data =
          fmt::format(R"({{"type":"content_block_delta","index":{},"delta":{{"type":"{}",)", index, delta);
      append_quoted(data, key, piece);
      data += "}}";
      add("content_block_delta", data);
    }
    add("content_block_stop", fmt::format(R"({{"type":"content_block_stop","index":{}}})", index));
  }

  // Thoughts, and before their end the signature.
  void thinking(std::size_t index, std::string_view thoughts) {
    block(index, R"({"type":"thinking","thinking":"","signature":""})", "thinking_delta", "thinking",
          thoughts);
    std::string stop = std::move(list_.back());
    list_.pop_back();
    std::string data = fmt::format(
        R"({{"type":"content_block_delta","index":{},"delta":{{"type":"signature_delta",)", index);
    append_quoted(data, "signature", thought_signature(thoughts));
    add("content_block_delta", data + "}}");
    list_.push_back(std::move(stop));
  }

  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

std::string model_object(std::string_view id) {
  std::string out = R"({"type":"model",)";
  append_quoted(out, "id", id);
  out += ',';
  append_quoted(out, "display_name", id);
  return out + R"(,"created_at":"2025-01-01T00:00:00Z"})";
}

std::string_view error_type(int status) {
  switch (status) {
    case 400:
      return "invalid_request_error";
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 529:
      return "overloaded_error";
    default:
      return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

}  // namespace

std::string anthropic_reply_body(const ChatReply& reply, const ReplyIdentity& identity) {
  std::string out;
  out.reserve(400 + reply.message.text.size() * 5 / 4);
  append_head(out, identity);
  out += R"(,"content":[)";
  bool first = true;
  if (const std::string& thoughts = reply.message.reasoning; !thoughts.empty()) {
    out += R"({"type":"thinking",)";
    append_quoted(out, "thinking", thoughts);
    out += ',';
    append_quoted(out, "signature", thought_signature(thoughts));
    out += '}';
    first = false;
  }
  if (!text_of(reply).empty()) {
    if (!first) out += ',';
    out += R"({"type":"text",)";
    append_quoted(out, "text", text_of(reply));
    out += '}';
    first = false;
  }
  for (const ToolCall& call : reply.message.tool_calls) {
    if (!first) out += ',';
    first = false;
    out += R"({"type":"tool_use",)";
    append_quoted(out, "id", tool_use_id(call));
    out += ',';
    append_quoted(out, "name", call.name);
    // Arguments that broke off are no JSON; the real service shows what it had by then as an object.
    out += R"(,"input":)" + (call.arguments_text.empty() ? to_text(call.arguments) : std::string("{}"));
    out += '}';
  }
  fmt::format_to(std::back_inserter(out), R"(],"stop_reason":"{}","stop_sequence":null,"usage":{}}})",
                 stop_reason(reply.finish), usage_object(reply.usage, reply.usage.completion_tokens));
  return out;
}

std::vector<std::string> anthropic_events(const ChatReply& reply, const ReplyIdentity& identity) {
  Events events;
  std::string start = R"({"type":"message_start","message":)";
  append_head(start, identity);
  start += R"(,"content":[],"stop_reason":null,"stop_sequence":null,"usage":)" +
           usage_object(reply.usage, 1) + "}}";
  events.add("message_start", start);
  events.add("ping", R"({"type":"ping"})");
  std::size_t index = 0;
  if (const std::string& thoughts = reply.message.reasoning; !thoughts.empty())
    events.thinking(index++, thoughts);
  if (!text_of(reply).empty()) {
    events.block(index++, R"({"type":"text","text":""})", "text_delta", "text", text_of(reply));
  }
  for (const ToolCall& call : reply.message.tool_calls) {
    std::string opening = R"({"type":"tool_use",)";
    append_quoted(opening, "id", tool_use_id(call));
    opening += ',';
    append_quoted(opening, "name", call.name);
    opening += R"(,"input":{}})";
    events.block(index++, opening, "input_json_delta", "partial_json", input_of(call));
  }
  events.add("message_delta",
             fmt::format(R"({{"type":"message_delta","delta":{{"stop_reason":"{}","stop_sequence":null}},)"
                         R"("usage":{{"output_tokens":{}}}}})",
                         stop_reason(reply.finish), reply.usage.completion_tokens));
  events.add("message_stop", R"({"type":"message_stop"})");
  return events.take();
}

std::string anthropic_error_body(const WireError& error, std::string_view request_id) {
  std::string out = R"({"type":"error","error":{)";
  append_quoted(out, "type", error.type.empty() ? error_type(error.status) : std::string_view(error.type));
  out += ',';
  append_quoted(out, "message", error.message);
  out += "},";
  append_quoted(out, "request_id", request_id);
  return out + "}";
}

std::string anthropic_models_body() {
  std::string out = R"({"data":[)";
  for (std::size_t i = 0; i < kModels.size(); ++i) out += (i > 0 ? "," : "") + model_object(kModels[i]);
  out += "],\"has_more\":false,";
  append_quoted(out, "first_id", kModels.front());
  out += ',';
  append_quoted(out, "last_id", kModels.back());
  return out + "}";
}

std::string anthropic_model_body(std::string_view id) {
  return model_object(id);
}

}  // namespace assay::sim
