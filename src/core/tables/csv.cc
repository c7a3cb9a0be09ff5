#include "core/tables/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/tables/csv_row.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kMostProblems = 20;

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  Result<CsvTable> read() {
    if (const auto bad = find_invalid_utf8(text_)) {
      const std::string_view before = text_.substr(0, *bad);
      const auto line = 1 + std::count(before.begin(), before.end(), '\n');
      return fail(ErrorKind::data, fmt::format("line {}: the text is not valid UTF-8", line));
    }
    CsvTable table;
    bool first = true;
    while (!text_.empty()) {
      const auto end = *CsvRowEnd(',').find(text_, true);
      const std::uint64_t line = line_;
      CsvCells row = csv_cells(text_.substr(0, end.row), ',', line);
      const std::string_view passed = text_.substr(0, end.next);
      // A row that ends with CR alone is a line too.
      line_ += static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n')) +
               (passed.ends_with('\r') ? 1 : 0);
      text_.remove_prefix(end.next);
      for (const CsvProblem& problem : row.problems) complain(problem.line, problem.text);
      if (row.blank()) continue;
      if (std::exchange(first, false)) {
        table.columns = std::move(row.cells);
        for (const std::string& problem : column_problems(table.columns)) complain(1, problem);
        continue;
      }
      if (row.cells.size() != table.columns.size()) {
        complain(line, fmt::format("found {} cells, expected {} as in the first row", row.cells.size(),
                                   table.columns.size()));
        continue;
      }
      table.rows.push_back({line, std::move(row.cells)});
    }
    if (first && problems_ == 0)
      return fail(ErrorKind::data, "the file is empty, expected a row of column names");
    if (problems_ > kMostProblems) message_ += fmt::format("\n… and {} more", problems_ - kMostProblems);
    if (problems_ > 0) return fail(ErrorKind::data, message_);
    return table;
  }

 private:
  void complain(std::uint64_t line, const std::string& what) {
    if (++problems_ > kMostProblems) return;
    if (!message_.empty()) message_ += '\n';
    message_ += fmt::format("line {}: {}", line, what);
  }

  std::string_view text_;
  std::uint64_t line_ = 1;
  std::size_t problems_ = 0;
  std::string message_;
};

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code != std::errc::invalid_argument && end == text.data() + text.size() &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

}  // namespace

bool needs_apostrophe(std::string_view text) {
  while (text.starts_with('\'')) text.remove_prefix(1);
  if (text.empty()) return false;
  switch (text.front()) {
    case '=':
    case '@':
    case '\t':
    case '\r':
      return true;
    case '+':
    case '-':
      return !is_number(text);
    default:
      return false;
  }
}

Result<CsvTable> parse_csv(std::string_view text) {
  return CsvReader(text).read();
}

std::optional<double> cell_number(std::string_view cell) {
  cell = trim(cell);
  if (cell == "true") return 1;
  if (cell == "false") return 0;
  double value = 0;
  const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (problem != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace assay
