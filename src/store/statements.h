// One connection with the statements that were prepared on it, found again by their text: a statement is
// compiled once, and callers write SQL and values in one place. Belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "core/error.h"
#include "store/sqlite.h"

namespace assay {

// What stands for a `?`. Texts and bytes are views: they live until the call returns.
using SqlValue = std::variant<std::monostate, std::int64_t, std::string_view, std::span<const unsigned char>>;

inline SqlValue sql_value(const std::optional<std::string>& text) {
  return text ? SqlValue(std::string_view(*text)) : SqlValue();
}
inline SqlValue sql_value(const std::optional<int>& number) {
  return number ? SqlValue(std::int64_t{*number}) : SqlValue();
}

class Statements {
 public:
  explicit Statements(Database database) : database_(std::move(database)) {}

  Status run(std::string_view sql, std::span<const SqlValue> values);
  // The first column of the first row; none if there is no row or it holds NULL.
  Result<std::optional<std::int64_t>> number(std::string_view sql, std::span<const SqlValue> values);
  // Calls `row` with each row.
  template <class Row>
  Status each(std::string_view sql, std::span<const SqlValue> values, const Row& row) {
    auto statement = bound(sql, values);
    if (!statement) return fail(std::move(statement.error()));
    for (;;) {
      auto more = (*statement)->step();
      if (!more) return fail(located(std::move(more.error())));
      if (!*more) return {};
      row(std::as_const(**statement));
    }
  }

  // Finalizes every statement, which some PRAGMAs ask for.
  Database& bare_database() {
    statements_.clear();
    return database_;
  }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  Result<Statement*> bound(std::string_view sql, std::span<const SqlValue> values);
  Error located(Error error) const;

  Database database_;
  std::unordered_map<std::string, Statement, TextHash, std::equal_to<>> statements_;
};

}  // namespace assay
