#include "models/providers/responses.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "models/providers/openai_content.h"
#include "models/providers/wire_text.h"
#include "models/structured/schema_subset.h"

namespace assay {
namespace {

// A stream could go on for ever; more items than this in one reply is rubbish.
constexpr std::size_t kMostItems = 4096;
constexpr std::string_view kName = "responses";

Json message_item(std::string_view role, std::string_view text) {
  return JsonObject{{"role", role}, {"content", text}};
}

void put_assistant(JsonArray& input, const Message& from) {
  if (const JsonArray* kept = kept_list(from, kName)) {
    for (const Json& item : *kept) input.push_back(item);
    return;
  }
  if (!from.text.empty() || from.tool_calls.empty()) input.push_back(message_item("assistant", from.text));
  for (const auto& call : from.tool_calls) {
    const std::string arguments = call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text;
    input.push_back(JsonObject{
        {"type", "function_call"}, {"call_id", call.id}, {"name", call.name}, {"arguments", arguments}});
  }
}

Json result_item(const Message& from) {
  // The wire has no flag for a failed call, so the text must say it.
  const bool says_so = lower_ascii(from.text.substr(0, 5)) == "error";
  const std::string text = from.is_error && !says_so ? "Error: " + from.text : from.text;
  return JsonObject{{"type", "function_call_output"}, {"call_id", from.tool_call_id}, {"output", text}};
}

JsonArray input_of(const ChatRequest& request, const WirePlan& plan) {
  const SystemRole role = plan.capabilities.system_role;
  const std::string_view system = role == SystemRole::developer ? "developer"
                                  : role == SystemRole::user    ? "user"
                                                                : "system";
  JsonArray input;
  std::string rest = instruction_of(request, plan);
  for (const auto& from : request.messages) {
    if (from.role == Role::system) {
      std::string text = from.text;
      append_paragraph(text, std::exchange(rest, {}));
      input.push_back(message_item(system, text));
      continue;
    }
    if (!rest.empty()) input.push_back(message_item(system, std::exchange(rest, {})));
    if (from.role == Role::user) input.push_back(message_item("user", from.text));
    if (from.role == Role::tool) input.push_back(result_item(from));
    if (from.role == Role::assistant) put_assistant(input, from);
  }
  if (!rest.empty()) input.push_back(message_item(system, rest));
  return input;
}

Json function_tool(std::string_view name, std::string_view description, const Json& parameters) {
  JsonObject tool{{"type", "function"}, {"name", name}};
  if (!description.empty()) tool["description"] = description;
  tool["parameters"] =
      parameters.is_null() ? Json(JsonObject{{"type", "object"}, {"properties", JsonObject{}}}) : parameters;
  // Unlike chat completions, strict is what this API takes for granted.
  tool["strict"] = false;
  return tool;
}

void put_tools(JsonObject& body, const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
  const ToolPlan tools = plan_tools(request, plan);
  if (tools.empty()) return;
  JsonArray list;
  for (const Tool* tool : tools.own)
    list.push_back(function_tool(tool->name, tool->description, tool->parameters));
  if (tools.answer) {
    list.push_back(function_tool(*tools.answer, request.output->description,
                                 without_annotations(request.output->schema)));
  }
  body["tools"] = std::move(list);
  switch (tools.choice.mode) {
    case ToolChoice::Mode::automatic:
      break;
    case ToolChoice::Mode::none:
      body["tool_choice"] = "none";
      break;
    case ToolChoice::Mode::any:
      body["tool_choice"] = "required";
      break;
    case ToolChoice::Mode::named:
      body["tool_choice"] = JsonObject{{"type", "function"}, {"name", tools.choice.name}};
      break;
  }
  // Models that do not reason refuse to be asked for their thoughts.
  const bool reasons = !spec.reasoning_effort.empty() || plan.capabilities.prefers_max_completion_tokens;
  if (!tools.own.empty() && reasons) body["include"] = JsonArray{"reasoning.encrypted_content"};
}

void put_format(JsonObject& body, const ChatRequest& request, const WirePlan& plan) {
  if (plan.way != StructuredWay::json_schema) return;
  JsonObject format{{"type", "json_schema"},
                    {"name", output_name(*request.output)},
                    {"schema", without_annotations(request.output->schema)},
                    {"strict", plan.strict}};
  if (!request.output->description.empty()) format["description"] = request.output->description;
  body["text"] = JsonObject{{"format", std::move(format)}};
}

Usage usage_of(const Json* from) {
  Usage usage;
  if (from == nullptr || !from->is_object()) return usage;
  usage.prompt_tokens = count_of(*from, "/input_tokens");
  usage.completion_tokens = count_of(*from, "/output_tokens");
  put_cached_tokens(usage, count_of(*from, "/input_tokens_details/cached_tokens"),
                    count_of(*from, "/input_tokens_details/cache_write_tokens"));
  put_thought_tokens(usage, count_of(*from, "/output_tokens_details/reasoning_tokens"),
                     count_of(*from, "/total_tokens"));
  return usage;
}

// Thoughts as far as the provider tells them: a summary, or all of them with open models.
std::string thoughts_in(const Json& item) {
  std::string thoughts;
  for (const std::string_view key : {"summary", "content"}) {
    const Json* parts = find_member(item, key);
    if (parts == nullptr || !parts->is_array()) continue;
    for (const Json& part : parts->get_array()) append_paragraph(thoughts, text_of(part, "text"));
  }
  return thoughts;
}

void take_item(const Json& item, ChatReply& reply) {
  const std::string type = text_of(item, "type");
  if (type == "message" || (type.empty() && find_member(item, "content") != nullptr)) {
    const Content content = content_of(find_member(item, "content"));
    reply.message.text += content.text;
    reply.refusal += content.refusal;
  } else if (type == "reasoning") {
    append_paragraph(reply.message.reasoning, thoughts_in(item));
  } else if (type == "function_call" && reply.message.tool_calls.size() < kMostItems) {
    ToolCall call;
    call.id = text_of(item, "call_id");
    call.name = text_of(item, "name");
    set_arguments(call, find_member(item, "arguments"));
    if (call.id.empty()) call.id = fmt::format("call_{}", reply.message.tool_calls.size() + 1);
    reply.message.tool_calls.push_back(std::move(call));
  }
}

// As input the provider takes the items of its own output, but for what it says about their making.
void keep_items(Message& message, const JsonArray& output) {
  JsonArray kept;
  bool thinks = false;
  for (const Json& item : output) {
    thinks = thinks || text_of(item, "type") == "reasoning";
    if (!item.is_object()) continue;
    JsonObject own;
    for (const auto& member : item.get_object()) {
      if (member.key() != "status") own[member.key()] = member.value();
    }
    kept.push_back(std::move(own));
  }
  if (thinks && !message.tool_calls.empty()) keep_list(message, kName, kept);
}

FinishReason finish_of(const Json& json, bool has_calls) {
  const Json* details = find_member(json, "incomplete_details");
  const std::string reason = details != nullptr ? text_of(*details, "reason") : std::string();
  if (reason == "max_output_tokens" || reason == "max_tokens") return FinishReason::length;
  if (reason == "content_filter") return FinishReason::refusal;
  if (!reason.empty()) return FinishReason::other;
  return has_calls ? FinishReason::tool_calls : FinishReason::stop;
}

Result<JsonObject> responses_options(const ModelSpec& spec, ThinkingForm form) {
  auto asked = chat_options(spec, form);
  if (!asked) return asked;
  JsonObject body;
  for (auto& member : *asked) {
    if (member.key() == "reasoning_effort") {
      body["reasoning"] = JsonObject{{"effort", member.value()}};
    } else {
      body[member.key()] = member.value();
    }
  }
  return body;
}

}  // namespace

Json responses_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
  const Sampling sampling = sampling_of(request, spec, plan.capabilities);
  JsonObject body{{"model", spec.name}, {"input", input_of(request, plan)}, {"store", false}};
  put_tools(body, request, spec, plan);
  put_format(body, request, plan);
  if (sampling.temperature) body["temperature"] = *sampling.temperature;
  if (sampling.top_p) body["top_p"] = *sampling.top_p;
  if (sampling.max_tokens) body["max_output_tokens"] = *sampling.max_tokens;
  if (plan.stream) body["stream"] = true;
  return body;
}

