#include "imports/promptfoo/reading.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "imports/promptfoo/template.h"

namespace assay::promptfoo {

JsonObject headers_of(const Node& headers, const std::string& whose, Reading& reading) {
  JsonObject out;
  for (const auto& [name, value] : headers.members()) {
    const std::string text = with_environment(text_or_json(value.value()));
    if (names_secret(name) && !text.contains("${")) {
      reading.leave_out(value, fmt::format("header {} of {}", name, whose),
                        "a secret is never copied: write ${NAME} and set that variable");
    } else {
      out[name] = text;
    }
  }
  return out;
}

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
