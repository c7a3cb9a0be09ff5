#include "runs/start/config_folder.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/config/config.h"
#include "core/file.h"
#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "core/yaml.h"
#include "runs/start/key_declarations.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = std::size_t{1} << 20;  // of a config, in bytes

bool is_yaml(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

// Both without symbolic links.
bool lies_in(const fs::path& path, const fs::path& directory) {
  const auto [end, rest] = std::ranges::mismatch(directory, path);
  return end == directory.end();
}

Error no_config(const std::string& name) {
  return {ErrorKind::usage, fmt::format("there is no config {}", repair_utf8(shorten(name, 200))), {}};
}

// What cannot be read may be another program's; one of ours names its evaluation in a line of its own.
bool names_evaluation(std::string_view text) {
  return std::ranges::any_of(split_lines(text),
                             [](std::string_view line) { return line.starts_with("evaluation:"); });
}

// Nothing if the file is no config at all.
std::optional<FoundConfig> look_at(const std::string& file, std::string name) {
  const auto text = read_file(file, kLargest);
  if (!text) return FoundConfig{std::move(name), "", "", text.error().message};
  const auto yaml = parse_yaml(*text);
  if (!yaml && !names_evaluation(*text)) return std::nullopt;
  if (!yaml) return FoundConfig{std::move(name), "", "", yaml.error().text()};
  const Json* evaluation = find_member(yaml->value, "evaluation");
  if (evaluation == nullptr) return std::nullopt;
  FoundConfig found{std::move(name), text_or_json(*evaluation), text_at(yaml->value, "what")};
  if (find_evaluation(found.evaluation) == nullptr)
    found.problem = fmt::format("there is no evaluation {}", found.evaluation);
  return found;
}

}  // namespace

Result<ConfigFolder> ConfigFolder::open(const std::string& directory) {
  std::error_code error;
  const fs::path real = fs::canonical(directory, error);
  if (error || !directory_exists(directory))
    return fail(file_error(directory, "open", error ? error.value() : 20));
  return ConfigFolder(real.string());
}

std::vector<FoundConfig> ConfigFolder::list() const {
  std::vector<FoundConfig> found;
  std::error_code error;
  // Directories behind symbolic links are not gone into.
  fs::recursive_directory_iterator at(directory_, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator() && found.size() < kMost; at.increment(error)) {
    if (at.depth() >= kDeepest || at->path().filename().string().starts_with('.'))
      at.disable_recursion_pending();
    const std::string name = fs::relative(at->path(), directory_, error).string();
    if (!is_yaml(at->path()) || !valid_utf8(name)) continue;
    const auto path = path_of(name);
    if (!path) continue;
    if (auto one = look_at(*path, name)) found.push_back(std::move(*one));
  }
  std::ranges::sort(found, {}, &FoundConfig::name);
  return found;
}

Result<std::string> ConfigFolder::path_of(const std::string& name) const {
  const fs::path relative(name);
  if (name.empty() || name.contains('\0') || relative.is_absolute() || !is_yaml(relative))
    return fail(no_config(name));
  std::error_code error;
  const fs::path real = fs::canonical(fs::path(directory_) / relative, error);
  if (error || !lies_in(real, directory_) || !fs::is_regular_file(real, error)) return fail(no_config(name));
  return real.string();
}

Result<ReadConfig> ConfigFolder::read(const std::string& name) const {
  auto path = path_of(name);
  if (!path) return fail(std::move(path.error()));
  const auto text = read_file(*path, kLargest);
  if (!text) return fail(text.error());
  auto yaml = parse_yaml(*text);
  if (!yaml) return fail(Error(yaml.error()).with("file", name));
  ReadConfig config{.name = name, .file = std::move(*path)};
  const Json* evaluation = find_member(yaml->value, "evaluation");
  config.kind = evaluation == nullptr ? nullptr : find_evaluation(text_or_json(*evaluation));
  if (config.kind == nullptr) return fail(no_config(name));
  Secrets secrets(kHiddenMark);
  add_secrets_of(yaml->value, secrets);
  config.text = secrets.hide(*text);
  const Keys keys = all_keys(*config.kind);
  // Without an environment: `${NAME}` stays as it is written.
  const ResolvedConfig resolved = resolve_config(keys, {config.file, std::move(*yaml), {}});
  config.values = flat_values(keys, without_secrets(resolved.config.values()));
  return config;
}

Result<std::string> ConfigFolder::real_path(const ReadConfig& config, const std::string& path) const {
  std::error_code error;
  const fs::path given(path);
  const fs::path real =
      path.contains('\0') || path.empty()
          ? fs::path()
          : fs::canonical(given.is_absolute() ? given : fs::path(config.file).parent_path() / given, error);
  if (error || real.empty() || !lies_in(real, directory_))
    return fail(ErrorKind::config, "expected a path of something among the configs, from beside this one");
  return real.string();
}

}  // namespace assay