Result<ChatReply> responses_reply(const Json& json) {
  const Json* output = find_member(json, "output");
  if (output == nullptr || !output->is_array()) return fail(ErrorKind::parse, "it has no output");
  if (text_of(json, "status") == "failed") return fail(ErrorKind::parse, "it failed");
  ChatReply reply;
  reply.message.role = Role::assistant;
  for (const Json& item : output->get_array()) take_item(item, reply);
  keep_items(reply.message, output->get_array());
  reply.finish = finish_of(json, !reply.message.tool_calls.empty());
  if (!reply.refusal.empty()) reply.finish = FinishReason::refusal;
  if (reply.finish == FinishReason::refusal && reply.refusal.empty()) reply.refusal = reply.message.text;
  reply.usage = usage_of(find_member(json, "usage"));
  reply.model = text_of(json, "model");
  const Json* created = find_member(json, "created_at");
  reply.origin = {.id = text_of(json, "id"),
                  .finish_reason = text_of(json, "status"),
                  .created = created != nullptr ? as_integer(*created).value_or(0) : 0};
  return reply;
}

void ResponsesStream::take(const ServerSentEvent& event) {
  if (finished() || error_ || broken_) return;
  const std::string_view data = trim(event.data);
  if (data.empty() || data == "[DONE]") return;
  const auto json = parse_json(data);
  if (!json) {
    broken_ = std::string(data);
    return;
  }
  std::string type = text_of(*json, "type");
  if (type.empty()) type = event.event;
  if (type == "error" || type == "response.failed") {
    const Json* failed = find_member(*json, "response");
    error_ = failed != nullptr ? *failed : *json;
  } else if (type.ends_with(".delta")) {
    count(text_of(*json, "delta"));
  } else if (type == "response.output_item.done") {
    const Json* item = find_member(*json, "item");
    if (item != nullptr && items_.size() < kMostItems) items_.push_back(*item);
  } else if (type == "response.completed" || type == "response.incomplete") {
    const Json* whole = find_member(*json, "response");
    if (whole != nullptr && whole->is_object()) response_ = *whole;
  }
}

