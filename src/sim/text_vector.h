// Texts as vectors without a model: a bag of hashed words, so that texts which share words are near, and
// equal texts have the same vector on every machine. Of length 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::sim {

inline constexpr std::size_t kUsualDimensions = 256;

// Endings and stop words do not count, unless there is nothing else.
std::vector<float> text_vector(std::string_view text, std::uint64_t seed,
                               std::size_t dimensions = kUsualDimensions);

}  // namespace assay::sim
