// Rows as the simulated model sees them: results of tools, artifacts that a request brings, and what a plain
// text asks of them ("the last 20 open tickets by age"). It understands words, not questions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "sim/chance.h"

namespace assay::sim {

struct Table {
  std::string name;                  // of the tool, artifact or database table that it is from
  std::vector<std::string> columns;  // of all rows, in order of appearance
  JsonArray rows;                    // objects
  bool has(std::string_view column) const;
};

// A list of objects, or the first one inside an object ({"rows": […]}); also as JSON text, as programs print
// it ({"stdout": "[…]"}). Nothing if there is none, or if it is empty.
std::optional<Table> table_in(const std::string& name, const Json& value);
std::optional<Table> table_in_text(const std::string& name, std::string_view text);

// A number, or a text that is nothing but a number, as decimals come from databases.
std::optional<double> numeric(const Json& value);
// All values that are there are numeric, and at least one is. Ids are not what one counts or sorts by.
bool is_measure(const Table& table, std::string_view column);
// By its name (created_at, date, timestamp, …).
bool is_date_name(std::string_view column);

// What a text asks for.
struct Wish {
  std::optional<std::size_t> limit = {};  // "last 20", "top 5"
  bool newest = false;                    // "last 20", "latest", "most recent"
  enum class Figure { none, mean, count };
  Figure figure = Figure::none;  // "average", "how many": one number
};
Wish wish_of(std::string_view text);

// Whether the text has this word, or its words one after the other; without regard to case, "_" as a space.
bool says(std::string_view text, std::string_view words);

// The columns that the text names, in the table's order.
std::vector<std::string> named_columns(const Table& table, std::string_view text);
// What to order by: a measure that the text names, else one that shares words with it, else any by chance.
// Empty if the table has none.
std::string order_column(const Table& table, std::string_view text, Chance chance);

// Where the text says a value of a column that sorts rows into a few kinds ("open"), only those rows stay.
void keep_kinds(Table& table, std::string_view text);
// Largest first; rows without a number last.
void sort_by(JsonArray& rows, std::string_view column);
// The rows that the wish is about: the newest by a column of dates, or the first.
void take(Table& table, const Wish& wish);
// Drops a row, or puts it after the next one, for that share of rows.
void disturb(JsonArray& rows, double noise, Chance chance);
// One number for all rows; the mean is of the measure that order_column chooses.
double figure_of(const Table& table, Wish::Figure figure, std::string_view text, Chance chance);

}  // namespace assay::sim
