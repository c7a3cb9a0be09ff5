#include "report/word_diff.h"

#include <algorithm>
#include <cstdint>
#include <span>

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

bool same(std::string_view one, std::string_view other) {
  return bare(one) == bare(other);
}

using Words = std::span<const std::string_view>;

void append(std::vector<WordRun>& runs, WordRun::Kind kind, Words words) {
  if (words.empty()) return;
  if (runs.empty() || runs.back().kind != kind) runs.push_back({kind, {}});
  for (const std::string_view word : words) runs.back().text += word;
}

void take_apart(Words before, Words after, std::vector<WordRun>& runs) {
  using Kind = WordRun::Kind;
  const std::size_t rows = before.size();
  const std::size_t columns = after.size();
  // length[i][j]: of the longest common subsequence of what begins at word i and at word j.
  std::vector<std::uint16_t> length((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& {
    return length[i * (columns + 1) + j];
  };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      at(i, j) = same(before[i], after[j]) ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                           : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && same(before[i], after[j])) {
      append(runs, Kind::both, after.subspan(j++, 1));
      ++i;
    } else if (i < rows && (j == columns || at(i + 1, j) >= at(i, j + 1))) {
      append(runs, Kind::removed, before.subspan(i++, 1));
    } else {
      append(runs, Kind::added, after.subspan(j++, 1));
    }
  }
}

}  // namespace

WordDiff word_diff(std::string_view before, std::string_view after) {
  using Kind = WordRun::Kind;
  const auto old_words = words_with_space(before);
  const auto new_words = words_with_space(after);
  const std::size_t shorter = std::min(old_words.size(), new_words.size());
  std::size_t first = 0;
  while (first < shorter && same(old_words[first], new_words[first])) ++first;
  std::size_t last = 0;
  while (last < shorter - first && same(*(old_words.rbegin() + static_cast<std::ptrdiff_t>(last)),
                                        *(new_words.rbegin() + static_cast<std::ptrdiff_t>(last))))
    ++last;
  const Words all(new_words);
  const Words removed = Words(old_words).subspan(first, old_words.size() - first - last);
  const Words added = all.subspan(first, new_words.size() - first - last);
  WordDiff diff;
  diff.taken_apart = removed.size() <= kMostDiffWords && added.size() <= kMostDiffWords;
  append(diff.runs, Kind::both, all.first(first));
  if (diff.taken_apart) {
    take_apart(removed, added, diff.runs);
  } else {
    append(diff.runs, Kind::removed, removed);
    append(diff.runs, Kind::added, added);
  }
  append(diff.runs, Kind::both, all.last(last));
  return diff;
}

}  // namespace assay
