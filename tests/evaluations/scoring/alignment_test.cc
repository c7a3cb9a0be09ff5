#include "evaluations/scoring/alignment.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay::scoring {
namespace {

std::size_t distance(std::u32string_view a, std::u32string_view b) {
  return levenshtein_distance(numbered(a, b));
}
std::size_t common(std::u32string_view a, std::u32string_view b) {
  return common_subsequence(numbered(a, b));
}

// The whole table, cell by cell.
std::size_t naive_distance(std::u32string_view a, std::u32string_view b) {
  std::vector<std::vector<std::size_t>> cell(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cell[i][j] = i + j;
      } else {
        const std::size_t replaced = cell[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
        cell[i][j] = std::min({cell[i - 1][j] + 1, cell[i][j - 1] + 1, replaced});
      }
    }
  }
  return cell[a.size()][b.size()];
}
std::size_t naive_common(std::u32string_view a, std::u32string_view b) {
  std::vector<std::vector<std::size_t>> cell(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      cell[i][j] = a[i - 1] == b[j - 1] ? cell[i - 1][j - 1] + 1 : std::max(cell[i - 1][j], cell[i][j - 1]);
    }
  }
  return cell[a.size()][b.size()];
}

TEST(Alignment, KnownPairs) {
  EXPECT_EQ(distance(U"kitten", U"sitting"), 3);  // Wagner and Fischer's usual example
  EXPECT_EQ(distance(U"Saturday", U"Sunday"), 3);
  EXPECT_EQ(distance(U"ab", U"ba"), 2);  // a swap is two edits
  EXPECT_EQ(distance(U"", U"abc"), 3);
  EXPECT_EQ(distance(U"", U""), 0);
  EXPECT_EQ(distance(U"東京", U"京都"), 2);
  EXPECT_EQ(common(U"ABCBDAB", U"BDCABA"), 4);  // Cormen et al., Introduction to Algorithms, 15.4
  EXPECT_EQ(common(U"", U"a"), 0);
}

// Texts long enough for several bands of 64 rows, over few letters, so that much matches.
std::u32string any_text() {
  const auto size = *rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, 300));
  const auto letters = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto drawn = *rc::gen::container<std::vector<std::uint32_t>>(
      size, rc::gen::resize(100, rc::gen::inRange<std::uint32_t>(0, letters)));
  return {drawn.begin(), drawn.end()};
}

RC_GTEST_PROP(Alignment, IsWhatTheWholeTableSays, ()) {
  const std::u32string a = any_text();
  const std::u32string b = any_text();
  RC_ASSERT(distance(a, b) == naive_distance(a, b));
  RC_ASSERT(common(a, b) == naive_common(a, b));
}

TEST(Alignment, LongTextsTakeFractionsOfASecond) {
  std::u32string a;
  std::u32string b;
  for (std::size_t i = 0; i < 30'000; ++i) {
    a += static_cast<char32_t>(U'a' + i * i % 23);
    if (i % 3 != 0) b += a.back();
  }
  EXPECT_FALSE(too_long_to_align(a.size(), b.size()));
  EXPECT_EQ(distance(a, b), 10'000);  // every third is deleted, and |a| - |b| is the least there can be
  EXPECT_EQ(common(a, b), 20'000);
  EXPECT_TRUE(too_long_to_align(64'000, 64'000));
  EXPECT_FALSE(too_long_to_align(1'000'000, 4'000));
  EXPECT_FALSE(too_long_to_align(1'000'000'000, 0));
}

}  // namespace
}  // namespace assay::scoring
