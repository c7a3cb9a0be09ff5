#include "tools/find_program.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "core/text.h"

namespace assay {
namespace {

bool can_be_run(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> find_program(std::string_view name, const Environment& environment) {
  const std::string path = environment("PATH").value_or("");
  for (const auto directory : split(path, ':')) {
    if (!directory.starts_with('/')) continue;
    auto candidate = fmt::format("{}/{}", directory, name);
    if (can_be_run(candidate)) return candidate;
  }
  return std::nullopt;
}

Status check_program(const std::string& program, const Environment& environment) {
  if (!program.contains('/')) {
    if (find_program(program, environment)) return {};
    return fail(ErrorKind::config, fmt::format("there is no program {} in PATH", program));
  }
  if (can_be_run(program)) return {};
  std::error_code error;
  if (!std::filesystem::exists(program, error))
    return fail(ErrorKind::config, fmt::format("there is no program {}", program));
  return fail(ErrorKind::config, fmt::format("{} cannot be run: is it a file, and executable?", program));
}

}  // namespace assay
