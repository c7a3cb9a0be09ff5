#include "models/providers/gemini.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/json/depth.h"
#include "core/text.h"
#include "models/providers/wire_text.h"
#include "models/structured/schema_subset.h"

namespace assay {
namespace {

// A stream could go on for ever; more parts than this in one reply is rubbish.
constexpr std::size_t kMostParts = 4096;
constexpr std::string_view kName = "gemini";

Json text_part(std::string_view text) {
  return JsonObject{{"text", text}};
}

// Older models give their calls no ids, and are not told the ones that stand here in their place.
constexpr std::string_view kOwnId = "call_";
bool is_own_id(std::string_view id) {
  return id.empty() || id.starts_with(kOwnId);
}

Json call_part(const ToolCall& call) {
  Json args = call.arguments;
  if (!args.is_object()) {
    args = JsonObject{};
    if (!call.arguments_text.empty()) args.get_object()["arguments_text"] = call.arguments_text;
  }
  JsonObject made{{"name", call.name}, {"args", std::move(args)}};
  if (!is_own_id(call.id)) made["id"] = call.id;
  return JsonObject{{"functionCall", std::move(made)}};
}

// A result names the function, and the call if the service has named that; it must be an object.
Json result_part(const Message& from, std::string_view function) {
  Json response;
  if (auto parsed = parse_json(from.text); !from.is_error && parsed && parsed->is_object()) {
    response = std::move(*parsed);
  } else {
    response = JsonObject{{from.is_error ? "error" : "result", from.text}};
  }
  JsonObject made{{"name", function}, {"response", std::move(response)}};
  if (!is_own_id(from.tool_call_id)) made["id"] = from.tool_call_id;
  return JsonObject{{"functionResponse", std::move(made)}};
}

JsonArray parts_of(const ChatRequest& request, std::size_t at) {
  const Message& from = request.messages[at];
  if (from.role == Role::tool) return {result_part(from, called_name(request, at))};
  if (const JsonArray* kept = kept_list(from, kName)) return *kept;
  JsonArray parts;
  if (!from.text.empty()) parts.push_back(text_part(from.text));
  for (const auto& call : from.tool_calls) parts.push_back(call_part(call));
  return parts;
}

// Turns alternate: neighbours of the same role become one.
JsonArray contents_of(const ChatRequest& request) {
  JsonArray list;
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const Message& from = request.messages[i];
    if (from.role == Role::system) continue;
    const std::string_view role = from.role == Role::assistant ? "model" : "user";
    JsonArray parts = parts_of(request, i);
    if (parts.empty() && from.role == Role::assistant) continue;
    if (parts.empty()) parts.push_back(text_part(""));
    if (!list.empty() && list.back().at("role").as_string() == role) {
      JsonArray& before = list.back().at("parts").as_array();
      for (auto& part : parts) before.push_back(std::move(part));
    } else {
      list.push_back(JsonObject{{"role", role}, {"parts", std::move(parts)}});
    }
  }
  return list;
}

Json declaration(std::string_view name, std::string_view description, const Json& parameters) {
  JsonObject function{{"name", name}};
  // The service wants to be told what a function is for.
  function["description"] = description.empty() ? name : description;
  if (!parameters.is_null()) function["parametersJsonSchema"] = parameters;
  return function;
}

void put_tools(JsonObject& body, const ChatRequest& request, const WirePlan& plan) {
  const ToolPlan tools = plan_tools(request, plan);
  if (tools.empty()) return;
  JsonArray functions;
  for (const Tool* tool : tools.own)
    functions.push_back(declaration(tool->name, tool->description, tool->parameters));
  if (tools.answer) {
    functions.push_back(declaration(*tools.answer, request.output->description,
                                    gemini_output_schema(request.output->schema)));
  }
  body["tools"] = JsonArray{JsonObject{{"functionDeclarations", std::move(functions)}}};
  JsonObject calling;
  switch (tools.choice.mode) {
    case ToolChoice::Mode::automatic:
      return;
    case ToolChoice::Mode::none:
      calling["mode"] = "NONE";
      break;
    case ToolChoice::Mode::any:
      calling["mode"] = "ANY";
      break;
    case ToolChoice::Mode::named:
      calling["mode"] = "ANY";
      calling["allowedFunctionNames"] = JsonArray{Json(tools.choice.name)};
      break;
  }
  body["toolConfig"] = JsonObject{{"functionCallingConfig", std::move(calling)}};
}

JsonObject generation_of(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
  const Sampling sampling = sampling_of(request, spec, plan.capabilities);
  JsonObject config;
  if (sampling.temperature) config["temperature"] = *sampling.temperature;
  if (sampling.top_p) config["topP"] = *sampling.top_p;
  // Of 32 bits there; the same seed becomes the same number.
  if (sampling.seed) config["seed"] = *sampling.seed & 0x7FFFFFFF;
  if (!sampling.stop.empty()) config["stopSequences"] = text_list(sampling.stop);
  if (sampling.max_tokens) config["maxOutputTokens"] = *sampling.max_tokens;
  if (plan.way == StructuredWay::json_schema) {
    config["responseMimeType"] = "application/json";
    config["responseJsonSchema"] = gemini_output_schema(request.output->schema);
  }
  return config;
}

FinishReason finish_of(std::string_view reason, bool has_calls) {
  constexpr std::array<std::string_view, 7> refusals{
      "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"};
  if (reason == "MAX_TOKENS") return FinishReason::length;
  if (std::ranges::find(refusals, reason) != refusals.end()) return FinishReason::refusal;
  if (has_calls) return FinishReason::tool_calls;
  return reason.empty() || reason == "STOP" ? FinishReason::stop : FinishReason::other;
}

Usage usage_of(const Json& from) {
  Usage usage;
  const Json* counted = find_member(from, "usageMetadata");
  if (counted == nullptr) return usage;
  usage.prompt_tokens =
      count_of(*counted, "/promptTokenCount") + count_of(*counted, "/toolUsePromptTokenCount");
  usage.cached_tokens = std::min(count_of(*counted, "/cachedContentTokenCount"), usage.prompt_tokens);
  usage.reasoning_tokens = count_of(*counted, "/thoughtsTokenCount");
  usage.completion_tokens = count_of(*counted, "/candidatesTokenCount") + usage.reasoning_tokens;
  return usage;
}

void take_part(const Json& part, Message& message) {
  if (const Json* from = find_member(part, "functionCall")) {
    ToolCall call;
    call.id = text_of(*from, "id");
    call.name = text_of(*from, "name");
    set_arguments(call, find_member(*from, "args"));
    if (call.id.empty()) call.id = fmt::format("{}{}", kOwnId, message.tool_calls.size() + 1);
    message.tool_calls.push_back(std::move(call));
    return;
  }
  const Json* thought = find_member(part, "thought");
  const bool thinks = thought != nullptr && as_boolean(*thought).value_or(false);
  (thinks ? message.reasoning : message.text) += text_of(part, "text");
}

bool is_signed(const Json& part) {
  return find_member(part, "thoughtSignature") != nullptr;
}

ChatReply blocked_reply(std::string reason) {
  ChatReply reply;
  reply.message.role = Role::assistant;
  reply.finish = FinishReason::refusal;
  reply.refusal = fmt::format("the prompt was blocked: {}", reason);
  reply.origin.finish_reason = std::move(reason);
  return reply;
}

std::string block_reason(const Json& json) {
  const Json* feedback = find_member(json, "promptFeedback");
  return feedback == nullptr ? std::string() : text_of(*feedback, "blockReason");
}

const Json* first_candidate(const Json& json) {
  const Json* candidates = find_member(json, "candidates");
  if (candidates == nullptr || !candidates->is_array() || candidates->get_array().empty()) return nullptr;
  return &candidates->get_array().front();
}

Result<JsonObject> gemini_options(const ModelSpec& spec, ThinkingForm /*form*/) {
  const auto thinking = read_thinking(spec.thinking);
  if (!thinking) return fail(thinking.error());
  JsonObject config;
  if (*thinking) {
    const Thinking& asked = **thinking;
    if (asked.own) {
      config = *asked.own;
    } else if (!asked.on) {
      config["thinkingBudget"] = 0;
    } else {
      config["includeThoughts"] = true;
      if (asked.budget) config["thinkingBudget"] = *asked.budget;
    }
  }
  if (!spec.reasoning_effort.empty()) {
    if (spec.name.starts_with("gemini-2"))
      return fail(ErrorKind::config,
                  fmt::format("reasoning_effort: {} takes no level: say in thinking how many tokens it may "
                              "think, or false",
                              spec.name));
    if (config.contains("thinkingBudget"))
      return fail(
          ErrorKind::config,
          "reasoning_effort: Gemini takes either a level or a number of tokens, and thinking says how "
          "many: leave one of them out");
    std::string level;
    for (const char c : spec.reasoning_effort) level += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    config["thinkingLevel"] = level;
  }
  if (config.empty()) return JsonObject{};
  return JsonObject{{"generationConfig", JsonObject{{"thinkingConfig", std::move(config)}}}};
}

Json embed_body(std::string_view model, const std::vector<std::string>& texts) {
  JsonArray requests;
  for (const std::string& text : texts) {
    requests.push_back(JsonObject{{"model", fmt::format("models/{}", model)},
                                  {"content", JsonObject{{"parts", JsonArray{text_part(text)}}}}});
  }
  return JsonObject{{"requests", std::move(requests)}};
}

Json predict_body(std::string_view /*model*/, const std::vector<std::string>& texts) {
  JsonArray instances;
  for (const std::string& text : texts) instances.push_back(JsonObject{{"content", text}});
  return JsonObject{{"instances", std::move(instances)}};
}

}  // namespace

