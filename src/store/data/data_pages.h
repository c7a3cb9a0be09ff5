// How a page of an evaluation store is read: the numbers of its rows and how many there are, then each row,
// all from one state of the database.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "store/data/data_selection.h"
#include "store/data/data_sql.h"

namespace assay {

struct Matches {
  std::vector<std::int64_t> rows;
  std::int64_t total = 0;
  std::int64_t remaining = 0;
};

// Everything read while it lives is from one state of the database.
class Snapshot {
 public:
  static Result<Snapshot> begin(DataSql& statements) {
    if (auto begun = statements.run(statements.dialect().begin_reading); !begun)
      return fail(std::move(begun.error()));
    return Snapshot(statements);
  }
  Snapshot(Snapshot&& other) noexcept : statements_(std::exchange(other.statements_, nullptr)) {}
  Snapshot& operator=(Snapshot&& other) = delete;
  ~Snapshot() {
    if (statements_ != nullptr) (void)statements_->run("COMMIT");
  }

 private:
  explicit Snapshot(DataSql& statements) : statements_(&statements) {}
  DataSql* statements_;
};

inline Result<Matches> find_matches(DataSql& statements, const Selection& asked) {
  const bool all = asked.count < 1;
  const std::int64_t offset = std::max<std::int64_t>(0, asked.offset);
  const bool goes_on = !asked.behind_values.empty();
  Matches found;
  std::vector<SqlValue> values = asked.values;
  values.insert(values.end(), asked.behind_values.begin(), asked.behind_values.end());
  // Uncounted, one row more tells whether anything follows.
  const bool counted = asked.totals == Totals::counted;
  values.emplace_back(all ? kAllRows : asked.count + (counted ? 0 : 1));
  values.emplace_back(offset);
  if (auto read = statements.each("SELECT " + asked.row + " FROM " + asked.from + asked.order_join +
                                      " WHERE " + asked.where + " AND " + asked.behind + " ORDER BY " +
                                      asked.order + " LIMIT ? OFFSET ?",
                                  values, [&](const SqlRow& row) { found.rows.push_back(row.integer(0)); });
      !read) {
    return fail(std::move(read.error()));
  }
  const auto here = static_cast<std::int64_t>(found.rows.size());
  if (!counted) {
    if (!all && here > asked.count) {
      found.rows.pop_back();
      found.remaining = 1;
    }
    return found;
  }
  const bool last_page = all || here < asked.count;
  if (last_page && !goes_on && (here > 0 || offset == 0)) {
    found.total = offset + here;  // the end was seen: counting would cost and say the same
    return found;
  }
  const auto total =
      statements.number("SELECT count(*) FROM " + asked.from + " WHERE " + asked.where, asked.values);
  if (!total) return fail(total.error());
  found.total = total->value_or(0);
  if (last_page) return found;
  std::int64_t listed = found.total;
  if (goes_on) {
    values.resize(values.size() - 2);
    const auto left = statements.number(
        "SELECT count(*) FROM " + asked.from + " WHERE " + asked.where + " AND " + asked.behind, values);
    if (!left) return fail(left.error());
    listed = left->value_or(0);
  }
  found.remaining = std::max<std::int64_t>(0, listed - offset - here);
  return found;
}

// The page of what was asked for; `read_row` turns a number into what is given out.
template <class Page, class Rows, class ReadRow>
Result<Page> read_page(DataSql& statements, const Selection& asked, Rows Page::* rows,
                       const ReadRow& read_row) {
  const auto snapshot = Snapshot::begin(statements);
  if (!snapshot) return fail(snapshot.error());
  const auto found = find_matches(statements, asked);
  if (!found) return fail(found.error());
  Page page;
  page.total = found->total;
  page.remaining = found->remaining;
  (page.*rows).reserve(found->rows.size());
  for (const std::int64_t number : found->rows) {
    auto row = read_row(number);
    if (!row) return fail(std::move(row.error()));
    (page.*rows).push_back(std::move(*row));
  }
  return page;
}

}  // namespace assay
