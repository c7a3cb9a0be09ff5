#include "sim/protocols/claude_thinking.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/text.h"

namespace assay::sim {
namespace {

constexpr auto kTypes = std::to_array<std::string_view>({"enabled", "disabled", "adaptive"});
constexpr auto kKeys = std::to_array<std::string_view>({"type", "budget_tokens", "display"});
constexpr auto kEfforts = std::to_array<std::string_view>({"low", "medium", "high", "xhigh", "max"});
// Those of the 4.6 generation take both ways, and a name that is none of Anthropic's stands for one of them.
constexpr auto kBudgetOnly = std::to_array<std::string_view>(
    {"claude-3-7-", "claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2025", "claude-opus-4-5",
     "claude-sonnet-4-0", "claude-sonnet-4-2025", "claude-sonnet-4-5", "claude-haiku-4-5"});
constexpr auto kAdaptiveOnly =
    std::to_array<std::string_view>({"claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5",
                                     "claude-fable-5", "claude-mythos-5"});
constexpr std::int64_t kLeastBudget = 1024;

bool is_of(std::string_view model, std::span<const std::string_view> families) {
  return std::ranges::any_of(families, [&](std::string_view family) { return model.contains(family); });
}

void refuse(RequestCheck& check, std::string message) {
  check.refuse(Refusal::Kind::wrong_value, "", std::move(message));
}

}  // namespace

ClaudeThinking read_claude_thinking(RequestCheck& check, const JsonObject& object, std::string_view base,
                                    std::string_view model) {
  ClaudeThinking out;
  const JsonObject* thinking = check.map(object, "thinking", base, Need::optional);
  if (thinking == nullptr) return out;
  const std::string place = check.at(base, "thinking");
  const auto type = check.text(*thinking, "type", place, Need::required).value_or("");
  check.one_of(type, kTypes, check.at(place, "type"));
  check.known_keys(*thinking, kKeys, place);
  out.on = type != "disabled";
  if (type == "enabled") {
    out.budget = check.whole(*thinking, "budget_tokens", place, kLeastBudget, Need::required);
    if (is_of(model, kAdaptiveOnly))
      refuse(check,
             R"("thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and )"
             R"("output_config.effort" to control thinking behavior.)");
  } else if (thinking->contains("budget_tokens")) {
    check.refuse(Refusal::Kind::unknown, check.at(place, "budget_tokens"), "is not a parameter");
  }
  if (type == "adaptive" && is_of(model, kBudgetOnly))
    refuse(check, "adaptive thinking is not supported on this model");
  return out;
}

void check_beside_thinking(RequestCheck& check, const ClaudeThinking& thinking, const Sampling& sampling) {
  if (!thinking.on) return;
  if (thinking.budget && sampling.max_tokens && *sampling.max_tokens <= *thinking.budget)
    refuse(check, "`max_tokens` must be greater than `thinking.budget_tokens`.");
  if (sampling.temperature && *sampling.temperature != 1)
    refuse(check, "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.");
  if (sampling.top_p && *sampling.top_p < 0.95)
    refuse(check, "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.");
}

void check_claude_effort(RequestCheck& check, const JsonObject& object, std::string_view base) {
  if (const auto effort = check.text(object, "effort", base, Need::optional))
    check.one_of(*effort, kEfforts, check.at(base, "effort"));
}

}  // namespace assay::sim
