#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "sim/protocols/request_check.h"
#include "sim/protocols/responses_wire.h"
#include "sim/protocols/strict_schema.h"
#include "sim/protocols/thoughts.h"

namespace assay::sim {
namespace {

constexpr auto kParameters = std::to_array<std::string_view>({"model",
                                                              "input",
                                                              "instructions",
                                                              "include",
                                                              "max_output_tokens",
                                                              "max_tool_calls",
                                                              "metadata",
                                                              "parallel_tool_calls",
                                                              "previous_response_id",
                                                              "prompt",
                                                              "prompt_cache_key",
                                                              "reasoning",
                                                              "safety_identifier",
                                                              "service_tier",
                                                              "store",
                                                              "stream",
                                                              "stream_options",
                                                              "temperature",
                                                              "text",
                                                              "tool_choice",
                                                              "tools",
                                                              "top_logprobs",
                                                              "top_p",
                                                              "truncation",
                                                              "user",
                                                              "background",
                                                              "conversation"});
constexpr std::array<std::string_view, 4> kRoles = {"user", "assistant", "system", "developer"};
constexpr std::array<std::string_view, 3> kSummaries = {"auto", "concise", "detailed"};

class Reading {
 public:
  explicit Reading(const JsonObject& body) : body_(body) {}

  ResponsesCall read() {
    call_.request.model = check_.text(body_, "model", "", Need::required).value_or("");
    check_.known_keys(body_, kParameters, "");
    for (const std::string_view key : {"previous_response_id", "conversation", "prompt"}) {
      if (check_.member(body_, key, "", Need::optional) != nullptr)
        refuse(std::string(key), "refers to something that is not stored here");
    }
    if (const auto text = check_.text(body_, "instructions", "", Need::optional))
      call_.request.messages.push_back({.role = Role::system, .text = std::string(*text)});
    read_input();
    read_tools();
    read_choice();
    read_text();
    read_sampling();
    if (const JsonObject* reasoning = check_.map(body_, "reasoning", "", Need::optional)) {
      const auto effort = check_.text(*reasoning, "effort", "reasoning", Need::optional).value_or("");
      if (!effort.empty()) check_.one_of(effort, kReasoningEfforts, "reasoning.effort");
      if (const auto summary = check_.text(*reasoning, "summary", "reasoning", Need::optional))
        check_.one_of(*summary, kSummaries, "reasoning.summary");
      call_.thinks = !effort.empty() && effort != "none";
    }
    if (const Json* store = check_.member(body_, "store", "", Need::optional))
      call_.store = as_boolean(*store).value_or(true);
    call_.stream = check_.boolean(body_, "stream", "");
    return std::move(call_);
  }

  const RequestCheck& check() const { return check_; }

 private:
  void refuse(std::string where, std::string message) {
    check_.refuse(Refusal::Kind::wrong_value, std::move(where), std::move(message));
  }

  void read_input() {
    const Json* input = check_.member(body_, "input", "", Need::required);
    if (input == nullptr) return;
    if (input->is_string()) {
      call_.request.messages.push_back({.role = Role::user, .text = std::string(input->get_string())});
      return;
    }
    const JsonArray* items = check_.list(body_, "input", "", Need::required);
    for (std::size_t i = 0; items != nullptr && i < items->size() && !check_.failed(); ++i) {
      const std::string place = check_.at("input", i);
      const JsonObject* item = check_.entry((*items)[i], place);
      if (item != nullptr) read_item(*item, place);
    }
    if (!check_.failed() && !awaited_.empty())
      refuse("input", fmt::format("No tool output found for function call {}.", fmt::join(awaited_, ", ")));
  }

