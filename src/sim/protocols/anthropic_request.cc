// Request bodies of Anthropic's messages; see anthropic_wire.h.
#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/protocols/anthropic_wire.h"
#include "sim/protocols/claude_thinking.h"
#include "sim/protocols/request_check.h"
#include "sim/protocols/thoughts.h"

namespace assay::sim {
namespace {

constexpr auto kParameters =
    std::to_array<std::string_view>({"model",        "messages",       "max_tokens",    "system",
                                     "metadata",     "stop_sequences", "stream",        "temperature",
                                     "top_k",        "top_p",          "tools",         "tool_choice",
                                     "thinking",     "service_tier",   "container",     "context_management",
                                     "mcp_servers",  "output_config",  "output_format", "cache_control",
                                     "inference_geo"});
constexpr auto kToolKeys = std::to_array<std::string_view>(
    {"name", "description", "input_schema", "type", "cache_control", "strict", "input_examples",
     "defer_loading", "allowed_callers", "eager_input_streaming"});
constexpr std::array<std::string_view, 2> kRoles = {"user", "assistant"};
constexpr auto kUserBlocks =
    std::to_array<std::string_view>({"text", "image", "document", "search_result", "tool_result"});
constexpr auto kAssistantBlocks =
    std::to_array<std::string_view>({"text", "tool_use", "thinking", "redacted_thinking"});
constexpr std::array<std::string_view, 4> kChoices = {"auto", "any", "tool", "none"};

class Reading {
 public:
  explicit Reading(const JsonObject& body) : body_(body) {}

  AnthropicCall read() {
    call_.request.model = check_.text(body_, "model", "", Need::required).value_or("");
    if (const auto most = check_.whole(body_, "max_tokens", "", 1, Need::required)) {
      call_.request.sampling.max_tokens =
          static_cast<int>(std::min<std::int64_t>(*most, std::numeric_limits<int>::max()));
    }
    check_.known_keys(body_, kParameters, "");
    const ClaudeThinking thinking = read_claude_thinking(check_, body_, "", call_.request.model);
    call_.thinks = thinking.on;
    read_system();
    read_messages();
    read_tools();
    read_tool_choice();
    read_output();
    read_sampling();
    check_beside_thinking(check_, thinking, call_.request.sampling);
    call_.stream = check_.boolean(body_, "stream", "");
    return std::move(call_);
  }

  const RequestCheck& check() const { return check_; }

 private:
  void refuse(std::string where, std::string message) {
    check_.refuse(Refusal::Kind::wrong_value, std::move(where), std::move(message));
  }

  void read_system() {
    const Json* system = check_.member(body_, "system", "", Need::optional);
    if (system == nullptr) return;
    std::string text;
    if (system->is_string()) {
      text = system->get_string();
    } else if (const JsonArray* blocks = check_.list(body_, "system", "", Need::optional)) {
      for (std::size_t i = 0; i < blocks->size(); ++i) {
        const std::string place = check_.at("system", i);
        const JsonObject* block = check_.entry((*blocks)[i], place);
        if (block == nullptr) return;
        check_.one_of(check_.text(*block, "type", place, Need::required).value_or(""),
                      std::array<std::string_view, 1>{"text"}, check_.at(place, "type"));
        if (!text.empty()) text += '\n';
        text += text_of(*block, place);
      }
    }
    if (!text.empty()) call_.request.messages.push_back({Role::system, std::move(text), {}, {}, false});
  }

  std::string text_of(const JsonObject& block, const std::string& place) {
    const auto text = check_.text(block, "text", place, Need::required);
    if (text && text->empty()) refuse(place, "text content blocks must be non-empty");
    return std::string(text.value_or(""));
  }

  void read_messages() {
    const JsonArray* messages = check_.list(body_, "messages", "", Need::required);
    if (messages == nullptr) return;
    if (messages->empty()) refuse("messages", "at least one message is required");
    for (std::size_t i = 0; i < messages->size() && !check_.failed(); ++i) {
      const std::string place = check_.at("messages", i);
      const JsonObject* message = check_.entry((*messages)[i], place);
      if (message == nullptr) return;
      const auto role = check_.text(*message, "role", place, Need::required).value_or("");
      check_.one_of(role, kRoles, check_.at(place, "role"));
      if (check_.failed()) return;
      if (i == 0 && role != "user") refuse("messages", "the first message must have the role user");
      role == "user" ? read_user(*message, place) : read_assistant(*message, place);
    }
    if (!check_.failed() && !awaited_.empty()) unanswered(check_.at("messages", messages->size() - 1));
  }

  void unanswered(const std::string& place) {
    refuse(place, fmt::format("tool_use blocks need tool_result blocks in the next message; missing for: {}",
                              fmt::join(awaited_, ", ")));
  }

