#include "core/tables/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

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
    while (at_ < text_.size()) {
      CsvRow row = next_row();
      for (std::string& cell : row.cells) {
        if (cell.starts_with('\'') && needs_apostrophe(cell)) cell.erase(0, 1);
      }
      if (row.cells.size() == 1 && row.cells[0].empty()) continue;
      if (std::exchange(first, false)) {
        table.columns = std::move(row.cells);
        check_columns(table.columns);
        continue;
      }
      if (row.cells.size() != table.columns.size()) {
        complain(row.line, fmt::format("found {} cells, expected {} as in the first row", row.cells.size(),
                                       table.columns.size()));
        continue;
      }
      table.rows.push_back(std::move(row));
    }
    if (first && problems_ == 0)
      return fail(ErrorKind::data, "the file is empty, expected a row of column names");
    if (problems_ > kMostProblems) message_ += fmt::format("\n… and {} more", problems_ - kMostProblems);
    if (problems_ > 0) return fail(ErrorKind::data, message_);
    return table;
  }

 private:
  CsvRow next_row() {
    CsvRow row{line_, {}};
    for (;;) {
      row.cells.push_back(next_cell());
      if (at_ >= text_.size()) return row;
      const char end = text_[at_++];
      if (end == ',') continue;
      if (end == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
      ++line_;
      return row;
    }
  }

  // Leaves at_ on the comma or line end behind the cell.
  std::string next_cell() {
    if (at_ >= text_.size() || text_[at_] != '"') {
      const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      std::string cell(text_.substr(at_, end - at_));
      at_ = end;
      return cell;
    }
    const std::uint64_t begun = line_;
    std::string cell;
    for (++at_;;) {
      const std::size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) {
        complain(begun, "a quote that opens a cell is never closed");
        at_ = text_.size();
        return cell;
      }
      take(cell, quote);
      at_ = quote + 1;
      if (at_ >= text_.size() || text_[at_] != '"') break;
      cell += '"';
      ++at_;
    }
    if (at_ < text_.size() && text_.find_first_of(",\r\n", at_) != at_) {
      complain(line_, "text stands behind a closing quote; a quote inside a cell is written twice");
      at_ = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    }
    return cell;
  }

  void take(std::string& cell, std::size_t end) {
    const std::string_view part = text_.substr(at_, end - at_);
    line_ += static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n'));
    cell += part;
  }

  void check_columns(const std::vector<std::string>& columns) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (trim(columns[i]).empty()) complain(1, fmt::format("column {} has no name", i + 1));
      if (!seen.insert(columns[i]).second) complain(1, fmt::format("column {} is there twice", columns[i]));
    }
  }

  void complain(std::uint64_t line, const std::string& what) {
    if (++problems_ > kMostProblems) return;
    if (!message_.empty()) message_ += '\n';
    message_ += fmt::format("line {}: {}", line, what);
  }

  std::string_view text_;
  std::size_t at_ = 0;
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