  void read_item(const JsonObject& item, const std::string& place) {
    const auto type = check_.text(item, "type", place, Need::optional).value_or("message");
    if (type == "message") {
      read_message(item, place);
    } else if (type == "function_call") {
      ToolCall call;
      call.id = check_.text(item, "call_id", place, Need::required).value_or("");
      call.name = check_.text(item, "name", place, Need::required).value_or("");
      const auto arguments = check_.text(item, "arguments", place, Need::required).value_or("");
      auto parsed = parse_json(arguments);
      call.arguments = parsed ? std::move(*parsed) : Json(JsonObject{});
      awaited_.insert(call.id);
      // The calls of one turn stand one after the other.
      auto& messages = call_.request.messages;
      if (messages.empty() || messages.back().role != Role::assistant)
        messages.push_back({.role = Role::assistant});
      messages.back().tool_calls.push_back(std::move(call));
    } else if (type == "function_call_output") {
      Message message{.role = Role::tool};
      message.tool_call_id = check_.text(item, "call_id", place, Need::required).value_or("");
      message.text = check_.text(item, "output", place, Need::required).value_or("");
      if (!check_.failed() && awaited_.erase(message.tool_call_id) == 0)
        refuse(place, "no function call with that call_id stands before its output");
      call_.request.messages.push_back(std::move(message));
    } else if (type == "reasoning") {
      read_thoughts(item, place);
    } else {
      refuse(check_.at(place, "type"), fmt::format("'{}' is no kind of item", shorten(type, 60)));
    }
  }

  // Thoughts that come back must be those that were given.
  void read_thoughts(const JsonObject& item, const std::string& place) {
    const JsonArray* summary = check_.list(item, "summary", place, Need::required);
    std::string thoughts;
    for (const Json& part : summary != nullptr ? *summary : JsonArray{}) thoughts += text_at(part, "text");
    const auto content = check_.text(item, "encrypted_content", place, Need::required);
    if (content && *content != thought_signature(thoughts))
      refuse(place, "the encrypted content could not be verified");
  }

  void read_message(const JsonObject& item, const std::string& place) {
    const auto role = check_.text(item, "role", place, Need::required).value_or("");
    check_.one_of(role, kRoles, check_.at(place, "role"));
    Message message{.role = role == "user"        ? Role::user
                            : role == "assistant" ? Role::assistant
                                                  : Role::system};
    const Json* content = check_.member(item, "content", place, Need::required);
    if (content == nullptr) return;
    if (content->is_string()) {
      message.text = content->get_string();
    } else if (const JsonArray* parts = check_.list(item, "content", place, Need::required)) {
      for (std::size_t i = 0; i < parts->size() && !check_.failed(); ++i) {
        const std::string here = check_.at(check_.at(place, "content"), i);
        const JsonObject* part = check_.entry((*parts)[i], here);
        if (part == nullptr) return;
        const auto type = check_.text(*part, "type", here, Need::required).value_or("");
        const bool text = type == "input_text" || type == "output_text";
        message.text += text ? check_.text(*part, "text", here, Need::required).value_or("") : type;
      }
    }
    call_.request.messages.push_back(std::move(message));
  }

  void read_tools() {
    const JsonArray* tools = check_.list(body_, "tools", "", Need::optional);
    for (std::size_t i = 0; tools != nullptr && i < tools->size() && !check_.failed(); ++i) {
      const std::string place = check_.at("tools", i);
      const JsonObject* entry = check_.entry((*tools)[i], place);
      if (entry == nullptr) return;
      check_.one_of(check_.text(*entry, "type", place, Need::required).value_or(""),
                    std::array<std::string_view, 1>{"function"}, check_.at(place, "type"));
      Tool tool;
      tool.name = check_.text(*entry, "name", place, Need::required).value_or("");
      check_.name(tool.name, 64, check_.at(place, "name"));
      tool.description = check_.text(*entry, "description", place, Need::optional).value_or("");
      if (check_.map(*entry, "parameters", place, Need::required) == nullptr) return;
      tool.parameters = *entry->if_contains("parameters");
      call_.request.tools.push_back(std::move(tool));
    }
  }

