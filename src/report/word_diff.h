// What differs between two texts, word by word: the longest common subsequence of their words. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct WordRun {
  enum class Kind { both, added, removed } kind = Kind::both;
  std::string text;  // words with the white space behind them, as they stand
};

// Of `before` to `after`. Texts of more than kMostDiffWords words are not taken apart: all of one is removed
// and all of the other added.
inline constexpr std::size_t kMostDiffWords = 600;
std::vector<WordRun> word_diff(std::string_view before, std::string_view after);

}  // namespace assay
