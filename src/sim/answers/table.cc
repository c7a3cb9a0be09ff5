#include "sim/answers/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "core/text.h"
#include "sim/answers/words.h"
#include "sim/names.h"

namespace assay::sim {
namespace {

constexpr std::size_t kMostKinds = 12;
constexpr int kDeepest = 3;

std::optional<Table> table_of_rows(std::string name, const JsonArray& rows) {
  if (rows.empty() || !std::ranges::all_of(rows, &Json::is_object)) return std::nullopt;
  Table table{std::move(name), {}, rows};
  std::set<std::string_view> seen;
  for (const Json& row : rows) {
    for (const auto& member : row.get_object()) {
      if (seen.insert(member.key()).second) table.columns.emplace_back(member.key());
    }
  }
  return table;
}

std::optional<Table> find_table(const std::string& name, const Json& value, int depth) {
  if (depth > kDeepest) return std::nullopt;
  if (const JsonArray* list = value.if_array()) return table_of_rows(name, *list);
  if (const JsonObject* object = value.if_object()) {
    for (const auto& member : *object) {
      if (auto table = find_table(name, member.value(), depth + 1)) return table;
    }
  }
  if (const auto text = as_text(value)) {
    const std::string_view body = trim(*text);
    if (!body.starts_with('[') && !body.starts_with('{')) return std::nullopt;
    if (const auto parsed = parse_json(body)) return find_table(name, *parsed, depth + 1);
  }
  return std::nullopt;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() <= 6 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string lower_spaced(std::string_view text) {
  std::string out = lower_ascii(text);
  std::ranges::replace(out, '_', ' ');
  return out;
}

bool word_at_edge(std::string_view text, std::size_t at, std::size_t size) {
  const auto inside = [&](std::size_t i) {
    const auto c = static_cast<unsigned char>(text[i]);
    return std::isalnum(c) != 0 || c >= 0x80;
  };
  return (at == 0 || !inside(at - 1)) && (at + size >= text.size() || !inside(at + size));
}

// Largest key first; of equal ones the earlier.
template <class KeyOf>
void put_in_order(JsonArray& rows, const KeyOf& key_of) {
  std::vector<std::pair<decltype(key_of(rows[0])), std::size_t>> order;
  order.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) order.emplace_back(key_of(rows[i]), i);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  JsonArray sorted;
  for (const auto& [key, at] : order) sorted.push_back(std::move(rows[at]));
  rows = std::move(sorted);
}

}  // namespace

bool Table::has(std::string_view column) const {
  return std::ranges::find(columns, column) != columns.end();
}

std::optional<Table> table_in(const std::string& name, const Json& value) {
  return find_table(name, value, 0);
}

std::optional<Table> table_in_text(const std::string& name, std::string_view text) {
  return find_table(name, Json(boost::json::string(text)), 0);
}

std::optional<double> numeric(const Json& value) {
  if (const auto number = as_number(value)) return number;
  const auto text = as_text(value);
  if (!text || text->empty()) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

bool is_measure(const Table& table, std::string_view column) {
  if (is_id(column)) return false;
  bool any = false;
  for (const Json& row : table.rows) {
    const Json* value = row.get_object().if_contains(column);
    if (value == nullptr || value->is_null()) continue;
    if (!numeric(*value)) return false;
    any = true;
  }
  return any;
}

bool is_date_name(std::string_view column) {
  return column.ends_with("_at") || column.ends_with("_on") ||
         mentions(column, {"date", "time", "created", "updated", "opened", "day"});
}

Wish wish_of(std::string_view text) {
  constexpr std::array<std::string_view, 4> kNewest{"last", "latest", "newest", "recent"};
  constexpr std::array<std::string_view, 3> kOther{"first", "top", "oldest"};
  Wish wish;
  std::string before;
  for (const std::string_view raw : split_words(text)) {
    const std::string word = lower_ascii(raw);
    const bool newest = std::ranges::find(kNewest, before) != kNewest.end();
    if (!wish.limit && is_digits(word) && (newest || std::ranges::find(kOther, before) != kOther.end())) {
      std::size_t limit = 0;
      std::from_chars(word.data(), word.data() + word.size(), limit);
      wish.limit = limit;
      wish.newest = newest;
    }
    before = word;
  }
  if (says(text, "average") || says(text, "mean")) {
    wish.figure = Wish::Figure::mean;
  } else if (says(text, "how many") || says(text, "number of") || says(text, "count")) {
    wish.figure = Wish::Figure::count;
  }
  return wish;
}

bool says(std::string_view text, std::string_view words) {
  const std::string whole = lower_spaced(text);
  const std::string part = lower_spaced(words);
  if (part.empty()) return false;
  for (std::size_t at = whole.find(part); at != std::string::npos; at = whole.find(part, at + 1)) {
    if (word_at_edge(whole, at, part.size())) return true;
  }
  return false;
}

std::vector<std::string> named_columns(const Table& table, std::string_view text) {
  std::vector<std::string> named;
  for (const std::string& column : table.columns) {
    if (says(text, column)) named.push_back(column);
  }
  return named;
}

std::string order_column(const Table& table, std::string_view text, Chance chance) {
  const WordSet words(text);
  std::vector<std::string> measures;
  std::string best;
  std::size_t most = 0;
  for (const std::string& column : table.columns) {
    if (!is_measure(table, column)) continue;
    if (says(text, column)) return column;
    const std::size_t shared = WordSet(spaced(column)).shared_with(words);
    if (shared > most) most = shared, best = column;
    measures.push_back(column);
  }
  if (!best.empty() || measures.empty()) return best;
  return chance.pick(measures);
}

void keep_kinds(Table& table, std::string_view text) {
  for (const std::string& column : table.columns) {
    if (is_id(column) || is_date_name(column)) continue;
    std::map<std::string_view, std::size_t> kinds;
    for (const Json& row : table.rows) {
      const Json* value = row.get_object().if_contains(column);
      const auto kind = value == nullptr ? std::nullopt : as_text(*value);
      if (kind) ++kinds[*kind];
    }
    if (kinds.size() < 2 || kinds.size() > kMostKinds || kinds.size() * 2 > table.rows.size() + 2) continue;
    std::set<std::string> wanted;
    for (const auto& [kind, count] : kinds) {
      if (kind.size() >= 3 && says(text, kind)) wanted.emplace(kind);
    }
    if (wanted.empty()) continue;
    JsonArray kept;
    for (const Json& row : table.rows) {
      if (wanted.contains(text_at(row, column))) kept.push_back(row);
    }
    table.rows = std::move(kept);
  }
}

void sort_by(JsonArray& rows, std::string_view column) {
  const auto value_of = [&](const Json& row) {
    const Json* value = find_member(row, column);
    return value == nullptr ? -HUGE_VAL : numeric(*value).value_or(-HUGE_VAL);
  };
  put_in_order(rows, value_of);
}

void take(Table& table, const Wish& wish) {
  if (wish.newest) {
    const auto date = std::ranges::find_if(table.columns, is_date_name);
    if (date != table.columns.end()) {
      // ISO dates sort as text, which is what databases and JSON hold.
      put_in_order(table.rows, [&](const Json& row) { return text_at(row, *date); });
    }
  }
  if (wish.limit && table.rows.size() > *wish.limit) table.rows.resize(*wish.limit);
}

void disturb(JsonArray& rows, double noise, Chance chance) {
  JsonArray out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Chance own = chance.fork(i);
    if (!own.happens(noise)) {
      out.push_back(rows[i]);
    } else if (i + 1 < rows.size() && own.happens(0.6)) {
      std::swap(rows[i], rows[i + 1]);
      out.push_back(rows[i]);
    }
  }
  rows = std::move(out);
}

double figure_of(const Table& table, Wish::Figure figure, std::string_view text, Chance chance) {
  const std::string column = order_column(table, text, chance);
  if (figure == Wish::Figure::count || column.empty()) return static_cast<double>(table.rows.size());
  double sum = 0;
  std::size_t count = 0;
  for (const Json& row : table.rows) {
    const Json* value = find_member(row, column);
    const auto number = value == nullptr ? std::nullopt : numeric(*value);
    if (number) sum += *number, ++count;
  }
  return count == 0 ? 0 : std::round(sum / static_cast<double>(count) * 100) / 100;
}

}  // namespace assay::sim
