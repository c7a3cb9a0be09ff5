#include "sim/protocols/openai_wire.h"

#include <array>

#include <fmt/format.h>

#include "sim/protocols/compatible_services.h"

namespace assay::sim {
namespace {

// A fixed day: an answer must not depend on the clock.
constexpr std::int64_t kCreated = 1'735'689'600;
constexpr std::array<std::string_view, 2> kModels = {"judge", "assistant"};

std::string_view finish_word(FinishReason finish) {
  switch (finish) {
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::tool_calls:
      return "tool_calls";
    case FinishReason::refusal:
      return "content_filter";
    case FinishReason::other:
      break;
  }
  return "stop";
}

std::string arguments_text(const ToolCall& call) {
  return call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text;
}

void append_usage(std::string& out, const Usage& usage, const ReplyIdentity& identity) {
  const bool apart = counts_thoughts_apart(identity.model);
  fmt::format_to(std::back_inserter(out),
                 R"("usage":{{"prompt_tokens":{},"completion_tokens":{},"total_tokens":{},)"
                 R"("prompt_tokens_details":{{"cached_tokens":{},"audio_tokens":0}},)"
                 R"("completion_tokens_details":{{"reasoning_tokens":{},"audio_tokens":0,)"
                 R"("accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}})",
                 usage.prompt_tokens, usage.completion_tokens - (apart ? usage.reasoning_tokens : 0),
                 usage.prompt_tokens + usage.completion_tokens, usage.cached_tokens, usage.reasoning_tokens);
}

void append_head(std::string& out, const ReplyIdentity& identity, std::string_view object) {
  fmt::format_to(std::back_inserter(out), R"({{"id":"chatcmpl-{}","object":"{}","created":{},)",
                 id_text(identity.number), object, kCreated);
  append_quoted(out, "model", identity.model);
  out += R"(,"service_tier":"default","system_fingerprint":"fp_sim")";
}

// A reply without words has null as content, as the real service writes it beside tool calls.
void append_text_or_null(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) {
    fmt::format_to(std::back_inserter(out), R"("{}":null)", key);
  } else {
    append_quoted(out, key, text);
  }
}

// The events of one stream share all but the delta.
class Events {
 public:
  explicit Events(const ReplyIdentity& identity) {
    head_ = "data: ";
    append_head(head_, identity, "chat.completion.chunk");
  }

  void delta(std::string_view delta) {
    add(fmt::format(R"({{"index":0,"delta":{},"logprobs":null,"finish_reason":null}})", delta));
  }
  void finish(FinishReason reason) {
    add(fmt::format(R"({{"index":0,"delta":{{}},"logprobs":null,"finish_reason":"{}"}})",
                    finish_word(reason)));
  }
  void usage(const Usage& usage, const ReplyIdentity& identity) {
    std::string event = head_ + R"(,"choices":[],)";
    append_usage(event, usage, identity);
    event += "}\n\n";
    list_.push_back(std::move(event));
  }
  std::vector<std::string> end() {
    list_.emplace_back("data: [DONE]\n\n");
    return std::move(list_);
  }

 private:
  void add(std::string_view choice) {
    list_.push_back(fmt::format("{},\"choices\":[{}]}}\n\n", head_, choice));
  }

  std::string head_;
  std::vector<std::string> list_;
};

void stream_call(Events& events, const ToolCall& call, std::size_t index) {
  std::string delta = fmt::format(R"({{"tool_calls":[{{"index":{},)", index);
  append_quoted(delta, "id", call.id);
  delta += R"(,"type":"function","function":{)";
  append_quoted(delta, "name", call.name);
  delta += R"(,"arguments":""}}]})";
  events.delta(delta);
  const std::string arguments = arguments_text(call);
  for (const std::string_view piece : stream_pieces(arguments)) {
    delta = fmt::format(R"({{"tool_calls":[{{"index":{},"function":{{)", index);
    append_quoted(delta, "arguments", piece);
    delta += "}}]}";
    events.delta(delta);
  }
}

