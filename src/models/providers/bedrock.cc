#include "models/providers/bedrock.h"

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
constexpr std::string_view kName = "bedrock";

Json text_block(std::string_view text) {
  return JsonObject{{"text", text}};
}

Json call_block(const ToolCall& call) {
  // The wire takes objects only; what the model wrote instead stays visible to it.
  Json input = call.arguments;
  if (!input.is_object()) {
    input = JsonObject{};
    if (!call.arguments_text.empty()) input.get_object()["arguments_text"] = call.arguments_text;
  }
  return JsonObject{
      {"toolUse", JsonObject{{"toolUseId", call.id}, {"name", call.name}, {"input", std::move(input)}}}};
}

Json result_block(const Message& from) {
  JsonObject result{{"toolUseId", from.tool_call_id},
                    {"content", JsonArray{text_block(from.text.empty() ? "(nothing)" : from.text)}}};
  if (from.is_error) result["status"] = "error";
  return JsonObject{{"toolResult", std::move(result)}};
}

JsonArray blocks_of(const Message& from) {
  if (from.role == Role::tool) return {result_block(from)};
  if (const JsonArray* kept = kept_list(from, kName)) return *kept;
  JsonArray blocks;
  // Empty text blocks are refused.
  if (!from.text.empty()) blocks.push_back(text_block(from.text));
  for (const auto& call : from.tool_calls) blocks.push_back(call_block(call));
  return blocks;
}

// Turns alternate: neighbours of the same role become one message.
JsonArray messages_of(const ChatRequest& request) {
  JsonArray list;
  for (const auto& from : request.messages) {
    if (from.role == Role::system) continue;
    const std::string_view role = from.role == Role::assistant ? "assistant" : "user";
    JsonArray blocks = blocks_of(from);
    if (blocks.empty()) continue;
    if (!list.empty() && list.back().at("role").as_string() == role) {
      JsonArray& content = list.back().at("content").as_array();
      for (auto& block : blocks) content.push_back(std::move(block));
    } else {
      list.push_back(JsonObject{{"role", role}, {"content", std::move(blocks)}});
    }
  }
  return list;
}

Json tool_json(std::string_view name, std::string_view description, const Json& parameters) {
  JsonObject spec{{"name", name}};
  if (!description.empty()) spec["description"] = description;
  Json schema =
      parameters.is_null() ? Json(JsonObject{{"type", "object"}, {"properties", JsonObject{}}}) : parameters;
  spec["inputSchema"] = JsonObject{{"json", std::move(schema)}};
  return JsonObject{{"toolSpec", std::move(spec)}};
}

void put_tools(JsonObject& body, const ChatRequest& request, const WirePlan& plan) {
  ToolPlan tools = plan_tools(request, plan);
  const bool called = std::ranges::any_of(request.messages,
                                          [](const Message& message) { return !message.tool_calls.empty(); });
  // There is no "none"; and a conversation with calls in it must say what was called.
  if (tools.choice.mode == ToolChoice::Mode::none && !called) tools.own.clear();
  if (tools.empty()) return;
  JsonArray list;
  for (const Tool* tool : tools.own)
    list.push_back(tool_json(tool->name, tool->description, tool->parameters));
  if (tools.answer) {
    list.push_back(
        tool_json(*tools.answer, request.output->description, without_annotations(request.output->schema)));
  }
  JsonObject config{{"tools", std::move(list)}};
  if (tools.choice.mode == ToolChoice::Mode::any) config["toolChoice"] = JsonObject{{"any", JsonObject{}}};
  if (tools.choice.mode == ToolChoice::Mode::named)
    config["toolChoice"] = JsonObject{{"tool", JsonObject{{"name", tools.choice.name}}}};
  body["toolConfig"] = std::move(config);
}

JsonObject inference_of(const Sampling& sampling) {
  JsonObject config;
  if (sampling.max_tokens) config["maxTokens"] = *sampling.max_tokens;
  if (sampling.temperature) config["temperature"] = *sampling.temperature;
  if (sampling.top_p) config["topP"] = *sampling.top_p;
  if (!sampling.stop.empty()) config["stopSequences"] = text_list(sampling.stop);
  return config;
}

FinishReason finish_of(std::string_view reason, bool has_calls) {
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return FinishReason::length;
  if (reason == "content_filtered" || reason == "guardrail_intervened") return FinishReason::refusal;
  if (has_calls) return FinishReason::tool_calls;
  if (reason.empty() || reason == "end_turn" || reason == "stop_sequence" || reason == "tool_use")
    return FinishReason::stop;
  return FinishReason::other;
}

