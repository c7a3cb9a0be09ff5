#include "models/providers/openai.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "models/providers/openai_content.h"
#include "models/providers/wire_text.h"
#include "models/structured/schema_subset.h"

namespace assay {
namespace {

// A stream could name any index; more calls than this in one reply is rubbish.
constexpr std::size_t kMostCalls = 1024;
constexpr std::string_view kName = "openai";

// Members of an object, one after the other.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
  void end() { out_ += '}'; }

  // The value follows.
  std::string& key(std::string_view name) {
    if (!std::exchange(first_, false)) out_ += ',';
    append_json_string(out_, name);
    out_ += ':';
    return out_;
  }
  void text(std::string_view name, std::string_view value) { append_json_string(key(name), value); }
  void number(std::string_view name, std::int64_t value) { append_json_number(key(name), value); }
  void value(std::string_view name, const Json& value) { append_json(key(name), value); }

 private:
  std::string& out_;
  bool first_ = true;
};

void put_message(std::string& out, std::string_view role, std::string_view content) {
  if (out.back() != '[') out += ',';
  Members message(out);
  message.text("role", role);
  message.text("content", content);
  message.end();
}

Json assistant_message(const Message& from) {
  JsonObject json{{"role", "assistant"}};
  if (from.text.empty() && !from.tool_calls.empty()) {
    json["content"] = nullptr;
  } else {
    json["content"] = from.text;
  }
  if (from.tool_calls.empty()) return json;
  if (const JsonArray* kept = kept_list(from, kName)) {
    for (const Json& thoughts : *kept) {
      if (!thoughts.is_object()) continue;
      for (const auto& member : thoughts.get_object()) json[member.key()] = member.value();
    }
  }
  JsonArray calls;
  for (const auto& call : from.tool_calls) {
    const std::string arguments = call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text;
    calls.push_back(JsonObject{{"id", call.id},
                               {"type", "function"},
                               {"function", JsonObject{{"name", call.name}, {"arguments", arguments}}}});
  }
  json["tool_calls"] = std::move(calls);
  return json;
}

Json tool_message(const Message& from) {
  // The wire has no flag for a failed call, so the text must say it.
  const bool says_so = lower_ascii(from.text.substr(0, 5)) == "error";
  const std::string text = from.is_error && !says_so ? "Error: " + from.text : from.text;
  return JsonObject{{"role", "tool"}, {"tool_call_id", from.tool_call_id}, {"content", text}};
}

void put_messages(std::string& out, const ChatRequest& request, const WirePlan& plan) {
  const SystemRole role = plan.capabilities.system_role;
  const std::string_view system = role == SystemRole::developer ? "developer" : "system";
  out += '[';
  // Instructions that must go as the user's words stand before what the user says, in the same message, since
  // models without a system role often insist on turns that alternate.
  std::string pending;
  const auto put_system = [&](std::string_view text) {
    if (role != SystemRole::user) {
      put_message(out, system, text);
    } else {
      append_paragraph(pending, text);
    }
  };
  const auto flush = [&] {
    if (!pending.empty()) put_message(out, "user", std::exchange(pending, {}));
  };
  std::string rest = instruction_of(request, plan);
  for (const auto& from : request.messages) {
    if (from.role == Role::system) {
      if (rest.empty()) {
        put_system(from.text);
        continue;
      }
      std::string text = from.text;
      append_paragraph(text, std::exchange(rest, {}));
      put_system(text);
      continue;
    }
    if (!rest.empty()) put_system(std::exchange(rest, {}));
    if (from.role == Role::user && pending.empty()) {
      put_message(out, "user", from.text);
      continue;
    }
    if (from.role == Role::user) {
      append_paragraph(pending, from.text);
      put_message(out, "user", std::exchange(pending, {}));
      continue;
    }
    flush();
    if (out.back() != '[') out += ',';
    append_json(out, from.role == Role::assistant ? assistant_message(from) : tool_message(from));
  }
  if (!rest.empty()) put_system(rest);
  flush();
  out += ']';
}

Json function_tool(std::string_view name, std::string_view description, const Json& parameters) {
  JsonObject function{{"name", name}};
  if (!description.empty()) function["description"] = description;
  function["parameters"] =
      parameters.is_null() ? Json(JsonObject{{"type", "object"}, {"properties", JsonObject{}}}) : parameters;
  return JsonObject{{"type", "function"}, {"function", std::move(function)}};
}

void put_tools(Members& body, const ChatRequest& request, const WirePlan& plan) {
  const ToolPlan tools = plan_tools(request, plan);
  if (tools.empty()) return;
  JsonArray list;
  for (const Tool* tool : tools.own)
    list.push_back(function_tool(tool->name, tool->description, tool->parameters));
  if (tools.answer) {
    list.push_back(function_tool(*tools.answer, request.output->description,
                                 without_annotations(request.output->schema)));
  }
  body.value("tools", std::move(list));
  switch (tools.choice.mode) {
    case ToolChoice::Mode::automatic:
      break;
    case ToolChoice::Mode::none:
      body.text("tool_choice", "none");
      break;
    case ToolChoice::Mode::any:
      body.text("tool_choice", "required");
      break;
    case ToolChoice::Mode::named:
      body.value("tool_choice",
                 JsonObject{{"type", "function"}, {"function", JsonObject{{"name", tools.choice.name}}}});
      break;
  }
  if (plan.capabilities.tools_need_no_reasoning) body.text("reasoning_effort", "none");
}

void put_sampling(Members& body, const ChatRequest& request, const ModelSpec& spec,
                  const Capabilities& capabilities, std::string_view seed_name) {
  const Sampling sampling = sampling_of(request, spec, capabilities);
  if (sampling.temperature) body.key("temperature") += number_text(*sampling.temperature);
  if (sampling.top_p) body.key("top_p") += number_text(*sampling.top_p);
  if (sampling.seed) body.number(seed_name, *sampling.seed);
  if (!sampling.stop.empty()) body.value("stop", text_list(sampling.stop));
  if (sampling.max_tokens) {
    const bool new_name = capabilities.prefers_max_completion_tokens ? capabilities.max_completion_tokens
                                                                     : !capabilities.max_tokens;
    body.number(new_name ? "max_completion_tokens" : "max_tokens", *sampling.max_tokens);
  }
}

std::vector<ToolCall> calls_of(const Json& from) {
  std::vector<ToolCall> calls;
  const Json* list = find_member(from, "tool_calls");
  if (list == nullptr || !list->is_array()) return calls;
  for (const auto& each : list->get_array()) {
    const Json* function = find_member(each, "function");
    if (function == nullptr || calls.size() >= kMostCalls) continue;
    ToolCall call;
    call.id = text_of(each, "id");
    call.name = text_of(*function, "name");
    set_arguments(call, find_member(*function, "arguments"));
    if (call.id.empty()) call.id = fmt::format("call_{}", calls.size() + 1);
    calls.push_back(std::move(call));
  }
  return calls;
}

// The server's own failure in the midst of an answer: what is there of it is none. Mistral and OpenRouter,
// DeepSeek, vLLM and SGLang, in this order.
bool broke_off(std::string_view reason) {
  constexpr std::array<std::string_view, 3> kReasons{"error", "insufficient_system_resource", "abort"};
  return std::ranges::find(kReasons, reason) != kReasons.end();
}

FinishReason finish_of(std::string_view reason, bool has_calls) {
  if (reason == "length" || reason == "max_tokens" || reason == "model_length") return FinishReason::length;
  if (reason == "content_filter") return FinishReason::refusal;
  // Some servers say "stop" and call a tool all the same.
  if (has_calls) return FinishReason::tool_calls;
  if (reason.empty() || reason == "stop" || reason == "eos" || reason == "end_turn" ||
      reason == "stop_sequence") {
    return FinishReason::stop;
  }
  if (reason == "tool_calls" || reason == "function_call") return FinishReason::stop;
  return FinishReason::other;
}

Usage usage_of(const Json* from) {
  Usage usage;
  if (from == nullptr || !from->is_object()) return usage;
  usage.prompt_tokens = count_of(*from, "/prompt_tokens");
  usage.completion_tokens = count_of(*from, "/completion_tokens");
  usage.cached_tokens = count_of(*from, "/prompt_tokens_details/cached_tokens");
  // DeepSeek's place for it; that of Together and Moonshot.
  if (usage.cached_tokens == 0) usage.cached_tokens = count_of(*from, "/prompt_cache_hit_tokens");
  if (usage.cached_tokens == 0) usage.cached_tokens = count_of(*from, "/cached_tokens");
  put_cached_tokens(usage, usage.cached_tokens, count_of(*from, "/prompt_tokens_details/cache_write_tokens"));
  put_thought_tokens(usage, count_of(*from, "/completion_tokens_details/reasoning_tokens"),
                     count_of(*from, "/total_tokens"));
  return usage;
}

// Thoughts that the server wants to see again beside the calls that they led to: OpenRouter's details as they
// are, DeepSeek's text.
void keep_thoughts(const Json& from, Message& message) {
  if (message.tool_calls.empty()) return;
  for (const std::string_view key : {"reasoning_details", "reasoning_content"}) {
    const Json* thoughts = find_member(from, key);
    if (thoughts == nullptr || thoughts->is_null() || (thoughts->is_array() && thoughts->get_array().empty()))
      continue;
    return keep_list(message, kName, {JsonObject{{key, *thoughts}}});
  }
}

std::string chat_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan,
                      std::string_view seed_name) {
  std::string out;
  std::size_t expected = 512 + (plan.schema_text != nullptr ? plan.schema_text->size() : 0);
  for (const Message& message : request.messages) expected += message.text.size() + 128;
  out.reserve(expected);
  Members body(out);
  body.text("model", spec.name);
  body.key("messages");
  put_messages(out, request, plan);
  put_tools(body, request, plan);
  if (plan.way == StructuredWay::json_schema) {
    body.key("response_format");
    Members response(out);
    response.text("type", "json_schema");
    response.key("json_schema");
    Members format(out);
    format.text("name", output_name(*request.output));
    if (!request.output->description.empty()) format.text("description", request.output->description);
    format.key("schema") += plan.schema_text != nullptr
                                ? *plan.schema_text
                                : to_text(without_annotations(request.output->schema));
    if (plan.strict) format.key("strict") += "true";
    format.end();
    response.end();
  }
  put_sampling(body, request, spec, plan.capabilities, seed_name);
  if (plan.stream) {
    body.key("stream") += "true";
    if (plan.capabilities.stream_options) body.key("stream_options") += R"({"include_usage":true})";
  }
  body.end();
  return out;
}

}  // namespace

