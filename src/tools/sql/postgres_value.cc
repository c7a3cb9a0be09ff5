#include "tools/sql/postgres_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>

#include "core/text.h"

namespace assay {
namespace {

// From the server's catalog (pg_type.dat), where the numbers of built-in types never change.
constexpr std::uint32_t kBool = 16;
constexpr std::uint32_t kBytea = 17;
constexpr std::uint32_t kInt8 = 20;
constexpr std::uint32_t kInt2 = 21;
constexpr std::uint32_t kInt4 = 23;
constexpr std::uint32_t kOid = 26;
constexpr std::uint32_t kJson = 114;
constexpr std::uint32_t kFloat4 = 700;
constexpr std::uint32_t kFloat8 = 701;
constexpr std::uint32_t kNumeric = 1700;
constexpr std::uint32_t kJsonb = 3802;

// Every decimal of so many digits comes back from a double unchanged (std::numeric_limits::digits10).
constexpr std::ptrdiff_t kDigitsOfADouble = 15;

template <class Number>
std::optional<Number> whole_text_as(std::string_view text) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Json text_value(std::string_view text) {
  return Json(repair_utf8(text));
}

Json integer(std::string_view text) {
  if (const auto value = whole_text_as<std::int64_t>(text)) return *value;
  return text_value(text);
}

Json real(std::string_view text) {
  const auto value = whole_text_as<double>(text);
  if (value && std::isfinite(*value)) return *value;
  return text_value(text);  // PostgreSQL too writes Infinity, -Infinity and NaN
}

// The zeros behind the point that say only with how many digits it was kept.
std::string_view without_idle_zeros(std::string_view decimal) {
  if (!decimal.contains('.')) return decimal;
  decimal = decimal.substr(0, decimal.find_last_not_of('0') + 1);
  if (decimal.ends_with('.')) decimal.remove_suffix(1);
  return decimal;
}

Json numeric(std::string_view text) {
  const std::string_view decimal = without_idle_zeros(text);
  if (const auto whole = whole_text_as<std::int64_t>(decimal)) return *whole;
  const auto first = decimal.find_first_of("123456789");
  if (first == std::string_view::npos) return text_value(text);
  const auto significant = decimal.substr(first);
  if (std::count_if(significant.begin(), significant.end(), [](char c) { return c != '.'; }) >
      kDigitsOfADouble) {
    return text_value(text);
  }
  const auto value = whole_text_as<double>(decimal);
  // Near zero a double has fewer digits.
  if (value && std::isnormal(*value)) return *value;
  return text_value(text);
}

// \x00ff
Json bytes(std::string_view text) {
  if (!text.starts_with("\\x")) return text_value(text);
  return Json("X'" + upper_ascii(text.substr(2)) + "'");
}

Json json(std::string_view text) {
  if (auto value = parse_json(text)) return std::move(*value);
  return text_value(text);
}

}  // namespace

Json postgres_value(std::uint32_t type, std::string_view text) {
  switch (type) {
    case kBool:
      return text == "t";
    case kInt2:
    case kInt4:
    case kInt8:
    case kOid:
      return integer(text);
    case kFloat4:
    case kFloat8:
      return real(text);
    case kNumeric:
      return numeric(text);
    case kJson:
    case kJsonb:
      return json(text);
    case kBytea:
      return bytes(text);
    default:
      return text_value(text);
  }
}

}  // namespace assay
