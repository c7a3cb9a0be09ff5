// Building blocks of every page that this program writes, each a pure function from figures to plain markup.
#pragma once

#include <string>
#include <string_view>

#include "report/summary.h"

namespace assay::html {

// Foreign text as HTML: escaped, malformed UTF-8 repaired, control characters and characters that override
// the direction of text made visible as their code point. At most `limit` bytes of it; the rest is counted.
std::string text(std::string_view foreign, std::size_t limit = 20'000);
// Foreign text inside a quoted attribute.
std::string attribute(std::string_view foreign);
// The name of a metric or label, escaped, with places where a line may be broken.
std::string name(std::string_view foreign);

// A table cell for any JSON value: numbers to the right, null as n/a.
std::string cell(const Json& value);
// A table with its title; of a square matrix with its labels at both sides.
std::string table_section(const Table& table);
// All metrics with interval, n and method.
std::string metrics_section(const Summary& summary, std::string_view title = "All figures");
std::string case_card(const NotableCase& notable);

// A report without its script: sentences, figures, gates, tables, the plots' data, cases worth a look,
// problems, usage and how to repeat it. Beside a script that draws them, long lists are cut short.
enum class Beside { nothing, script };
std::string plain_report(const ReportInput& input, Beside beside);

}  // namespace assay::html
