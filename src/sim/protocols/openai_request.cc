// Request bodies of OpenAI's chat completions; see openai_wire.h.
#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/answers/words.h"
#include "sim/protocols/compatible_services.h"
#include "sim/protocols/openai_wire.h"
#include "sim/protocols/request_check.h"
#include "sim/protocols/strict_schema.h"

namespace assay::sim {
namespace {

constexpr auto kParameters = std::to_array<std::string_view>({"messages",
                                                              "model",
                                                              "audio",
                                                              "frequency_penalty",
                                                              "logit_bias",
                                                              "logprobs",
                                                              "max_completion_tokens",
                                                              "max_tokens",
                                                              "metadata",
                                                              "modalities",
                                                              "n",
                                                              "parallel_tool_calls",
                                                              "prediction",
                                                              "presence_penalty",
                                                              "prompt_cache_key",
                                                              "prompt_cache_retention",
                                                              "reasoning_effort",
                                                              "response_format",
                                                              "safety_identifier",
                                                              "seed",
                                                              "service_tier",
                                                              "stop",
                                                              "store",
                                                              "stream",
                                                              "stream_options",
                                                              "temperature",
                                                              "tool_choice",
                                                              "tools",
                                                              "top_logprobs",
                                                              "top_p",
                                                              "user",
                                                              "verbosity",
                                                              "web_search_options"});
constexpr std::array<std::string_view, 5> kRoles = {"system", "developer", "user", "assistant", "tool"};
constexpr std::array<std::string_view, 4> kUserParts = {"text", "image_url", "input_audio", "file"};
constexpr std::array<std::string_view, 2> kAssistantParts = {"text", "refusal"};
constexpr std::array<std::string_view, 1> kTextParts = {"text"};
constexpr std::array<std::string_view, 3> kFormats = {"text", "json_object", "json_schema"};

// Families that take less than others, as far as clients must cope with it.
bool reasons(std::string_view model) {
  return model.starts_with("o1") || model.starts_with("o3") || model.starts_with("o4") ||
         model.starts_with("gpt-5");
}
bool lacks_json_schema(std::string_view model) {
  return model == "gpt-4" || model.starts_with("gpt-4-") || model.starts_with("gpt-3.5");
}

class Reading {
 public:
  explicit Reading(const JsonObject& body) : body_(body) {}

  OpenAiCall read() {
    call_.request.model = check_.text(body_, "model", "", Need::required).value_or("");
    read_messages();
    check_.known_keys(
        body_, parameters_of_service(call_.request.model, {kParameters.begin(), kParameters.end()}), "");
    const auto effort = check_.text(body_, "reasoning_effort", "", Need::optional).value_or("");
    if (!effort.empty() && !is_own_effort(call_.request.model, effort))
      check_.one_of(effort, kReasoningEfforts, "reasoning_effort");
    const bool asked_by_effort = !effort.empty() && effort != "none";
    call_.thinks = read_own_parameters(check_, body_) || asked_by_effort;
    read_tools();
    read_tool_choice();
    read_format();
    read_sampling();
    read_stream();
    read_limits_of_family();
    return std::move(call_);
  }

  const RequestCheck& check() const { return check_; }

 private:
  void read_messages() {
    const JsonArray* messages = check_.list(body_, "messages", "", Need::required);
    if (messages == nullptr) return;
    if (messages->empty())
      check_.refuse(Refusal::Kind::wrong_value, "messages", "must hold at least one message");
    for (std::size_t i = 0; i < messages->size() && !check_.failed(); ++i) {
      const std::string where = check_.at("messages", i);
      if (const JsonObject* message = check_.entry((*messages)[i], where)) read_message(*message, where);
    }
    if (!check_.failed() && !awaited_.empty()) unanswered(check_.at("messages", messages->size() - 1));
  }

  void unanswered(const std::string& where) {
    check_.refuse(Refusal::Kind::wrong_value, where,
                  fmt::format("tool_calls of an assistant message need a tool message each; missing for: {}",
                              fmt::join(awaited_, ", ")));
  }

  void read_message(const JsonObject& object, const std::string& where) {
    const auto role = check_.text(object, "role", where, Need::required);
    if (!role) return;
    check_.one_of(*role, kRoles, check_.at(where, "role"));
    if (check_.failed()) return;
    Message message;
    if (*role == "tool") {
      message.role = Role::tool;
      message.tool_call_id = check_.text(object, "tool_call_id", where, Need::required).value_or("");
      if (!check_.failed() && awaited_.erase(message.tool_call_id) == 0) {
        check_.refuse(Refusal::Kind::wrong_value, check_.at(where, "tool_call_id"),
                      "a tool message must answer a tool call of the assistant message before it");
      }
      message.text = content(object, where, kTextParts, Need::required);
    } else {
      if (!awaited_.empty()) return unanswered(where);
      if (*role == "assistant") {
        message.role = Role::assistant;
        read_calls(object, where, message);
        message.text = content(object, where, kAssistantParts,
                               message.tool_calls.empty() ? Need::required : Need::optional);
      } else {
        message.role = *role == "user" ? Role::user : Role::system;
        message.text = content(object, where,
                               *role == "user" ? std::span<const std::string_view>(kUserParts) : kTextParts,
                               Need::required);
      }
    }
    call_.request.messages.push_back(std::move(message));
  }

