#include "models/model.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kProviders{"anthropic", "openai", "sim"};

}  // namespace

std::span<const std::string_view> known_providers() {
  return kProviders;
}

Result<ModelSpec> parse_model_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  // Only the first slash divides: "openai/meta-llama/Llama-3" is the model meta-llama/Llama-3.
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    return fail(ErrorKind::config,
                fmt::format("\"{}\" is not a model: write PROVIDER/NAME with one of the providers {}", text,
                            fmt::join(kProviders, ", ")));
  }
  const std::string_view provider = text.substr(0, slash);
  if (std::ranges::find(kProviders, provider) == kProviders.end()) {
    return fail(ErrorKind::config, fmt::format("unknown provider \"{}\" in \"{}\"; known providers: {}",
                                               provider, text, fmt::join(kProviders, ", ")));
  }
  ModelSpec spec;
  spec.provider = provider;
  spec.name = text.substr(slash + 1);
  return spec;
}

}  // namespace assay
