// Plots as values: a Vega-Lite spec with its data, which the report draws, `plots/NAME.vl.json` keeps and any
// Vega-Lite editor opens. Each builder is a pure function of plain data.
//
// What every plot keeps: intervals are drawn where there are any, n is shown, shares lie on 0 to 1, bars
// start at 0, colours are those of Okabe and Ito (told apart by colour-blind readers), and all names are
// data. A label is cut (in the middle where only its end tells it from another) at a length that an axis
// bears, characters that a reader would not see or that turn text around are replaced, and two labels that
// look the same afterwards are numbered, so that no two rows become one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "stats/estimate.h"

namespace assay {

struct Plot {
  std::string name;     // of its file: a-z, 0-9, _ and -
  std::string title;    // for people
  std::string caption;  // what is drawn, and n
  Json spec;
  bool wide = false;  // wants the whole width of the page
};

// Name, title and caption of a plot to be built; the builder adds to the caption what only it knows.
struct PlotWords {
  std::string name;
  std::string title;
  std::string caption;
};

enum class AxisForm { share, number };  // 0–1 as per cent, or as it comes

// One figure on a line of its own.
struct IntervalRow {
  std::string label;
  Estimate estimate;  // without value: the line stays, and says n/a
};
// Horizontal bars from 0 with their intervals; where the axis does not begin at 0 (a Likert scale, a figure
// below 0), points instead of bars, since a bar's length would mean nothing.
struct IntervalAxis {
  std::string title;
  AxisForm form = AxisForm::share;
  std::optional<Interval> range = {};  // of the axis; by default 0–1 if that holds them, around 0 if one lies
                                       // below it, else what the data need
  std::optional<double> reference =
      {};  // a line to read the figures against; 0 where the axis goes around it
};
Plot interval_plot(PlotWords words, const IntervalAxis& axis, const std::vector<IntervalRow>& rows);

// A matrix with labels on both sides. Absent cells stay empty.
struct HeatMap {
  std::string row_title;
  std::string column_title;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<double>>> cells;  // by row
  // What a shade stands for: the cell's share of its row (counts, as in a confusion matrix), or the value.
  enum class Shade { share_of_row, share, number } shade = Shade::number;
};
Plot heat_map(PlotWords words, const HeatMap& map);

struct ScatterPoint {
  std::string label;
  double x = 0;
  double y = 0;
  std::optional<Interval> ci = {};  // of y
};
struct ScatterAxes {
  std::string x_title;
  std::string y_title;
  AxisForm form = AxisForm::number;
  enum class Reference { none, diagonal } reference = Reference::diagonal;  // where x equals y
};
// Points that are not finite are left out and counted in the caption.
Plot scatter_plot(PlotWords words, const ScatterAxes& axes, const std::vector<ScatterPoint>& points);

// Stated confidence against the share that was right, a point per bin with its interval.
struct CalibrationBin {
  double mean_confidence = 0;
  Estimate accuracy;
};
Plot calibration_plot(PlotWords words, const std::vector<CalibrationBin>& bins);

// Answers on an ordered scale, the middle answer centred on 0.
struct LikertRow {
  std::string label;
  std::vector<std::int64_t> counts;  // by level, lowest first; as many as there are levels
};
Plot likert_plot(PlotWords words, const std::vector<std::string>& levels, const std::vector<LikertRow>& rows);

struct HistogramBin {
  double from = 0;
  double to = 0;
  std::int64_t count = 0;
};
// `mean` is marked with its interval, if given.
Plot histogram_plot(PlotWords words, const std::string& axis_title, const std::vector<HistogramBin>& bins,
                    const std::optional<Estimate>& mean = std::nullopt);

// Five numbers of a group: quartiles, and the most extreme values within 1.5 quartile distances of the box.
struct Box {
  std::string label;
  std::int64_t n = 0;
  double low = 0;
  double lower_quartile = 0;
  double median = 0;
  double upper_quartile = 0;
  double high = 0;
  std::vector<double> outliers = {};  // the builder draws at most 200, and says so
  std::optional<Estimate> mean = {};  // marked with its interval
};
// Quartiles as R's type 7; nothing without a finite value.
std::optional<Box> box_of(std::string label, std::vector<double> values);
Plot box_plot(PlotWords words, const IntervalAxis& axis, const std::vector<Box>& boxes);

// Bars of dollars, one per model, step or condition; n counts what was paid for (answers).
struct CostRow {
  std::string label;
  double usd = 0;
  std::int64_t n = 0;
};
Plot cost_plot(PlotWords words, const std::vector<CostRow>& rows);

// Which share of the values lies at or below x: one rising line per series, on a logarithmic axis where the
// values span more than a factor of 50.
struct CumulativeSeries {
  std::string label;
  std::int64_t n = 0;
  struct Point {
    double value = 0;
    double share = 0;  // at or below
  };
  std::vector<Point> points;  // rising
};
Plot cumulative_plot(PlotWords words, const std::string& axis_title,
                     const std::vector<CumulativeSeries>& series);

// A name as a file may have it: other characters become _, at most 60 of them.
std::string plot_file_name(std::string_view name);

}  // namespace assay