Json gemini_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
  JsonObject body;
  std::string system;
  for (const auto& from : request.messages) {
    if (from.role == Role::system) append_paragraph(system, from.text);
  }
  append_paragraph(system, instruction_of(request, plan));
  if (!system.empty()) body["systemInstruction"] = JsonObject{{"parts", JsonArray{text_part(system)}}};
  body["contents"] = contents_of(request);
  put_tools(body, request, plan);
  if (JsonObject config = generation_of(request, spec, plan); !config.empty())
    body["generationConfig"] = std::move(config);
  return body;
}

Result<ChatReply> gemini_reply(const Json& json) {
  const Json* candidate = first_candidate(json);
  ChatReply reply;
  if (candidate == nullptr) {
    const std::string reason = block_reason(json);
    if (reason.empty()) return fail(ErrorKind::parse, "it has no candidates");
    reply = blocked_reply(reason);
  } else {
    reply.message.role = Role::assistant;
    const Json* parts = find_pointer(*candidate, "/content/parts");
    const bool any = parts != nullptr && parts->is_array();
    bool signs = false;
    for (const Json& part : any ? parts->get_array() : JsonArray{}) {
      if (reply.message.tool_calls.size() < kMostParts) take_part(part, reply.message);
      signs = signs || is_signed(part);
    }
    if (!reply.message.tool_calls.empty() && (signs || !reply.message.reasoning.empty()))
      keep_list(reply.message, kName, parts->get_array());
    const std::string reason = text_of(*candidate, "finishReason");
    reply.finish = finish_of(reason, !reply.message.tool_calls.empty());
    reply.origin.finish_reason = reason;
    if (reply.finish == FinishReason::refusal) {
      reply.refusal = text_of(*candidate, "finishMessage");
      if (reply.refusal.empty()) reply.refusal = reply.message.text.empty() ? reason : reply.message.text;
    }
  }
  reply.usage = usage_of(json);
  reply.model = text_of(json, "modelVersion");
  reply.origin.id = text_of(json, "responseId");
  return reply;
}

