// The columns of a table that a question names. What is wrong with them is collected on the way (no such
// column, a cell that is no number, a name that is missing) and told at once, with lines: ask for all
// columns, look at all rows, and only then at status().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/tables/data_table.h"

namespace assay::answers {

class Columns {
 public:
  // The table must outlive it.
  explicit Columns(const DataTable& table) : table_(table) {}

  std::size_t rows() const { return table_.rows(); }

  // One entry a row; nothing where the cell is missing, and everywhere if there is no such column.
  using Texts = std::vector<std::optional<std::string>>;
  Texts texts(const std::string& name);
  // The same as numbers; true and false are 1 and 0.
  using Numbers = std::vector<std::optional<double>>;
  Numbers numbers(const std::string& name);

  // A problem of that row: of the whole row, of the cell of a column, or that a cell is empty where
  // `expected` should be. The last is none of the row's if there is no such column at all.
  void wrong(std::size_t row, std::string what);
  void wrong(std::size_t row, const std::string& column, std::string_view found, std::string_view expected);
  void empty(std::size_t row, const std::string& column, std::string_view expected = {});

  // An error with one line a problem (the first twenty), in the order of the file's lines.
  Status status() const;

 private:
  std::optional<std::size_t> place(const std::string& name);

  const DataTable& table_;
  std::set<std::string> unknown_;
  // By line, 0 standing for the table as a whole; of one line in the order in which they were found.
  std::multimap<std::uint64_t, std::string> problems_;
};

// "first,second" and repeated flags as one list of names.
std::vector<std::string> listed(const Config& config, std::string_view key);
// The same as numbers; an error of usage that names each entry which is none or outside of the limits.
Result<std::vector<double>> listed_numbers(const Config& config, std::string_view key, double least,
                                           double most);

}  // namespace assay::answers
