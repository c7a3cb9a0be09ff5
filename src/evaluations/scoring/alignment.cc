#include "evaluations/scoring/alignment.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <unordered_map>

namespace assay::scoring {
namespace {

constexpr std::size_t kWord = 64;
constexpr std::size_t kMostCells = 4'000'000'000;

template <class Item, class Sequence>
Numbered numbered_items(const Sequence& a, const Sequence& b) {
  std::unordered_map<Item, std::uint32_t> numbers;
  const auto number_all = [&](const Sequence& items) {
    std::vector<std::uint32_t> out;
    out.reserve(items.size());
    for (const Item& item : items)
      out.push_back(numbers.try_emplace(item, static_cast<std::uint32_t>(numbers.size())).first->second);
    return out;
  };
  Numbered pair;
  pair.a = number_all(a);
  pair.b = number_all(b);
  pair.distinct = numbers.size();
  return pair;
}

// The table by bands of 64 rows, each from its first column to its last: where each item stands in the band
// is all that is kept of the rows. `band(rows, places)` works on one; places[item] has a bit for each row.
template <class Band>
void for_each_band(std::span<const std::uint32_t> rows, std::size_t distinct, Band band) {
  std::vector<std::uint64_t> places(distinct, 0);
  for (std::size_t first = 0; first < rows.size(); first += kWord) {
    const auto part = rows.subspan(first, std::min(kWord, rows.size() - first));
    for (std::size_t i = 0; i < part.size(); ++i) places[part[i]] |= std::uint64_t{1} << i;
    band(part.size(), places);
    for (const std::uint32_t item : part) places[item] = 0;
  }
}

}  // namespace

Numbered numbered(std::u32string_view a, std::u32string_view b) {
  return numbered_items<char32_t>(a, b);
}
Numbered numbered(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  return numbered_items<std::string_view>(a, b);
}

std::size_t levenshtein_distance(const Numbered& pair) {
  std::span<const std::uint32_t> rows = pair.a.size() > pair.b.size() ? pair.a : pair.b;
  std::span<const std::uint32_t> columns = pair.a.size() > pair.b.size() ? pair.b : pair.a;
  // What both begin or end with is in no edit.
  while (!columns.empty() && rows.front() == columns.front()) {
    rows = rows.subspan(1);
    columns = columns.subspan(1);
  }
  while (!columns.empty() && rows.back() == columns.back()) {
    rows = rows.first(rows.size() - 1);
    columns = columns.first(columns.size() - 1);
  }
  // By how much the row above a band rises from one column to the next: +1, 0 or -1.
  std::vector<std::int8_t> rise(columns.size(), 1);
  for_each_band(rows, pair.distinct, [&](std::size_t height, const std::vector<std::uint64_t>& places) {
    const std::uint64_t last = std::uint64_t{1} << (height - 1);
    std::uint64_t up =
        std::numeric_limits<std::uint64_t>::max();  // rows that are one more than the row above
    std::uint64_t down = 0;                         // and one less
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::uint64_t above_falls = rise[j] < 0 ? 1 : 0;
      const std::uint64_t above_rises = rise[j] > 0 ? 1 : 0;
      const std::uint64_t equal = places[columns[j]];
      const std::uint64_t vertical = equal | down;
      const std::uint64_t start = equal | above_falls;
      const std::uint64_t diagonal = (((start & up) + up) ^ up) | start;
      std::uint64_t rises = down | ~(diagonal | up);
      std::uint64_t falls = up & diagonal;
      rise[j] = static_cast<std::int8_t>(((rises & last) != 0 ? 1 : 0) - ((falls & last) != 0 ? 1 : 0));
      rises = (rises << 1U) | above_rises;
      falls = (falls << 1U) | above_falls;
      up = falls | ~(vertical | rises);
      down = rises & vertical;
    }
  });
  auto distance = static_cast<std::ptrdiff_t>(rows.size());
  for (const std::int8_t step : rise) distance += step;
  return static_cast<std::size_t>(distance);
}

std::size_t common_subsequence(const Numbered& pair) {
  const std::span<const std::uint32_t> rows = pair.a.size() > pair.b.size() ? pair.a : pair.b;
  const std::span<const std::uint32_t> columns = pair.a.size() > pair.b.size() ? pair.b : pair.a;
  std::vector<std::uint8_t> carry(columns.size(), 0);
  std::size_t length = 0;
  for_each_band(rows, pair.distinct, [&](std::size_t height, const std::vector<std::uint64_t>& places) {
    std::uint64_t flat = std::numeric_limits<std::uint64_t>::max();  // rows that add nothing to the one above
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::uint64_t matches = flat & places[columns[j]];
      const std::uint64_t sum = flat + matches;
      const std::uint64_t carried = sum + carry[j];
      carry[j] = static_cast<std::uint8_t>((sum < flat ? 1 : 0) | (carried < sum ? 1 : 0));
      flat = carried | (flat & ~matches);
    }
    const std::uint64_t band = height == kWord ? ~std::uint64_t{0} : (std::uint64_t{1} << height) - 1;
    length += static_cast<std::size_t>(std::popcount(~flat & band));
  });
  return length;
}

bool too_long_to_align(std::size_t a, std::size_t b) {
  return b != 0 && a > kMostCells / b;
}

}  // namespace assay::scoring
