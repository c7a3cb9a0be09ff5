// A table with a row of names (CSV, or TSV with tabs), one row in memory at a time: each row is a JSON object
// of texts under the names of their columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/files/read_window.h"
#include "core/json/jsonl.h"

namespace assay {

class TableReader {
 public:
  static constexpr std::size_t kDefaultLimit = std::size_t{1} << 30;

  // Reads the row of names; white space around a name does not belong to it. Every problem with it at once.
  static Result<TableReader> open(ReadWindow window, char separator, std::size_t max_row = kDefaultLimit);

  // The next row that is not blank. A row that cannot be used is given as an empty object, with its problems.
  Result<std::optional<Line>> next();
  // Of the row that next() gave: another number of cells than there are names, a quote that is never closed,
  // text behind a closing quote, invalid UTF-8.
  std::span<const std::string> problems() const { return problems_; }
  LinePlace place() const { return {.offset = begins_, .number = begins_line_, .entry = entry_}; }
  Status go_to(const LinePlace& place);

 private:
  TableReader(ReadWindow window, char separator, std::size_t max_row)
      : window_(std::move(window)), separator_(separator), max_row_(max_row) {}

  // The next row as it stands, without its end; nothing at the end of the file.
  Result<std::optional<std::string_view>> next_row();
  void write(const std::vector<std::string>& cells);

  ReadWindow window_;
  char separator_;
  std::size_t max_row_;
  std::vector<std::string> names_;  // each as JSON, with the colon behind it
  std::uint64_t line_ = 1;          // of the first unread byte
  std::uint64_t begins_ = 0;        // of the row given last
  std::uint64_t begins_line_ = 0;
  std::uint64_t entry_ = 0;
  std::string text_;
  std::vector<std::string> problems_;
};

}  // namespace assay
