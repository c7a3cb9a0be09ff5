#include "report/word_diff.h"

#include <algorithm>
#include <cstdint>

namespace assay {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// Each word with the white space behind it; white space at the beginning is a word of its own.
std::vector<std::string_view> words_with_space(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    std::size_t end = 0;
    while (end < text.size() && !is_space(text[end])) ++end;
    while (end < text.size() && is_space(text[end])) ++end;
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::string_view bare(std::string_view word) {
  while (!word.empty() && is_space(word.back())) word.remove_suffix(1);
  return word;
}

void append(std::vector<WordRun>& runs, WordRun::Kind kind, std::string_view word) {
  if (runs.empty() || runs.back().kind != kind) runs.push_back({kind, {}});
  runs.back().text += word;
}

}  // namespace

std::vector<WordRun> word_diff(std::string_view before, std::string_view after) {
  using Kind = WordRun::Kind;
  std::vector<WordRun> runs;
  const auto old_words = words_with_space(before);
  const auto new_words = words_with_space(after);
  const std::size_t rows = old_words.size();
  const std::size_t columns = new_words.size();
  if (rows > kMostDiffWords || columns > kMostDiffWords) {
    if (before == after) {
      append(runs, Kind::both, after);
      return runs;
    }
    if (!before.empty()) append(runs, Kind::removed, before);
    if (!after.empty()) append(runs, Kind::added, after);
    return runs;
  }
  // length[i][j]: of the longest common subsequence of what begins at word i and at word j.
  std::vector<std::uint16_t> length((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& {
    return length[i * (columns + 1) + j];
  };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      at(i, j) = bare(old_words[i]) == bare(new_words[j]) ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                                          : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && bare(old_words[i]) == bare(new_words[j])) {
      append(runs, Kind::both, new_words[j++]);
      ++i;
    } else if (i < rows && (j == columns || at(i + 1, j) >= at(i, j + 1))) {
      append(runs, Kind::removed, old_words[i++]);
    } else {
      append(runs, Kind::added, new_words[j++]);
    }
  }
  return runs;
}

}  // namespace assay