std::string model_object(std::string_view id) {
  std::string out = "{";
  append_quoted(out, "id", id);
  fmt::format_to(std::back_inserter(out), R"(,"object":"model","created":{},"owned_by":"assay"}})", kCreated);
  return out;
}

}  // namespace

std::string openai_reply_body(const ChatReply& reply, const ReplyIdentity& identity) {
  std::string out;
  out.reserve(640 + reply.message.text.size() * 5 / 4);
  append_head(out, identity, "chat.completion");
  out += R"(,"choices":[{"index":0,"message":{"role":"assistant",)";
  append_text_or_null(out, "content", reply.message.text);
  out += ',';
  append_text_or_null(out, "refusal", reply.refusal);
  // As servers of models that think aloud have it; the real service tells no thoughts here.
  if (!reply.message.reasoning.empty()) {
    out += ',';
    append_quoted(out, "reasoning_content", reply.message.reasoning);
  }
  if (!reply.message.tool_calls.empty()) {
    out += R"(,"tool_calls":[)";
    for (std::size_t i = 0; i < reply.message.tool_calls.size(); ++i) {
      const ToolCall& call = reply.message.tool_calls[i];
      if (i > 0) out += ',';
      out += '{';
      append_quoted(out, "id", call.id);
      out += R"(,"type":"function","function":{)";
      append_quoted(out, "name", call.name);
      out += ',';
      append_quoted(out, "arguments", arguments_text(call));
      out += "}}";
    }
    out += ']';
  }
  fmt::format_to(std::back_inserter(out), R"(,"annotations":[]}},"logprobs":null,"finish_reason":"{}"}}],)",
                 finish_word(reply.finish));
  append_usage(out, reply.usage, identity);
  out += '}';
  return out;
}

std::vector<std::string> openai_events(const ChatReply& reply, const ReplyIdentity& identity,
                                       bool include_usage) {
  Events events(identity);
  events.delta(reply.message.tool_calls.empty() ? R"({"role":"assistant","content":"","refusal":null})"
                                                : R"({"role":"assistant","content":null,"refusal":null})");
  for (const auto& [key, text] :
       {std::pair<std::string_view, std::string_view>{"reasoning_content", reply.message.reasoning},
        {"content", reply.message.text},
        {"refusal", reply.refusal}}) {
    for (const std::string_view piece : stream_pieces(text)) {
      std::string delta = "{";
      append_quoted(delta, key, piece);
      delta += '}';
      events.delta(delta);
    }
  }
  for (std::size_t i = 0; i < reply.message.tool_calls.size(); ++i)
    stream_call(events, reply.message.tool_calls[i], i);
  events.finish(reply.finish);
  if (include_usage) events.usage(reply.usage, identity);
  return events.end();
}

std::string openai_error_body(const WireError& error) {
  std::string type = error.type;
  std::string code = error.code;
  if (type.empty()) {
    switch (error.status) {
      case 429:
        type = "requests";
        if (code.empty()) code = "rate_limit_exceeded";
        break;
      default:
        type = error.status >= 500 ? "server_error" : "invalid_request_error";
    }
  }
  if (error.status == 401 && code.empty()) code = "invalid_api_key";
  std::string out = R"({"error":{)";
  append_quoted(out, "message", error.message);
  out += ',';
  append_quoted(out, "type", type);
  out += ',';
  append_text_or_null(out, "param", error.param);
  out += ',';
  append_text_or_null(out, "code", code);
  out += "}}";
  return out;
}

std::string openai_models_body() {
  std::string out = R"({"object":"list","data":[)";
  for (std::size_t i = 0; i < kModels.size(); ++i) out += (i > 0 ? "," : "") + model_object(kModels[i]);
  return out + "]}";
}

std::string openai_model_body(std::string_view id) {
  return model_object(id);
}

}  // namespace assay::sim
