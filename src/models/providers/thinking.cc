#include "models/providers/thinking.h"

#include <algorithm>

#include <fmt/format.h>

#include "models/model.h"

namespace assay {
namespace {

// Anthropic's bounds: no model thinks with less, and thoughts count towards max_tokens.
constexpr std::int64_t kLeastBudget = 1024;
constexpr std::int64_t kUsualBudget = 4096;
// More than any model can write; what is above is left to the server to refuse.
constexpr std::int64_t kMostBudget = 1'000'000;

std::unexpected<Error> no_place(const ModelSpec& spec, std::string_view key, std::string_view instead) {
  return fail(ErrorKind::config, fmt::format("{}: {} has no such choice{}{}", key, spec.provider,
                                             instead.empty() ? "" : "; ", instead));
}

}  // namespace

Result<std::optional<Thinking>> read_thinking(const Json& value) {
  if (value.is_null()) return std::nullopt;
  if (const auto on = as_boolean(value)) return Thinking{.on = *on};
  if (const auto budget = as_integer(value); budget && *budget >= 0)
    return Thinking{.on = *budget > 0, .budget = budget};
  if (const JsonObject* own = value.if_object()) {
    const Json* type = own->if_contains("type");
    const bool off = type != nullptr && as_text(*type) == std::optional<std::string_view>("disabled");
    return Thinking{.on = !off, .own = *own};
  }
  return fail(ErrorKind::config,
              fmt::format("thinking: found {}, expected true, false, a number of tokens, or an object",
                          excerpt(value)));
}

Result<JsonObject> no_options(const ModelSpec& spec, ThinkingForm /*form*/) {
  if (!spec.thinking.is_null()) return no_place(spec, "thinking", "");
  if (!spec.reasoning_effort.empty()) return no_place(spec, "reasoning_effort", "");
  return JsonObject{};
}

Result<JsonObject> chat_options(const ModelSpec& spec, ThinkingForm form) {
  const auto thinking = read_thinking(spec.thinking);
  if (!thinking) return fail(thinking.error());
  JsonObject body;
  if (!spec.reasoning_effort.empty()) body["reasoning_effort"] = spec.reasoning_effort;
  if (!*thinking) return body;
  const Thinking& asked = **thinking;
  const bool takes_tokens = form == ThinkingForm::none || form == ThinkingForm::reasoning;
  if (!takes_tokens && asked.on && asked.budget)
    return no_place(spec, "thinking", "it takes no number of tokens: write true or false");
  switch (form) {
    case ThinkingForm::none:
      return no_place(spec, "thinking", "set reasoning_effort");
    case ThinkingForm::typed:
      body["thinking"] =
          asked.own ? Json(*asked.own) : Json(JsonObject{{"type", asked.on ? "enabled" : "disabled"}});
      break;
    case ThinkingForm::chat_template:
      body["chat_template_kwargs"] =
          asked.own ? Json(*asked.own) : Json(JsonObject{{"enable_thinking", asked.on}});
      break;
    case ThinkingForm::enabled:
      body["reasoning"] = asked.own ? Json(*asked.own) : Json(JsonObject{{"enabled", asked.on}});
      break;
    case ThinkingForm::reasoning: {
      JsonObject reasoning{{"enabled", asked.on}};
      if (asked.on && asked.budget) reasoning["max_tokens"] = *asked.budget;
      body["reasoning"] = asked.own ? Json(*asked.own) : Json(std::move(reasoning));
      break;
    }
    case ThinkingForm::effort:
      if (asked.own) return no_place(spec, "thinking", "write true or false");
      if (spec.reasoning_effort.empty()) body["reasoning_effort"] = asked.on ? "medium" : "none";
      break;
  }
  return body;
}

Status check_anthropic_thinking(const ModelSpec& spec) {
  const auto thinking = read_thinking(spec.thinking);
  if (!thinking) return fail(thinking.error());
  if (!*thinking || (*thinking)->own || !(*thinking)->on) return {};
  const Capabilities model = known_capabilities(spec.name);
  const auto wrong = [](std::string expected) {
    return fail(ErrorKind::config, fmt::format("thinking: {}", expected));
  };
  const auto budget = (*thinking)->budget;
  if (budget && !model.thinking_budget)
    return wrong(
        fmt::format("{} chooses itself how much it thinks and takes no number of tokens: write true, "
                    "and reasoning_effort for how hard it tries",
                    spec.name));
  if (!budget && model.adaptive_thinking) return {};
  if (budget && *budget < kLeastBudget)
    return wrong(fmt::format("found {}, expected at least {} tokens", *budget, kLeastBudget));
  const std::int64_t least = budget.value_or(kLeastBudget);
  if (spec.max_tokens && *spec.max_tokens <= least)
    return wrong(
        fmt::format("{} tokens do not leave room for an answer: max_tokens is {} and counts thoughts too",
                    least, *spec.max_tokens));
  return {};
}

std::optional<Json> anthropic_thinking(const ModelSpec& spec, const Capabilities& model,
                                       std::optional<int> max_tokens) {
  const auto read = read_thinking(spec.thinking);
  if (!read || !*read) return std::nullopt;
  const Thinking& thinking = **read;
  if (thinking.own) return *thinking.own;
  if (!thinking.on) return JsonObject{{"type", "disabled"}};
  const bool adaptive = thinking.budget ? !model.thinking_budget : model.adaptive_thinking;
  if (adaptive) return JsonObject{{"type", "adaptive"}};
  // Half of what the answer may have, where nobody says how much.
  const std::int64_t usual =
      max_tokens ? std::clamp<std::int64_t>(*max_tokens / 2, kLeastBudget, kUsualBudget) : kUsualBudget;
  return JsonObject{{"type", "enabled"}, {"budget_tokens", thinking.budget.value_or(usual)}};
}

std::int64_t thinking_budget(const std::optional<Json>& thinking) {
  const Json* budget = thinking ? find_member(*thinking, "budget_tokens") : nullptr;
  return budget == nullptr ? 0 : std::clamp<std::int64_t>(as_integer(*budget).value_or(0), 0, kMostBudget);
}

}  // namespace assay
