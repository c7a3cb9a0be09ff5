// How values are spread: histograms and boxes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/plots/few.h"
#include "report/plots/plot_parts.h"
#include "report/words.h"

namespace assay {
namespace {

using namespace plots;

constexpr std::size_t kMostOutliers = 200;

// Interpolated between neighbours: R's type 7.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - std::floor(at)) * (sorted[below + 1] - sorted[below]);
}

// A mark for the mean and a line for its interval, on data of their own.
void add_mean(JsonArray& layers, const Estimate& mean, const std::string& axis_title) {
  if (!mean.value) return;
  const JsonObject row{{"mean", *mean.value},
                       {"low", mean.ci ? Json(mean.ci->low) : Json(nullptr)},
                       {"high", mean.ci ? Json(mean.ci->high) : Json(nullptr)}};
  const JsonObject data{{"values", JsonArray{row}}};
  const JsonArray tooltip{told("mean", "mean", ".4~g"), told("low", "from", ".4~g"),
                          told("high", "to", ".4~g")};
  JsonObject band = layer(mark("rect", {{"color", text(kOrange)}, {"opacity", 0.35}}),
                          {{"x", field("low", "quantitative", axis_title)},
                           {"x2", JsonObject{{"field", "high"}}},
                           {"tooltip", tooltip}});
  band["data"] = data;
  JsonObject line = layer(mark("rule", {{"color", text(kVermilion)}, {"strokeWidth", 2}}),
                          {{"x", field("mean", "quantitative", axis_title)}, {"tooltip", tooltip}});
  line["data"] = data;
  if (mean.ci) layers.push_back(std::move(band));
  layers.push_back(std::move(line));
}

}  // namespace

Plot histogram_plot(PlotWords words, const std::string& axis_title, const std::vector<HistogramBin>& bins,
                    const std::optional<Estimate>& mean) {
  JsonArray values;
  std::int64_t n = 0;
  for (const HistogramBin& bin : bins) {
    n += bin.count;
    values.push_back(JsonObject{{"from", bin.from}, {"to", bin.to}, {"count", bin.count}});
  }
  JsonObject x = field("from", "quantitative", axis_title);
  x["bin"] = JsonObject{{"binned", true}};
  x["axis"] = JsonObject{{"tickCount", 5}};
  if (!bins.empty())
    x["scale"] = JsonObject{{"domain", JsonArray{bins.front().from, bins.back().to}}, {"nice", false}};
  JsonObject y = field("count", "quantitative", "cases");
  y["axis"] = JsonObject{{"tickCount", 4}, {"format", "~s"}, {"tickMinStep", 1}};
  JsonArray layers;
  layers.push_back(layer(mark("bar", {{"color", text(kSky)}, {"binSpacing", 1}}),
                         {{"x", std::move(x)},
                          {"x2", JsonObject{{"field", "to"}}},
                          {"y", std::move(y)},
                          {"tooltip", JsonArray{told("from", "from", ".4~g"), told("to", "to", ".4~g"),
                                                told("count", "cases")}}}));
  if (mean) add_mean(layers, *mean, axis_title);
  words.caption += fmt::format("{}n = {}.", words.caption.empty() ? "" : " ", count_words(n));
  if (mean && mean->value) {
    words.caption += fmt::format(" Red line: the mean, {}", number_words(*mean->value));
    words.caption += mean->ci ? fmt::format("; band: its {} interval.", level_words(mean->level)) : ".";
  }
  return framed(std::move(words), std::move(values), 180, std::move(layers));
}

std::optional<Box> box_of(std::string label, std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  Box box;
  box.label = std::move(label);
  box.n = static_cast<std::int64_t>(values.size());
  box.lower_quartile = quantile(values, 0.25);
  box.median = quantile(values, 0.5);
  box.upper_quartile = quantile(values, 0.75);
  const double reach = 1.5 * (box.upper_quartile - box.lower_quartile);
  box.low = box.lower_quartile;
  box.high = box.upper_quartile;
  for (const double value : values) {
    if (value < box.lower_quartile - reach || value > box.upper_quartile + reach) {
      box.outliers.push_back(value);
      continue;
    }
    box.low = std::min(box.low, value);
    box.high = std::max(box.high, value);
  }
  return box;
}

