#include <algorithm>

#include "core/schema/formats.h"
#include "core/text.h"

namespace assay::schema {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

enum class Letters { ascii, any };

bool is_host(std::string_view text, Letters letters) {
  constexpr std::size_t kLongestName = 253;
  constexpr std::size_t kLongestLabel = 63;
  if (text.empty() || text.size() > kLongestName) return false;
  return std::ranges::all_of(split(text, '.'), [&](std::string_view label) {
    const auto part = [&](char c) {
      return is_letter(c) || is_digit(c) || c == '-' || (letters == Letters::any && !is_ascii(c));
    };
    return !label.empty() && label.size() <= kLongestLabel && label.front() != '-' && label.back() != '-' &&
           std::ranges::all_of(label, part);
  });
}

bool is_local_part(std::string_view text, Letters letters) {
  constexpr std::size_t kLongest = 64;
  if (text.empty() || text.size() > kLongest) return false;
  const auto foreign = [&](char c) { return letters == Letters::any && !is_ascii(c); };
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    const auto inside = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (inside[i] == '"') return false;
      if (inside[i] == '\\') ++i;
      if (i == inside.size()) return false;
      if (!foreign(inside[i]) && (inside[i] < 0x20 || inside[i] > 0x7E)) return false;
    }
    return true;
  }
  constexpr std::string_view kAtomSigns = "!#$%&'*+-/=?^_`{|}~";
  return std::ranges::all_of(split(text, '.'), [&](std::string_view atom) {
    return !atom.empty() && std::ranges::all_of(atom, [&](char c) {
      return is_letter(c) || is_digit(c) || kAtomSigns.find(c) != std::string_view::npos || foreign(c);
    });
  });
}

bool is_mail_domain(std::string_view text, Letters letters) {
  if (!text.starts_with('[')) return is_host(text, letters);
  if (!text.ends_with(']')) return false;
  const auto literal = text.substr(1, text.size() - 2);
  constexpr std::string_view kTag = "IPv6:";
  if (equal_ignoring_ascii_case(literal.substr(0, kTag.size()), kTag))
    return is_ipv6(literal.substr(kTag.size()));
  return is_ipv4(literal);
}

bool is_mail(std::string_view text, Letters letters) {
  const auto at = text.rfind('@');
  return at != std::string_view::npos && is_local_part(text.substr(0, at), letters) &&
         is_mail_domain(text.substr(at + 1), letters);
}

}  // namespace

bool is_hostname(std::string_view text) {
  return is_host(text, Letters::ascii);
}
bool is_email(std::string_view text) {
  return is_mail(text, Letters::ascii);
}
bool is_idn_email(std::string_view text) {
  return is_mail(text, Letters::any);
}

bool is_ipv4(std::string_view text) {
  const auto parts = split(text, '.');
  return parts.size() == 4 && std::ranges::all_of(parts, [](std::string_view part) {
           if (part.empty() || part.size() > 3 || !std::ranges::all_of(part, is_digit)) return false;
           if (part.size() > 1 && part.front() == '0') return false;
           return part.size() < 3 || part <= "255";
         });
}

bool is_ipv6(std::string_view text) {
  // Groups on both sides of "::", which stands for at least one group of zeros.
  const auto count = [](std::string_view side, bool last) -> int {
    if (side.empty()) return 0;
    int groups = 0;
    const auto parts = split(side, ':');
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (last && i + 1 == parts.size() && is_ipv4(parts[i])) {
        groups += 2;
      } else if (!parts[i].empty() && parts[i].size() <= 4 && std::ranges::all_of(parts[i], is_hex)) {
        ++groups;
      } else {
        return 100;
      }
    }
    return groups;
  };
  const auto gap = text.find("::");
  if (gap == std::string_view::npos) return count(text, true) == 8;
  return count(text.substr(0, gap), false) + count(text.substr(gap + 2), true) <= 7;
}

}  // namespace assay::schema
