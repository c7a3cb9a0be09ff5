#include "core/schema/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>

namespace assay::schema {
namespace {

using boost::json::kind;

// Below this, comparing each pair is cheaper than hashing and sorting.
constexpr std::size_t kFewItems = 12;

template <class Whole>
std::partial_ordering compare_whole(Whole whole, double number) {
  // Bounds of the type that are exact as doubles: [lowest, beyond).
  constexpr double kBeyond = std::is_signed_v<Whole> ? 0x1p63 : 0x1p64;
  constexpr double kLowest = std::is_signed_v<Whole> ? -0x1p63 : 0.0;
  if (std::isnan(number)) return std::partial_ordering::unordered;
  if (number >= kBeyond) return std::partial_ordering::less;
  if (number < kLowest) return std::partial_ordering::greater;
  const double truncated = std::trunc(number);
  const auto other = static_cast<Whole>(truncated);
  if (whole != other) return whole <=> other;
  return truncated <=> number;
}

std::partial_ordering compare_mixed(std::int64_t a, std::uint64_t b) {
  if (a < 0) return std::partial_ordering::less;
  return static_cast<std::uint64_t>(a) <=> b;
}

std::partial_ordering reversed(std::partial_ordering order) {
  return 0 <=> order;
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  // Finalizer of a 64-bit congruential hash: spreads neighbouring values over all bits.
  std::uint64_t x = seed ^ (value + 0x9E3779B97F4A7C15ULL + (seed << 6U) + (seed >> 2U));
  x = (x ^ (x >> 32U)) * 0xD6E8FEB86659FD93ULL;
  return x ^ (x >> 32U);
}

std::uint64_t hash_number(const Json& value) {
  // A whole double and the same integer must agree, so numbers within the integers' reach hash as integers.
  switch (value.kind()) {
    case kind::int64:
      return mix(1, static_cast<std::uint64_t>(value.get_int64()));
    case kind::uint64:
      return mix(1, value.get_uint64());
    default:
      break;
  }
  const double number = value.get_double();
  if (std::trunc(number) == number) {
    if (number >= -0x1p63 && number < 0x1p63) {
      return mix(1, static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
    }
    if (number > 0 && number < 0x1p64) return mix(1, static_cast<std::uint64_t>(number));
  }
  return mix(2, std::hash<double>{}(number));
}

Decimal without_trailing_zeros(std::uint64_t digits, int exponent) {
  if (digits == 0) return {};
  while (digits % 10 == 0) {
    digits /= 10;
    ++exponent;
  }
  return {digits, exponent};
}

}  // namespace

bool is_number(const Json& value) {
  return value.is_number();
}

bool is_whole(const Json& value) {
  if (const auto* number = value.if_double()) return std::trunc(*number) == *number;
  return value.is_number();
}

std::partial_ordering compare_numbers(const Json& a, const Json& b) {
  switch (a.kind()) {
    case kind::int64:
      if (b.is_int64()) return a.get_int64() <=> b.get_int64();
      if (b.is_uint64()) return compare_mixed(a.get_int64(), b.get_uint64());
      return compare_whole(a.get_int64(), b.get_double());
    case kind::uint64:
      if (b.is_uint64()) return a.get_uint64() <=> b.get_uint64();
      if (b.is_int64()) return reversed(compare_mixed(b.get_int64(), a.get_uint64()));
      return compare_whole(a.get_uint64(), b.get_double());
    default:
      if (b.is_double()) return a.get_double() <=> b.get_double();
      return reversed(compare_numbers(b, a));
  }
}

Decimal to_decimal(const Json& number) {
  if (number.is_int64()) {
    const auto value = number.get_int64();
    const auto bits = static_cast<std::uint64_t>(value);
    return without_trailing_zeros(value < 0 ? 0 - bits : bits, 0);
  }
  if (number.is_uint64()) return without_trailing_zeros(number.get_uint64(), 0);
  if (!std::isfinite(number.get_double())) return {};
  std::array<char, 64> buffer{};
  auto* const end = buffer.data() + buffer.size();
  const auto written =
      std::to_chars(buffer.data(), end, std::fabs(number.get_double()), std::chars_format::scientific);
  // d.ddddde±xx: at most 17 digits, which fit 64 bits.
  std::uint64_t digits = 0;
  int exponent = 0;
  bool fraction = false;
  for (const char* c = buffer.data(); c != written.ptr; ++c) {
    if (*c == '.') {
      fraction = true;
    } else if (*c == 'e') {
      const char* from = c[1] == '+' ? c + 2 : c + 1;
      int shift = 0;
      std::from_chars(from, written.ptr, shift);
      exponent += shift;
      break;
    } else {
      digits = digits * 10 + static_cast<std::uint64_t>(*c - '0');
      if (fraction) --exponent;
    }
  }
  return without_trailing_zeros(digits, exponent);
}

bool is_multiple(const Decimal& number, const Decimal& divisor) {
  if (number.digits == 0) return true;
  // number / divisor = digits × 10^shift / divisor.digits. A negative shift would need a factor ten in digits
  // that have no trailing zero.
  int shift = number.exponent - divisor.exponent;
  if (shift < 0) return false;
  // At most some 640 multiplications, all modulo the divisor.
  __extension__ using Wide = unsigned __int128;
  Wide rest = number.digits % divisor.digits;
  Wide power = 10 % divisor.digits;
  while (shift > 0 && rest != 0) {
    if (shift % 2 == 1) rest = rest * power % divisor.digits;
    power = power * power % divisor.digits;
    shift /= 2;
  }
  return rest == 0;
}

bool equal_values(const Json& a, const Json& b) {
  if (a.is_number() || b.is_number()) {
    return a.is_number() && b.is_number() && compare_numbers(a, b) == std::partial_ordering::equivalent;
  }
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case kind::null:
      return true;
    case kind::bool_:
      return a.get_bool() == b.get_bool();
    case kind::string:
      return a.get_string() == b.get_string();
    case kind::array:
      return std::ranges::equal(a.get_array(), b.get_array(), equal_values);
    case kind::object: {
      const auto& right = b.get_object();
      if (a.get_object().size() != right.size()) return false;
      return std::ranges::all_of(a.get_object(), [&](const auto& member) {
        const auto* other = right.if_contains(member.key());
        return other != nullptr && equal_values(member.value(), *other);
      });
    }
    default:
      return false;
  }
}

std::uint64_t hash_value(const Json& value) {
  const auto hash_text = [](std::string_view text) { return std::hash<std::string_view>{}(text); };
  switch (value.kind()) {
    case kind::null:
      return mix(3, 0);
    case kind::bool_:
      return mix(4, value.get_bool() ? 1 : 0);
    case kind::string:
      return mix(5, hash_text(value.get_string()));
    case kind::array: {
      std::uint64_t hash = 6;
      for (const auto& item : value.get_array()) hash = mix(hash, hash_value(item));
      return hash;
    }
    case kind::object: {
      // A sum, since the order of members does not matter.
      std::uint64_t sum = 0;
      for (const auto& member : value.get_object()) {
        sum += mix(hash_text(member.key()), hash_value(member.value()));
      }
      return mix(7, sum);
    }
    default:
      return hash_number(value);
  }
}

std::pair<std::size_t, std::size_t> find_duplicate(const JsonArray& list) {
  if (list.size() <= kFewItems) {
    for (std::size_t j = 1; j < list.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (equal_values(list[i], list[j])) return {i, j};
      }
    }
    return {0, 0};
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> hashes;
  hashes.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) hashes.emplace_back(hash_value(list[i]), i);
  std::ranges::sort(hashes);
  for (std::size_t begin = 0; begin < hashes.size(); ++begin) {
    for (std::size_t other = begin + 1; other < hashes.size() && hashes[other].first == hashes[begin].first;
         ++other) {
      const auto i = hashes[begin].second;
      const auto j = hashes[other].second;
      if (equal_values(list[i], list[j])) return {i, j};
    }
  }
  return {0, 0};
}

}  // namespace assay::schema