Plot box_plot(PlotWords words, const IntervalAxis& axis, const std::vector<Box>& boxes) {
  std::vector<std::string> names;
  names.reserve(boxes.size());
  for (const Box& box : boxes) names.push_back(box.label);
  names = labels(names);
  JsonArray values;
  std::size_t undrawn = 0;
  bool means = false;
  bool few = false;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Box& box = boxes[i];
    const std::string line = with_second_line(names[i], fmt::format("n = {}", count_words(box.n)));
    const Estimate mean = box.mean.value_or(Estimate{});
    means |= mean.value.has_value();
    const bool drawn = box.n >= kFewestForABar;
    few |= !drawn;
    values.push_back(JsonObject{{"line", text(line)},
                                {"group", text(names[i])},
                                {"low", box.low},
                                {"lower_quartile", drawn ? Json(box.lower_quartile) : Json(nullptr)},
                                {"median", box.median},
                                {"upper_quartile", drawn ? Json(box.upper_quartile) : Json(nullptr)},
                                {"high", box.high},
                                {"mean", or_null(mean.value)},
                                {"mean_low", mean.ci ? finite_or_null(mean.ci->low) : Json(nullptr)},
                                {"mean_high", mean.ci ? finite_or_null(mean.ci->high) : Json(nullptr)},
                                {"n", box.n}});
    for (std::size_t k = 0; k < std::min(box.outliers.size(), kMostOutliers); ++k) {
      values.push_back(
          JsonObject{{"line", text(line)}, {"group", text(names[i])}, {"outlier", box.outliers[k]}});
    }
    undrawn += box.outliers.size() - std::min(box.outliers.size(), kMostOutliers);
  }
  const std::string_view format = axis.form == AxisForm::share ? ".1%" : ".4~g";
  const auto along = [&](std::string_view name) { return field(name, "quantitative", axis.title); };
  const JsonArray tooltip{told("group", "group"),
                          told("low", "lower whisker", format),
                          told("lower_quartile", "lower quartile", format),
                          told("median", "median", format),
                          told("upper_quartile", "upper quartile", format),
                          told("high", "upper whisker", format),
                          told("mean", "mean", format),
                          told("n", "n")};
  JsonArray layers;
  layers.push_back(layer(
      mark("rule", {{"style", "ink"}}),
      {{"x", measured("low", axis.title, axis.form, axis.range)}, {"x2", JsonObject{{"field", "high"}}}}));
  layers.push_back(layer(mark("bar", {{"color", text(kSky)}, {"height", JsonObject{{"band", 0.55}}}}),
                         {{"x", along("lower_quartile")},
                          {"x2", JsonObject{{"field", "upper_quartile"}}},
                          {"tooltip", tooltip}}));
  layers.push_back(layer(mark("tick", {{"style", "ink"}, {"thickness", 3}, {"size", 21}}),
                         {{"x", along("median")}, {"tooltip", tooltip}}));
  layers.push_back(
      layer(mark("point", {{"size", 22}, {"filled", true}, {"opacity", 0.5}, {"color", text(kBlue)}}),
            {{"x", along("outlier")}, {"tooltip", JsonArray{told("outlier", "value", format)}}}));
  if (means) {
    layers.push_back(layer(mark("rule", {{"color", text(kVermilion)}, {"strokeWidth", 3}}),
                           {{"x", along("mean_low")}, {"x2", JsonObject{{"field", "mean_high"}}}}));
    layers.push_back(layer(
        mark("point", {{"shape", "diamond"}, {"filled", true}, {"size", 90}, {"color", text(kVermilion)}}),
        {{"x", along("mean")}, {"tooltip", tooltip}}));
  }
  words.caption += fmt::format("{}Box: the middle half of the cases; thick line: median.",
                               words.caption.empty() ? "" : " ");
  if (means) words.caption += " Red diamond: mean with its interval.";
  if (few) words.caption += no_bar_words();
  if (undrawn > 0)
    words.caption += fmt::format(" {} not drawn.", counted_words(static_cast<std::int64_t>(undrawn),
                                                                 "outlying value", "outlying values"));
  JsonObject y = lines(values);
  const Json height = height_of(y, kLineHeight);
  JsonObject encoding{{"y", std::move(y)}};
  return framed(std::move(words), std::move(values), height, std::move(layers),
                {{"encoding", std::move(encoding)}});
}

}  // namespace assay
