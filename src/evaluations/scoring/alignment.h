// How alike are two sequences, in any order of magnitude that texts have? Levenshtein's distance and the
// longest common subsequence, 64 cells of the quadratic table at a time in the bits of one word. Pure.
//
//   Gene Myers, A fast bit-vector algorithm for approximate string matching based on dynamic programming,
//   Journal of the ACM 46 (1999); Heikki Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau
//   edit distances, Nordic Journal of Computing 10 (2003), and Bit-parallel LCS-length computation revisited,
//   AWOCA 2004.
//
// Time |a|·|b| / 64, memory |a| + |b|.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::scoring {

// Two sequences as numbers: equal items have equal numbers, from 0 on without a gap.
struct Numbered {
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  std::size_t distinct = 0;
};
Numbered numbered(std::u32string_view a, std::u32string_view b);
Numbered numbered(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b);

// Fewest insertions, deletions and replacements that turn one into the other.
std::size_t levenshtein_distance(const Numbered& pair);
// Length of the longest sequence that is in both, in order, with gaps.
std::size_t common_subsequence(const Numbered& pair);

// Whether the table of the two would be larger than 4·10⁹ cells (two sequences of 63,000): a quarter of a
// second of work.
bool too_long_to_align(std::size_t a, std::size_t b);

}  // namespace assay::scoring
