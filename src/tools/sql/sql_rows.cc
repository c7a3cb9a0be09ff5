#include "tools/sql/sql_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace assay {
namespace {

std::vector<std::string> made_distinct(std::vector<std::string> names) {
  std::set<std::string> taken(names.begin(), names.end());
  std::map<std::string, int> times;
  for (std::string& name : names) {
    int& number = times[name];
    if (++number == 1) continue;
    std::string numbered = fmt::format("{}_{}", name, number);
    while (!taken.insert(numbered).second) numbered = fmt::format("{}_{}", name, ++number);
    name = std::move(numbered);
  }
  return names;
}

}  // namespace

Error sql_error(std::string message) {
  return Error{ErrorKind::target, std::move(message), {}};
}

std::size_t longest_value(const SqlQuery& query) {
  return std::max(query.max_bytes, std::size_t{1} << 20);
}

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text = "X'";
  text.reserve(2 * size + 3);
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 0x0f];
  }
  text += '\'';
  return text;
}

SqlRows::SqlRows(const SqlQuery& query, std::vector<std::string> names)
    : query_(query), names_(made_distinct(std::move(names))), bytes_left_(query.max_bytes) {}

bool SqlRows::has_room(std::size_t bytes) {
  if (rows_.size() == query_.max_rows) {
    truncated_ =
        fmt::format("only the first {} rows are here; use WHERE, LIMIT or an aggregate", rows_.size());
    return false;
  }
  if (bytes <= bytes_left_) return true;
  say_too_large();
  return false;
}

bool SqlRows::add(JsonObject row) {
  Json value(std::move(row));
  const std::size_t size = to_text(value).size();
  if (size > bytes_left_) {
    say_too_large();
    return false;
  }
  bytes_left_ -= size;
  rows_.push_back(std::move(value));
  return true;
}

void SqlRows::say_too_large() {
  truncated_ = fmt::format(
      "only the first {} rows are here: with the next one they would have more than {} bytes; select fewer "
      "or shorter columns, or use an aggregate",
      rows_.size(), query_.max_bytes);
}

Json SqlRows::take() {
  JsonArray columns;
  for (const auto& name : names_) columns.emplace_back(name);
  JsonObject result{{"columns", std::move(columns)}, {"rows", std::move(rows_)}};
  if (!truncated_.empty()) result.emplace("truncated", truncated_);
  return result;
}

}  // namespace assay
