#include "imports/promptfoo/reading.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"

namespace assay::promptfoo {

std::string file_of(std::string_view text) {
  constexpr std::string_view kScheme = "file://";
  if (!text.starts_with(kScheme)) return "";
  std::string_view path = text.substr(kScheme.size());
  if (path.starts_with("./")) path.remove_prefix(2);
  return std::string(path);
}

std::string extension_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : lower_ascii(name.substr(dot));
}

std::string stem_of_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return std::string(name.substr(0, name.rfind('.')));
}

std::string plain_name(std::string_view text, std::string_view otherwise) {
  constexpr std::size_t kLongest = 40;
  std::string out;
  for (const char c : lower_ascii(text)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
    if (out.size() >= kLongest) break;
  }
  while (out.ends_with('_')) out.pop_back();
  return out.empty() ? std::string(otherwise) : out;
}

std::string unique_name(std::string name, std::vector<std::string>& taken) {
  std::string out = name;
  for (int i = 2; std::ranges::find(taken, out) != taken.end(); ++i) out = fmt::format("{}_{}", name, i);
  taken.push_back(out);
  return out;
}

}  // namespace assay::promptfoo
