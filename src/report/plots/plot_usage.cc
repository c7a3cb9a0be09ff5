// What answers cost and how long they took.
#include <algorithm>

#include <fmt/format.h>

#include "report/plots/plot_parts.h"
#include "report/words.h"

namespace assay {
namespace {

using namespace plots;

constexpr double kWideSpan = 50;
constexpr std::string_view kColours[] = {kBlue, kVermilion, kGreen, kPurple, kOrange, kSky};
// So that a line can be told from others without its colour.
constexpr int kDashes[][2] = {{1, 0}, {6, 3}, {2, 2}, {8, 2}, {4, 4}, {1, 3}};

}  // namespace

Plot cost_plot(PlotWords words, const std::vector<CostRow>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const CostRow& row : rows) names.push_back(row.label);
  names = labels(names);
  JsonArray values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string read = fmt::format("{}, n = {}", cost_words(rows[i].usd), count_words(rows[i].n));
    values.push_back(JsonObject{{"line", text(with_second_line(names[i], read))},
                                {"label", text(names[i])},
                                {"usd", finite_or_null(rows[i].usd)},
                                {"n", rows[i].n}});
  }
  JsonObject x = field("usd", "quantitative", "cost in dollars");
  x["axis"] = JsonObject{{"tickCount", 4}, {"format", "$~g"}};
  x["scale"] = JsonObject{{"zero", true}};
  JsonArray layers;
  layers.push_back(
      layer(mark("bar", {{"color", text(kSky)}, {"height", JsonObject{{"band", 0.5}}}}),
            {{"x", std::move(x)},
             {"tooltip", JsonArray{told("label", "of"), told("usd", "dollars", ".4~g"), told("n", "n")}}}));
  JsonObject y = lines(values);
  const Json height = height_of(y, kLineHeight);
  JsonObject encoding{{"y", std::move(y)}};
  return framed(std::move(words), std::move(values), height, std::move(layers),
                {{"encoding", std::move(encoding)}});
}

Plot cumulative_plot(PlotWords words, const std::string& axis_title,
                     const std::vector<CumulativeSeries>& series) {
  std::vector<std::string> names;
  names.reserve(series.size());
  for (const CumulativeSeries& one : series)
    names.push_back(one.label.empty() ? std::string("all") : one.label);
  names = labels(names);
  JsonArray values;
  JsonArray domain;
  JsonArray colours;
  JsonArray dashes;
  std::optional<Interval> range;
  std::int64_t n = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string name = fmt::format("{}, n = {}", names[i], count_words(series[i].n));
    n += series[i].n;
    domain.push_back(text(name));
    colours.push_back(text(kColours[i % std::size(kColours)]));
    dashes.push_back(JsonArray{kDashes[i % std::size(kDashes)][0], kDashes[i % std::size(kDashes)][1]});
    for (const CumulativeSeries::Point& point : series[i].points) {
      values.push_back(
          JsonObject{{"series", text(name)}, {"value", finite_or_null(point.value)}, {"share", point.share}});
      if (!range) range = Interval{point.value, point.value};
      range = Interval{std::min(range->low, point.value), std::max(range->high, point.value)};
    }
  }
  const bool wide = range && range->low > 0 && range->high / range->low > kWideSpan;
  JsonObject x = field("value", "quantitative", axis_title);
  x["axis"] = JsonObject{{"tickCount", 5}, {"format", ",.3~g"}, {"labelOverlap", true}};
  // A line that begins at the first value is honest on any axis; a linear one begins at 0.
  x["scale"] = wide ? JsonObject{{"type", "log"}, {"nice", false}} : JsonObject{{"zero", true}};
  const JsonObject y = measured("share", "share at or below", AxisForm::share, std::nullopt);
  JsonObject encoding{{"x", std::move(x)},
                      {"y", y},
                      {"tooltip", JsonArray{told("series", "of"), told("value", axis_title, ".4~g"),
                                            told("share", "share at or below", ".1%")}}};
  if (series.size() > 1) {
    JsonObject colour = field("series", "nominal", "");
    colour["scale"] = JsonObject{{"domain", domain}, {"range", std::move(colours)}};
    colour["legend"] = JsonObject{{"orient", "bottom"}, {"symbolType", "stroke"}};
    colour["sort"] = nullptr;
    JsonObject dash = field("series", "nominal", "");
    dash["scale"] = JsonObject{{"domain", domain}, {"range", std::move(dashes)}};
    dash["legend"] = colour["legend"];
    dash["sort"] = nullptr;
    encoding["color"] = std::move(colour);
    encoding["strokeDash"] = std::move(dash);
  }
  JsonObject line{{"interpolate", "step-after"}, {"strokeWidth", 2}, {"point", values.size() < 30}};
  if (series.size() == 1) line["color"] = text(kBlue);
  JsonArray layers;
  layers.push_back(layer(mark("line", std::move(line)), std::move(encoding)));
  words.caption += fmt::format("{}n = {}.", words.caption.empty() ? "" : " ", count_words(n));
  if (wide) words.caption += " The axis is logarithmic.";
  return framed(std::move(words), std::move(values), 240, std::move(layers));
}

}  // namespace assay
