#include "core/environment.h"

#include <cstdlib>

#include <fmt/format.h>

namespace assay {

Environment process_environment() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
}

Result<std::string> fill_environment(std::string_view text, const Environment& environment) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = text.find("${");
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    filled.append(text.substr(0, open));
    const std::string_view name = text.substr(open + 2, close - open - 2);
    const auto value = environment(name);
    if (!value) return fail(ErrorKind::auth, fmt::format("the environment variable {} is not set", name));
    filled += *value;
    text.remove_prefix(close + 1);
  }
  filled.append(text);
  return filled;
}

Result<std::vector<std::pair<std::string, std::string>>> fill_values(
    std::vector<std::pair<std::string, std::string>> variables, const Environment& environment) {
  for (auto& [name, value] : variables) {
    auto filled = fill_environment(value, environment);
    if (!filled) return fail(std::move(filled.error()).with("variable", name));
    value = std::move(*filled);
  }
  return variables;
}

}  // namespace assay
