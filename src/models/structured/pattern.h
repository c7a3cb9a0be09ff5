// Name patterns of the tables of models and prices: `*` stands for any characters, also none; everything else
// for itself.
#pragma once

#include <cstddef>
#include <string_view>

namespace assay {

bool matches_pattern(std::string_view pattern, std::string_view text);

// How many characters of the pattern stand for themselves: of two patterns that match, the more specific one
// has more.
std::size_t literal_length(std::string_view pattern);

}  // namespace assay