void GeminiStream::take(const ServerSentEvent& event) {
  if (finished_ || error_ || broken_) return;
  const std::string_view data = trim(event.data);
  if (data.empty()) return;
  const auto chunk = parse_json(data);
  if (!chunk) {
    broken_ = std::string(data);
    return;
  }
  if (const Json* error = find_member(*chunk, "error"); error != nullptr && !error->is_null()) {
    error_ = *chunk;
    return;
  }
  if (!chunk->is_object()) return;
  for (const std::string_view key : {"usageMetadata", "modelVersion", "responseId", "promptFeedback"}) {
    if (const Json* value = find_member(*chunk, key)) head_[key] = *value;
  }
  if (!block_reason(*chunk).empty()) any_ = finished_ = true;
  const Json* candidate = first_candidate(*chunk);
  if (candidate == nullptr) return;
  any_ = true;
  take_parts(*candidate);
  for (const std::string_view key : {"finishReason", "finishMessage"}) {
    if (const Json* value = find_member(*candidate, key); value != nullptr && !value->is_null())
      candidate_[key] = *value;
  }
  finished_ = finished_ || candidate_.contains("finishReason");
}

void GeminiStream::take_parts(const Json& candidate) {
  const Json* parts = find_pointer(candidate, "/content/parts");
  if (parts == nullptr || !parts->is_array()) return;
  for (const Json& part : parts->get_array()) {
    const Json* text = find_member(part, "text");
    const auto words = text != nullptr ? as_text(*text) : std::nullopt;
    if (words) count(*words);
    if (const Json* args = find_pointer(part, "/functionCall/args")) count(to_text(*args));
    // Pieces of one text become one part; a signature belongs to the part that it came with.
    const bool continues =
        words && !parts_.empty() && find_member(parts_.back(), "text") != nullptr &&
        !is_signed(parts_.back()) && !is_signed(part) &&
        (find_member(parts_.back(), "thought") != nullptr) == (find_member(part, "thought") != nullptr);
    if (continues && parts_.back().at("text").is_string()) {
      parts_.back().at("text").get_string().append(*words);
    } else if (parts_.size() < kMostParts) {
      parts_.push_back(part);
    }
  }
}

