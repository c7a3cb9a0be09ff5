// A matrix as shades with its numbers written in.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "report/plots/plot_parts.h"
#include "report/words.h"

namespace assay {
namespace {

using namespace plots;

constexpr int kRowHeight = 30;
constexpr double kCharacterWidth = 7;  // pixels of a label of 12 pixels, on average
constexpr double kUsualWidth = 300;    // of the matrix, in half a page
constexpr std::size_t kNarrowColumns = 9;

double row_total(const std::vector<std::optional<double>>& row) {
  double total = 0;
  for (const auto& cell : row) total += cell.value_or(0);
  return total;
}

std::string written(double value, HeatMap::Shade shade) {
  switch (shade) {
    case HeatMap::Shade::share_of_row:
      return figure_words(value, Metric::Form::count);
    case HeatMap::Shade::share:
      return share_words(value);
    case HeatMap::Shade::number:
      break;
  }
  return value == std::floor(value) ? figure_words(value, Metric::Form::count) : number_words(value);
}

// One side of the matrix, with labels that keep their order even where cells are absent.
JsonObject side(std::string_view name, const std::string& title, const std::vector<std::string>& names) {
  JsonObject out = field(name, "nominal", title.empty() ? "" : label(title));
  JsonArray domain;
  for (const std::string& one : names) domain.push_back(text(one));
  out["scale"] = JsonObject{{"domain", std::move(domain)}};
  return out;
}

JsonArray values_of(const HeatMap& map, const std::vector<std::string>& rows,
                    const std::vector<std::string>& columns) {
  JsonArray values;
  for (std::size_t i = 0; i < std::min(rows.size(), map.cells.size()); ++i) {
    const double total = row_total(map.cells[i]);
    for (std::size_t j = 0; j < std::min(columns.size(), map.cells[i].size()); ++j) {
      const std::optional<double>& cell = map.cells[i][j];
      const bool there = cell && std::isfinite(*cell);
      JsonObject value{{"row", text(rows[i])},
                       {"column", text(columns[j])},
                       {"value", there ? Json(*cell) : Json(nullptr)},
                       {"written", text(there ? written(*cell, map.shade) : "")}};
      if (map.shade == HeatMap::Shade::share_of_row)
        value["shade"] = there && total > 0 ? Json(*cell / total) : Json(nullptr);
      values.push_back(std::move(value));
    }
  }
  return values;
}

// The largest and smallest value: the ends of the shades.
Interval range_of(const HeatMap& map) {
  std::optional<Interval> range;
  for (const auto& row : map.cells) {
    for (const auto& cell : row) {
      if (!cell || !std::isfinite(*cell)) continue;
      if (!range) range = Interval{*cell, *cell};
      range = Interval{std::min(range->low, *cell), std::max(range->high, *cell)};
    }
  }
  return range.value_or(Interval{0, 1});
}

}  // namespace

Plot heat_map(PlotWords words, const HeatMap& map) {
  const bool of_row = map.shade == HeatMap::Shade::share_of_row;
  const std::string shade = of_row ? "shade" : "value";
  const Interval range = map.shade == HeatMap::Shade::number ? range_of(map) : Interval{0, 1};
  const Json dark(range.low + (range.high - range.low) * 0.75);

  const std::vector<std::string> rows = labels(map.rows);
  const std::vector<std::string> columns = labels(map.columns);
  std::size_t longest = 0;
  for (const std::string& column : columns) longest = std::max(longest, count_code_points(column));
  JsonObject x = side("column", map.column_title, columns);
  x["axis"] = JsonObject{
      {"orient", "top"}, {"labelLimit", 260}, {"labelOverlap", false}, {"ticks", false}, {"domain", false}};
  JsonObject y = side("row", map.row_title, rows);
  y["axis"] = JsonObject{{"ticks", false}, {"domain", false}, {"labelOverlap", false}};
  const Json height = height_of(y, kRowHeight);

  JsonObject colour = field(shade, "quantitative", of_row ? "share of the row" : "");
  colour["scale"] = JsonObject{{"domain", JsonArray{range.low, range.high}},
                               {"range", JsonArray{"#f2f7fb", "#08519c"}},
                               {"interpolate", "lab"}};
  colour["legend"] = nullptr;
  const JsonArray tooltip = [&] {
    JsonArray fields{told("row", map.row_title.empty() ? "row" : label(map.row_title)),
                     told("column", map.column_title.empty() ? "column" : label(map.column_title)),
                     told("written", "value")};
    if (of_row) fields.push_back(told("shade", "share of the row", ".1%"));
    return fields;
  }();
  // Black on light shades, white on dark ones; at 0.75 both have a contrast of 4.5.
  JsonObject ink{{"condition", JsonObject{{"test", fmt::format("datum.{} > {}", shade, to_text(dark))},
                                          {"value", "#ffffff"}}},
                 {"value", "#000000"}};
  JsonArray layers;
  layers.push_back(layer(mark("rect", {{"stroke", "#ffffff"}, {"strokeWidth", 1}, {"strokeOpacity", 0.6}}),
                         {{"color", std::move(colour)}, {"tooltip", tooltip}}));
  layers.push_back(
      layer(mark("text", {{"fontSize", map.columns.size() > kNarrowColumns ? 10 : 12}}),
            {{"text", JsonObject{{"field", "written"}}}, {"color", std::move(ink)}, {"tooltip", tooltip}}));
  Plot plot = framed(std::move(words), values_of(map, rows, columns), height, std::move(layers),
                     {{"encoding", JsonObject{{"x", std::move(x)}, {"y", std::move(y)}}}});
  // Labels stand upright where cells are narrower than they. For whoever opens the spec: the report's script
  // knows how much room there is.
  const double cell = kUsualWidth / static_cast<double>(std::max<std::size_t>(1, columns.size()));
  const bool narrow = kCharacterWidth * static_cast<double>(longest) > cell;
  plot.spec.at("config").get_object()["axisXDiscrete"] = JsonObject{{"labelAngle", narrow ? -90 : 0}};
  plot.wide = map.columns.size() > kNarrowColumns;
  return plot;
}

}  // namespace assay
