#include "sim/protocols/bedrock_wire.h"

#include "models/providers/aws_event_stream.h"
#include "sim/protocols/thoughts.h"

namespace assay::sim {
namespace {

std::string_view stop_reason(FinishReason finish) {
  switch (finish) {
    case FinishReason::length:
      return "max_tokens";
    case FinishReason::tool_calls:
      return "tool_use";
    case FinishReason::refusal:
      return "content_filtered";
    case FinishReason::stop:
    case FinishReason::other:
      break;
  }
  return "end_turn";
}

std::string tool_use_id(const ToolCall& call) {
  return call.id.starts_with("call_") ? "tooluse_" + call.id.substr(5) : call.id;
}

Json usage_object(const Usage& usage) {
  return JsonObject{{"inputTokens", usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens},
                    {"outputTokens", usage.completion_tokens},
                    {"totalTokens", usage.prompt_tokens + usage.completion_tokens},
                    {"cacheReadInputTokens", usage.cached_tokens},
                    {"cacheWriteInputTokens", usage.cache_write_tokens}};
}

const std::string& text_of(const ChatReply& reply) {
  return reply.message.text.empty() ? reply.refusal : reply.message.text;
}

class Frames {
 public:
  void add(std::string_view kind, const Json& payload) {
    list_.push_back(aws_event_frame(kind, to_text(payload)));
  }
  // The pieces of one block; `delta` makes the delta of a piece.
  template <class Delta>
  void block(std::string_view content, Delta delta) {
    for (const std::string_view piece : stream_pieces(content))
      add("contentBlockDelta", JsonObject{{"contentBlockIndex", index_}, {"delta", delta(piece)}});
  }
  void start(Json start) {
    add("contentBlockStart", JsonObject{{"contentBlockIndex", index_}, {"start", std::move(start)}});
  }
  void stop() { add("contentBlockStop", JsonObject{{"contentBlockIndex", index_++}}); }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
  std::int64_t index_ = 0;
};

}  // namespace

std::string bedrock_reply_body(const ChatReply& reply) {
  JsonArray content;
  if (const std::string& thoughts = reply.message.reasoning; !thoughts.empty()) {
    JsonObject text{{"text", thoughts}, {"signature", thought_signature(thoughts)}};
    content.push_back(JsonObject{{"reasoningContent", JsonObject{{"reasoningText", std::move(text)}}}});
  }
  if (!text_of(reply).empty()) content.push_back(JsonObject{{"text", text_of(reply)}});
  for (const ToolCall& call : reply.message.tool_calls) {
    content.push_back(JsonObject{
        {"toolUse",
         JsonObject{{"toolUseId", tool_use_id(call)},
                    {"name", call.name},
                    {"input", call.arguments.is_object() ? call.arguments : Json(JsonObject{})}}}});
  }
  return to_text(JsonObject{
      {"output", JsonObject{{"message", JsonObject{{"role", "assistant"}, {"content", std::move(content)}}}}},
      {"stopReason", stop_reason(reply.finish)},
      {"usage", usage_object(reply.usage)},
      {"metrics", JsonObject{{"latencyMs", 1}}}});
}

std::vector<std::string> bedrock_frames(const ChatReply& reply) {
  Frames frames;
  frames.add("messageStart", JsonObject{{"role", "assistant"}});
  if (const std::string& thoughts = reply.message.reasoning; !thoughts.empty()) {
    frames.block(thoughts, [](std::string_view piece) {
      return Json(JsonObject{{"reasoningContent", JsonObject{{"text", piece}}}});
    });
    const std::string signature = thought_signature(thoughts);
    frames.add("contentBlockDelta",
               JsonObject{{"contentBlockIndex", 0},
                          {"delta", JsonObject{{"reasoningContent", JsonObject{{"signature", signature}}}}}});
    frames.stop();
  }
  if (!text_of(reply).empty()) {
    frames.block(text_of(reply), [](std::string_view piece) { return Json(JsonObject{{"text", piece}}); });
    frames.stop();
  }
  for (const ToolCall& call : reply.message.tool_calls) {
    frames.start(JsonObject{{"toolUse", JsonObject{{"toolUseId", tool_use_id(call)}, {"name", call.name}}}});
    const std::string input = call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text;
    frames.block(input, [](std::string_view piece) {
      return Json(JsonObject{{"toolUse", JsonObject{{"input", piece}}}});
    });
    frames.stop();
  }
  frames.add("messageStop", JsonObject{{"stopReason", stop_reason(reply.finish)}});
  frames.add("metadata",
             JsonObject{{"usage", usage_object(reply.usage)}, {"metrics", JsonObject{{"latencyMs", 1}}}});
  return frames.take();
}

std::string bedrock_error_body(const WireError& error) {
  return to_text(JsonObject{{"message", error.message}});
}

std::string_view bedrock_error_type(int status) {
  switch (status) {
    case 401:
    case 403:
      return "AccessDeniedException";
    case 404:
      return "ResourceNotFoundException";
    case 429:
      return "ThrottlingException";
    case 503:
      return "ServiceUnavailableException";
    default:
      return status >= 500 ? "InternalServerException" : "ValidationException";
  }
}

}  // namespace assay::sim
