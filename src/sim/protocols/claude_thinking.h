// How Anthropic's models are told to think, in both protocols that reach them. Which model takes which of the
// two ways is a table of its own, so that a client with a wrong one is refused as by the real service.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/protocols/request_check.h"

namespace assay::sim {

struct ClaudeThinking {
  bool on = false;
  std::optional<std::int64_t> budget = {};
};

// `thinking` of an object that stands at `base`.
ClaudeThinking read_claude_thinking(RequestCheck& check, const JsonObject& object, std::string_view base,
                                    std::string_view model);
// What the request's limit and sampling must not be beside it.
void check_beside_thinking(RequestCheck& check, const ClaudeThinking& thinking, const Sampling& sampling);
// `effort` of an object that stands at `base`.
void check_claude_effort(RequestCheck& check, const JsonObject& object, std::string_view base);

}  // namespace assay::sim
