// Building blocks of the HTML report, each a pure function from figures to markup.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/gates.h"
#include "report/plots/plot.h"
#include "report/summary.h"

namespace assay::html {

// Foreign text as HTML: escaped, malformed UTF-8 repaired, control characters and characters that override
// the direction of text made visible as their code point. At most `limit` bytes of it; the rest is counted.
std::string text(std::string_view foreign, std::size_t limit = 20'000);
// Foreign text inside a quoted attribute.
std::string attribute(std::string_view foreign);
// The name of a metric or label, escaped, with places where a line may be broken.
std::string name(std::string_view foreign);
// A metric's name for people: "coherence.mean" as "Coherence · mean", escaped.
std::string metric_title(std::string_view name);

// The ends of the axis that a figure is drawn on: 0 to 1 where that holds it, else round numbers around it.
Interval axis_of(const Metric& metric, std::span<const double> marks);
// The interval as an inline SVG: axis, interval, value, and a mark for each gate's threshold.
enum class BarSize { large, small };
std::string interval_bar(const Metric& metric, std::span<const double> marks, BarSize size);
// Thresholds of the gates on this metric.
std::vector<double> gate_marks(const Metric& metric, const std::vector<GateResult>& gates);

std::string headline_card(const Metric& metric, const std::vector<GateResult>& gates);
// All metrics; those that are parts of another ("precision.tax" of "precision") go into a second, folded
// table.
std::string metrics_section(const Summary& summary);
std::string table_section(const Table& table);
std::string matrix_section(const Table& table);
// The plots with their data: as specs that the page's script draws, or as tables alone.
enum class Drawing { script, none };
std::string plots_section(const std::vector<Plot>& plots, Drawing drawing);
std::string case_card(const NotableCase& notable);
// A table cell for any JSON value: numbers to the right, null as n/a.
std::string cell(const Json& value);

}  // namespace assay::html
