// What a model or the server in front of it takes, and what it does not. A table holds what is known by name;
// the rest is learnt from the server: a refusal that blames a parameter which the answer can do without
// leads to another request without it (a renegotiation, not a retry), and is remembered.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "models/chat.h"
#include "models/complaint.h"

namespace assay {

enum class SystemRole { system, developer, user };  // the role under which the instructions are sent

struct Capabilities {
  bool temperature = true;
  bool top_p = true;
  bool temperature_with_top_p = true;  // both in one request
  bool seed = true;
  bool stop = true;
  bool stream = true;
  bool stream_options = true;
  bool json_schema = true;
  bool strict = true;       // `strict` beside the JSON schema
  bool tools = true;        // for structured output only; tools that the request itself has are always sent
  bool forced_tool = true;  // tool_choice other than automatic
  bool max_tokens = true;
  bool max_completion_tokens = true;
  bool prefers_max_completion_tokens = false;
  SystemRole system_role = SystemRole::system;
  bool tools_need_no_reasoning = false;  // send reasoning_effort "none" beside tools
  // Anthropic's two ways to think, on Bedrock too: as the model sees fit, or with a number of tokens.
  bool adaptive_thinking = true;
  bool thinking_budget = true;
  bool operator==(const Capabilities&) const = default;
};

// By name, whoever serves it ("gpt-4o", "openai/o3-mini", "us.anthropic.claude-opus-5-5"). Unknown: takes
// all.
Capabilities known_capabilities(std::string_view model);

// What the model takes and the wire has a place for.
Capabilities within(const Capabilities& wire, Capabilities model);

// What a server refused for one schema; says nothing about the model.
struct SchemaRefusals {
  bool strict = false;
  bool json_schema = false;
  bool tools = false;
};

// The request that was refused, as far as it matters for what can be left out.
struct SentRequest {
  const Json* body = nullptr;        // never null
  std::optional<StructuredWay> way;  // if the request asks for structured output
  bool way_is_pinned = false;
  bool thinking_is_pinned = false;  // to an object that is sent as it is
};

// Changes `model` or `schema` so that the next body avoids what the server blames, and says how in one
// sentence. None if nothing it blames was in the body or can be left out: then the refusal stands.
std::optional<std::string> learn(const SentRequest& sent, const std::vector<Complaint>& complaints,
                                 Capabilities& model, SchemaRefusals& schema);

}  // namespace assay