std::string openai_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
  return chat_body(request, spec, plan, "seed");
}

Result<ChatReply> openai_reply(const Json& json) {
  const Json* choices = find_member(json, "choices");
  if (choices == nullptr || !choices->is_array() || choices->get_array().empty()) {
    return fail(ErrorKind::parse, "it has no choices");
  }
  const Json& choice = choices->get_array().front();
  const Json* from = find_member(choice, "message");
  if (from == nullptr || !from->is_object()) return fail(ErrorKind::parse, "its first choice has no message");
  if (const std::string reason = text_of(choice, "finish_reason"); broke_off(reason))
    return fail(ErrorKind::parse, fmt::format("the answer broke off, finish_reason \"{}\"", reason));

  ChatReply reply;
  reply.message.role = Role::assistant;
  Content content = content_of(find_member(*from, "content"));
  reply.message.text = std::move(content.text);
  reply.message.reasoning = thoughts_of(*from);
  append_paragraph(reply.message.reasoning, content.thoughts);
  reply.refusal = text_of(*from, "refusal");
  if (reply.refusal.empty()) reply.refusal = std::move(content.refusal);
  reply.message.tool_calls = calls_of(*from);
  keep_thoughts(*from, reply.message);
  reply.finish = finish_of(text_of(choice, "finish_reason"), !reply.message.tool_calls.empty());
  if (!reply.refusal.empty()) reply.finish = FinishReason::refusal;
  if (reply.finish == FinishReason::refusal && reply.refusal.empty()) reply.refusal = reply.message.text;
  reply.usage = usage_of(find_member(json, "usage"));
  reply.model = text_of(json, "model");
  const Json* created = find_member(json, "created");
  reply.origin = {.id = text_of(json, "id"),
                  .finish_reason = text_of(choice, "finish_reason"),
                  .fingerprint = text_of(json, "system_fingerprint"),
                  .created = created != nullptr ? as_integer(*created).value_or(0) : 0};
  return reply;
}

