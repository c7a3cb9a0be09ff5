// Clusters by number, in the order of their first sight. A name is remembered by 64 bits of its hash, so that
// a million clusters take some 24 MB whatever their names; that two of a million names share those bits, and
// are taken for one cluster, has a probability of 3e-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

class ClusterNumbers {
 public:
  // From 0 on; that of a name which was seen before is the same.
  std::uint32_t of(std::string_view name) {
    if (hashes_.size() < 2 * (std::size_t{count_} + 1)) grow();
    // 0 marks a free place.
    const std::uint64_t hash = std::max<std::uint64_t>(std::hash<std::string_view>{}(name), 1);
    const std::size_t place = place_of(hash);
    if (hashes_[place] == 0) {
      hashes_[place] = hash;
      numbers_[place] = count_++;
    }
    return numbers_[place];
  }
  std::size_t count() const { return count_; }

 private:
  // Where it is, or the free place where it belongs.
  std::size_t place_of(std::uint64_t hash) const {
    std::size_t place = hash & (hashes_.size() - 1);
    while (hashes_[place] != 0 && hashes_[place] != hash) place = (place + 1) & (hashes_.size() - 1);
    return place;
  }
  void grow() {
    constexpr std::size_t kFirst = 16;
    const auto hashes = std::exchange(hashes_, {});
    const auto numbers = std::exchange(numbers_, {});
    hashes_.resize(std::max(kFirst, 2 * hashes.size()));
    numbers_.resize(hashes_.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (hashes[i] == 0) continue;
      const std::size_t place = place_of(hashes[i]);
      hashes_[place] = hashes[i];
      numbers_[place] = numbers[i];
    }
  }

  std::vector<std::uint64_t> hashes_;  // their number is a power of two; at least half of them are free
  std::vector<std::uint32_t> numbers_;
  std::uint32_t count_ = 0;
};

}  // namespace assay