  std::string content(const JsonObject& object, const std::string& where,
                      std::span<const std::string_view> parts, Need need) {
    const Json* content = check_.member(object, "content", where, need);
    if (content == nullptr) return {};
    if (content->is_string()) return std::string(content->get_string());
    const std::string place = check_.at(where, "content");
    if (!content->is_array()) {
      check_.refuse(Refusal::Kind::wrong_type, place,
                    fmt::format("expected text or a list of parts, found {}", kind_word(*content)));
      return {};
    }
    std::string text;
    for (std::size_t i = 0; i < content->get_array().size(); ++i) {
      const std::string part_place = check_.at(place, i);
      const JsonObject* part = check_.entry(content->get_array()[i], part_place);
      if (part == nullptr) return {};
      const auto type = check_.text(*part, "type", part_place, Need::required).value_or("");
      check_.one_of(type, parts, check_.at(part_place, "type"));
      if (check_.failed()) return {};
      if (!text.empty()) text += '\n';
      if (type == "text" || type == "refusal") {
        text += check_.text(*part, type, part_place, Need::required).value_or("");
      } else {
        text += fmt::format("[{}]", type);  // the simulated model has no eyes or ears, but notices
      }
    }
    return text;
  }

  void read_calls(const JsonObject& object, const std::string& where, Message& message) {
    const JsonArray* calls = check_.list(object, "tool_calls", where, Need::optional);
    if (calls == nullptr) return;
    const std::string place = check_.at(where, "tool_calls");
    if (calls->empty()) check_.refuse(Refusal::Kind::wrong_value, place, "must not be empty");
    for (std::size_t i = 0; i < calls->size() && !check_.failed(); ++i) {
      const std::string call_place = check_.at(place, i);
      const JsonObject* call = check_.entry((*calls)[i], call_place);
      if (call == nullptr) return;
      ToolCall read;
      read.id = check_.text(*call, "id", call_place, Need::required).value_or("");
      check_.one_of(check_.text(*call, "type", call_place, Need::required).value_or(""),
                    std::array<std::string_view, 1>{"function"}, check_.at(call_place, "type"));
      const std::string function_place = check_.at(call_place, "function");
      const JsonObject* function = check_.map(*call, "function", call_place, Need::required);
      if (function == nullptr) return;
      read.name = check_.text(*function, "name", function_place, Need::required).value_or("");
      const auto arguments = check_.text(*function, "arguments", function_place, Need::required).value_or("");
      if (auto parsed = parse_json(arguments)) {
        read.arguments = std::move(*parsed);
      } else {
        read.arguments_text = arguments;
      }
      awaited_.insert(read.id);
      message.tool_calls.push_back(std::move(read));
    }
  }

  void read_tools() {
    const JsonArray* tools = check_.list(body_, "tools", "", Need::optional);
    if (tools == nullptr) return;
    if (tools->empty()) check_.refuse(Refusal::Kind::wrong_value, "tools", "must not be empty");
    if (tools->size() > 128)
      check_.refuse(Refusal::Kind::wrong_value, "tools", "must hold at most 128 tools");
    for (std::size_t i = 0; i < tools->size() && !check_.failed(); ++i) {
      const std::string place = check_.at("tools", i);
      const JsonObject* entry = check_.entry((*tools)[i], place);
      if (entry == nullptr) return;
      check_.one_of(check_.text(*entry, "type", place, Need::required).value_or(""),
                    std::array<std::string_view, 1>{"function"}, check_.at(place, "type"));
      const std::string function_place = check_.at(place, "function");
      const JsonObject* function = check_.map(*entry, "function", place, Need::required);
      if (function == nullptr) return;
      Tool tool;
      tool.name = check_.text(*function, "name", function_place, Need::required).value_or("");
      check_.name(tool.name, 64, check_.at(function_place, "name"));
      tool.description = check_.text(*function, "description", function_place, Need::optional).value_or("");
      const bool strict = check_.boolean(*function, "strict", function_place);
      if (check_.map(*function, "parameters", function_place, Need::optional) != nullptr) {
        tool.parameters = *function->if_contains("parameters");
        if (strict)
          check_strict(tool.parameters, check_.at(function_place, "parameters"),
                       "function '" + tool.name + "'");
      } else {
        tool.parameters = JsonObject{{"type", "object"}, {"properties", JsonObject{}}};
      }
      call_.request.tools.push_back(std::move(tool));
    }
  }

