#include "core/tables/csv_row.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/tables/csv.h"
#include "core/text.h"

namespace assay {
namespace {

class RowCells {
 public:
  RowCells(std::string_view row, char separator, std::uint64_t line)
      : row_(row), ends_{separator, '\r', '\n'}, line_(line) {}

  CsvCells read() {
    for (;;) {
      std::string cell = next_cell();
      if (cell.starts_with('\'') && needs_apostrophe(cell)) cell.erase(0, 1);
      found_.cells.push_back(std::move(cell));
      if (at_ >= row_.size()) return std::move(found_);
      ++at_;  // the separator
    }
  }

 private:
  // Leaves at_ on the separator behind the cell.
  std::string next_cell() {
    if (at_ >= row_.size() || row_[at_] != '"') {
      const std::size_t end = std::min(row_.find_first_of(ends(), at_), row_.size());
      std::string cell(row_.substr(at_, end - at_));
      at_ = end;
      return cell;
    }
    const std::uint64_t begun = line_;
    std::string cell;
    for (++at_;;) {
      const std::size_t quote = row_.find('"', at_);
      if (quote == std::string_view::npos) {
        found_.problems.push_back({begun, "a quote that opens a cell is never closed"});
        at_ = row_.size();
        return cell;
      }
      take(cell, quote);
      at_ = quote + 1;
      if (at_ >= row_.size() || row_[at_] != '"') break;
      cell += '"';
      ++at_;
    }
    if (at_ < row_.size() && row_.find_first_of(ends(), at_) != at_) {
      found_.problems.push_back(
          {line_, "text stands behind a closing quote; a quote inside a cell is written twice"});
      at_ = std::min(row_.find_first_of(ends(), at_), row_.size());
    }
    return cell;
  }

  void take(std::string& cell, std::size_t end) {
    const std::string_view part = row_.substr(at_, end - at_);
    line_ += static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n'));
    cell += part;
  }

  std::string_view ends() const { return {ends_, sizeof ends_}; }

  std::string_view row_;
  char ends_[3];
  std::size_t at_ = 0;
  std::uint64_t line_;
  CsvCells found_;
};

}  // namespace

std::optional<CsvRowEnd::Found> CsvRowEnd::find(std::string_view text, bool whole) {
  const char ends[] = {separator_, '\r', '\n'};
  while (at_ < text.size()) {
    switch (state_) {
      case State::cell_begins:
        state_ = text[at_] == '"' ? State::quoted : State::plain;
        if (state_ == State::quoted) ++at_;
        break;
      case State::quoted:
        at_ = std::min(text.find('"', at_), text.size());
        if (at_ == text.size()) break;
        state_ = State::quote_seen;
        ++at_;
        break;
      case State::quote_seen:
        state_ = text[at_] == '"' ? State::quoted : State::plain;
        if (state_ == State::quoted) ++at_;
        break;
      case State::plain: {
        at_ = std::min(text.find_first_of({ends, sizeof ends}, at_), text.size());
        if (at_ == text.size()) break;
        if (text[at_] == separator_) {
          state_ = State::cell_begins;
          ++at_;
          break;
        }
        // Whether LF follows a CR is not known before it is there.
        if (text[at_] == '\r' && at_ + 1 == text.size() && !whole) return std::nullopt;
        const bool both = text.substr(at_).starts_with("\r\n");
        return Found{at_, at_ + (both ? 2 : 1)};
      }
    }
  }
  return whole ? std::optional(Found{text.size(), text.size()}) : std::nullopt;
}

CsvCells csv_cells(std::string_view row, char separator, std::uint64_t line) {
  return RowCells(row, separator, line).read();
}

std::vector<std::string> column_problems(const std::vector<std::string>& columns) {
  std::vector<std::string> problems;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (trim(columns[i]).empty()) problems.push_back(fmt::format("column {} has no name", i + 1));
    if (!seen.insert(columns[i]).second)
      problems.push_back(fmt::format("column {} is there twice", columns[i]));
  }
  return problems;
}

}  // namespace assay
