#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/protocols/gemini_wire.h"
#include "sim/protocols/request_check.h"
#include "sim/protocols/thoughts.h"

namespace assay::sim {
namespace {

constexpr auto kMembers = std::to_array<std::string_view>({"contents", "systemInstruction", "tools",
                                                           "toolConfig", "generationConfig", "safetySettings",
                                                           "cachedContent", "labels", "model"});
constexpr auto kGeneration = std::to_array<std::string_view>(
    {"temperature", "topP", "topK", "seed", "stopSequences", "maxOutputTokens", "candidateCount",
     "responseMimeType", "responseJsonSchema", "responseSchema", "responseModalities", "thinkingConfig",
     "presencePenalty", "frequencyPenalty", "responseLogprobs", "logprobs", "mediaResolution",
     "speechConfig"});
constexpr auto kParts = std::to_array<std::string_view>(
    {"text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "fileData"});
constexpr auto kDeclaration =
    std::to_array<std::string_view>({"name", "description", "parameters", "parametersJsonSchema", "response",
                                     "responseJsonSchema", "behavior"});
constexpr auto kThinking =
    std::to_array<std::string_view>({"includeThoughts", "thinkingBudget", "thinkingLevel"});
constexpr std::array<std::string_view, 2> kRoles = {"user", "model"};
constexpr std::array<std::string_view, 4> kLevels = {"MINIMAL", "LOW", "MEDIUM", "HIGH"};
constexpr std::array<std::string_view, 4> kModes = {"AUTO", "ANY", "NONE", "VALIDATED"};

class Reading {
 public:
  Reading(const JsonObject& body, std::string_view model) : body_(body) { call_.request.model = model; }

  GeminiCall read() {
    check_.known_keys(body_, kMembers, "");
    if (const JsonObject* system = check_.map(body_, "systemInstruction", "", Need::optional)) {
      Message message{.role = Role::system};
      read_parts(*system, "systemInstruction", message);
      if (!message.text.empty()) call_.request.messages.push_back(std::move(message));
    }
    read_contents();
    read_tools();
    read_choice();
    read_generation();
    return std::move(call_);
  }

  const RequestCheck& check() const { return check_; }

 private:
  void refuse(std::string where, std::string message) {
    check_.refuse(Refusal::Kind::wrong_value, std::move(where), std::move(message));
  }

  void read_contents() {
    const JsonArray* contents = check_.list(body_, "contents", "", Need::required);
    if (contents == nullptr) return;
    if (contents->empty()) refuse("contents", "contents is not specified");
    for (std::size_t i = 0; i < contents->size() && !check_.failed(); ++i) {
      const std::string place = check_.at("contents", i);
      const JsonObject* content = check_.entry((*contents)[i], place);
      if (content == nullptr) return;
      const auto role = check_.text(*content, "role", place, Need::optional).value_or("user");
      check_.one_of(role, kRoles, check_.at(place, "role"));
      Message message{.role = role == "model" ? Role::assistant : Role::user};
      const bool any = read_parts(*content, place, message);
      if (message.role == Role::user && !calls_.empty() && results_ != calls_.size())
        refuse(place,
               "the number of function response parts must equal that of the function call parts before");
      if (any || message.role == Role::assistant) call_.request.messages.push_back(message);
      calls_ = message.tool_calls;
      results_ = 0;
    }
  }

  // True if there was text, or a call.
  bool read_parts(const JsonObject& content, const std::string& place, Message& message) {
    const JsonArray* parts = check_.list(content, "parts", place, Need::required);
    bool any = false;
    std::string thoughts;
    for (std::size_t i = 0; parts != nullptr && i < parts->size() && !check_.failed(); ++i) {
      const std::string here = check_.at(check_.at(place, "parts"), i);
      const JsonObject* part = check_.entry((*parts)[i], here);
      if (part == nullptr) return any;
      check_.known_keys(*part, kParts, here);
      const bool thought = check_.boolean(*part, "thought", here);
      if (const auto text = check_.text(*part, "text", here, Need::optional)) {
        (thought ? thoughts : message.text) += *text;
        any = any || !thought;
      } else if (const JsonObject* call = check_.map(*part, "functionCall", here, Need::optional)) {
        read_call(*part, *call, here, thoughts, message);
        any = true;
      } else if (const JsonObject* result = check_.map(*part, "functionResponse", here, Need::optional)) {
        read_result(*result, here);
      } else if (!check_.failed() && !part->contains("inlineData") && !part->contains("fileData")) {
        refuse(here, "required oneof field 'data' must have one initialized field");
      }
    }
    return any;
  }

  void read_call(const JsonObject& part, const JsonObject& from, const std::string& place,
                 const std::string& thoughts, Message& message) {
    if (message.role != Role::assistant) return refuse(place, "a function call must come from the model");
    ToolCall call;
    call.id = fmt::format("call_{}_{}", call_.request.messages.size(), message.tool_calls.size());
    call.name = check_.text(from, "name", check_.at(place, "functionCall"), Need::required).value_or("");
    given_ids_[call.id] = check_.text(from, "id", check_.at(place, "functionCall"), Need::optional);
    call.arguments = JsonObject{};
    if (check_.map(from, "args", place, Need::optional) != nullptr)
      call.arguments = *from.if_contains("args");
    const auto signature = check_.text(part, "thoughtSignature", place, Need::optional);
    if (!thoughts.empty() && signature != thought_signature(thoughts))
      refuse(place, "the thought signature does not fit the thoughts before it");
    message.tool_calls.push_back(std::move(call));
  }

  void read_result(const JsonObject& from, const std::string& place) {
    const std::string here = check_.at(place, "functionResponse");
    const auto name = check_.text(from, "name", here, Need::required).value_or("");
    const JsonObject* response = check_.map(from, "response", here, Need::required);
    if (response == nullptr) return;
    if (results_ >= calls_.size() || calls_[results_].name != name)
      return refuse(here, "a function response must follow the call of that function");
    if (check_.text(from, "id", here, Need::optional) != given_ids_[calls_[results_].id])
      return refuse(here, "a function response must have the id of its call");
    Message message{.role = Role::tool, .tool_call_id = calls_[results_++].id};
    const Json* error = response->if_contains("error");
    const Json* result = response->if_contains("result");
    message.is_error = error != nullptr;
    const bool wrapped = response->size() == 1 && (error != nullptr || result != nullptr);
    message.text = text_or_json(wrapped ? (error != nullptr ? *error : *result) : Json(*response));
    call_.request.messages.push_back(std::move(message));
  }

  void read_tools() {
    const JsonArray* tools = check_.list(body_, "tools", "", Need::optional);
    for (std::size_t i = 0; tools != nullptr && i < tools->size() && !check_.failed(); ++i) {
      const std::string place = check_.at("tools", i);
      const JsonObject* group = check_.entry((*tools)[i], place);
      if (group == nullptr) return;
      const JsonArray* functions = check_.list(*group, "functionDeclarations", place, Need::required);
      for (std::size_t j = 0; functions != nullptr && j < functions->size() && !check_.failed(); ++j)
        read_function((*functions)[j], check_.at(check_.at(place, "functionDeclarations"), j));
    }
  }

  void read_function(const Json& value, const std::string& place) {
    const JsonObject* from = check_.entry(value, place);
    if (from == nullptr) return;
    check_.known_keys(*from, kDeclaration, place);
    Tool tool;
    tool.name = check_.text(*from, "name", place, Need::required).value_or("");
    check_.name(tool.name, 64, check_.at(place, "name"));
    tool.description = check_.text(*from, "description", place, Need::required).value_or("");
    for (const std::string_view key : {"parameters", "parametersJsonSchema"}) {
      if (check_.map(*from, key, place, Need::optional) != nullptr) tool.parameters = *from->if_contains(key);
    }
    if (tool.parameters.is_null())
      tool.parameters = JsonObject{{"type", "object"}, {"properties", JsonObject{}}};
    if (std::ranges::find(call_.request.tools, tool.name, &Tool::name) != call_.request.tools.end())
      refuse(place, "duplicate function declaration");
    call_.request.tools.push_back(std::move(tool));
  }

  void read_choice() {
    const JsonObject* config = check_.map(body_, "toolConfig", "", Need::optional);
    const JsonObject* calling =
        config != nullptr ? check_.map(*config, "functionCallingConfig", "toolConfig", Need::optional)
                          : nullptr;
    if (calling == nullptr) return;
    const std::string place = "toolConfig.functionCallingConfig";
    const auto mode = check_.text(*calling, "mode", place, Need::optional).value_or("AUTO");
    check_.one_of(mode, kModes, check_.at(place, "mode"));
    ToolChoice& choice = call_.request.tool_choice;
    if (mode == "NONE") choice.mode = ToolChoice::Mode::none;
    if (mode == "ANY") choice.mode = ToolChoice::Mode::any;
    if (mode == "ANY" && call_.request.tools.empty()) refuse(place, "there are no function declarations");
    const JsonArray* names = check_.list(*calling, "allowedFunctionNames", place, Need::optional);
    if (names == nullptr || names->empty()) return;
    if (mode != "ANY") return refuse(place, "allowed_function_names is only for the mode ANY");
    for (const Json& name : *names) {
      const auto text = as_text(name).value_or("");
      const auto found = std::ranges::find(call_.request.tools, text, &Tool::name);
      if (found == call_.request.tools.end())
        return refuse(place, fmt::format("'{}' is not among the function declarations", shorten(text, 80)));
    }
    if (names->size() == 1) choice = {ToolChoice::Mode::named, std::string(*as_text(names->front()))};
  }

  void read_generation() {
    const JsonObject* config = check_.map(body_, "generationConfig", "", Need::optional);
    if (config == nullptr) return;
    const std::string place = "generationConfig";
    check_.known_keys(*config, kGeneration, place);
    Sampling& sampling = call_.request.sampling;
    sampling.temperature = check_.number(*config, "temperature", place, 0, 2);
    sampling.top_p = check_.number(*config, "topP", place, 0, 1);
    sampling.seed = check_.whole(*config, "seed", place, 0, Need::optional);
    if (sampling.seed && *sampling.seed > std::numeric_limits<std::int32_t>::max())
      refuse(check_.at(place, "seed"), "must fit into 32 bits");
    if (const auto most = check_.whole(*config, "maxOutputTokens", place, 1, Need::optional))
      sampling.max_tokens = static_cast<int>(std::min<std::int64_t>(*most, std::numeric_limits<int>::max()));
    const JsonArray* stops = check_.list(*config, "stopSequences", place, Need::optional);
    if (stops != nullptr && stops->size() > 5) refuse(place, "at most 5 stop sequences");
    for (std::size_t i = 0; stops != nullptr && i < stops->size(); ++i) {
      if ((*stops)[i].is_string()) sampling.stop.emplace_back((*stops)[i].get_string());
    }
    read_output(*config, place);
    if (const JsonObject* thinking = check_.map(*config, "thinkingConfig", place, Need::optional))
      read_thinking(*thinking, check_.at(place, "thinkingConfig"));
  }

  // Older models take a number of tokens, newer ones a level.
  void read_thinking(const JsonObject& thinking, const std::string& place) {
    check_.known_keys(thinking, kThinking, place);
    call_.thinks = check_.boolean(thinking, "includeThoughts", place);
    const auto budget = check_.whole(thinking, "thinkingBudget", place, -1, Need::optional);
    const auto level = check_.text(thinking, "thinkingLevel", place, Need::optional);
    if (!level) return;
    check_.one_of(*level, kLevels, check_.at(place, "thinkingLevel"));
    if (budget) refuse(place, "You can only set only one of thinking budget and thinking level.");
    if (call_.request.model.starts_with("gemini-2"))
      refuse(place, "Thinking level is not supported for this model.");
  }

  void read_output(const JsonObject& config, const std::string& place) {
    const auto type = check_.text(config, "responseMimeType", place, Need::optional).value_or("text/plain");
    check_.one_of(type, std::array<std::string_view, 3>{"text/plain", "application/json", "text/x.enum"},
                  check_.at(place, "responseMimeType"));
    for (const std::string_view key : {"responseJsonSchema", "responseSchema"}) {
      if (check_.map(config, key, place, Need::optional) == nullptr) continue;
      if (type != "application/json")
        return refuse(check_.at(place, key), "needs the response mime type application/json");
      call_.request.output = OutputSchema{"output", "", *config.if_contains(key)};
    }
  }

  const JsonObject& body_;
  RequestCheck check_{RequestCheck::Paths::brackets};
  GeminiCall call_;
  std::vector<ToolCall> calls_;  // of the turn before
  std::size_t results_ = 0;
  std::map<std::string, std::optional<std::string_view>> given_ids_;  // by ours, as the service gave them
};

}  // namespace

std::expected<GeminiCall, WireError> read_gemini_request(const Json& body, std::string_view model,
                                                         bool stream) {
  if (!body.is_object()) return std::unexpected(WireError{400, "the body must be a JSON object", "", "", ""});
  Reading reading(body.get_object(), model);
  GeminiCall call = reading.read();
  call.stream = stream;
  if (!reading.check().failed()) return call;
  const Refusal& refusal = reading.check().refusal();
  const std::string message =
      refusal.kind == Refusal::Kind::unknown
          ? fmt::format("Invalid JSON payload received. Unknown name \"{}\": Cannot find field.",
                        refusal.where)
          : fmt::format("* {}: {}", refusal.where, refusal.message);
  return std::unexpected(WireError{400, message, "", "", ""});
}

}  // namespace assay::sim