Result<ChatReply> GeminiStream::reply() const {
  if (!any_) return fail(ErrorKind::parse, "it has no candidates");
  JsonObject whole = head_;
  JsonObject candidate = candidate_;
  candidate["content"] = JsonObject{{"role", "model"}, {"parts", parts_}};
  // A prompt that was blocked has no candidate.
  if (block_reason(Json(head_)).empty()) whole["candidates"] = JsonArray{std::move(candidate)};
  return gemini_reply(Json(std::move(whole)));
}

namespace {

constexpr std::array kWays{StructuredWay::json_schema, StructuredWay::tools, StructuredWay::text};
constexpr auto kOwn = std::to_array<std::string_view>(
    {"contents", "systemInstruction", "system_instruction", "tools", "toolConfig", "tool_config",
     "generationConfig.temperature", "generationConfig.topP", "generationConfig.seed",
     "generationConfig.stopSequences", "generationConfig.maxOutputTokens",
     "generationConfig.responseMimeType", "generationConfig.responseJsonSchema",
     "generationConfig.responseSchema", "generationConfig.candidateCount"});
constexpr std::array kErrors{
    ErrorName{"INVALID_ARGUMENT", 400},  ErrorName{"FAILED_PRECONDITION", 400},
    ErrorName{"API_KEY_INVALID", 401},   ErrorName{"UNAUTHENTICATED", 401},
    ErrorName{"PERMISSION_DENIED", 403}, ErrorName{"NOT_FOUND", 404},
    ErrorName{"ABORTED", 409},           ErrorName{"RESOURCE_EXHAUSTED", 429},
    ErrorName{"INTERNAL", 500},          ErrorName{"UNAVAILABLE", 503},
    ErrorName{"DEADLINE_EXCEEDED", 504},
};
constexpr EmbeddingForm kEmbed{"/models/{model}:batchEmbedContents", embed_body};
constexpr EmbeddingForm kPredict{
    "/models/{model}:predict", predict_body,
    [](std::string_view model) -> std::size_t { return model.starts_with("gemini-") ? 1 : 250; }};

constexpr Wire gemini_wire(std::string_view version, const EmbeddingForm& embeddings) {
  return {
      .name = kName,
      .version = version,
      .version_in = VersionIn::base,
      .endpoint = "/models/{model}:generateContent",
      .stream_endpoint = "/models/{model}:streamGenerateContent?alt=sse",
      .embeddings = &embeddings,
      .body = [](const ChatRequest& request, const ModelSpec& spec,
                 const WirePlan& plan) { return to_text(gemini_body(request, spec, plan)); },
      .reply = gemini_reply,
      .stream = []() -> std::unique_ptr<ReplyStream> { return std::make_unique<GeminiStream>(); },
      .options = gemini_options,
      .ways = kWays,
      .capabilities = {.stream_options = false, .strict = false, .max_completion_tokens = false},
      .own = kOwn,
      .errors = kErrors,
  };
}

}  // namespace

constinit const Wire kGeminiWire = gemini_wire("/v1beta", kEmbed);
constinit const Wire kVertexWire = gemini_wire("/v1", kPredict);

}  // namespace assay
