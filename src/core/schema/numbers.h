// JSON values compared as JSON Schema means it: by mathematical value. 1 and 1.0 are equal, whole numbers of
// 64 bits are exact, and multiples are decided on decimal digits, so that 0.0075 is a multiple of 0.0001.
#pragma once

#include <compare>
#include <cstdint>

#include "core/json/json.h"

namespace assay::schema {

bool is_number(const Json& value);
// A number without fraction, whatever its spelling: 3, 3.0, 1e300.
bool is_whole(const Json& value);

// Exact, between any two numbers. Precondition: both are numbers.
std::partial_ordering compare_numbers(const Json& a, const Json& b);

// digits × 10^exponent with no trailing zero in the digits; 0 is {0, 0}. The sign does not matter for
// multiples.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};
// The shortest decimal that stands for the number: what its author wrote, for up to 15 digits.
Decimal to_decimal(const Json& number);
// Precondition: the divisor is not 0.
bool is_multiple(const Decimal& number, const Decimal& divisor);

bool equal_values(const Json& a, const Json& b);
// Equal values have equal hashes.
std::uint64_t hash_value(const Json& value);
// Indices of the first two equal items, or {0, 0} if all differ.
std::pair<std::size_t, std::size_t> find_duplicate(const JsonArray& list);

}  // namespace assay::schema