Result<ChatReply> ResponsesStream::reply() const {
  if (!finished()) return fail(ErrorKind::parse, "it has no response.completed");
  JsonObject whole = response_.get_object();
  const Json* output = whole.if_contains("output");
  const bool left_out = output == nullptr || !output->is_array() || output->get_array().empty();
  if (left_out) whole["output"] = items_;
  return responses_reply(Json(std::move(whole)));
}

namespace {

constexpr std::array kWays{StructuredWay::json_schema, StructuredWay::tools, StructuredWay::text};
constexpr auto kOwn = std::to_array<std::string_view>(
    {"model", "input", "store", "tools", "tool_choice", "text.format", "temperature", "top_p",
     "max_output_tokens", "stream", "include", "reasoning.effort", "previous_response_id", "background",
     "conversation"});

constexpr std::array kErrors{
    ErrorName{"invalid_prompt", 400},
    ErrorName{"vector_store_timeout", 504},
};

}  // namespace

constinit const Wire kResponsesWire{
    .name = kName,
    .version = "/v1",
    .version_in = VersionIn::base,
    .endpoint = "/responses",
    .body = [](const ChatRequest& request, const ModelSpec& spec,
               const WirePlan& plan) { return to_text(responses_body(request, spec, plan)); },
    .reply = responses_reply,
    .stream = []() -> std::unique_ptr<ReplyStream> { return std::make_unique<ResponsesStream>(); },
    .options = responses_options,
    .ways = kWays,
    .takes_strictly = [](const Json& schema) { return !strict_misfit(schema); },
    // Neither seed nor stop sequences; the limit has a name of its own.
    .capabilities = {.seed = false, .stop = false, .stream_options = false, .max_completion_tokens = false},
    .own = kOwn,
    .errors = kErrors,
};

}  // namespace assay
