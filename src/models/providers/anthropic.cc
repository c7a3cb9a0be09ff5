#include "models/providers/anthropic.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "models/providers/wire_text.h"
#include "models/structured/schema_subset.h"

namespace assay {
namespace {

// A stream could name any index; more blocks than this in one message is rubbish.
constexpr std::size_t kMostBlocks = 4096;
constexpr std::string_view kVersion = "2023-06-01";
// The wire wants a limit in every request.
constexpr int kMaxTokens = 4096;
// Beside it, where the model chooses itself how much it thinks: what it does not need is not charged.
constexpr std::int64_t kRoomToThink = 12'288;
constexpr std::string_view kName = "anthropic";

Json text_block(std::string_view text) {
  return JsonObject{{"type", "text"}, {"text", text}};
}

Json call_block(const ToolCall& call) {
  // The wire takes objects only; what the model wrote instead stays visible to it.
  Json input = call.arguments;
  if (!input.is_object()) {
    input = JsonObject{};
    if (!call.arguments_text.empty()) input.get_object()["arguments_text"] = call.arguments_text;
  }
  return JsonObject{{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", std::move(input)}};
}

Json result_block(const Message& from) {
  JsonObject block{{"type", "tool_result"}, {"tool_use_id", from.tool_call_id}};
  if (!from.text.empty()) block["content"] = from.text;
  if (from.is_error) block["is_error"] = true;
  return block;
}

JsonArray blocks_of(const Message& from) {
  JsonArray blocks;
  if (from.role == Role::tool) {
    blocks.push_back(result_block(from));
    return blocks;
  }
  if (const JsonArray* kept = kept_list(from, kName)) return *kept;
  // Empty text blocks are refused.
  if (!from.text.empty()) blocks.push_back(text_block(from.text));
  if (from.role == Role::assistant) {
    for (const auto& call : from.tool_calls) blocks.push_back(call_block(call));
  }
  return blocks;
}

// Turns alternate: neighbours of the same role, above all the results of several calls, become one message.
JsonArray messages_of(const ChatRequest& request) {
  JsonArray list;
  for (const auto& from : request.messages) {
    if (from.role == Role::system) continue;
    const std::string_view role = from.role == Role::assistant ? "assistant" : "user";
    JsonArray blocks = blocks_of(from);
    if (blocks.empty() && from.role == Role::assistant) continue;
    if (!list.empty() && list.back().at("role").as_string() == role) {
      JsonArray& content = list.back().at("content").as_array();
      for (auto& block : blocks) content.push_back(std::move(block));
    } else {
      list.push_back(JsonObject{{"role", role}, {"content", std::move(blocks)}});
    }
  }
  for (auto& message : list) {
    Json& content = message.at("content");
    const JsonArray& blocks = content.get_array();
    // The short form, which every server that speaks this wire understands.
    if (blocks.empty()) {
      content = "";
    } else if (blocks.size() == 1 && blocks.front().at("type") == "text") {
      content = Json(blocks.front().at("text"));
    }
  }
  return list;
}

std::string system_of(const ChatRequest& request, const WirePlan& plan) {
  std::string system;
  for (const auto& from : request.messages) {
    if (from.role == Role::system) append_paragraph(system, from.text);
  }
  append_paragraph(system, instruction_of(request, plan));
  return system;
}

Json tool_json(std::string_view name, std::string_view description, const Json& parameters) {
  JsonObject tool{{"name", name}};
  if (!description.empty()) tool["description"] = description;
  tool["input_schema"] =
      parameters.is_null() ? Json(JsonObject{{"type", "object"}, {"properties", JsonObject{}}}) : parameters;
  return tool;
}

void put_tools(JsonObject& body, const ChatRequest& request, const WirePlan& plan) {
  const ToolPlan tools = plan_tools(request, plan);
  if (tools.empty()) return;
  JsonArray list;
  for (const Tool* tool : tools.own)
    list.push_back(tool_json(tool->name, tool->description, tool->parameters));
  if (tools.answer) {
    list.push_back(
        tool_json(*tools.answer, request.output->description, without_annotations(request.output->schema)));
  }
  body["tools"] = std::move(list);
  switch (tools.choice.mode) {
    case ToolChoice::Mode::automatic:
      break;
    case ToolChoice::Mode::none:
      body["tool_choice"] = JsonObject{{"type", "none"}};
      break;
    case ToolChoice::Mode::any:
      body["tool_choice"] = JsonObject{{"type", "any"}};
      break;
    case ToolChoice::Mode::named:
      body["tool_choice"] = JsonObject{{"type", "tool"}, {"name", tools.choice.name}};
      break;
  }
}

FinishReason finish_of(std::string_view reason, bool has_calls) {
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return FinishReason::length;
  if (reason == "refusal") return FinishReason::refusal;
  if (has_calls) return FinishReason::tool_calls;
  if (reason.empty() || reason == "end_turn" || reason == "stop_sequence" || reason == "tool_use") {
    return FinishReason::stop;
  }
  return FinishReason::other;  // pause_turn: a server tool is not done yet
}

void put_headers(HttpRequest& http) {
  http.headers.add("anthropic-version", std::string(kVersion));
}

Result<JsonObject> anthropic_options(const ModelSpec& spec, ThinkingForm /*form*/) {
  if (auto checked = check_anthropic_thinking(spec); !checked) return fail(checked.error());
  if (spec.reasoning_effort.empty()) return JsonObject{};
  return JsonObject{{"output_config", JsonObject{{"effort", spec.reasoning_effort}}}};
}

// As it came, for the signatures; only a call's input, which a stream gives as text, is what was read.
void keep_content(Message& message, JsonArray content) {
  std::size_t calls = 0;
  for (Json& block : content) {
    if (text_of(block, "type") != "tool_use" || calls >= message.tool_calls.size()) continue;
    block = call_block(message.tool_calls[calls++]);
  }
  keep_list(message, kName, content);
}

Usage usage_of(const Json* from) {
  Usage usage;
  if (from == nullptr || !from->is_object()) return usage;
  usage.cached_tokens = count_of(*from, "/cache_read_input_tokens");
  usage.cache_write_tokens = count_of(*from, "/cache_creation_input_tokens");
  // input_tokens counts only what was neither read from the cache nor written to it.
  for (const std::int64_t part :
       {count_of(*from, "/input_tokens"), usage.cached_tokens, usage.cache_write_tokens}) {
    usage += Usage{.prompt_tokens = part};
  }
  usage.completion_tokens = count_of(*from, "/output_tokens");
  usage.reasoning_tokens =
      std::min(count_of(*from, "/output_tokens_details/thinking_tokens"), usage.completion_tokens);
  return usage;
}

}  // namespace

Json anthropic_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
  const Sampling sampling = sampling_of(request, spec, plan.capabilities);
  JsonObject body;
  body["model"] = spec.name;
  auto thinking = anthropic_thinking(spec, plan.capabilities, sampling.max_tokens);
  // The limit holds for thoughts too, and must be above what they may take.
  const bool adaptive = thinking && text_of(*thinking, "type") == "adaptive";
  const std::int64_t room = adaptive ? kRoomToThink : thinking_budget(thinking);
  body["max_tokens"] = sampling.max_tokens ? *sampling.max_tokens : kMaxTokens + room;
  if (const std::string system = system_of(request, plan); !system.empty()) body["system"] = system;
  body["messages"] = messages_of(request);
  put_tools(body, request, plan);
  if (plan.way == StructuredWay::json_schema) {
    // Pinned to this way, a schema that cannot be closed is sent as it is, and the server says what it
    // thinks.
    Json schema =
        anthropic_output_schema(request.output->schema).value_or(without_annotations(request.output->schema));
    body["output_config"] =
        JsonObject{{"format", JsonObject{{"type", "json_schema"}, {"schema", std::move(schema)}}}};
  }
  if (sampling.temperature) body["temperature"] = *sampling.temperature;
  if (sampling.top_p) body["top_p"] = *sampling.top_p;
  if (!sampling.stop.empty()) body["stop_sequences"] = text_list(sampling.stop);
  if (plan.stream) body["stream"] = true;
  if (thinking) body["thinking"] = std::move(*thinking);
  return body;
}

Result<ChatReply> anthropic_reply(const Json& json) {
  const Json* content = find_member(json, "content");
  if (content == nullptr || !content->is_array()) return fail(ErrorKind::parse, "it has no content");
  ChatReply reply;
  reply.message.role = Role::assistant;
  bool thinks = false;
  for (const auto& block : content->get_array()) {
    const std::string type = text_of(block, "type");
    if (type == "text") {
      reply.message.text += text_of(block, "text");
    } else if (type == "thinking" || type == "redacted_thinking") {
      append_paragraph(reply.message.reasoning, text_of(block, "thinking"));
      thinks = true;
    } else if (type == "tool_use") {
      ToolCall call;
      call.id = text_of(block, "id");
      call.name = text_of(block, "name");
      set_arguments(call, find_member(block, "input"));
      if (call.id.empty()) call.id = fmt::format("call_{}", reply.message.tool_calls.size() + 1);
      reply.message.tool_calls.push_back(std::move(call));
    }
  }
  if (thinks && !reply.message.tool_calls.empty()) keep_content(reply.message, content->get_array());
  reply.finish = finish_of(text_of(json, "stop_reason"), !reply.message.tool_calls.empty());
  if (reply.finish == FinishReason::refusal) {
    if (const Json* details = find_member(json, "stop_details"))
      reply.refusal = text_of(*details, "explanation");
    if (reply.refusal.empty()) reply.refusal = reply.message.text;
  }
  reply.usage = usage_of(find_member(json, "usage"));
  reply.model = text_of(json, "model");
  reply.origin = {.id = text_of(json, "id"), .finish_reason = text_of(json, "stop_reason")};
  return reply;
}

void AnthropicStream::take(const ServerSentEvent& event) {
  if (stopped_ || error_ || broken_) return;
  const std::string_view data = trim(event.data);
  if (data.empty()) return;
  const auto json = parse_json(data);
  if (!json) {
    broken_ = std::string(data);
    return;
  }
  std::string type = text_of(*json, "type");
  if (type.empty()) type = event.event;
  if (type == "error") {
    error_ = *json;
  } else if (type == "message_start") {
    const Json* message = find_member(*json, "message");
    if (message == nullptr || !message->is_object()) return;
    started_ = true;
    message_ = message->get_object();
    take_usage(find_member(*message, "usage"));
  } else if (type == "content_block_start") {
    open_block(*json);
  } else if (type == "content_block_delta") {
    extend_block(*json);
  } else if (type == "message_delta") {
    if (const Json* delta = find_member(*json, "delta"); delta != nullptr && delta->is_object()) {
      for (const auto& member : delta->get_object()) message_[member.key()] = member.value();
    }
    take_usage(find_member(*json, "usage"));
  } else if (type == "message_stop") {
    stopped_ = true;
  }
}

void AnthropicStream::take_usage(const Json* usage) {
  if (usage == nullptr || !usage->is_object()) return;
  // The counts of a later event are totals, not additions; what it leaves out still holds.
  for (const auto& member : usage->get_object()) {
    if (!member.value().is_null()) usage_[member.key()] = member.value();
  }
}

void AnthropicStream::open_block(const Json& event) {
  const Json* index = find_member(event, "index");
  const Json* block = find_member(event, "content_block");
  if (index == nullptr || block == nullptr || !block->is_object() || blocks_.size() >= kMostBlocks) return;
  const auto number = as_integer(*index);
  if (!number) return;
  Block opened;
  opened.start = block->get_object();
  opened.text = text_of(*block, "text");
  blocks_[*number] = std::move(opened);
}

void AnthropicStream::extend_block(const Json& event) {
  const Json* index = find_member(event, "index");
  const Json* delta = find_member(event, "delta");
  if (index == nullptr || delta == nullptr) return;
  const auto block = blocks_.find(as_integer(*index).value_or(-1));
  if (block == blocks_.end()) return;
  const std::string type = text_of(*delta, "type");
  if (type == "text_delta") block->second.text += text_of(*delta, "text");
  if (type == "input_json_delta") block->second.input += text_of(*delta, "partial_json");
  if (type == "thinking_delta") block->second.thinking += text_of(*delta, "thinking");
  if (type == "signature_delta") block->second.start["signature"] = text_of(*delta, "signature");
  for (const std::string_view piece : {"text", "partial_json", "thinking"}) count(text_of(*delta, piece));
}

Result<ChatReply> AnthropicStream::reply() const {
  if (!started_) return fail(ErrorKind::parse, "it has no message_start");
  JsonObject whole = message_;
  JsonArray content;
  for (const auto& [index, block] : blocks_) {
    JsonObject json = block.start;
    if (!block.text.empty()) json["text"] = block.text;
    if (!block.thinking.empty()) json["thinking"] = text_of(Json(block.start), "thinking") + block.thinking;
    // As text: anthropic_reply reads it, and keeps what is not JSON.
    if (!block.input.empty()) json["input"] = block.input;
    content.push_back(std::move(json));
  }
  whole["content"] = std::move(content);
  whole["usage"] = usage_;
  return anthropic_reply(Json(std::move(whole)));
}

namespace {

constexpr std::array kWays{StructuredWay::tools, StructuredWay::json_schema, StructuredWay::text};

constexpr std::array kErrors{
    ErrorName{"invalid_request_error", 400},
    ErrorName{"authentication_error", 401},
    ErrorName{"billing_error", 402, true},
    ErrorName{"credit_balance_exhausted", 402, true},
    ErrorName{"enforced_spend_limit_reached", 402, true},
    ErrorName{"permission_error", 403},
    ErrorName{"not_found_error", 404},
    ErrorName{"conflict_error", 409},
    ErrorName{"request_too_large", 413},
    ErrorName{"rate_limit_error", 429},
    ErrorName{"api_error", 500},
    ErrorName{"timeout_error", 504},
    ErrorName{"overloaded_error", 529},
};

constexpr auto kOwn = std::to_array<std::string_view>(
    {"model", "max_tokens", "messages", "system", "tools", "tool_choice", "temperature", "top_p",
     "stop_sequences", "stream", "thinking", "output_config.format", "output_config.effort"});

}  // namespace

// Users give a base without the version, whatever its path.
constinit const Wire kAnthropicWire{
    .name = kName,
    .version = "/v1",
    .version_in = VersionIn::endpoint,
    .endpoint = "/messages",
    .put_headers = put_headers,
    .body = [](const ChatRequest& request, const ModelSpec& spec,
               const WirePlan& plan) { return to_text(anthropic_body(request, spec, plan)); },
    .reply = anthropic_reply,
    .stream = []() -> std::unique_ptr<ReplyStream> { return std::make_unique<AnthropicStream>(); },
    .options = anthropic_options,
    .ways = kWays,
    .takes_schema = [](const Json& schema) { return anthropic_output_schema(schema).has_value(); },
    // There is one name for the limit, and no seed.
    .capabilities = {.seed = false, .max_completion_tokens = false},
    .thinking = {.temperature = false, .top_p = false, .forced_tool = false},
    .max_tokens = kMaxTokens,
    .own = kOwn,
    .errors = kErrors,
};

}  // namespace assay