Usage usage_of(const Json& json) {
  Usage usage;
  const Json* from = find_member(json, "usage");
  if (from == nullptr) return usage;
  usage.cached_tokens = count_of(*from, "/cacheReadInputTokens");
  usage.cache_write_tokens = count_of(*from, "/cacheWriteInputTokens");
  // inputTokens counts only what was neither read from the cache nor written to it.
  for (const std::int64_t part :
       {count_of(*from, "/inputTokens"), usage.cached_tokens, usage.cache_write_tokens}) {
    usage += Usage{.prompt_tokens = part};
  }
  usage.completion_tokens = count_of(*from, "/outputTokens");
  return usage;
}

// True if it was a thought.
bool take_block(const Json& block, Message& message) {
  if (const Json* use = find_member(block, "toolUse")) {
    ToolCall call;
    call.id = text_of(*use, "toolUseId");
    call.name = text_of(*use, "name");
    set_arguments(call, find_member(*use, "input"));
    if (call.id.empty()) call.id = fmt::format("call_{}", message.tool_calls.size() + 1);
    message.tool_calls.push_back(std::move(call));
    return false;
  }
  if (const Json* reasoning = find_member(block, "reasoningContent")) {
    if (const Json* text = find_member(*reasoning, "reasoningText"))
      append_paragraph(message.reasoning, text_of(*text, "text"));
    return true;
  }
  message.text += text_of(block, "text");
  return false;
}

// As it came, for the signatures; only a call's input, which a stream gives as text, is what was read.
void keep_content(Message& message, JsonArray content) {
  std::size_t calls = 0;
  for (Json& block : content) {
    if (find_member(block, "toolUse") != nullptr && calls < message.tool_calls.size())
      block = call_block(message.tool_calls[calls++]);
  }
  keep_list(message, kName, content);
}

Result<JsonObject> bedrock_options(const ModelSpec& spec, ThinkingForm /*form*/) {
  if (auto checked = check_anthropic_thinking(spec); !checked) return fail(checked.error());
  if (spec.reasoning_effort.empty()) return JsonObject{};
  // Claude's effort has a place in the API; open models read theirs from the fields of their own.
  if (spec.name.contains("anthropic."))
    return JsonObject{{"outputConfig", JsonObject{{"effort", spec.reasoning_effort}}}};
  return JsonObject{
      {"additionalModelRequestFields", JsonObject{{"reasoning_effort", spec.reasoning_effort}}}};
}

}  // namespace

Json bedrock_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
  JsonObject body{{"messages", messages_of(request)}};
  std::string system;
  for (const auto& from : request.messages) {
    if (from.role == Role::system) append_paragraph(system, from.text);
  }
  append_paragraph(system, instruction_of(request, plan));
  if (!system.empty()) body["system"] = JsonArray{text_block(system)};
  put_tools(body, request, plan);
  const Sampling sampling = sampling_of(request, spec, plan.capabilities);
  if (JsonObject config = inference_of(sampling); !config.empty())
    body["inferenceConfig"] = std::move(config);
  if (auto thinking = anthropic_thinking(spec, plan.capabilities, sampling.max_tokens))
    body["additionalModelRequestFields"] = JsonObject{{"thinking", std::move(*thinking)}};
  if (plan.way == StructuredWay::json_schema) {
    const Json schema =
        anthropic_output_schema(request.output->schema).value_or(without_annotations(request.output->schema));
    JsonObject definition{{"schema", to_text(schema)}, {"name", output_name(*request.output)}};
    if (!request.output->description.empty()) definition["description"] = request.output->description;
    body["outputConfig"] = JsonObject{
        {"textFormat", JsonObject{{"type", "json_schema"},
                                  {"structure", JsonObject{{"jsonSchema", std::move(definition)}}}}}};
  }
  return body;
}

Result<ChatReply> bedrock_reply(const Json& json) {
  const Json* content = find_pointer(json, "/output/message/content");
  if (content == nullptr || !content->is_array()) return fail(ErrorKind::parse, "it has no message");
  ChatReply reply;
  reply.message.role = Role::assistant;
  bool thinks = false;
  for (const Json& block : content->get_array()) thinks = take_block(block, reply.message) || thinks;
  if (thinks && !reply.message.tool_calls.empty()) keep_content(reply.message, content->get_array());
  const std::string reason = text_of(json, "stopReason");
  reply.finish = finish_of(reason, !reply.message.tool_calls.empty());
  if (reply.finish == FinishReason::refusal)
    reply.refusal = reply.message.text.empty() ? reason : reply.message.text;
  reply.usage = usage_of(json);
  reply.origin = {.finish_reason = reason};
  return reply;
}