  void read_choice() {
    const Json* choice = check_.member(body_, "tool_choice", "", Need::optional);
    if (choice == nullptr) return;
    ToolChoice& out = call_.request.tool_choice;
    if (const auto word = as_text(*choice)) {
      check_.one_of(*word, std::array<std::string_view, 3>{"none", "auto", "required"}, "tool_choice");
      if (*word == "none") out.mode = ToolChoice::Mode::none;
      if (*word == "required") out.mode = ToolChoice::Mode::any;
    } else if (const JsonObject* named = check_.map(body_, "tool_choice", "", Need::optional)) {
      out = {ToolChoice::Mode::named,
             std::string(check_.text(*named, "name", "tool_choice", Need::required).value_or(""))};
      if (std::ranges::find(call_.request.tools, out.name, &Tool::name) == call_.request.tools.end())
        refuse("tool_choice", fmt::format("Tool choice '{}' not found in 'tools'.", shorten(out.name, 80)));
    }
    if (call_.request.tools.empty() && out.mode != ToolChoice::Mode::automatic)
      refuse("tool_choice", "is only allowed when tools are specified");
  }

  void read_text() {
    const JsonObject* text = check_.map(body_, "text", "", Need::optional);
    const JsonObject* format =
        text != nullptr ? check_.map(*text, "format", "text", Need::optional) : nullptr;
    if (format == nullptr) return;
    const auto type = check_.text(*format, "type", "text.format", Need::required).value_or("");
    check_.one_of(type, std::array<std::string_view, 3>{"text", "json_object", "json_schema"},
                  "text.format.type");
    call_.format = *format;
    if (type != "json_schema") return;
    const auto name = check_.text(*format, "name", "text.format", Need::required).value_or("");
    check_.name(name, 64, "text.format.name");
    if (check_.map(*format, "schema", "text.format", Need::required) == nullptr) return;
    const Json& schema = *format->if_contains("schema");
    if (check_.boolean(*format, "strict", "text.format")) {
      if (const auto misfit = strict_schema_defect(schema))
        refuse("text.format.schema",
               fmt::format("Invalid schema for response_format '{}': {}", name, *misfit));
    }
    call_.request.output = OutputSchema{std::string(name), "", schema};
  }

  void read_sampling() {
    Sampling& sampling = call_.request.sampling;
    sampling.temperature = check_.number(body_, "temperature", "", 0, 2);
    sampling.top_p = check_.number(body_, "top_p", "", 0, 1);
    if (const auto most = check_.whole(body_, "max_output_tokens", "", 1, Need::optional))
      sampling.max_tokens = static_cast<int>(std::min<std::int64_t>(*most, std::numeric_limits<int>::max()));
  }

  const JsonObject& body_;
  RequestCheck check_{RequestCheck::Paths::brackets};
  ResponsesCall call_;
  std::set<std::string> awaited_;  // calls without their output yet
};

}  // namespace

std::expected<ResponsesCall, WireError> read_responses_request(const Json& body) {
  if (!body.is_object()) return std::unexpected(WireError{400, "the body must be a JSON object", "", "", ""});
  Reading reading(body.get_object());
  ResponsesCall call = reading.read();
  if (!reading.check().failed()) return call;
  const Refusal& refusal = reading.check().refusal();
  using Kind = Refusal::Kind;
  const std::string message =
      refusal.kind == Kind::unknown   ? fmt::format("Unknown parameter: '{}'.", refusal.where)
      : refusal.kind == Kind::missing ? fmt::format("Missing required parameter: '{}'.", refusal.where)
                                      : fmt::format("Invalid '{}': {}", refusal.where, refusal.message);
  const std::string code = refusal.kind == Kind::unknown   ? "unknown_parameter"
                           : refusal.kind == Kind::missing ? "missing_required_parameter"
                                                           : "invalid_value";
  return std::unexpected(WireError{400, message, "", refusal.where, code});
}

}  // namespace assay::sim
