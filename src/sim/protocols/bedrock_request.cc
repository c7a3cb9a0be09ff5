#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "sim/protocols/bedrock_wire.h"
#include "sim/protocols/claude_thinking.h"
#include "sim/protocols/request_check.h"
#include "sim/protocols/thoughts.h"

namespace assay::sim {
namespace {

constexpr auto kMembers = std::to_array<std::string_view>(
    {"messages", "system", "inferenceConfig", "toolConfig", "guardrailConfig", "outputConfig",
     "additionalModelRequestFields", "additionalModelResponseFieldPaths", "promptVariables",
     "requestMetadata", "performanceConfig", "serviceTier"});
constexpr auto kInference =
    std::to_array<std::string_view>({"maxTokens", "temperature", "topP", "stopSequences"});
constexpr std::array<std::string_view, 2> kRoles = {"user", "assistant"};

class Reading {
 public:
  Reading(const JsonObject& body, std::string_view model) : body_(body) { call_.request.model = model; }

  BedrockCall read() {
    check_.known_keys(body_, kMembers, "");
    read_thinking();
    const JsonArray* system = check_.list(body_, "system", "", Need::optional);
    for (std::size_t i = 0; system != nullptr && i < system->size() && !check_.failed(); ++i) {
      const JsonObject* block = check_.entry((*system)[i], check_.at("system", i));
      if (block == nullptr) break;
      Message message{.role = Role::system};
      message.text = text_of(*block, check_.at("system", i));
      call_.request.messages.push_back(std::move(message));
    }
    read_messages();
    read_tools();
    read_inference();
    check_beside_thinking(check_, thinking_, call_.request.sampling);
    read_output();
    return std::move(call_);
  }

  const RequestCheck& check() const { return check_; }

 private:
  void refuse(std::string where, std::string message) {
    check_.refuse(Refusal::Kind::wrong_value, std::move(where), std::move(message));
  }

  std::string text_of(const JsonObject& block, const std::string& place) {
    const auto text = check_.text(block, "text", place, Need::required).value_or("");
    if (!check_.failed() && trim(text).empty()) refuse(place, "the text field is blank");
    return std::string(text);
  }

  void read_thinking() {
    const JsonObject* fields = check_.map(body_, "additionalModelRequestFields", "", Need::optional);
    if (fields == nullptr) return;
    thinking_ = read_claude_thinking(check_, *fields, "additionalModelRequestFields", call_.request.model);
    call_.thinks = thinking_.on;
  }

  void read_messages() {
    const JsonArray* messages = check_.list(body_, "messages", "", Need::required);
    if (messages == nullptr) return;
    std::string_view before = "assistant";
    for (std::size_t i = 0; i < messages->size() && !check_.failed(); ++i) {
      const std::string place = check_.at("messages", i);
      const JsonObject* from = check_.entry((*messages)[i], place);
      if (from == nullptr) return;
      const auto role = check_.text(*from, "role", place, Need::required).value_or("");
      check_.one_of(role, kRoles, check_.at(place, "role"));
      if (role == before) refuse(place, "a conversation must alternate between user and assistant roles");
      before = role;
      Message message{.role = role == "user" ? Role::user : Role::assistant};
      const bool any = read_content(*from, place, message);
      if (role == "user" && !awaited_.empty())
        refuse(place, fmt::format("Expected toolResult blocks for the following Ids: {}",
                                  fmt::join(awaited_, ", ")));
      if (any) call_.request.messages.push_back(message);
      for (const ToolCall& call : message.tool_calls) awaited_.insert(call.id);
    }
    if (!check_.failed() && !awaited_.empty()) refuse("messages", "a toolUse has no toolResult");
  }

