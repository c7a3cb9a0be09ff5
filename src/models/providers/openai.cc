#include "models/providers/openai.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "models/providers/wire_text.h"
#include "models/structured/schema_subset.h"

namespace assay {
namespace {

// A stream could name any index; more calls than this in one reply is rubbish.
constexpr std::size_t kMostCalls = 1024;

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
                  const Capabilities& capabilities) {
  const Sampling sampling = sampling_of(request, spec, capabilities);
  if (sampling.temperature) body.key("temperature") += number_text(*sampling.temperature);
  if (sampling.top_p) body.key("top_p") += number_text(*sampling.top_p);
  if (sampling.seed) body.number("seed", *sampling.seed);
  if (!sampling.stop.empty()) body.value("stop", text_list(sampling.stop));
  if (sampling.max_tokens) {
    const bool new_name = capabilities.prefers_max_completion_tokens ? capabilities.max_completion_tokens
                                                                     : !capabilities.max_tokens;
    body.number(new_name ? "max_completion_tokens" : "max_tokens", *sampling.max_tokens);
  }
}

struct Content {
  std::string text;
  std::string refusal;
};

Content content_of(const Json* content) {
  Content found;
  if (content == nullptr) return found;
  if (const auto text = as_text(*content)) {
    found.text = *text;
  } else if (content->is_array()) {
    for (const auto& part : content->get_array()) {
      const std::string type = text_of(part, "type");
      if (type == "refusal") {
        found.refusal += text_of(part, "refusal");
      } else if (type == "text" || type == "output_text" || type.empty()) {
        found.text += text_of(part, "text");
      }
    }
  }
  return found;
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

FinishReason finish_of(std::string_view reason, bool has_calls) {
  if (reason == "length" || reason == "max_tokens") return FinishReason::length;
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

void put_headers(HttpRequest& http, const Address& address, std::string_view key) {
  if (key.empty()) return;
  http.headers.add("Authorization", fmt::format("Bearer {}", key));
  if (address.domain.ends_with(".azure.com")) http.headers.add("api-key", std::string(key));
}

Usage usage_of(const Json* from) {
  Usage usage;
  if (from == nullptr || !from->is_object()) return usage;
  usage.prompt_tokens = count_of(*from, "/prompt_tokens");
  usage.completion_tokens = count_of(*from, "/completion_tokens");
  usage.cached_tokens = count_of(*from, "/prompt_tokens_details/cached_tokens");
  if (usage.cached_tokens == 0) usage.cached_tokens = count_of(*from, "/prompt_cache_hit_tokens");
  usage.cached_tokens = std::min(usage.cached_tokens, usage.prompt_tokens);
  usage.reasoning_tokens =
      std::min(count_of(*from, "/completion_tokens_details/reasoning_tokens"), usage.completion_tokens);
  return usage;
}

}  // namespace

std::string openai_body(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
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
  put_sampling(body, request, spec, plan.capabilities);
  if (plan.stream) {
    body.key("stream") += "true";
    if (plan.capabilities.stream_options) body.key("stream_options") += R"({"include_usage":true})";
  }
  body.end();
  return out;
}

Result<ChatReply> openai_reply(const Json& json) {
  const Json* choices = find_member(json, "choices");
  if (choices == nullptr || !choices->is_array() || choices->get_array().empty()) {
    return fail(ErrorKind::parse, "it has no choices");
  }
  const Json& choice = choices->get_array().front();
  const Json* from = find_member(choice, "message");
  if (from == nullptr || !from->is_object()) return fail(ErrorKind::parse, "its first choice has no message");

  ChatReply reply;
  reply.message.role = Role::assistant;
  Content content = content_of(find_member(*from, "content"));
  reply.message.text = std::move(content.text);
  reply.refusal = text_of(*from, "refusal");
  if (reply.refusal.empty()) reply.refusal = std::move(content.refusal);
  reply.message.tool_calls = calls_of(*from);
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

void OpenAiStream::take(const ServerSentEvent& event) {
  if (done_ || error_ || broken_) return;
  const std::string_view data = trim(event.data);
  if (data == "[DONE]") {
    done_ = true;
    return;
  }
  if (data.empty()) return;
  const auto chunk = parse_json(data);
  if (!chunk) {
    broken_ = std::string(data);
    return;
  }
  const Json* error = find_member(*chunk, "error");
  if ((error != nullptr && !error->is_null()) || event.event == "error") {
    error_ = *chunk;
    return;
  }
  // Every chunk repeats what the reply is called; some servers leave it out of the last ones.
  for (const std::string_view key : {"id", "model", "system_fingerprint", "created"}) {
    if (const std::string value = text_of(*chunk, key); !value.empty())
      head_[key] = *find_member(*chunk, key);
  }
  if (const Json* usage = find_member(*chunk, "usage"); usage != nullptr && usage->is_object())
    usage_ = *usage;
  const Json* choices = find_member(*chunk, "choices");
  if (choices == nullptr || !choices->is_array() || choices->get_array().empty()) return;
  const Json& choice = choices->get_array().front();
  any_choice_ = true;
  if (const Json* delta = find_member(choice, "delta")) take_delta(*delta);
  if (const std::string reason = text_of(choice, "finish_reason"); !reason.empty()) finish_reason_ = reason;
}

void OpenAiStream::take_delta(const Json& delta) {
  Content content = content_of(find_member(delta, "content"));
  text_ += content.text;
  refusal_ += content.refusal;
  refusal_ += text_of(delta, "refusal");
  count(content.text);
  // Servers of models that think aloud have one name or the other for it.
  for (const std::string_view thoughts : {"reasoning_content", "reasoning"}) count(text_of(delta, thoughts));
  const Json* calls = find_member(delta, "tool_calls");
  if (calls == nullptr || !calls->is_array()) return;
  for (const auto& call : calls->get_array()) take_call(call);
}

void OpenAiStream::take_call(const Json& delta) {
  const std::string id = text_of(delta, "id");
  const Json* numbered = find_member(delta, "index");
  // A server that does not number its calls continues the last one, and starts a new one with a new id. There
  // are also servers that give the same number to every call.
  const std::int64_t index = numbered == nullptr ? -1 : as_integer(*numbered).value_or(-1);
  const auto known = call_at_.find(index);
  const bool starts = known == call_at_.end() ||
                      (!id.empty() && !calls_[known->second].id.empty() && calls_[known->second].id != id);
  if (starts) {
    if (calls_.size() >= kMostCalls) return;
    call_at_[index] = calls_.size();
    calls_.emplace_back();
  }
  Call& call = calls_[call_at_[index]];
  if (!id.empty()) call.id = id;
  const Json* function = find_member(delta, "function");
  if (function == nullptr) return;
  if (call.name.empty()) call.name = text_of(*function, "name");
  const Json* arguments = find_member(*function, "arguments");
  if (arguments == nullptr || arguments->is_null()) return;
  const auto part = as_text(*arguments);
  const std::string more = part ? std::string(*part) : to_text(*arguments);
  count(more);
  call.arguments += more;
}

Result<ChatReply> OpenAiStream::reply() const {
  if (!any_choice_) return fail(ErrorKind::parse, "it has no choices");
  JsonObject from{{"role", "assistant"}, {"content", text_}};
  if (!refusal_.empty()) from["refusal"] = refusal_;
  JsonArray calls;
  for (const auto& call : calls_) {
    calls.push_back(JsonObject{{"id", call.id},
                               {"function", JsonObject{{"name", call.name}, {"arguments", call.arguments}}}});
  }
  from["tool_calls"] = std::move(calls);
  JsonObject choice{{"message", std::move(from)}, {"finish_reason", finish_reason_}};
  JsonObject whole = head_;
  whole["choices"] = JsonArray{std::move(choice)};
  whole["usage"] = usage_;
  return openai_reply(Json(std::move(whole)));
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

}  // namespace

// Users give the version with the base; a path of their own (a gateway's, Azure's) is taken as it is.
constinit const Wire kOpenAiWire{
    .version = "/v1",
    .version_in = VersionIn::base,
    .endpoint = "/chat/completions",
    .embeddings = "/embeddings",
    .put_headers = put_headers,
    .body = openai_body,
    .reply = openai_reply,
    .stream = []() -> std::unique_ptr<ReplyStream> { return std::make_unique<OpenAiStream>(); },
    .ways = kWays,
    .takes_strictly = [](const Json& schema) { return !strict_misfit(schema); },
    .errors = kErrors,
};

}  // namespace assay
