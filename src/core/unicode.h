// Text by the tables of the Unicode standard: normal form, case, white space, punctuation, words. What looks
// the same to a reader compares as the same: é as one character or as e with an accent, ß and SS without
// regard to case. Every function takes any bytes (those that are not UTF-8 count as U+FFFD) and needs time
// in proportion to the text, for hostile texts too (up to the sorting of accents on one letter). All are
// pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Normalization form C.
std::string nfc(std::string_view text);
// Full case folding (Unicode's CaseFolding.txt, C and F; the same in every language), in normalization form
// C. Texts are equal without regard to case if their folded forms are (Unicode's canonical caseless match).
std::string casefold(std::string_view text);

// The property White_Space: spaces of any width, no-break ones too, tabs, line and paragraph ends.
bool is_white_space(char32_t c);
// The categories P*, and the ASCII signs $+<=>^`|~, which are no letters of any word either (as Python's
// string.punctuation has it).
bool is_punctuation(char32_t c);
// Letters, marks and numbers: the categories L*, M* and N*.
bool is_word_character(char32_t c);

// Each run of white space as one space, none at both ends.
std::string collapse_white_space(std::string_view text);
std::string without_punctuation(std::string_view text);
// Without white space at both ends. A view into the argument.
std::string_view trim_white_space(std::string_view text);
// What stands between white space. Views into the argument.
std::vector<std::string_view> split_white_space(std::string_view text);
// Runs of word characters. Han characters and kana, which are written without spaces, are each a word of
// their own. Views into the argument.
std::vector<std::string_view> words_of(std::string_view text);
std::u32string code_points(std::string_view text);

}  // namespace assay