  void check_strict(const Json& schema, const std::string& where, const std::string& what) {
    if (check_.failed()) return;
    if (const auto defect = strict_schema_defect(schema)) {
      check_.refuse(Refusal::Kind::wrong_value, where,
                    fmt::format("invalid schema for {}: {}", what, *defect));
    }
  }

  void read_tool_choice() {
    const Json* choice = check_.member(body_, "tool_choice", "", Need::optional);
    if (choice == nullptr) return;
    if (call_.request.tools.empty()) {
      check_.refuse(Refusal::Kind::wrong_value, "tool_choice", "is only allowed when tools are given");
      return;
    }
    ToolChoice& out = call_.request.tool_choice;
    if (choice->is_string()) {
      const std::string_view mode = choice->get_string();
      check_.one_of(mode, std::array<std::string_view, 3>{"none", "auto", "required"}, "tool_choice");
      out.mode = mode == "none"       ? ToolChoice::Mode::none
                 : mode == "required" ? ToolChoice::Mode::any
                                      : ToolChoice::Mode::automatic;
      return;
    }
    const JsonObject* object = check_.entry(*choice, "tool_choice");
    if (object == nullptr) return;
    check_.one_of(check_.text(*object, "type", "tool_choice", Need::required).value_or(""),
                  std::array<std::string_view, 1>{"function"}, "tool_choice.type");
    const JsonObject* function = check_.map(*object, "function", "tool_choice", Need::required);
    if (function == nullptr) return;
    out.mode = ToolChoice::Mode::named;
    out.name = check_.text(*function, "name", "tool_choice.function", Need::required).value_or("");
    if (std::ranges::find(call_.request.tools, out.name, &Tool::name) == call_.request.tools.end()) {
      check_.refuse(Refusal::Kind::wrong_value, "tool_choice",
                    fmt::format("no tool of this name is given: '{}'", shorten(out.name, 80)));
    }
  }

  void read_format() {
    const JsonObject* format = check_.map(body_, "response_format", "", Need::optional);
    if (format == nullptr) return;
    const auto type = check_.text(*format, "type", "response_format", Need::required).value_or("");
    check_.one_of(type, kFormats, "response_format.type");
    if (check_.failed() || type == "text") return;
    if (type == "json_object") {
      const bool said = std::ranges::any_of(
          call_.request.messages, [](const Message& message) { return contains_text(message.text, "json"); });
      if (!said) {
        check_.refuse(Refusal::Kind::wrong_value, "messages",
                      "the word json must stand in a message when response_format is json_object");
      }
      call_.request.output = OutputSchema{"json_object", "", Json(JsonObject{{"type", "object"}})};
      return;
    }
    const JsonObject* schema = check_.map(*format, "json_schema", "response_format", Need::required);
    if (schema == nullptr) return;
    constexpr std::string_view kPlace = "response_format.json_schema";
    OutputSchema output;
    output.name = check_.text(*schema, "name", kPlace, Need::required).value_or("");
    check_.name(output.name, 64, "response_format.json_schema.name");
    output.description = check_.text(*schema, "description", kPlace, Need::optional).value_or("");
    const bool strict = check_.boolean(*schema, "strict", kPlace);
    if (check_.map(*schema, "schema", kPlace, strict ? Need::required : Need::optional) != nullptr) {
      output.schema = *schema->if_contains("schema");
      if (strict) check_strict(output.schema, "response_format", "response_format '" + output.name + "'");
    } else {
      output.schema = Json(JsonObject{{"type", "object"}});
    }
    if (lacks_json_schema(call_.request.model)) {
      check_.refuse(Refusal::Kind::unsupported_value, "response_format",
                    "json_schema is not supported with this model");
    }
    call_.request.output = std::move(output);
  }

