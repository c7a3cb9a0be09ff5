// Small steps that the mappings of all providers share: which tools and sampling parameters a request sends
// under a plan, and tolerant access to the fields of replies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "models/chat.h"
#include "models/model.h"
#include "models/structured/structured_way.h"

namespace assay {

// Adds `text` as a new paragraph; nothing if it is empty.
void append_paragraph(std::string& to, std::string_view text);

Json text_list(const std::vector<std::string>& texts);

// The member as text, or as the digits of a whole number; empty if it is anything else.
std::string text_of(const Json& json, std::string_view key);
// A count of tokens: never negative, 0 if absent, at most kMostTokens.
std::int64_t count_of(const Json& json, std::string_view pointer);
// Notes the prompt's tokens that were read from the provider's cache and written to it, as OpenAI's wires
// tell them: as parts of the prompt's, which they never exceed.
void put_cached_tokens(Usage& usage, std::int64_t read, std::int64_t written);
// Notes the tokens that were thought, as OpenAI's wires tell them. Most servers count them among the
// answer's; xAI counts them beside those, which shows in its `total`, and charges both. Gateways before
// Gemini do the same without naming them; a total that has cached tokens in addition is another matter.
void put_thought_tokens(Usage& usage, std::int64_t thought, std::int64_t total);
// Arguments as JSON, as text that holds JSON, or as whatever the model wrote.
void set_arguments(ToolCall& call, const Json* arguments);

// The tools that are sent, with the one that carries a structured answer.
struct ToolPlan {
  std::vector<const Tool*> own;       // of the request, which must outlive the plan
  std::optional<std::string> answer;  // name of the tool whose argument is the answer
  ToolChoice choice;
  bool empty() const { return own.empty() && !answer; }
};
ToolPlan plan_tools(const ChatRequest& request, const WirePlan& plan);

// What the prompt must say in addition under this plan; empty if nothing.
std::string instruction_of(const ChatRequest& request, const WirePlan& plan);

// The name of the tool whose call the message at `at` answers: of the latest call with that id before it.
std::string_view called_name(const ChatRequest& request, std::size_t at);

// What a reply said as the wire has it, for the next turn (Message::kept); nothing if it nests too deeply.
void keep_list(Message& message, std::string_view wire, const JsonArray& list);
// Null if nothing was kept, or by another wire.
const JsonArray* kept_list(const Message& message, std::string_view wire);

// The request's parameters, with the model's own where the request has none, as far as the model takes them.
Sampling sampling_of(const ChatRequest& request, const ModelSpec& spec, const Capabilities& capabilities);

}  // namespace assay
