#include "stats/texts/near_duplicates.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/random.h"
#include "core/unicode.h"

namespace assay {
namespace {

constexpr std::size_t kShingle = 3;
constexpr std::size_t kRows = 4;  // hashes a band
constexpr std::size_t kBands = kMinHashes / kRows;
constexpr std::size_t kMostCompared = 64;  // in one band

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64 (Steele, Lea, Flood 2014)
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t hash_of(std::string_view word) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char letter : word) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3ULL;
  }
  return mixed(hash);
}

const std::array<std::uint64_t, kMinHashes>& salts() {
  static const std::array<std::uint64_t, kMinHashes> all = [] {
    std::array<std::uint64_t, kMinHashes> drawn{};
    Random random = Random::keyed("min hashes");
    for (std::uint64_t& salt : drawn) salt = random.bits64();
    return drawn;
  }();
  return all;
}

class Clusters {
 public:
  explicit Clusters(std::size_t size) : above_(size) { std::iota(above_.begin(), above_.end(), 0); }
  std::size_t root(std::size_t one) {
    while (above_[one] != one) one = above_[one] = above_[above_[one]];
    return one;
  }
  void join(std::size_t a, std::size_t b) {
    const auto [low, high] =
        std::minmax({root(a), root(b)});  // by value: of two temporaries it gives references
    above_[high] = low;
  }

 private:
  std::vector<std::size_t> above_;
};

}  // namespace

std::vector<std::uint64_t> shingles_of(std::string_view text) {
  const std::string folded = casefold(text);
  std::vector<std::uint64_t> words;
  for (const std::string_view word : words_of(folded)) words.push_back(hash_of(word));
  if (words.empty()) return {};
  std::vector<std::uint64_t> shingles;
  const std::size_t length = std::min(kShingle, words.size());
  for (std::size_t i = 0; i + length <= words.size(); ++i) {
    std::uint64_t hash = length;
    for (std::size_t k = 0; k < length; ++k) hash = mixed(hash * 0x9e3779b97f4a7c15ULL + words[i + k]);
    shingles.push_back(hash);
  }
  std::ranges::sort(shingles);
  const auto doubled = std::ranges::unique(shingles);
  shingles.erase(doubled.begin(), doubled.end());
  return shingles;
}

double jaccard(std::span<const std::uint64_t> first, std::span<const std::uint64_t> second) {
  std::size_t common = 0;
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < first.size() && b < second.size()) {
    if (first[a] == second[b]) {
      ++common;
      ++a;
      ++b;
    } else if (first[a] < second[b]) {
      ++a;
    } else {
      ++b;
    }
  }
  const std::size_t all = first.size() + second.size() - common;
  return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

std::vector<std::uint64_t> min_hashes(std::span<const std::uint64_t> shingles) {
  std::vector<std::uint64_t> least(kMinHashes, std::numeric_limits<std::uint64_t>::max());
  for (const std::uint64_t shingle : shingles) {
    for (std::size_t i = 0; i < kMinHashes; ++i) least[i] = std::min(least[i], mixed(shingle ^ salts()[i]));
  }
  return least;
}

double estimated_jaccard(std::span<const std::uint64_t> first, std::span<const std::uint64_t> second) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < kMinHashes; ++i) equal += first[i] == second[i] ? 1 : 0;
  return static_cast<double>(equal) / kMinHashes;
}

NearDuplicates near_duplicates(std::span<const std::string> texts, double similarity) {
  NearDuplicates found;
  std::vector<std::vector<std::uint64_t>> shingles;
  shingles.reserve(texts.size());
  for (const std::string& text : texts) shingles.push_back(shingles_of(text));
  Clusters clusters(texts.size());
  std::vector<std::unordered_map<std::uint64_t, std::vector<std::size_t>>> bands(kBands);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (shingles[i].empty()) continue;
    const std::vector<std::uint64_t> hashes = min_hashes(shingles[i]);
    std::vector<std::size_t> tried;
    for (std::size_t band = 0; band < kBands; ++band) {
      std::uint64_t key = band;
      for (std::size_t row = 0; row < kRows; ++row) key = mixed(key ^ hashes[band * kRows + row]) + row;
      std::vector<std::size_t>& others = bands[band][key];
      std::size_t compared = 0;
      for (const std::size_t other : others) {
        if (compared == kMostCompared) break;
        if (std::ranges::find(tried, other) != tried.end() || clusters.root(other) == clusters.root(i))
          continue;
        tried.push_back(other);
        ++compared;
        ++found.compared;
        const double alike = jaccard(shingles[other], shingles[i]);
        if (alike < similarity) continue;
        clusters.join(other, i);
        found.links.push_back({other, i, alike});
      }
      others.push_back(i);
    }
  }
  for (std::size_t i = 0; i < texts.size(); ++i) found.cluster_of.push_back(clusters.root(i));
  return found;
}

}  // namespace assay
