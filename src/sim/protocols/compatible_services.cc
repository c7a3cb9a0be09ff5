#include "sim/protocols/compatible_services.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace assay::sim {
namespace {

constexpr auto kMistral = std::to_array<std::string_view>(
    {"mistral-", "ministral-", "codestral-", "magistral-", "devstral-", "pixtral-", "open-mi"});
constexpr auto kMistralParameters = std::to_array<std::string_view>({"random_seed", "safe_prompt"});
constexpr std::string_view kDeepSeek = "deepseek-";
constexpr auto kDeepSeekParameters = std::to_array<std::string_view>({"thinking"});
// OpenRouter, Together, vLLM and llama.cpp.
constexpr auto kOpenParameters = std::to_array<std::string_view>(
    {"reasoning", "chat_template_kwargs", "top_k", "min_p", "repetition_penalty"});
constexpr auto kReasoning =
    std::to_array<std::string_view>({"enabled", "effort", "max_tokens", "exclude", "summary"});

// MAKER/NAME, or the name that a server on one's own machine goes by.
bool is_open(std::string_view model) {
  return model.contains('/') || model.starts_with("qwen") || model == "any";
}

}  // namespace

std::vector<std::string_view> parameters_of_service(std::string_view model,
                                                    std::vector<std::string_view> openai) {
  const std::string name = lower_ascii(model);
  const auto add = [&](const auto& parameters) {
    openai.insert(openai.end(), parameters.begin(), parameters.end());
  };
  if (std::ranges::any_of(kMistral, [&](std::string_view family) { return name.starts_with(family); })) {
    std::erase(openai, "seed");
    add(kMistralParameters);
  } else if (name.starts_with(kDeepSeek)) {
    add(kDeepSeekParameters);
  } else if (is_open(name)) {
    add(kOpenParameters);
  }
  return openai;
}

bool counts_thoughts_apart(std::string_view model) {
  return lower_ascii(model.substr(model.rfind('/') + 1)).starts_with("grok-");
}

bool is_own_effort(std::string_view model, std::string_view effort) {
  return effort == "default" && is_open(lower_ascii(model));
}

bool read_own_parameters(RequestCheck& check, const JsonObject& body) {
  bool thinks = false;
  check.whole(body, "random_seed", "", 0, Need::optional);
  check.boolean(body, "safe_prompt", "");
  check.whole(body, "top_k", "", -1, Need::optional);
  check.number(body, "min_p", "", 0, 1);
  check.number(body, "repetition_penalty", "", 0, 2);
  if (const JsonObject* thinking = check.map(body, "thinking", "", Need::optional)) {
    const auto type = check.text(*thinking, "type", "thinking", Need::required).value_or("");
    check.one_of(type, std::array<std::string_view, 2>{"enabled", "disabled"}, check.at("thinking", "type"));
    thinks = thinks || type == "enabled";
  }
  if (const JsonObject* reasoning = check.map(body, "reasoning", "", Need::optional)) {
    check.known_keys(*reasoning, kReasoning, "reasoning");
    check.whole(*reasoning, "max_tokens", "reasoning", 1, Need::optional);
    const auto effort = check.text(*reasoning, "effort", "reasoning", Need::optional);
    if (effort) check.one_of(*effort, kReasoningEfforts, "reasoning.effort");
    thinks = thinks || effort || check.boolean(*reasoning, "enabled", "reasoning");
  }
  if (const JsonObject* of_template = check.map(body, "chat_template_kwargs", "", Need::optional))
    thinks = thinks || check.boolean(*of_template, "enable_thinking", "chat_template_kwargs");
  return thinks;
}

}  // namespace assay::sim
