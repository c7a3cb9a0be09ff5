#include "core/config/named_files.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/config/settled_config.h"
#include "core/text/scheme.h"

namespace assay {
namespace fs = std::filesystem;

fs::path NamedFiles::base_of(const fs::path& given, StoodIn stood) const {
  std::error_code ignored;
  fs::path here = fs::current_path(ignored);
  if (stood == StoodIn::flag || source_.file.empty()) return here;
  const fs::path beside = fs::absolute(fs::path(source_.file).parent_path() / given, ignored);
  const bool elsewhere = !fs::exists(beside, ignored) && fs::exists(here / given, ignored);
  return elsewhere ? here : fs::absolute(fs::path(source_.file), ignored).parent_path();
}

std::string NamedFiles::resolved(std::string_view path, StoodIn stood) const {
  const fs::path given(path);
  const fs::path whole = given.is_absolute() ? given : base_of(given, stood) / given;
  return whole.lexically_normal().string();
}

Result<std::string> NamedFiles::readable(std::string_view path, Pipe pipe, StoodIn stood) const {
  std::string file = resolved(path, stood);
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  const bool input = path == "-" && !fs::exists(status);
  if (!input && !fs::is_fifo(status) && !fs::is_socket(status)) return file;
  if (pipe == Pipe::copied) return input ? std::string(path) : file;
  return fail(
      ErrorKind::config,
      fmt::format("found {}, expected a file: it is read before, while and after the models are asked, "
                  "and again on a resume; write it to a file first: … > FILE",
                  input ? "- (standard input)" : fmt::format("a pipe ({})", path)));
}

bool NamedFiles::is_file(std::string_view word, std::size_t place) const {
  if (place == 0) return word.contains('/');
  const bool could_be = !word.starts_with('-') && word.find_first_of("./") != std::string_view::npos;
  if (!could_be || source_.file.empty() || is_settled(source_.file)) return false;
  std::error_code ignored;
  return fs::is_regular_file(fs::path(source_.file).parent_path() / word, ignored);
}

Result<std::optional<std::string>> NamedFiles::meant(std::string_view text, StoodIn stood) const {
  const std::size_t longest = is_settled(source_.file) ? 0 : 1024;  // of a path
  const bool said = text.starts_with(kFileMark);
  if (said) text.remove_prefix(kFileMark.size());
  if (said && text.starts_with("//")) text.remove_prefix(2);
  if (text.empty() || text.size() > longest || text.find_first_of("\n{") != std::string_view::npos)
    return std::nullopt;
  const std::string file = resolved(text, stood);
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored)) return std::string(kFileMark) + file;
  constexpr std::array<std::string_view, 5> kEndings = {".txt", ".md", ".json", ".yaml", ".yml"};
  const bool like_a_file = !text.contains(' ') && std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return text.ends_with(ending);
  });
  if (!said && !like_a_file) return std::nullopt;
  return fail(ErrorKind::config, fmt::format("there is no file {}", file));
}

std::string NamedFiles::database(std::string_view address, StoodIn stood) const {
  constexpr std::string_view kFile = "sqlite:";
  // What a variable stands for when it is used may be an address.
  if (address.empty() || address.starts_with("${")) return std::string(address);
  if (!scheme_of(address)) return resolved(address, stood);
  if (!address.starts_with(kFile) || address.size() == kFile.size()) return std::string(address);
  return std::string(kFile) + resolved(address.substr(kFile.size()), stood);
}

}  // namespace assay
