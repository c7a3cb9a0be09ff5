#include "sim/text_vector.h"

#include <cmath>

#include "core/random.h"
#include "sim/answers/words.h"

namespace assay::sim {
namespace {

constexpr int kPlacesOfAWord = 4;  // more of them let words share a place less often by chance

void add_word(std::vector<double>& sums, std::uint64_t word, std::uint64_t seed) {
  Random places = Random::keyed(seed, "embedding", word);
  for (int i = 0; i < kPlacesOfAWord; ++i) {
    const std::uint64_t drawn = places.below(2 * sums.size());
    sums[drawn / 2] += drawn % 2 == 0 ? 1 : -1;
  }
}

}  // namespace

std::vector<float> text_vector(std::string_view text, std::uint64_t seed, std::size_t dimensions) {
  std::vector<double> sums(dimensions, 0);
  const WordSet words(text);
  for (const std::uint64_t stem : words.stems()) add_word(sums, stem, seed);
  if (words.empty()) {
    for (const std::string_view word : split_words(text)) add_word(sums, stem_of(word), seed);
  }
  double square = 0;
  for (const double sum : sums) square += sum * sum;
  if (square == 0) square = sums.front() = 1;
  std::vector<float> vector;
  vector.reserve(dimensions);
  for (const double sum : sums) vector.push_back(static_cast<float>(sum / std::sqrt(square)));
  return vector;
}

}  // namespace assay::sim
