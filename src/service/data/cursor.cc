#include "service/data/cursor.h"

#include <charconv>

#include <fmt/format.h>

namespace assay {
namespace {

// A number at the front, up to a space.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value;
}

}  // namespace

std::string cursor_text(char list, std::initializer_list<std::int64_t> numbers, std::string_view text) {
  std::string plain;
  for (const std::int64_t number : numbers) plain += fmt::format("{} ", number);
  plain += text;
  std::string cursor(1, list);
  for (const char c : plain) cursor += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return cursor;
}

std::optional<Cursor> read_cursor(char list, std::size_t numbers, std::string_view text) {
  if (text.size() % 2 == 0 || !text.starts_with(list)) return std::nullopt;
  std::string plain;
  for (std::size_t i = 1; i < text.size(); i += 2) {
    unsigned value = 0;
    const char* end = text.data() + i + 2;
    if (std::from_chars(text.data() + i, end, value, 16).ptr != end) return std::nullopt;
    plain += static_cast<char>(value);
  }
  std::string_view rest = plain;
  Cursor cursor;
  while (cursor.numbers.size() < numbers) {
    const auto number = take_number(rest);
    if (!number) return std::nullopt;
    cursor.numbers.push_back(*number);
  }
  cursor.text = rest;
  return cursor;
}

}  // namespace assay
