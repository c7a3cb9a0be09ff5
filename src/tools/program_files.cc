#include "tools/program_files.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include <fmt/format.h>

#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kLargestText = std::size_t{1} << 20;

bool names_file(const std::vector<std::string>& command, std::size_t place) {
  std::error_code ignored;
  return (place > 0 || command[place].contains('/')) &&
         std::filesystem::is_regular_file(command[place], ignored);
}

}  // namespace

std::vector<std::string> files_of_command(const std::vector<std::string>& command) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (names_file(command, i) && std::ranges::find(files, command[i]) == files.end())
      files.push_back(command[i]);
  }
  return files;
}

std::vector<std::string> texts_of_command(const std::vector<std::string>& command) {
  std::vector<std::string> files = files_of_command(command);
  std::erase_if(files, [](const std::string& file) {
    const auto content = read_file(file, kLargestText);
    return !content || content->contains('\0') || !valid_utf8(*content);
  });
  return files;
}

Result<std::string> program_fingerprint(const std::vector<std::string>& command) {
  std::string prints;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (!names_file(command, i)) continue;
    auto print = sha256_of_file(command[i]);
    if (!print) return fail(std::move(print.error()));
    prints += fmt::format("{} {}\n", i, *print);
  }
  return prints.empty() ? prints : hex(sha256(prints));
}

}  // namespace assay