void BedrockStream::take(const ServerSentEvent& event) {
  if (finished() || error_ || broken_) return;
  const auto json = parse_json(event.data);
  if (!json || !json->is_object()) {
    broken_ = event.data;
    return;
  }
  const std::string& type = event.event;
  if (type.ends_with("Exception") || type.ends_with("Error")) {
    JsonObject told = json->get_object();
    told["type"] = type;
    error_ = std::move(told);
    return;
  }
  const Json* index = find_member(*json, "contentBlockIndex");
  const std::int64_t number = index != nullptr ? as_integer(*index).value_or(-1) : -1;
  const bool known = blocks_.contains(number) || blocks_.size() < kMostBlocks;
  if (type == "messageStart") {
    started_ = true;
  } else if (type == "contentBlockStart" && number >= 0 && known) {
    const Json* use = find_pointer(*json, "/start/toolUse");
    if (use != nullptr && use->is_object()) blocks_[number].start = use->get_object();
  } else if (type == "contentBlockDelta" && number >= 0 && known) {
    if (const Json* delta = find_member(*json, "delta")) extend(blocks_[number], *delta);
  } else if (type == "messageStop") {
    stop_reason_ = text_of(*json, "stopReason");
    stopped_ = true;
  } else if (type == "metadata") {
    metadata_ = json->get_object();
  }
}

void BedrockStream::extend(Block& block, const Json& delta) {
  const std::string text = text_of(delta, "text");
  block.text += text;
  count(text);
  if (const Json* use = find_member(delta, "toolUse")) {
    const std::string input = text_of(*use, "input");
    block.input += input;
    count(input);
  }
  if (const Json* thought = find_member(delta, "reasoningContent")) {
    block.thinks = true;
    const std::string words = text_of(*thought, "text");
    block.thoughts += words;
    block.signature += text_of(*thought, "signature");
    block.redacted += text_of(*thought, "redactedContent");
    count(words);
  }
}

Json BedrockStream::block_json(const Block& block) {
  if (!block.start.empty()) {
    JsonObject use = block.start;
    // As text: bedrock_reply reads it, and keeps what is not JSON.
    use["input"] = block.input;
    return JsonObject{{"toolUse", std::move(use)}};
  }
  if (!block.thinks) return text_block(block.text);
  if (!block.redacted.empty())
    return JsonObject{{"reasoningContent", JsonObject{{"redactedContent", block.redacted}}}};
  JsonObject thought{{"text", block.thoughts}};
  if (!block.signature.empty()) thought["signature"] = block.signature;
  return JsonObject{{"reasoningContent", JsonObject{{"reasoningText", std::move(thought)}}}};
}

Result<ChatReply> BedrockStream::reply() const {
  if (!started_) return fail(ErrorKind::parse, "it has no messageStart");
  JsonArray content;
  for (const auto& [number, block] : blocks_) content.push_back(block_json(block));
  JsonObject whole = metadata_;
  whole["output"] =
      JsonObject{{"message", JsonObject{{"role", "assistant"}, {"content", std::move(content)}}}};
  whole["stopReason"] = stop_reason_;
  return bedrock_reply(Json(std::move(whole)));
}

namespace {

constexpr std::array kWays{StructuredWay::tools, StructuredWay::json_schema, StructuredWay::text};
constexpr auto kOwn = std::to_array<std::string_view>(
    {"messages", "system", "toolConfig", "inferenceConfig", "outputConfig.textFormat", "outputConfig.effort",
     "additionalModelRequestFields.thinking", "additionalModelRequestFields.reasoning_effort", "modelId"});
constexpr std::array kErrors{
    ErrorName{"ValidationException", 400},         ErrorName{"validationException", 400},
    ErrorName{"UnrecognizedClientException", 403}, ErrorName{"AccessDeniedException", 403},
    ErrorName{"ResourceNotFoundException", 404},   ErrorName{"ModelTimeoutException", 408},
    ErrorName{"ThrottlingException", 429},         ErrorName{"throttlingException", 429},
    ErrorName{"ModelNotReadyException", 429},      ErrorName{"ServiceQuotaExceededException", 402, true},
    ErrorName{"InternalServerException", 500},     ErrorName{"internalServerException", 500},
    ErrorName{"modelStreamErrorException", 500},   ErrorName{"ServiceUnavailableException", 503},
    ErrorName{"serviceUnavailableException", 503},
};

}  // namespace

constinit const Wire kBedrockWire{
    .name = kName,
    .version = "",
    .version_in = VersionIn::base,
    .endpoint = "/model/{model}/converse",
    .stream_endpoint = "/model/{model}/converse-stream",
    .framing = Framing::aws,
    .body = [](const ChatRequest& request, const ModelSpec& spec,
               const WirePlan& plan) { return to_text(bedrock_body(request, spec, plan)); },
    .reply = bedrock_reply,
    .stream = []() -> std::unique_ptr<ReplyStream> { return std::make_unique<BedrockStream>(); },
    .options = bedrock_options,
    .ways = kWays,
    .takes_schema = [](const Json& schema) { return anthropic_output_schema(schema).has_value(); },
    .capabilities = {.seed = false, .stream_options = false, .max_completion_tokens = false},
    .thinking = {.temperature = false, .top_p = false, .forced_tool = false},
    .own = kOwn,
    .errors = kErrors,
};

}  // namespace assay