  void read_sampling() {
    Sampling& sampling = call_.request.sampling;
    sampling.temperature = check_.number(body_, "temperature", "", 0, 2);
    sampling.top_p = check_.number(body_, "top_p", "", 0, 1);
    sampling.seed = check_.whole(body_, "seed", "", std::numeric_limits<std::int64_t>::min(), Need::optional);
    if (!sampling.seed) sampling.seed = check_.whole(body_, "random_seed", "", 0, Need::optional);
    check_.number(body_, "frequency_penalty", "", -2, 2);
    check_.number(body_, "presence_penalty", "", -2, 2);
    check_.boolean(body_, "parallel_tool_calls", "");
    check_.boolean(body_, "logprobs", "");
    if (const JsonObject* bias = check_.map(body_, "logit_bias", "", Need::optional)) {
      for (const auto& member : *bias) check_.number(*bias, member.key(), "logit_bias", -100, 100);
    }
    const auto older = check_.whole(body_, "max_tokens", "", 1, Need::optional);
    const auto newer = check_.whole(body_, "max_completion_tokens", "", 1, Need::optional);
    if (older && newer) {
      check_.refuse(Refusal::Kind::wrong_value, "max_tokens",
                    "cannot be set together with max_completion_tokens");
    }
    if (const auto most = newer ? newer : older) {
      sampling.max_tokens = static_cast<int>(std::min<std::int64_t>(*most, std::numeric_limits<int>::max()));
    }
    const auto choices = check_.whole(body_, "n", "", 1, Need::optional);
    if (choices && *choices > 1) {
      check_.refuse(Refusal::Kind::wrong_value, "n", "this simulated endpoint gives one choice");
    }
    read_stop();
  }

  void read_stop() {
    const Json* stop = check_.member(body_, "stop", "", Need::optional);
    if (stop == nullptr) return;
    if (stop->is_string()) {
      call_.request.sampling.stop.emplace_back(stop->get_string());
      return;
    }
    const JsonArray* list = check_.list(body_, "stop", "", Need::optional);
    if (list == nullptr) return;
    if (list->size() > 4) check_.refuse(Refusal::Kind::wrong_value, "stop", "must hold at most 4 texts");
    for (const Json& text : *list) {
      if (!text.is_string())
        return check_.refuse(Refusal::Kind::wrong_type, "stop", "expected a list of texts");
      call_.request.sampling.stop.emplace_back(text.get_string());
    }
  }

  void read_stream() {
    call_.stream = check_.boolean(body_, "stream", "");
    const JsonObject* options = check_.map(body_, "stream_options", "", Need::optional);
    if (options == nullptr) return;
    if (!call_.stream) {
      check_.refuse(Refusal::Kind::wrong_value, "stream_options", "is only allowed when stream is true");
    }
    call_.include_usage = check_.boolean(*options, "include_usage", "stream_options");
  }

  void read_limits_of_family() {
    if (check_.failed() || !reasons(call_.request.model)) return;
    if (body_.contains("max_tokens")) {
      check_.refuse(Refusal::Kind::unsupported_parameter, "max_tokens",
                    "is not supported with this model; use max_completion_tokens instead");
    }
    for (const std::string_view parameter : {"temperature", "top_p"}) {
      const Json* value = body_.if_contains(parameter);
      if (value != nullptr && as_number(*value).value_or(1) != 1) {
        check_.refuse(Refusal::Kind::unsupported_value, std::string(parameter),
                      "only the default of 1 is supported with this model");
      }
    }
  }

  const JsonObject& body_;
  RequestCheck check_{RequestCheck::Paths::brackets};
  OpenAiCall call_;
  std::set<std::string> awaited_;  // tool calls without their message yet
};

std::string code_of(Refusal::Kind kind) {
  switch (kind) {
    case Refusal::Kind::missing:
      return "missing_required_parameter";
    case Refusal::Kind::wrong_type:
      return "invalid_type";
    case Refusal::Kind::unknown:
      return "unknown_parameter";
    case Refusal::Kind::unsupported_parameter:
      return "unsupported_parameter";
    case Refusal::Kind::unsupported_value:
      return "unsupported_value";
    case Refusal::Kind::wrong_value:
      break;
  }
  return "invalid_value";
}

}  // namespace

std::expected<OpenAiCall, WireError> read_openai_request(const Json& body) {
  if (!body.is_object()) {
    return std::unexpected(WireError{400, "The body must be a JSON object.", "", "", "invalid_type"});
  }
  Reading reading(body.get_object());
  OpenAiCall call = reading.read();
  if (!reading.check().failed()) return call;
  const Refusal& refusal = reading.check().refusal();
  const std::string_view word = refusal.kind == Refusal::Kind::missing   ? "Missing required parameter"
                                : refusal.kind == Refusal::Kind::unknown ? "Unknown parameter"
                                : refusal.kind == Refusal::Kind::unsupported_parameter
                                    ? "Unsupported parameter"
                                : refusal.kind == Refusal::Kind::unsupported_value ? "Unsupported value"
                                                                                   : "Invalid value";
  return std::unexpected(WireError{400, fmt::format("{}: '{}' {}.", word, refusal.where, refusal.message), "",
                                   refusal.where, code_of(refusal.kind)});
}

}  // namespace assay::sim
