// Which members or items of one value some schema has looked at: what `unevaluatedProperties` and
// `unevaluatedItems` ask for. By position; one word for up to 64 of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::schema {

class Marks {
 public:
  void mark(std::size_t position) {
    if (position < kBits) {
      first_ |= std::uint64_t{1} << position;
      return;
    }
    const auto word = position / kBits - 1;
    if (word >= more_.size()) more_.resize(word + 1);
    more_[word] |= std::uint64_t{1} << (position % kBits);
  }
  void mark_all() { all_ = true; }
  void mark_first(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) mark(i);
  }
  bool marked(std::size_t position) const {
    if (all_) return true;
    if (position < kBits) return ((first_ >> position) & 1U) != 0;
    const auto word = position / kBits - 1;
    return word < more_.size() && ((more_[word] >> (position % kBits)) & 1U) != 0;
  }
  void merge(const Marks& other) {
    all_ = all_ || other.all_;
    first_ |= other.first_;
    if (more_.size() < other.more_.size()) more_.resize(other.more_.size());
    for (std::size_t i = 0; i < other.more_.size(); ++i) more_[i] |= other.more_[i];
  }

 private:
  static constexpr std::size_t kBits = 64;
  bool all_ = false;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

}  // namespace assay::schema