  bool read_content(const JsonObject& from, const std::string& place, Message& message) {
    const JsonArray* content = check_.list(from, "content", place, Need::required);
    if (content != nullptr && content->empty()) refuse(place, "the content field is empty");
    bool any = false;
    bool thought = false;
    for (std::size_t i = 0; content != nullptr && i < content->size() && !check_.failed(); ++i) {
      const std::string here = check_.at(check_.at(place, "content"), i);
      const JsonObject* block = check_.entry((*content)[i], here);
      if (block == nullptr) return any;
      if (block->size() != 1) return refuse(here, "a block has exactly one member"), any;
      if (block->contains("text")) {
        message.text += text_of(*block, here);
        any = true;
      } else if (const JsonObject* use = check_.map(*block, "toolUse", here, Need::optional)) {
        if (call_.thinks && !thought) refuse(here, "Expected `thinking`, but found `tool_use`");
        read_use(*use, here, message);
        any = true;
      } else if (const JsonObject* result = check_.map(*block, "toolResult", here, Need::optional)) {
        read_result(*result, here);
      } else if (const JsonObject* reasoning = check_.map(*block, "reasoningContent", here, Need::optional)) {
        read_reasoning(*reasoning, here);
        thought = true;
      } else if (!check_.failed()) {
        refuse(here, "this kind of block is not known");
      }
    }
    return any;
  }

  void read_use(const JsonObject& use, const std::string& place, Message& message) {
    if (message.role != Role::assistant) return refuse(place, "a toolUse must come from the assistant");
    ToolCall call;
    call.id = check_.text(use, "toolUseId", place, Need::required).value_or("");
    call.name = check_.text(use, "name", place, Need::required).value_or("");
    if (check_.map(use, "input", place, Need::required) == nullptr) return;
    call.arguments = *use.if_contains("input");
    message.tool_calls.push_back(std::move(call));
  }

  void read_result(const JsonObject& result, const std::string& place) {
    Message message{.role = Role::tool};
    message.tool_call_id = check_.text(result, "toolUseId", place, Need::required).value_or("");
    if (!check_.failed() && awaited_.erase(message.tool_call_id) == 0)
      refuse(place, "a toolResult must answer a toolUse of the message before it");
    message.is_error = check_.text(result, "status", place, Need::optional).value_or("success") == "error";
    const JsonArray* content = check_.list(result, "content", place, Need::required);
    for (std::size_t i = 0; content != nullptr && i < content->size() && !check_.failed(); ++i) {
      const JsonObject* part = check_.entry((*content)[i], check_.at(place, i));
      if (part == nullptr) return;
      const Json* json = part->if_contains("json");
      message.text += json != nullptr ? to_text(*json) : text_of(*part, check_.at(place, i));
    }
    call_.request.messages.push_back(std::move(message));
  }

  void read_reasoning(const JsonObject& reasoning, const std::string& place) {
    if (reasoning.contains("redactedContent")) return;
    const JsonObject* text = check_.map(reasoning, "reasoningText", place, Need::required);
    if (text == nullptr) return;
    const auto thoughts = check_.text(*text, "text", place, Need::required).value_or("");
    const auto signature = check_.text(*text, "signature", place, Need::required).value_or("");
    if (!check_.failed() && signature != thought_signature(thoughts))
      refuse(place, "Invalid `signature` in `thinking` block");
  }

  void read_tools() {
    const JsonObject* config = check_.map(body_, "toolConfig", "", Need::optional);
    const bool called = std::ranges::any_of(
        call_.request.messages, [](const Message& message) { return !message.tool_calls.empty(); });
    if (config == nullptr) {
      if (called) refuse("toolConfig", "must be defined when using toolUse and toolResult content blocks");
      return;
    }
    const JsonArray* tools = check_.list(*config, "tools", "toolConfig", Need::required);
    if (tools != nullptr && tools->empty()) refuse("toolConfig.tools", "must have at least one tool");
    for (std::size_t i = 0; tools != nullptr && i < tools->size() && !check_.failed(); ++i) {
      const std::string place = check_.at("toolConfig.tools", i);
      const JsonObject* entry = check_.entry((*tools)[i], place);
      const JsonObject* spec =
          entry != nullptr ? check_.map(*entry, "toolSpec", place, Need::required) : nullptr;
      if (spec == nullptr) return;
      Tool tool;
      tool.name = check_.text(*spec, "name", place, Need::required).value_or("");
      check_.name(tool.name, 64, check_.at(place, "toolSpec.name"));
      tool.description = check_.text(*spec, "description", place, Need::optional).value_or("");
      const JsonObject* schema = check_.map(*spec, "inputSchema", place, Need::required);
      if (schema == nullptr || check_.map(*schema, "json", place, Need::required) == nullptr) return;
      tool.parameters = *schema->if_contains("json");
      call_.request.tools.push_back(std::move(tool));
    }
    read_choice(*config);
  }

