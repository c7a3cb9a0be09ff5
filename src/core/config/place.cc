// Where a key of a config stands, for problems that are found after it was read.
#include <algorithm>

#include <fmt/format.h>

#include "core/config/config.h"

namespace assay {
namespace {

// "metrics[2].contains" is /metrics/2/contains. A name with a dot in it leads to the object around it, which
// is near enough for a reader.
std::string pointer_to(std::string_view key) {
  std::string pointer = "/";
  for (const char c : key) {
    if (c == '.' || c == '[') {
      pointer += '/';
    } else if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else if (c != ']') {
      pointer += c;
    }
  }
  return pointer;
}

// The flag that sets the key, or something around or below it.
const FlagValue* flag_of(const ConfigSource& source, std::string_view root) {
  const auto sets_it = [root](const FlagValue& flag) {
    std::string name = flag.name.starts_with("no-") ? flag.name.substr(3) : flag.name;
    std::ranges::replace(name, '-', '_');
    return name == root || name + "s" == root || name.starts_with(std::string(root) + ".");
  };
  const auto found = std::ranges::find_if(source.flags, sets_it);
  return found == source.flags.end() ? nullptr : &*found;
}

}  // namespace

std::string place_of(const ConfigSource& source, std::string_view key) {
  const std::string_view root = key.substr(0, key.find_first_of(".["));
  if (const FlagValue* flag = flag_of(source, root)) return "--" + flag->name;
  if (source.file.empty()) return "command line";
  std::string pointer = pointer_to(key);
  YamlPosition position = source.document.position(pointer);
  while (position.line == 0 && pointer.rfind('/') > 0) {
    pointer.resize(pointer.rfind('/'));
    position = source.document.position(pointer);
  }
  if (position.line == 0) return source.file;
  return fmt::format("{}, line {}, column {}", source.file, position.line, position.column);
}

}  // namespace assay
