#include "core/schema/formats.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/schema/pattern.h"

namespace assay::schema {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::ranges::equal(text, kShape,
                            [](char c, char shape) { return shape == 'x' ? is_hex(c) : c == shape; });
}

bool is_json_pointer(std::string_view text) {
  if (text.empty()) return true;
  if (text.front() != '/') return false;
  for (auto at = text.find('~'); at != std::string_view::npos; at = text.find('~', at + 1)) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (next != '0' && next != '1') return false;
  }
  return true;
}

bool is_relative_json_pointer(std::string_view text) {
  const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
  if (digits == 0 || (digits > 1 && text.front() == '0')) return false;
  const auto rest = text.substr(digits);
  return rest == "#" || is_json_pointer(rest);
}

constexpr std::array<std::pair<std::string_view, FormatCheck>, 18> kFormats = {{
    {"date", is_date},
    {"time", is_time},
    {"date-time", is_date_time},
    {"duration", is_duration},
    {"hostname", is_hostname},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"email", is_email},
    {"idn-email", is_idn_email},
    {"uri", is_uri},
    {"uri-reference", is_uri_reference},
    {"iri", is_iri},
    {"iri-reference", is_iri_reference},
    {"uri-template", is_uri_template},
    {"uuid", is_uuid},
    {"json-pointer", is_json_pointer},
    {"relative-json-pointer", is_relative_json_pointer},
    {"regex", is_regular_expression},
}};

}  // namespace

FormatCheck find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &decltype(kFormats)::value_type::first);
  return found == kFormats.end() ? nullptr : found->second;
}

}  // namespace assay::schema
