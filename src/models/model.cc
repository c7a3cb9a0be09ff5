#include "models/model.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/providers/provider.h"

namespace assay {

std::vector<std::string_view> known_providers() {
  std::vector<std::string_view> names;
  for (const Provider& provider : providers()) names.push_back(provider.name);
  std::ranges::sort(names);
  return names;
}

Result<ModelSpec> parse_model_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  // Only the first slash divides: "openai/meta-llama/Llama-3" is the model meta-llama/Llama-3.
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    return fail(ErrorKind::config,
                fmt::format("\"{}\" is not a model: write PROVIDER/NAME with one of the providers {}", text,
                            fmt::join(known_providers(), ", ")));
  }
  const std::string_view provider = text.substr(0, slash);
  if (find_provider(provider) == nullptr) {
    return fail(ErrorKind::config, fmt::format("unknown provider \"{}\" in \"{}\"; known providers: {}",
                                               provider, text, fmt::join(known_providers(), ", ")));
  }
  ModelSpec spec;
  spec.provider = provider;
  spec.name = text.substr(slash + 1);
  return spec;
}

}  // namespace assay
