// What differs between two texts, word by word: what they begin and end with alike, and the longest common
// subsequence of the words between. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct WordRun {
  enum class Kind { both, added, removed } kind = Kind::both;
  std::string text;  // words with the white space behind them, as they stand
};

struct WordDiff {
  std::vector<WordRun> runs;
  bool taken_apart = true;
};

// Of `before` to `after`. Where more than kMostDiffWords words lie between what they begin and end with
// alike, these are not taken apart: all of one text's are removed and all of the other's added.
inline constexpr std::size_t kMostDiffWords = 600;
WordDiff word_diff(std::string_view before, std::string_view after);

}  // namespace assay
