// Which texts are nearly the same? Two texts are alike by the Jaccard index of their shingles (runs of three
// words, without regard to case and punctuation): common ones over all. Comparing every two is quadratic, so
// pairs are found by MinHash (Broder 1997): the least of a random hash over a text's shingles is equal for
// two texts with probability J. 128 such hashes in 32 bands of 4; texts that share a band are compared
// exactly. A pair of J = 0.8 is missed with probability (1 − J⁴)³² = 5·10⁻⁸, one of 0.7 with 2·10⁻⁴.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Hashes of the shingles, ascending, each once. A text of fewer words than a shingle has is one of its own;
// one without words has none.
std::vector<std::uint64_t> shingles_of(std::string_view text);
// Common over all; two texts without shingles are alike in nothing.
double jaccard(std::span<const std::uint64_t> first, std::span<const std::uint64_t> second);

inline constexpr std::size_t kMinHashes = 128;
std::vector<std::uint64_t> min_hashes(std::span<const std::uint64_t> shingles);
// The share of equal hashes: an unbiased estimate of J with variance J(1 − J)/128.
double estimated_jaccard(std::span<const std::uint64_t> first, std::span<const std::uint64_t> second);

struct NearPair {
  std::size_t first = 0;
  std::size_t second = 0;
  double similarity = 0;  // the exact index
};

struct NearDuplicates {
  // Links that join texts to clusters, one fewer than a cluster has texts; in the order of the second text.
  std::vector<NearPair> links;
  std::vector<std::size_t> cluster_of;  // by text: the first text of its cluster
  std::size_t compared = 0;             // pairs whose index was computed
};

// Texts whose index is at least `similarity` are joined, and what is joined to the same is one cluster. In a
// band that very many texts share, each is compared with 64 of them at most.
NearDuplicates near_duplicates(std::span<const std::string> texts, double similarity = 0.7);

}  // namespace assay
