// Which rows of an evaluation store a query asks for, as SQL. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/sha256.h"
#include "store/data/data_sql.h"
#include "store/data/data_store.h"

namespace assay {

// The number of a text in `names`.
constexpr const char* kNameOf = "(SELECT name FROM names WHERE text = ?)";

// Which rows are asked for, as SQL: the values stand in the order of their question marks.
struct Selection {
  Selection() = default;
  Selection(Selection&&) = default;  // values look into it: it is not copied
  Selection& operator=(Selection&&) = default;

  std::string row;         // the number to be given
  std::string from;        // where conditions can be decided
  std::string order_join;  // what only the order needs
  std::string where = "true";
  std::string order;
  std::vector<SqlValue> values;
  std::string behind = "true";  // where the page begins
  std::vector<SqlValue> behind_values;
  std::vector<Digest> hashes;            // what `values` look at
  std::unique_ptr<std::string> pattern;  // the same
  std::int64_t offset = 0;
  std::int64_t count = 0;
  Totals totals = Totals::counted;

  void demand(const std::string& condition, SqlValue value) {
    where += " AND " + condition;
    values.push_back(value);
  }
  // Empty: no demand.
  void demand_text(const std::string& column, const std::string& text) {
    if (!text.empty()) demand(column + " = ?", text);
  }
  void demand_name(const std::string& column, const std::string& text) {
    if (!text.empty()) demand(column + " = " + kNameOf, text);
  }
  void demand_time(const std::string& column, const TimeSpan& span) {
    if (span.since_ms) demand(column + " >= ?", *span.since_ms);
    if (span.until_ms) demand(column + " < ?", *span.until_ms);
  }
  // Only rows behind this number.
  void begin_behind(const std::string& column, const std::optional<std::int64_t>& number) {
    if (!number) return;
    behind = column + " > ?";
    behind_values = {*number};
  }
};

// Look at the query, which outlives them.
Selection select_items(const ItemQuery& query, const SqlDialect& dialect);
Selection select_results(const ResultQuery& query, const SqlDialect& dialect);
Selection select_failures(const ResultQuery& query);
Selection select_records(const RecordQuery& query);
Selection select_feedback(const FeedbackQuery& query, const SqlDialect& dialect);
Selection select_jobs(const JobQuery& query);

}  // namespace assay
