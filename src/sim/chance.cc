#include "sim/chance.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace assay::sim {
namespace {

constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;  // 2^64 divided by the golden ratio

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// A bijection, so that different numbers stay different.
std::uint64_t mix(std::uint64_t value) {
  value += kOdd;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t state = mix(seed ^ mix(bytes.size()));
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    // Adding the rotated state keeps what came before even where a product is zero.
    state = fold(state ^ word, kOdd) + std::rotl(state, 23);
    bytes.remove_prefix(8);
  }
  std::uint64_t rest = 0;
  if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
  return mix(fold(state ^ rest, kOdd) + std::rotl(state, 23));
}

std::uint64_t hash_json(const Json& value, std::uint64_t seed) {
  const auto kind = static_cast<std::uint64_t>(value.kind());
  std::uint64_t state = mix(seed + kind);
  switch (value.kind()) {
    case boost::json::kind::null:
      return state;
    case boost::json::kind::bool_:
      return mix(state ^ (value.get_bool() ? 1U : 0U));
    case boost::json::kind::int64:
      return mix(state ^ static_cast<std::uint64_t>(value.get_int64()));
    case boost::json::kind::uint64:
      return mix(state ^ value.get_uint64());
    case boost::json::kind::double_:
      return mix(state ^ std::bit_cast<std::uint64_t>(value.get_double()));
    case boost::json::kind::string:
      return hash_bytes(value.get_string(), state);
    case boost::json::kind::array:
      for (const Json& element : value.get_array()) state = hash_json(element, state);
      return mix(state);
    case boost::json::kind::object:
      for (const auto& member : value.get_object()) {
        state = hash_json(member.value(), hash_bytes(member.key(), state));
      }
      return mix(state);
  }
  return state;
}

bool identical(const Json& a, const Json& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case boost::json::kind::array:
      return std::ranges::equal(a.get_array(), b.get_array(), identical);
    case boost::json::kind::object:
      return std::ranges::equal(a.get_object(), b.get_object(), [](const auto& one, const auto& other) {
        return one.key() == other.key() && identical(one.value(), other.value());
      });
    default:
      return a == b;
  }
}

Chance Chance::fork(std::uint64_t number) const {
  return Chance(mix(key_ ^ mix(number + 1)));
}

}  // namespace assay::sim
