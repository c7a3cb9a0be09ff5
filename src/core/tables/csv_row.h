// One row of CSV as RFC 4180 has it: where it ends, and its cells. A cell that begins with a quote reaches to
// the quote that closes it, over separators and line ends; a quote inside is written twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Finds the end of a row; goes on where it stopped when there is more of the text.
class CsvRowEnd {
 public:
  explicit CsvRowEnd(char separator) : separator_(separator) {}
  struct Found {
    std::size_t row = 0;   // bytes of the row
    std::size_t next = 0;  // where the next one begins, behind LF, CRLF or CR
  };
  // Nothing if the text ends before the row does. `whole`: nothing comes behind the text.
  std::optional<Found> find(std::string_view text, bool whole);

 private:
  enum class State { cell_begins, plain, quoted, quote_seen };
  char separator_;
  State state_ = State::cell_begins;
  std::size_t at_ = 0;
};

struct CsvProblem {
  std::uint64_t line = 0;
  std::string text;
};

struct CsvCells {
  std::vector<std::string>
      cells;  // at least one; without the apostrophe that keeps spreadsheets from computing
  std::vector<CsvProblem> problems;
  bool blank() const { return cells.size() == 1 && cells.front().empty(); }
};

// `row` is a row without its line end; `line` the number of the line that it begins on.
CsvCells csv_cells(std::string_view row, char separator, std::uint64_t line);
// What is wrong with the names in a table's first row: one that is there twice, or none at all.
std::vector<std::string> column_problems(const std::vector<std::string>& columns);

}  // namespace assay