namespace {

constexpr std::array kWays{StructuredWay::json_schema, StructuredWay::tools, StructuredWay::text};

constexpr std::array kErrors{
    ErrorName{"invalid_request_error", 400},
    ErrorName{"invalid_api_key", 401},
    ErrorName{"model_not_found", 404},
    ErrorName{"rate_limit_exceeded", 429},
    ErrorName{"tokens", 429},
    ErrorName{"requests", 429},
    ErrorName{"insufficient_quota", 429, true},
    ErrorName{"billing_hard_limit_reached", 429, true},
    ErrorName{"billing_not_active", 429, true},
    ErrorName{"server_error", 500},
};

constexpr auto kOwn =
    std::to_array<std::string_view>({"model", "messages", "tools", "tool_choice", "response_format", "stream",
                                     "stream_options", "temperature", "top_p", "seed", "random_seed", "stop",
                                     "max_tokens", "max_completion_tokens", "reasoning_effort", "n"});
constexpr EmbeddingForm kEmbeddings{"/embeddings", embedding_body};

using Body = std::string(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan);

// Users give the version with the base; a path of their own (a gateway's, Azure's) is taken as it is.
constexpr Wire chat_wire(Body* body) {
  return {
      .name = kName,
      .version = "/v1",
      .version_in = VersionIn::base,
      .endpoint = "/chat/completions",
      .embeddings = &kEmbeddings,
      .body = body,
      .reply = openai_reply,
      .stream = []() -> std::unique_ptr<ReplyStream> { return std::make_unique<OpenAiStream>(); },
      .options = chat_options,
      .ways = kWays,
      .takes_strictly = [](const Json& schema) { return !strict_misfit(schema); },
      .own = kOwn,
      .errors = kErrors,
  };
}

}  // namespace

constinit const Wire kOpenAiWire = chat_wire(openai_body);
constinit const Wire kMistralWire =
    chat_wire([](const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
      return chat_body(request, spec, plan, "random_seed");
    });

}  // namespace assay
