#include "core/schema/charset.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

namespace assay::schema {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};
// All ascending and apart from each other.
constexpr auto kSpace = std::to_array<Range>({{0x09, 0x0D},
                                              {0x20, 0x20},
                                              {0xA0, 0xA0},
                                              {0x1680, 0x1680},
                                              {0x2000, 0x200A},
                                              {0x2028, 0x2029},
                                              {0x202F, 0x202F},
                                              {0x205F, 0x205F},
                                              {0x3000, 0x3000},
                                              {0xFEFF, 0xFEFF}});
// The Unicode property: with the "next line" control character, without the byte order mark.
constexpr auto kWhiteSpace = std::to_array<Range>({{0x09, 0x0D},
                                                   {0x20, 0x20},
                                                   {0x85, 0x85},
                                                   {0xA0, 0xA0},
                                                   {0x1680, 0x1680},
                                                   {0x2000, 0x200A},
                                                   {0x2028, 0x2029},
                                                   {0x202F, 0x202F},
                                                   {0x205F, 0x205F},
                                                   {0x3000, 0x3000}});
constexpr auto kAny = std::to_array<Range>({{0, kLastCodePoint}});
constexpr auto kAscii = std::to_array<Range>({{0, 0x7F}});
constexpr auto kAsciiHexDigit = std::to_array<Range>({{'0', '9'}, {'A', 'F'}, {'a', 'f'}});

// Long and alias names of general categories; RE2 knows the short ones.
constexpr std::array<std::pair<std::string_view, std::string_view>, 40> kCategories = {{
    {"Letter", "L"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Surrogate", "Cs"},
    {"Private_Use", "Co"},
}};

std::string ranges_set(std::span<const Range> ranges, Members members) {
  std::string out;
  char32_t next = 0;
  for (const auto& range : ranges) {
    if (members == Members::of_set) {
      out += range_set(range.first, range.last);
    } else if (range.first > next) {
      out += range_set(next, range.first - 1);
    }
    next = range.last + 1;
  }
  if (members == Members::outside_set && next <= kLastCodePoint) out += range_set(next, kLastCodePoint);
  return out;
}

std::optional<std::span<const Range>> binary_property(std::string_view name) {
  if (name == "Any") return kAny;
  if (name == "ASCII") return kAscii;
  if (name == "ASCII_Hex_Digit" || name == "AHex") return kAsciiHexDigit;
  if (name == "White_Space" || name == "space") return kWhiteSpace;
  return std::nullopt;
}

}  // namespace

std::string range_set(char32_t first, char32_t last) {
  if (first == last) return character_set(first);
  return character_set(first) + "-" + character_set(last);
}

std::string character_set(char32_t character) {
  return fmt::format("\\x{{{:X}}}", std::uint32_t{character});
}

std::string space_set(Members members) {
  return ranges_set(kSpace, members);
}

std::optional<std::string> property_set(std::string_view name, Members members) {
  if (const auto ranges = binary_property(name)) return ranges_set(*ranges, members);
  for (const std::string_view prefix : {"Script=", "sc=", "General_Category=", "gc="}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    break;
  }
  const auto* category = std::ranges::find(kCategories, name, &decltype(kCategories)::value_type::first);
  if (category != kCategories.end()) name = category->second;
  auto set = fmt::format("\\{}{{{}}}", members == Members::of_set ? 'p' : 'P', name);
  if (!re2::RE2(set, re2::RE2::Quiet).ok()) return std::nullopt;
  return set;
}

}  // namespace assay::schema
