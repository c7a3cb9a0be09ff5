// CSV as RFC 4180 has it: fields with a comma, quote or line break are quoted, quotes are doubled, lines end
// with CRLF. Lists and objects in a cell are JSON; an undefined figure is an empty cell. A text that a
// spreadsheet would take for a formula has an apostrophe before it (core/tables/csv.h).
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/summary.h"

namespace assay {

void append_csv_cell(std::string& out, std::string_view text);
// The cells and the line's end.
void append_csv_row(std::string& out, std::span<const std::string_view> cells);
inline void append_csv_row(std::string& out, std::initializer_list<std::string_view> cells) {
  append_csv_row(out, std::span<const std::string_view>(cells.begin(), cells.size()));
}
void append_csv_row(std::string& out, const std::vector<std::string>& cells);

// `property,value`: counts of cases, then every metric with its n and the ends of its interval (`accuracy`,
// `accuracy.n`, `accuracy.ci_low`, `accuracy.ci_high`).
std::string summary_csv(const Summary& summary);

}  // namespace assay
