// Building blocks of the HTML report, each a pure function from figures to markup.
#pragma once

#include <optional>
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

// The ends of the axis that a figure stands on alone: its declared range, else 0 to 1, wider where it must
// be; of a figure that may lie on both sides of 0 as far to the one as to the other.
Interval axis_of(const Metric& metric, std::span<const double> marks);
// Scales for many figures below each other, so that lengths can be compared: the same for all of a kind
// (shares, ratings, differences). A figure that its scale does not hold has none, and is not drawn.
class SharedScales {
 public:
  explicit SharedScales(std::span<const Metric* const> metrics);
  std::optional<Interval> of(const Metric& metric) const;
  std::string words(std::span<const Metric* const> metrics) const;  // which scales those are; "" if none

 private:
  double share_size_ = 0;  // of the largest difference of shares, and of other figures
  double number_size_ = 0;
};
// The interval as an inline SVG: axis, a line at what the figure is read against, interval, value, and a mark
// for each gate's threshold.
enum class BarSize { large, small };
std::string interval_bar(const Metric& metric, std::span<const double> marks, BarSize size,
                         const Interval& axis);
// Thresholds of the gates on this metric.
std::vector<double> gate_marks(const Metric& metric, const std::vector<GateResult>& gates);

std::string headline_card(const Metric& metric, const std::vector<GateResult>& gates);
// All metrics; those that are parts of another ("precision.tax" of "precision", "likert.mean.work" of
// "likert.mean") go into a second, folded table.
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