  const JsonArray* blocks_of(const JsonObject& message, const std::string& place, std::string& plain) {
    const Json* content = check_.member(message, "content", place, Need::required);
    if (content == nullptr) return nullptr;
    if (content->is_string()) {
      plain = content->get_string();
      if (plain.empty()) refuse(place, "content must be non-empty");
      return nullptr;
    }
    return check_.list(message, "content", place, Need::required);
  }

  void read_user(const JsonObject& object, const std::string& place) {
    std::string plain;
    const JsonArray* blocks = blocks_of(object, place, plain);
    if (check_.failed()) return;
    Message message{Role::user, std::move(plain), {}, {}, false};
    bool any_text = blocks == nullptr;
    for (std::size_t i = 0; blocks != nullptr && i < blocks->size(); ++i) {
      const std::string block_place = check_.at(check_.at(place, "content"), i);
      const JsonObject* block = check_.entry((*blocks)[i], block_place);
      if (block == nullptr) return;
      const auto type = check_.text(*block, "type", block_place, Need::required).value_or("");
      check_.one_of(type, kUserBlocks, check_.at(block_place, "type"));
      if (check_.failed()) return;
      if (type == "tool_result") {
        read_result(*block, block_place);
        continue;
      }
      if (!message.text.empty()) message.text += '\n';
      message.text += type == "text" ? text_of(*block, block_place) : fmt::format("[{}]", type);
      any_text = true;
    }
    if (!awaited_.empty()) return unanswered(place);
    if (any_text) call_.request.messages.push_back(std::move(message));
  }

  void read_result(const JsonObject& block, const std::string& place) {
    Message message{Role::tool, {}, {}, {}, false};
    message.tool_call_id = check_.text(block, "tool_use_id", place, Need::required).value_or("");
    message.is_error = check_.boolean(block, "is_error", place);
    if (!check_.failed() && awaited_.erase(message.tool_call_id) == 0) {
      refuse(place, "a tool_result block must answer a tool_use block of the message before it");
    }
    const Json* content = check_.member(block, "content", place, Need::optional);
    if (content != nullptr && content->is_string()) {
      message.text = content->get_string();
    } else if (content != nullptr) {
      const JsonArray* parts = check_.list(block, "content", place, Need::optional);
      for (std::size_t i = 0; parts != nullptr && i < parts->size(); ++i) {
        const std::string part_place = check_.at(check_.at(place, "content"), i);
        const JsonObject* part = check_.entry((*parts)[i], part_place);
        if (part == nullptr) return;
        const auto type = check_.text(*part, "type", part_place, Need::required).value_or("");
        if (!message.text.empty()) message.text += '\n';
        message.text += type == "text" ? text_of(*part, part_place) : fmt::format("[{}]", type);
      }
    }
    call_.request.messages.push_back(std::move(message));
  }

