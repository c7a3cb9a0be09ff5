// Random numbers that are the same on every machine, in any order and any number of threads: a counter-based
// generator (Philox4x32-10), so that a number is a pure function of its key and its position. What is drawn
// is named, not seeded by chance: Random::keyed(seed, run, "bootstrap").at(draw).
//
// Only IEEE operations that every machine rounds alike are used (no log or exp of the C library).
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>

namespace assay {

// Ten rounds of Philox on one counter block: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
// 1, 2, 3" (SC 2011).
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

class Random {
 public:
  // One generator per list of names and whole numbers; the order and the kind of the parts count:
  // keyed(1, "a"), keyed("a", 1) and keyed("1", "a") are three.
  template <class... Parts>
  static Random keyed(const Parts&... parts) {
    Random random;
    (random.absorb_part(parts), ...);
    return random;
  }

  // The `index`-th of 2^64 sequences under the same key, from its beginning, whatever was drawn before.
  Random at(std::uint64_t index) const;

  std::uint32_t bits32() {
    if (used_ == ready_.size()) refill();
    return ready_[used_++];
  }
  std::uint64_t bits64() {
    const std::uint64_t first = bits32();
    return first | (static_cast<std::uint64_t>(bits32()) << 32);
  }
  // In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }
  // In [0, n), each equally likely; 0 if n is 0.
  std::uint64_t below(std::uint64_t n);
  // Mean 0, standard deviation 1.
  double normal();
  // Successes in n independent trials of probability p, exact in distribution; p is taken into [0, 1], and
  // NaN, like n <= 0, gives 0.
  std::int64_t binomial(std::int64_t n, double p);

 private:
  Random() = default;

  template <class Part>
  void absorb_part(const Part& part) {
    if constexpr (std::integral<Part>) {
      absorb(static_cast<std::uint64_t>(part));
    } else {
      absorb(std::string_view(part));
    }
  }
  void absorb_word(std::uint64_t word);
  void absorb(std::uint64_t number);
  void absorb(std::string_view name);
  void refill();

  std::uint64_t key_ = 0;
  std::uint64_t base_ = 0;    // together with key_ the 128 bits that the parts were hashed to
  std::uint64_t stream_ = 0;  // base_ + the index of at()
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> ready_{};
  unsigned used_ = 4;
};

}  // namespace assay