  void read_choice(const JsonObject& config) {
    const JsonObject* choice = check_.map(config, "toolChoice", "toolConfig", Need::optional);
    if (choice == nullptr) return;
    if (choice->size() != 1) return refuse("toolConfig.toolChoice", "has exactly one member");
    ToolChoice& out = call_.request.tool_choice;
    if (choice->contains("any")) out.mode = ToolChoice::Mode::any;
    if (const JsonObject* tool = check_.map(*choice, "tool", "toolConfig.toolChoice", Need::optional)) {
      out = {ToolChoice::Mode::named,
             std::string(check_.text(*tool, "name", "toolConfig.toolChoice", Need::required).value_or(""))};
      if (std::ranges::find(call_.request.tools, out.name, &Tool::name) == call_.request.tools.end())
        refuse("toolConfig.toolChoice.tool.name", "is not among the tools");
    }
    if (call_.thinks && out.mode != ToolChoice::Mode::automatic)
      refuse("toolConfig.toolChoice", "Thinking may not be enabled when tool_choice forces tool use.");
  }

  void read_inference() {
    const JsonObject* config = check_.map(body_, "inferenceConfig", "", Need::optional);
    if (config == nullptr) return;
    const std::string place = "inferenceConfig";
    check_.known_keys(*config, kInference, place);
    Sampling& sampling = call_.request.sampling;
    sampling.temperature = check_.number(*config, "temperature", place, 0, 1);
    sampling.top_p = check_.number(*config, "topP", place, 0, 1);
    if (const auto most = check_.whole(*config, "maxTokens", place, 1, Need::optional))
      sampling.max_tokens = static_cast<int>(std::min<std::int64_t>(*most, std::numeric_limits<int>::max()));
    const JsonArray* stops = check_.list(*config, "stopSequences", place, Need::optional);
    for (std::size_t i = 0; stops != nullptr && i < stops->size(); ++i) {
      if ((*stops)[i].is_string()) sampling.stop.emplace_back((*stops)[i].get_string());
    }
  }

  void read_output() {
    const JsonObject* config = check_.map(body_, "outputConfig", "", Need::optional);
    if (config == nullptr) return;
    check_claude_effort(check_, *config, "outputConfig");
    const JsonObject* format = check_.map(*config, "textFormat", "outputConfig", Need::optional);
    if (format == nullptr) return;
    const std::string place = "outputConfig.textFormat";
    check_.one_of(check_.text(*format, "type", place, Need::required).value_or(""),
                  std::array<std::string_view, 1>{"json_schema"}, check_.at(place, "type"));
    const JsonObject* structure = check_.map(*format, "structure", place, Need::required);
    const JsonObject* definition =
        structure != nullptr ? check_.map(*structure, "jsonSchema", place, Need::required) : nullptr;
    if (definition == nullptr) return;
    auto schema = parse_json(check_.text(*definition, "schema", place, Need::required).value_or(""));
    if (!check_.failed() && (!schema || !schema->is_object()))
      return refuse(place, "the schema is a text that holds no JSON object");
    if (schema) call_.request.output = OutputSchema{"output", "", std::move(*schema)};
  }

  const JsonObject& body_;
  RequestCheck check_{RequestCheck::Paths::dots};
  BedrockCall call_;
  ClaudeThinking thinking_;
  std::set<std::string> awaited_;  // tool uses without their result yet
};

}  // namespace

std::expected<BedrockCall, WireError> read_bedrock_request(const Json& body, std::string_view model,
                                                           bool stream) {
  if (!body.is_object()) return std::unexpected(WireError{400, "the body must be a JSON object", "", "", ""});
  Reading reading(body.get_object(), model);
  BedrockCall call = reading.read();
  call.stream = stream;
  if (!reading.check().failed()) return call;
  const Refusal& refusal = reading.check().refusal();
  // What is said of a request as a whole has no place.
  const std::string place = refusal.where.empty() ? std::string() : refusal.where + ": ";
  return std::unexpected(WireError{400, place + refusal.message, "", "", ""});
}

}  // namespace assay::sim
