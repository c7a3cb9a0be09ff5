#include "service/data/item_cursor.h"

#include <charconv>

#include <fmt/format.h>

namespace assay {
namespace {

constexpr char letter_of(ItemQuery::Order order) {
  switch (order) {
    case ItemQuery::Order::stored:
      return 's';
    case ItemQuery::Order::newest:
      return 'n';
    default:
      return 'i';
  }
}

// A number at the front, up to a space.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value;
}

}  // namespace

std::string cursor_text(ItemQuery::Order order, const ItemPlace& place) {
  std::string cursor(1, letter_of(order));
  for (const char c : fmt::format("{} {} {}", place.position, place.published_ms, place.item_id))
    cursor += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return cursor;
}

std::optional<ItemPlace> read_cursor(ItemQuery::Order order, std::string_view text) {
  if (text.size() % 2 == 0 || !text.starts_with(letter_of(order))) return std::nullopt;
  std::string plain;
  for (std::size_t i = 1; i < text.size(); i += 2) {
    unsigned value = 0;
    const char* end = text.data() + i + 2;
    if (std::from_chars(text.data() + i, end, value, 16).ptr != end) return std::nullopt;
    plain += static_cast<char>(value);
  }
  std::string_view rest = plain;
  const auto position = take_number(rest);
  const auto published = position ? take_number(rest) : std::nullopt;
  if (!published) return std::nullopt;
  return ItemPlace{*position, *published, std::string(rest)};
}

}  // namespace assay
