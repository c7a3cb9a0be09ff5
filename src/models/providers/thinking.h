// What `thinking` and `reasoning_effort` of a model become on the wire. Servers that speak OpenAI's chat
// completions differ in the first, so that a provider's row says which form it takes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/error.h"
#include "core/json/json.h"
#include "models/capabilities.h"

namespace assay {

struct ModelSpec;

enum class ThinkingForm {
  none,           // it cannot be chosen, but for reasoning_effort
  typed,          // {"thinking": {"type": "enabled"}} (DeepSeek)
  chat_template,  // {"chat_template_kwargs": {"enable_thinking": true}} (vLLM, llama.cpp)
  reasoning,      // {"reasoning": {"enabled": true, "max_tokens": N}} (OpenRouter)
  enabled,        // {"reasoning": {"enabled": true}} (Together)
  effort,         // {"reasoning_effort": "none"} to switch it off (Ollama)
};

// `thinking` of a config: true, false, a number of tokens, or an object that is sent as it is.
struct Thinking {
  bool on = false;
  std::optional<std::int64_t> budget = {};
  std::optional<JsonObject> own = {};
};
// None if nothing was said. Kind config: it is none of these.
Result<std::optional<Thinking>> read_thinking(const Json& value);

// {} if the model says nothing of either; else kind config.
Result<JsonObject> no_options(const ModelSpec& spec, ThinkingForm form);
// Of chat completions, whoever speaks them.
Result<JsonObject> chat_options(const ModelSpec& spec, ThinkingForm form);

// Anthropic's, on Bedrock too. Older models think with a number of tokens, newer ones as they see fit, a few
// take both.
//
// What can be told before anything is asked. Kind config: what `thinking` says has no place with this model,
// or breaks Anthropic's bounds.
Status check_anthropic_thinking(const ModelSpec& spec);
// {"type": "enabled", "budget_tokens": N}, {"type": "adaptive"} or {"type": "disabled"}, as far as `model`
// takes it; nothing if the declaration says nothing. `max_tokens` is the request's limit, if it has one.
std::optional<Json> anthropic_thinking(const ModelSpec& spec, const Capabilities& model,
                                       std::optional<int> max_tokens);
// The tokens that it sets aside for thoughts; 0 if none.
std::int64_t thinking_budget(const std::optional<Json>& thinking);

}  // namespace assay