  void read_assistant(const JsonObject& object, const std::string& place) {
    if (!awaited_.empty()) return unanswered(place);
    std::string plain;
    const JsonArray* blocks = blocks_of(object, place, plain);
    if (check_.failed()) return;
    Message message{Role::assistant, std::move(plain), {}, {}, false};
    bool thought = false;
    for (std::size_t i = 0; blocks != nullptr && i < blocks->size(); ++i) {
      const std::string block_place = check_.at(check_.at(place, "content"), i);
      const JsonObject* block = check_.entry((*blocks)[i], block_place);
      if (block == nullptr) return;
      const auto type = check_.text(*block, "type", block_place, Need::required).value_or("");
      check_.one_of(type, kAssistantBlocks, check_.at(block_place, "type"));
      if (check_.failed()) return;
      if (type == "text") {
        message.text += text_of(*block, block_place);
      } else if (type == "thinking") {
        const auto thoughts = check_.text(*block, "thinking", block_place, Need::required).value_or("");
        const auto signature = check_.text(*block, "signature", block_place, Need::required).value_or("");
        if (!check_.failed() && signature != thought_signature(thoughts))
          return refuse(block_place, "Invalid `signature` in `thinking` block");
        thought = true;
      } else if (type == "tool_use") {
        if (call_.thinks && !thought)
          return refuse(block_place, "Expected `thinking` or `redacted_thinking`, but found `tool_use`");
        ToolCall call;
        call.id = check_.text(*block, "id", block_place, Need::required).value_or("");
        call.name = check_.text(*block, "name", block_place, Need::required).value_or("");
        if (check_.map(*block, "input", block_place, Need::required) == nullptr) return;
        call.arguments = *block->if_contains("input");
        awaited_.insert(call.id);
        message.tool_calls.push_back(std::move(call));
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
      if (const auto type = check_.text(*entry, "type", place, Need::optional)) {
        check_.one_of(*type, std::array<std::string_view, 1>{"custom"}, check_.at(place, "type"));
      }
      check_.known_keys(*entry, kToolKeys, place);
      Tool tool;
      tool.name = check_.text(*entry, "name", place, Need::required).value_or("");
      check_.name(tool.name, 128, check_.at(place, "name"));
      tool.description = check_.text(*entry, "description", place, Need::optional).value_or("");
      const JsonObject* schema = check_.map(*entry, "input_schema", place, Need::required);
      if (schema == nullptr) return;
      const std::string schema_place = check_.at(place, "input_schema");
      check_.one_of(check_.text(*schema, "type", schema_place, Need::required).value_or(""),
                    std::array<std::string_view, 1>{"object"}, check_.at(schema_place, "type"));
      if (std::ranges::find(call_.request.tools, tool.name, &Tool::name) != call_.request.tools.end()) {
        refuse("tools", "tool names must be unique");
      }
      tool.parameters = *entry->if_contains("input_schema");
      call_.request.tools.push_back(std::move(tool));
    }
  }

  void read_tool_choice() {
    const JsonObject* choice = check_.map(body_, "tool_choice", "", Need::optional);
    if (choice == nullptr) return;
    const auto type = check_.text(*choice, "type", "tool_choice", Need::required).value_or("");
    check_.one_of(type, kChoices, "tool_choice.type");
    if (check_.failed()) return;
    ToolChoice& out = call_.request.tool_choice;
    if (call_.request.tools.empty() && type != "none") {
      return refuse("tool_choice", "may only be given together with tools");
    }
    if (type == "none") out.mode = ToolChoice::Mode::none;
    if (type == "any") out.mode = ToolChoice::Mode::any;
    if (type == "tool") {
      out.mode = ToolChoice::Mode::named;
      out.name = check_.text(*choice, "name", "tool_choice", Need::required).value_or("");
      if (std::ranges::find(call_.request.tools, out.name, &Tool::name) == call_.request.tools.end()) {
        refuse("tool_choice.name", fmt::format("tool '{}' is not among the tools", shorten(out.name, 80)));
      }
    }
    if (call_.thinks && (type == "any" || type == "tool")) {
      refuse("tool_choice", "a tool cannot be forced while thinking is enabled");
    }
  }

  void read_output() {
    const JsonObject* format = check_.map(body_, "output_format", "", Need::optional);
    std::string place = "output_format";
    if (const JsonObject* config = check_.map(body_, "output_config", "", Need::optional)) {
      check_claude_effort(check_, *config, "output_config");
      format = check_.map(*config, "format", "output_config", Need::optional);
      place = "output_config.format";
    }
    if (format == nullptr) return;
    check_.one_of(check_.text(*format, "type", place, Need::required).value_or(""),
                  std::array<std::string_view, 1>{"json_schema"}, check_.at(place, "type"));
    if (check_.map(*format, "schema", place, Need::required) == nullptr) return;
    call_.request.output = OutputSchema{"output", "", *format->if_contains("schema")};
  }

  void read_sampling() {
    Sampling& sampling = call_.request.sampling;
    sampling.temperature = check_.number(body_, "temperature", "", 0, 1);
    sampling.top_p = check_.number(body_, "top_p", "", 0, 1);
    check_.whole(body_, "top_k", "", 0, Need::optional);
    const JsonArray* stops = check_.list(body_, "stop_sequences", "", Need::optional);
    for (std::size_t i = 0; stops != nullptr && i < stops->size(); ++i) {
      const Json& stop = (*stops)[i];
      const std::string place = check_.at("stop_sequences", i);
      if (!stop.is_string()) return check_.refuse(Refusal::Kind::wrong_type, place, "expected text");
      if (trim(std::string_view(stop.get_string())).empty()) {
        return refuse(place, "each stop sequence must contain non-whitespace");
      }
      sampling.stop.emplace_back(stop.get_string());
    }
  }

  const JsonObject& body_;
  RequestCheck check_{RequestCheck::Paths::dots};
  AnthropicCall call_;
  std::set<std::string> awaited_;  // tool uses without their result yet
};

}  // namespace

std::expected<AnthropicCall, WireError> read_anthropic_request(const Json& body) {
  if (!body.is_object()) return std::unexpected(WireError{400, "the body must be a JSON object", "", "", ""});
  Reading reading(body.get_object());
  AnthropicCall call = reading.read();
  if (!reading.check().failed()) return call;
  const Refusal& refusal = reading.check().refusal();
  const std::string message = refusal.kind == Refusal::Kind::missing   ? "Field required"
                              : refusal.kind == Refusal::Kind::unknown ? "Extra inputs are not permitted"
                                                                       : refusal.message;
  // What is said of a request as a whole has no place.
  const std::string place = refusal.where.empty() ? std::string() : refusal.where + ": ";
  return std::unexpected(WireError{400, place + message, "", "", ""});
}

}  // namespace assay::sim
