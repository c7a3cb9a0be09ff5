// CSV as RFC 4180 has it, read from text: quoted cells with commas, line breaks and doubled quotes, CRLF or
// LF, a UTF-8 BOM. Rows are numbered by the line they begin on. Blank lines are skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace assay {

struct CsvRow {
  std::uint64_t line = 0;  // from 1
  std::vector<std::string> cells;
};

struct CsvTable {
  std::vector<std::string> columns;  // the first row
  std::vector<CsvRow> rows;
};

// Every problem at once, each with its line: a row with another number of cells than there are columns, a
// column that is there twice or has no name, a quote that is never closed, text behind a closing quote,
// invalid UTF-8. The error's message has one line per problem (the first twenty).
Result<CsvTable> parse_csv(std::string_view text);

// Whether a spreadsheet would take the text for a formula: behind any apostrophes it begins with = + - @, a
// tab or a carriage return, and is no number. Such a text is written with an apostrophe before it, which
// reading takes away again.
bool needs_apostrophe(std::string_view text);

// A cell as a finite number; true and false are 1 and 0. Nothing if it is something else.
std::optional<double> cell_number(std::string_view cell);

}  // namespace assay
