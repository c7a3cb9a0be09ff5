#include <algorithm>
#include <array>
#include <utility>

#include "core/schema/formats.h"
#include "core/schema/uri.h"
#include "core/text.h"

namespace assay::schema {
namespace {

bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_hex(char32_t c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// `ucschar` of RFC 3987: what an IRI allows beyond ASCII.
bool is_foreign(char32_t c) {
  if (c < 0x10000)
    return (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xF900 && c <= 0xFDCF) || (c >= 0xFDF0 && c <= 0xFFEF);
  const auto plane = c >> 16U;
  return plane <= 0xE && (c & 0xFFFFU) <= 0xFFFD && (plane != 0xE || c >= 0xE1000);
}
// `iprivate`, allowed in queries only.
bool is_private(char32_t c) {
  return (c >= 0xE000 && c <= 0xF8FF) || (c >= 0xF0000 && c <= 0xFFFFD) || (c >= 0x100000 && c <= 0x10FFFD);
}

enum class Alphabet { uri, iri };
enum class Part { userinfo, host, path, query, fragment };

// Every character of a part is unreserved, a sub-delimiter, one of the part's own, or %XX.
bool is_part(std::string_view text, Part part, Alphabet alphabet) {
  constexpr std::string_view kPlain = "-._~!$&'()*+,;=";
  const std::string_view own = part == Part::userinfo ? ":"
                               : part == Part::host   ? ""
                               : part == Part::path   ? ":@/"
                                                      : ":@/?";
  while (!text.empty()) {
    const auto next = first_code_point(text);
    const auto c = next.value;
    if (c == '%') {
      if (text.size() < 3 || !is_hex(static_cast<unsigned char>(text[1])) ||
          !is_hex(static_cast<unsigned char>(text[2]))) {
        return false;
      }
      text.remove_prefix(3);
      continue;
    }
    const auto in = [&](std::string_view set) {
      return c < 0x80 && set.find(static_cast<char>(c)) != std::string_view::npos;
    };
    const bool foreign =
        alphabet == Alphabet::iri && (is_foreign(c) || (part == Part::query && is_private(c)));
    if (!is_letter(c) && !is_digit(c) && !in(kPlain) && !in(own) && !foreign) return false;
    text.remove_prefix(next.size);
  }
  return true;
}

bool is_future_address(std::string_view text) {
  if (!text.starts_with('v') && !text.starts_with('V')) return false;
  const auto dot = text.find('.');
  if (dot == std::string_view::npos || dot < 2 || dot + 1 == text.size()) return false;
  const auto hex = [](char c) { return is_hex(static_cast<unsigned char>(c)); };
  return std::ranges::all_of(text.substr(1, dot - 1), hex) && text.find('%') == std::string_view::npos &&
         is_part(text.substr(dot + 1), Part::userinfo, Alphabet::uri);
}

bool is_authority(std::string_view text, Alphabet alphabet) {
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    if (!is_part(text.substr(0, at), Part::userinfo, alphabet)) return false;
    text.remove_prefix(at + 1);
  }
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return false;
    const auto address = text.substr(1, end - 1);
    if (!is_ipv6(address) && !is_future_address(address)) return false;
    port = text.substr(end + 1);
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    if (!is_part(text.substr(0, colon), Part::host, alphabet)) return false;
    port = text.substr(colon);
  }
  if (port.empty()) return true;
  return port.front() == ':' &&
         std::ranges::all_of(port.substr(1), [](char c) { return is_digit(static_cast<unsigned char>(c)); });
}

enum class Form { absolute, reference };

bool is_identifier(std::string_view text, Form form, Alphabet alphabet) {
  if (const auto hash = text.find('#'); hash != std::string_view::npos) {
    if (!is_part(text.substr(hash + 1), Part::fragment, alphabet)) return false;
    text = text.substr(0, hash);
  }
  if (const auto mark = text.find('?'); mark != std::string_view::npos) {
    if (!is_part(text.substr(mark + 1), Part::query, alphabet)) return false;
    text = text.substr(0, mark);
  }
  if (has_scheme(text)) {
    text.remove_prefix(text.find(':') + 1);
  } else {
    if (form == Form::absolute) return false;
    // Else the first segment would look like a scheme.
    if (text.substr(0, text.find('/')).find(':') != std::string_view::npos) return false;
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const auto end = std::min(text.find('/'), text.size());
    if (!is_authority(text.substr(0, end), alphabet)) return false;
    text.remove_prefix(end);
  }
  return is_part(text, Part::path, alphabet);
}

bool is_variable(std::string_view spec) {
  if (spec.ends_with('*')) {
    spec.remove_suffix(1);
  } else if (const auto colon = spec.find(':'); colon != std::string_view::npos) {
    const auto length = spec.substr(colon + 1);
    if (length.empty() || length.size() > 4 || length.front() == '0') return false;
    if (!std::ranges::all_of(length, [](char c) { return is_digit(static_cast<unsigned char>(c)); }))
      return false;
    spec = spec.substr(0, colon);
  }
  return std::ranges::all_of(split(spec, '.'), [](std::string_view name) {
    const auto word = [](char c) {
      return is_letter(static_cast<unsigned char>(c)) || is_digit(static_cast<unsigned char>(c)) ||
             c == '_' || c == '%';
    };
    return !name.empty() && std::ranges::all_of(name, word) && percent_decode(name).has_value();
  });
}

bool is_expression(std::string_view text) {
  constexpr std::string_view kOperators = "+#./;?&";
  if (!text.empty() && kOperators.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  return std::ranges::all_of(split(text, ','), is_variable);
}

}  // namespace

bool is_uri(std::string_view text) {
  return is_identifier(text, Form::absolute, Alphabet::uri);
}
bool is_uri_reference(std::string_view text) {
  return is_identifier(text, Form::reference, Alphabet::uri);
}
bool is_iri(std::string_view text) {
  return is_identifier(text, Form::absolute, Alphabet::iri);
}
bool is_iri_reference(std::string_view text) {
  return is_identifier(text, Form::reference, Alphabet::iri);
}

bool is_uri_template(std::string_view text) {
  constexpr std::string_view kForbidden = "\"<>\\^`|}";
  while (!text.empty()) {
    if (text.front() == '{') {
      const auto end = text.find('}');
      if (end == std::string_view::npos || !is_expression(text.substr(1, end - 1))) return false;
      text.remove_prefix(end + 1);
      continue;
    }
    if (text.front() == '%' && !percent_decode(text.substr(0, 3))) return false;
    const auto next = first_code_point(text);
    const auto c = next.value;
    const bool ascii =
        c > 0x20 && c < 0x7F && kForbidden.find(static_cast<char>(c)) == std::string_view::npos;
    if (!ascii && !is_foreign(c) && !is_private(c)) return false;
    text.remove_prefix(next.size);
  }
  return true;
}

}  // namespace assay::schema
