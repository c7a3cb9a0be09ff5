#include "core/schema/uri.h"

#include <algorithm>

#include "core/text.h"

namespace assay::schema {
namespace {

// Absent and empty differ: "x?" has an empty query, "x" has none.
struct Parts {
  std::optional<std::string> scheme;
  std::optional<std::string> authority;
  std::string path;
  std::optional<std::string> query;
  std::optional<std::string> fragment;
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t scheme_size(std::string_view uri) {
  if (uri.empty() || !is_letter(uri.front())) return 0;
  const auto end = std::ranges::find_if_not(
      uri, [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
  return end != uri.end() && *end == ':' ? static_cast<std::size_t>(end - uri.begin()) : 0;
}

Parts take_apart(std::string_view uri) {
  Parts parts;
  if (const auto hash = uri.find('#'); hash != std::string_view::npos) {
    parts.fragment = uri.substr(hash + 1);
    uri = uri.substr(0, hash);
  }
  if (const auto mark = uri.find('?'); mark != std::string_view::npos) {
    parts.query = uri.substr(mark + 1);
    uri = uri.substr(0, mark);
  }
  if (const auto size = scheme_size(uri); size > 0) {
    parts.scheme = lower_ascii(uri.substr(0, size));
    uri.remove_prefix(size + 1);
  }
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const auto end = std::min(uri.find('/'), uri.size());
    parts.authority = lower_ascii(uri.substr(0, end));
    uri.remove_prefix(end);
  }
  parts.path = uri;
  return parts;
}

std::string put_together(const Parts& parts) {
  std::string uri;
  if (parts.scheme) uri.append(*parts.scheme).push_back(':');
  if (parts.authority) uri.append("//").append(*parts.authority);
  uri += parts.path;
  if (parts.query) uri.append("?").append(*parts.query);
  if (parts.fragment) uri.append("#").append(*parts.fragment);
  return uri;
}

// RFC 3986, 5.2.4, for a path that begins with "/".
std::string remove_dot_segments(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto end = std::min(path.find('/', 1), path.size());
    const auto segment = path.substr(0, end);
    path.remove_prefix(end);
    const bool up = segment == "/..";
    if (up) out.erase(std::min(out.rfind('/'), out.size()));
    if (!up && segment != "/.") out += segment;
    if (path.empty() && (up || segment == "/.")) out.push_back('/');
  }
  return out;
}

std::string merge_paths(const Parts& base, std::string_view path) {
  if (base.authority && base.path.empty()) return "/" + std::string(path);
  return base.path.substr(0, base.path.rfind('/') + 1).append(path);
}

std::string normal_path(const std::string& path) {
  return path.starts_with('/') ? remove_dot_segments(path) : path;
}

}  // namespace

std::string resolve_uri(std::string_view base_text, std::string_view reference) {
  auto target = take_apart(reference);
  if (target.scheme) {
    target.path = normal_path(target.path);
    return put_together(target);
  }
  auto base = take_apart(base_text);
  target.scheme = base.scheme;
  if (target.authority) {
    target.path = normal_path(target.path);
    return put_together(target);
  }
  target.authority = base.authority;
  if (target.path.empty()) {
    target.path = base.path;
    if (!target.query) target.query = base.query;
  } else if (target.path.starts_with('/')) {
    target.path = normal_path(target.path);
  } else {
    target.path = normal_path(merge_paths(base, target.path));
  }
  return put_together(target);
}

SplitUri split_fragment(std::string_view uri) {
  const auto hash = uri.find('#');
  if (hash == std::string_view::npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

bool has_scheme(std::string_view uri) {
  return scheme_size(uri) > 0;
}

std::optional<std::string> percent_decode(std::string_view text) {
  const auto digit = [](char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = digit(text[i + 1]);
    const int low = digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

}  // namespace assay::schema
