// Sets of characters as RE2 writes them inside [...], for what ECMA-262 and Unicode name otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::schema {

constexpr char32_t kLastCodePoint = 0x10FFFF;

// One character or a range of them, always escaped.
std::string range_set(char32_t first, char32_t last);
std::string character_set(char32_t character);

enum class Members : std::uint8_t { of_set, outside_set };

// \s and \S of ECMA-262: white space and line ends of Unicode, byte order mark included.
std::string space_set(Members members);
// \p{NAME} and \P{NAME}: general categories by short, long or alias name, scripts, Any, ASCII,
// ASCII_Hex_Digit and White_Space. None if RE2 does not know the property.
std::optional<std::string> property_set(std::string_view name, Members members);

}  // namespace assay::schema
