// Numbers as people write them inside a text: "$1,234.50", "about 12 %", "−3.5e6". Pure, in linear time.
#pragma once

#include <string_view>
#include <vector>

namespace assay::custom {

enum class DecimalMark { point, comma };

// All numbers, in order. A sign counts if no letter or digit stands before it ("3-5" are 3 and 5); a currency
// sign may stand between sign and digits. Digits may be in groups of three, all with the same separator: a
// comma (a point, where the comma is the decimal mark), an apostrophe, or a no-break or thin space. A percent
// sign is a unit: "12%" is 12. No numbers are digits in a word ("Q3", "gpt-4") and what has two points
// ("1.2.3", "192.168.0.1", "01.02.2024").
std::vector<double> numbers_in(std::string_view text, DecimalMark mark);

}  // namespace assay::custom
