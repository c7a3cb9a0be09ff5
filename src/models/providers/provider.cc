#include "models/providers/provider.h"

#include <algorithm>
#include <array>

#include "models/providers/anthropic.h"
#include "models/providers/openai.h"

namespace assay {
namespace {

// One row a provider. A service that speaks a wire which is here already needs no more than its row.
constexpr std::array kProviders{
    Provider{.name = "openai",
             .wire = &kOpenAiWire,
             .base_url = "https://api.openai.com/v1",
             .base_variable = "OPENAI_BASE_URL",
             .key_variable = "OPENAI_API_KEY",
             .promptql_name = "openai"},
    Provider{.name = "anthropic",
             .wire = &kAnthropicWire,
             .base_url = "https://api.anthropic.com/v1",
             .base_variable = "ANTHROPIC_BASE_URL",
             .key_variable = "ANTHROPIC_API_KEY",
             .promptql_name = "anthropic"},
    Provider{.name = "sim"},
};

}  // namespace

std::span<const Provider> providers() {
  return kProviders;
}

const Provider* find_provider(std::string_view name) {
  const auto found = std::ranges::find(kProviders, name, &Provider::name);
  return found == kProviders.end() ? nullptr : &*found;
}

const ErrorName* find_error(std::string_view word) {
  for (const Provider& provider : kProviders) {
    if (provider.wire == nullptr) continue;
    const auto found = std::ranges::find(provider.wire->errors, word, &ErrorName::word);
    if (found != provider.wire->errors.end()) return &*found;
  }
  return nullptr;
}

}  // namespace assay
