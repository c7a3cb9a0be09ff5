// Plots of points against each other: scatter, and calibration as its special case.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/plots/plot_parts.h"
#include "report/words.h"

namespace assay {
namespace {

using namespace plots;

// A line of its own data from one corner to the other.
JsonObject diagonal(const Interval& range) {
  JsonObject out = layer(mark("line", {{"style", "reference"}, {"strokeDash", JsonArray{5, 4}}}),
                         {{"x", field("x", "quantitative", "")}, {"y", field("y", "quantitative", "")}});
  out["data"] = JsonObject{{"values", JsonArray{JsonObject{{"x", range.low}, {"y", range.low}},
                                                JsonObject{{"x", range.high}, {"y", range.high}}}}};
  return out;
}

// Titles and scales belong to the points; the reference line takes them over, or the axes would begin at its
// own 0.
void name_axes(JsonObject& line, const JsonObject& x, const JsonObject& y) {
  auto& encoding = line["encoding"].get_object();
  for (const auto& [name, axis] : {std::pair<std::string_view, const JsonObject&>{"x", x}, {"y", y}}) {
    JsonObject& own = encoding[name].get_object();
    own["title"] = axis.at("title");
    if (const Json* scale = axis.if_contains("scale")) own["scale"] = *scale;
  }
}

}  // namespace

Plot scatter_plot(PlotWords words, const ScatterAxes& axes, const std::vector<ScatterPoint>& points) {
  JsonArray values;
  std::optional<Interval> range;
  const auto hold = [&](double value) {
    if (!range) range = Interval{value, value};
    range = Interval{std::min(range->low, value), std::max(range->high, value)};
  };
  bool intervals = false;
  for (const ScatterPoint& point : points) {
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
    hold(point.x);
    hold(point.y);
    intervals |= point.ci.has_value();
    if (point.ci) {
      hold(point.ci->low);
      hold(point.ci->high);
    }
    values.push_back(JsonObject{{"label", text(label(point.label))},
                                {"x", point.x},
                                {"y", point.y},
                                {"low", point.ci ? finite_or_null(point.ci->low) : Json(nullptr)},
                                {"high", point.ci ? finite_or_null(point.ci->high) : Json(nullptr)}});
  }
  const std::size_t left_out = points.size() - values.size();
  const bool compared = axes.reference == ScatterAxes::Reference::diagonal;
  if (axes.form == AxisForm::share) range = Interval{0, 1};
  // With a diagonal both axes are the same, or its angle would say nothing.
  const std::optional<Interval> domain = compared && range && range->low < range->high ? range : std::nullopt;
  const JsonObject x = measured("x", axes.x_title, axes.form, domain);
  const JsonObject y = measured("y", axes.y_title, axes.form, domain);
  const JsonArray tooltip{told("label", "case"), told("x", axes.x_title, ".4~g"),
                          told("y", axes.y_title, ".4~g")};
  JsonArray layers;
  if (compared && domain) {
    JsonObject reference = diagonal(*domain);
    name_axes(reference, x, y);
    layers.push_back(std::move(reference));
  }
  if (intervals) {
    JsonObject low = field("low", "quantitative", axes.y_title);
    layers.push_back(layer(mark("rule", {{"style", "ink"}, {"clip", true}}),
                           {{"x", x}, {"y", std::move(low)}, {"y2", JsonObject{{"field", "high"}}}}));
  }
  layers.push_back(
      layer(mark("point", {{"filled", true}, {"size", 45}, {"opacity", 0.85}, {"color", text(kBlue)}}),
            {{"x", x}, {"y", y}, {"tooltip", tooltip}}));
  words.caption += fmt::format("{}n = {}.", words.caption.empty() ? "" : " ",
                               count_words(static_cast<std::int64_t>(values.size())));
  if (compared) words.caption += " Dashed: where both are equal.";
  if (intervals) words.caption += " Upright lines: intervals.";
  if (left_out > 0)
    words.caption += fmt::format(" {} without both values left out.",
                                 counted_words(static_cast<std::int64_t>(left_out), "point", "points"));
  return framed(std::move(words), std::move(values), 320, std::move(layers));
}

Plot calibration_plot(PlotWords words, const std::vector<CalibrationBin>& bins) {
  JsonArray values;
  std::int64_t n = 0;
  for (const CalibrationBin& bin : bins) {
    const Estimate& accuracy = bin.accuracy;
    if (!accuracy.value || !std::isfinite(bin.mean_confidence)) continue;
    n += accuracy.n;
    values.push_back(JsonObject{{"confidence", bin.mean_confidence},
                                {"correct", *accuracy.value},
                                {"low", accuracy.ci ? finite_or_null(accuracy.ci->low) : Json(nullptr)},
                                {"high", accuracy.ci ? finite_or_null(accuracy.ci->high) : Json(nullptr)},
                                {"n", accuracy.n}});
  }
  constexpr std::string_view kX = "stated confidence";
  constexpr std::string_view kY = "share correct";
  const JsonObject x = measured("confidence", kX, AxisForm::share, std::nullopt);
  const JsonObject y = measured("correct", kY, AxisForm::share, std::nullopt);
  const JsonArray tooltip{told("confidence", "mean confidence", ".1%"), told("correct", "correct", ".1%"),
                          told("low", "from", ".1%"), told("high", "to", ".1%"), told("n", "n")};
  JsonObject size = field("n", "quantitative", "n");
  size["scale"] = JsonObject{{"range", JsonArray{40, 320}}, {"zero", true}};
  size["legend"] = JsonObject{{"orient", "bottom"}, {"tickCount", 3}, {"format", "d"}};
  JsonArray layers;
  JsonObject reference = diagonal({0, 1});
  name_axes(reference, x, y);
  layers.push_back(std::move(reference));
  layers.push_back(
      layer(mark("rule", {{"style", "ink"}, {"strokeWidth", 2}}), {{"x", x},
                                                                   {"y", field("low", "quantitative", kY)},
                                                                   {"y2", JsonObject{{"field", "high"}}},
                                                                   {"tooltip", tooltip}}));
  layers.push_back(layer(mark("point", {{"filled", true}, {"opacity", 1}, {"color", text(kBlue)}}),
                         {{"x", x}, {"y", y}, {"size", std::move(size)}, {"tooltip", tooltip}}));
  words.caption += fmt::format(
      "{}n = {}. Dashed: perfect calibration. Below it the answers are surer than they are right. Upright "
      "lines: 95% intervals.",
      words.caption.empty() ? "" : " ", count_words(n));
  return framed(std::move(words), std::move(values), 320, std::move(layers));
}

}  // namespace assay
