#include "core/tables/table_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "core/json/json.h"
#include "core/tables/csv_row.h"
#include "core/text.h"

namespace assay {

Result<TableReader> TableReader::open(ReadWindow window, char separator, std::size_t max_row) {
  TableReader reader(std::move(window), separator, max_row);
  const auto wrong = [&](std::string message) {
    return fail(Error{ErrorKind::data,
                      std::move(message),
                      {{"file", reader.window_.path()}, {"line", std::to_string(reader.begins_line_)}}});
  };
  for (;;) {
    auto row = reader.next_row();
    if (!row) return fail(std::move(row.error()));
    if (!*row) return wrong("the file is empty, expected a row of column names");
    if (!valid_utf8(**row)) return wrong("the text is not valid UTF-8; save the file as UTF-8");
    CsvCells found = csv_cells(**row, separator, reader.begins_line_);
    if (found.blank()) continue;
    for (std::string& name : found.cells) name = std::string(trim(name));
    std::vector<std::string> problems = column_problems(found.cells);
    for (CsvProblem& problem : found.problems) problems.push_back(std::move(problem.text));
    if (!problems.empty()) return wrong(join(problems, "; "));
    for (const std::string& name : found.cells) {
      std::string written;
      append_json_string(written, name);
      reader.names_.push_back(written + ':');
    }
    return reader;
  }
}

Result<std::optional<Line>> TableReader::next() {
  for (;;) {
    auto row = next_row();
    if (!row) return fail(std::move(row.error()));
    if (!*row) return std::nullopt;
    problems_.clear();
    CsvCells found = csv_cells(**row, separator_, begins_line_);
    if (found.blank()) continue;
    for (CsvProblem& problem : found.problems) {
      problems_.push_back(problem.line == begins_line_
                              ? std::move(problem.text)
                              : fmt::format("on line {}, {}", problem.line, problem.text));
    }
    if (!valid_utf8(**row)) problems_.emplace_back("the row holds invalid UTF-8; save the file as UTF-8");
    if (problems_.empty() && found.cells.size() != names_.size()) {
      problems_.push_back(
          fmt::format("found {} cells, expected {} as in the first row", found.cells.size(), names_.size()));
    }
    ++entry_;
    write(problems_.empty() ? found.cells : std::vector<std::string>());
    return Line{.text = std::string_view(text_).substr(0, text_.size() - simdjson::SIMDJSON_PADDING),
                .number = begins_line_,
                .entry = entry_};
  }
}

Status TableReader::go_to(const LinePlace& place) {
  line_ = place.number;
  entry_ = place.entry - 1;
  return window_.go_to(place.offset);
}

Result<std::optional<std::string_view>> TableReader::next_row() {
  begins_ = window_.offset();
  begins_line_ = line_;
  CsvRowEnd end(separator_);
  for (;;) {
    const std::string_view unread = window_.unread();
    if (const auto found = end.find(unread, window_.at_end())) {
      if (found->next == 0) return std::nullopt;
      const std::string_view passed = unread.substr(0, found->next);
      // A row that ends with CR alone is a line too.
      line_ += static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n')) +
               (passed.ends_with('\r') ? 1 : 0);
      window_.give_up(found->next);
      return unread.substr(0, found->row);
    }
    if (unread.size() > max_row_) {
      return fail(Error{ErrorKind::data,
                        fmt::format("the row is longer than {} bytes; is a quote never closed?", max_row_),
                        {{"file", window_.path()}, {"line", std::to_string(begins_line_)}}});
    }
    if (auto read = window_.read_more(); !read) return fail(std::move(read.error()));
  }
}

void TableReader::write(const std::vector<std::string>& cells) {
  text_ = '{';
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text_ += ',';
    text_ += names_[i];
    append_json_string(text_, cells[i]);
  }
  text_ += '}';
  text_.append(simdjson::SIMDJSON_PADDING, '\0');
}

}  // namespace assay
