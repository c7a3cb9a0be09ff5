#include "core/files/find_program.h"

#include <algorithm>
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

bool is_script(std::string_view word) {
  constexpr std::string_view kEndings[] = {".py", ".js",  ".mjs", ".cjs", ".ts", ".sh",
                                           ".rb", ".php", ".pl",  ".lua", ".R"};
  return std::ranges::any_of(kEndings, [word](std::string_view ending) { return word.ends_with(ending); });
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

Status check_command(const std::vector<std::string>& command, const std::string& directory,
                     const Environment& environment) {
  if (auto found = check_program(command.front(), environment); !found) return found;
  const auto word = std::find_if(command.begin() + 1, command.end(),
                                 [](const std::string& argument) { return !argument.starts_with('-'); });
  // What is filled in for each case cannot be known, nor which words of a command line are files
  // (`sh -c "python3 score.py"`).
  if (word == command.end() || !is_script(*word) || word->find_first_of("{$* ") != std::string::npos)
    return {};
  std::error_code error;
  const std::filesystem::path script = std::filesystem::path(directory) / *word;
  if (std::filesystem::exists(script, error)) return {};
  return fail(ErrorKind::config, fmt::format("there is no file {} for {} to run", *word, command.front()));
}

}  // namespace assay
