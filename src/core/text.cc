#include "core/text.h"

#include <algorithm>
#include <array>

#include <simdjson.h>

namespace assay {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "…";
constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";
// Words longer than this are not typing errors of anything; keeps the quadratic comparison cheap.
constexpr std::size_t kLongestWord = 128;

constexpr bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

template <class Text>
std::string join_any(std::span<const Text> parts, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) out += separator;
    first = false;
    out += part;
  }
  return out;
}

template <class Text>
std::optional<std::string_view> nearest_any(std::string_view word, std::span<const Text> candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const auto& candidate : candidates) {
    const std::string_view view = candidate;
    if (view.empty() || word.empty() || view.size() > kLongestWord || word.size() > kLongestWord) continue;
    const auto longest = std::max(view.size(), word.size());
    const auto distance = edit_distance(lower_ascii(word), lower_ascii(view));
    // A third of the longer word, but one edit is always near unless nothing of the word is left.
    if (distance > std::max<std::size_t>(1, longest / 3) || distance >= longest) continue;
    if (!best || distance < best_distance) {
      best = view;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace

bool valid_utf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  if (valid_utf8(text)) return std::nullopt;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto next = first_code_point(text.substr(at));
    if (!next.valid) return at;
    at += next.size;
  }
  return std::nullopt;
}

std::string repair_utf8(std::string_view text) {
  if (valid_utf8(text)) return std::string(text);
  std::string out;
  out.reserve(text.size() + 8);
  while (!text.empty()) {
    const auto next = first_code_point(text);
    out += next.valid ? text.substr(0, next.size) : kReplacement;
    text.remove_prefix(next.size);
  }
  return out;
}

CodePoint first_code_point(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const CodePoint malformed{0xFFFD, 1, false};
  std::size_t size = 0;
  char32_t value = 0;
  char32_t least = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    size = 2;
    value = lead & 0x1FU;
    least = 0x80;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    size = 3;
    value = lead & 0x0FU;
    least = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    size = 4;
    value = lead & 0x07U;
    least = 0x10000;
  } else {
    return malformed;
  }
  if (text.size() < size) return malformed;
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_continuation(text[i])) return malformed;
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < least || surrogate || value > 0x10FFFF) return malformed;
  return {value, size, true};
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
    put(0x80U | (code_point & 0x3FU));
  } else if ((code_point >= 0xD800 && code_point <= 0xDFFF) || code_point > 0x10FFFF) {
    out += kReplacement;
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  } else {
    put(0xF0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 0x3FU));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  }
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += is_continuation(c) ? 0 : 1;
  return count;
}

std::string_view cut(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  // A character has at most three continuation bytes; more of them in a row are not UTF-8, and are cut
  // anywhere.
  std::size_t end = bytes;
  while (end > 0 && bytes - end < 3 && is_continuation(text[end])) --end;
  if (is_continuation(text[end])) end = bytes;
  return text.substr(0, end);
}

std::string shorten(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  if (bytes < kEllipsis.size()) return std::string(cut(text, bytes));
  return std::string(cut(text, bytes - kEllipsis.size())).append(kEllipsis);
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(kWhiteSpace);
  if (begin == std::string_view::npos) return text.substr(text.size());
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return join_any(parts, separator);
}
std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return join_any(parts, separator);
}

std::string upper_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

bool equal_ignoring_ascii_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the alignment table suffice: a swap of neighbours looks two rows back.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  return nearest_any(word, candidates);
}
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string> candidates) {
  return nearest_any(word, candidates);
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return out;
}

std::string html_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

}  // namespace assay
