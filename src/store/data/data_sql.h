// What an evaluation store asks of its database: statements with `?` or `?1` for their values, and rows. One
// text serves SQLite and PostgreSQL; where they really differ, the dialect has the words.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "core/error.h"
#include "store/statements.h"

namespace assay {

// As LIMIT: no limit. No more, since databases add OFFSET to it.
inline constexpr std::int64_t kAllRows = std::int64_t{1} << 62U;

struct SqlDialect {
  // One state of the database for all reads up to COMMIT.
  std::string_view begin_reading;
  // Joins in the order that is written. SQLite would turn a join around, and each is written for its plan;
  // PostgreSQL plans by what it knows of the tables.
  std::string_view join_in_order;
  // Whether {} has the pattern of a value in it, capital and small letters of ASCII being the same.
  std::string_view like;
  // Title and text of an item, whose content is `c`.
  std::string_view item_title;
  std::string_view item_text;
  // Milliseconds since 1970 by the clock that all who have the database open share.
  std::string_view now_ms;
};

// A row that is there until the next one. Columns count from 0; what is true is 1.
class SqlRow {
 public:
  virtual ~SqlRow() = default;
  virtual std::int64_t integer(int column) const = 0;
  virtual std::string_view text(int column) const = 0;
  virtual bool is_null(int column) const = 0;
};

// One connection. Belongs to one thread at a time.
class DataSql {
 public:
  explicit DataSql(const SqlDialect& dialect) : dialect_(dialect) {}
  DataSql(const DataSql&) = delete;
  DataSql& operator=(const DataSql&) = delete;
  virtual ~DataSql() = default;

  const SqlDialect& dialect() const { return dialect_; }

  using OnRow = std::function<void(const SqlRow&)>;
  virtual Status run(std::string_view sql, std::span<const SqlValue> values) = 0;
  // The first column of the first row; none if there is no row or it holds NULL.
  virtual Result<std::optional<std::int64_t>> number(std::string_view sql,
                                                     std::span<const SqlValue> values) = 0;
  virtual Status each_row(std::string_view sql, std::span<const SqlValue> values, const OnRow& on_row) = 0;
  // After a failure: whether the connection was gone and is there again, so that asking once more can help.
  virtual bool restored() { return false; }

  // Calls `row` with each row.
  template <class Row>
  Status each(std::string_view sql, std::span<const SqlValue> values, const Row& row) {
    return each_row(sql, values, std::cref(row));
  }
  Status run(std::string_view sql, std::initializer_list<SqlValue> values = {}) {
    return run(sql, std::span(values.begin(), values.size()));
  }
  Result<std::optional<std::int64_t>> number(std::string_view sql,
                                             std::initializer_list<SqlValue> values = {}) {
    return number(sql, std::span(values.begin(), values.size()));
  }
  template <class Row>
  Status each(std::string_view sql, std::initializer_list<SqlValue> values, const Row& row) {
    return each(sql, std::span(values.begin(), values.size()), row);
  }

 private:
  const SqlDialect& dialect_;
};

}  // namespace assay
