// Where the simulated model's choices come from: every draw is a pure function of a 64-bit key (made of the
// seed and a hash of the request) and of the label under which it is drawn, so an answer can be repeated on
// any machine, in any order and on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/json/json.h"
#include "core/random.h"

namespace assay::sim {

// A fast, well mixed hash; not for secrets, not for the journal. Equal bytes and seed give equal values.
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0);
// Of a JSON tree without writing it as text; the order of keys counts.
std::uint64_t hash_json(const Json& value, std::uint64_t seed = 0);
// Equal with keys in the same order: what hash_json tells apart. Much cheaper than ==, which looks each key
// up.
bool identical(const Json& a, const Json& b);

class Chance {
 public:
  explicit Chance(std::uint64_t key) : key_(key) {}

  // In [0, 1).
  double unit() { return source().uniform(); }
  // In [0, bound); 0 for a bound of 0.
  std::uint64_t below(std::uint64_t bound) { return source().below(bound); }
  // In [low, high].
  std::size_t between(std::size_t low, std::size_t high) {
    return high <= low ? low : low + static_cast<std::size_t>(below(high - low + 1));
  }
  bool happens(double probability) { return unit() < probability; }
  // An element of a list that is not empty.
  template <class List>
  decltype(auto) pick(const List& list) {
    return list[static_cast<std::size_t>(below(list.size()))];
  }
  // A source of its own, untouched by how much has been drawn from this one.
  Chance fork(std::string_view label) const { return Chance(hash_bytes(label, key_)); }
  Chance fork(std::uint64_t number) const;

 private:
  // Made when first drawn from: most forks are only forked further.
  Random& source() {
    if (!random_) random_ = Random::keyed(key_);
    return *random_;
  }

  std::uint64_t key_;
  std::optional<Random> random_;
};

}  // namespace assay::sim
