#include "tools/url_pattern.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "net/http/url.h"

namespace assay {
namespace {

// A gateway may decode what it passes on, and the server behind it once more.
constexpr int kMostDecodings = 4;

// Servers take these for the end of a segment, or let what follows the last of them fall.
bool ends_segment(char c) {
  return c == '/' || c == '\\' || c == ';' || c == '?' || c == '#' || c == '\0';
}

// Whether a segment somewhere in the text is "." or "..".
bool has_dot_segment(std::string_view text) {
  while (true) {
    const auto end = std::ranges::find_if(text, ends_segment);
    const std::string_view segment(text.begin(), end);
    if (segment == "." || segment == "..") return true;
    if (end == text.end()) return false;
    text.remove_prefix(segment.size() + 1);
  }
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// As a lenient server does it: what is no encoded byte stays.
std::string decoded_once(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : hex_digit(text[i + 2]);
    decoded += low < 0 ? text[i] : static_cast<char>(high * 16 + low);
    if (low >= 0) i += 2;
  }
  return decoded;
}

bool steps_up(std::string segment) {
  for (int i = 0; i < kMostDecodings; ++i) {
    if (has_dot_segment(segment)) return true;
    std::string decoded = decoded_once(segment);
    if (decoded == segment) return false;
    segment = std::move(decoded);
  }
  return false;
}

std::unexpected<Error> refuse(std::string_view name, std::string_view why) {
  return fail(ErrorKind::target, fmt::format("the address cannot be filled: {} {}", name, why));
}

}  // namespace

Result<UrlPattern> UrlPattern::parse(std::string_view text) {
  UrlPattern pattern;
  pattern.text_ = text;
  const std::size_t host_end = authority_end(text);
  if (text.substr(0, host_end).contains('{')) {
    return fail(ErrorKind::config,
                "a place to fill stands where the host is chosen; expected it in the path or the query");
  }
  if (host_of(text.substr(0, host_end)).empty()) {
    return fail(ErrorKind::config, fmt::format("found {}, expected http://… or https://… with a host",
                                               shorten(url_without_secrets(text), 80)));
  }
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) {
      pattern.parts_.push_back({std::string(text.substr(at)), false});
      break;
    }
    if (open > at) pattern.parts_.push_back({std::string(text.substr(at, open - at)), false});
    if (close == open + 1) {
      return fail(ErrorKind::config, "{} names nothing to fill in; expected {name}");
    }
    pattern.parts_.push_back({std::string(text.substr(open + 1, close - open - 1)), true});
    at = close + 1;
  }
  return pattern;
}

std::vector<std::string> UrlPattern::names() const {
  std::vector<std::string> names;
  for (const Part& part : parts_) {
    if (part.place) names.push_back(part.text);
  }
  return names;
}

Result<std::string> UrlPattern::fill(const JsonObject& values) const {
  std::string url;
  bool in_path = true;
  std::string_view filled;  // the last place in the segment that is being made
  std::size_t segment = 0;  // where it begins
  const auto check = [&]() -> Status {
    if (filled.empty()) return {};
    const std::string made = url.substr(segment);
    if (made.empty()) return refuse(filled, "is empty");
    if (steps_up(made))
      return refuse(filled, "holds \".\" or \"..\", which would lead out of the declared path");
    return {};
  };
  for (const Part& part : parts_) {
    if (part.place) {
      const Json* value = values.if_contains(part.text);
      if (value == nullptr || value->is_null()) return refuse(part.text, "is missing");
      url += percent_encoded(text_or_json(*value));
      if (in_path) filled = part.text;
      continue;
    }
    for (const char c : part.text) {
      const bool ends = in_path && (c == '/' || c == '?' || c == '#');
      if (ends) {
        if (Status good = check(); !good) return fail(std::move(good.error()));
        filled = {};
      }
      url += c;
      if (ends) segment = url.size();
      if (c == '?' || c == '#') in_path = false;
    }
  }
  if (in_path) {
    if (Status good = check(); !good) return fail(std::move(good.error()));
  }
  return url;
}

}  // namespace assay
