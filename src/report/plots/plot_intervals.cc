// Figures with their intervals, one line each.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/plots/few.h"
#include "report/plots/plot_parts.h"
#include "report/scale.h"
#include "report/words.h"

namespace assay {
namespace {

using namespace plots;

// Shares are on 0–1, wider if a figure leaves it; what lies on both sides of 0 is drawn around it; of other
// figures nothing is known but where they lie.
std::optional<Interval> domain_of(const IntervalAxis& axis, const std::vector<IntervalRow>& rows) {
  Interval domain = axis.range.value_or(Interval{0, 1});
  double low = 0;
  double high = 0;
  const auto hold = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
    domain.low = std::min(domain.low, value);
    domain.high = std::max(domain.high, value);
  };
  for (const IntervalRow& row : rows) {
    if (row.estimate.value) hold(*row.estimate.value);
    if (row.estimate.ci) {
      hold(row.estimate.ci->low);
      hold(row.estimate.ci->high);
    }
  }
  if (axis.range) return domain;
  if (low < 0 || axis.reference == 0.0) return around_zero(std::max(-low, high));
  if (axis.form == AxisForm::number && high > 1) return std::nullopt;
  return domain;
}

JsonArray values_of(const IntervalAxis& axis, const std::vector<IntervalRow>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const IntervalRow& row : rows) names.push_back(row.label);
  names = labels(names);
  JsonArray values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Estimate& estimate = rows[i].estimate;
    const std::string read =
        fmt::format("{}, n = {}", read_as(estimate.value, axis.form), count_words(estimate.n));
    values.push_back(
        JsonObject{{"line", text(with_second_line(names[i], read))},
                   {"figure", text(names[i])},
                   {"value", or_null(estimate.value)},
                   {"bar", estimate.n < kFewestForABar ? Json(nullptr) : or_null(estimate.value)},
                   {"low", estimate.ci ? finite_or_null(estimate.ci->low) : Json(nullptr)},
                   {"high", estimate.ci ? finite_or_null(estimate.ci->high) : Json(nullptr)},
                   {"n", estimate.n}});
  }
  return values;
}

}  // namespace

Plot interval_plot(PlotWords words, const IntervalAxis& axis, const std::vector<IntervalRow>& rows) {
  const std::string_view format = axis.form == AxisForm::share ? ".1%" : ".4~g";
  const std::optional<Interval> domain = domain_of(axis, rows);
  const bool bars = domain && domain->low == 0;
  const JsonObject x = measured("value", axis.title, axis.form, domain);
  const JsonArray tooltip{told("figure", "figure"), told("value", "value", format),
                          told("low", "from", format), told("high", "to", format), told("n", "n")};
  JsonArray layers;
  const std::optional<double> reference =
      domain && domain->low < 0 && !axis.reference ? std::optional(0.0) : axis.reference;
  if (bars) {
    layers.push_back(layer(mark("bar", {{"color", text(kSky)}, {"height", JsonObject{{"band", 0.5}}}}),
                           {{"x", measured("bar", axis.title, axis.form, domain)}, {"tooltip", tooltip}}));
  } else {
    layers.push_back(
        layer(mark("point", {{"filled", true}, {"opacity", 1}, {"size", 90}, {"color", text(kBlue)}}),
              {{"x", x}, {"tooltip", tooltip}}));
  }
  layers.push_back(layer(mark("rule", {{"style", "ink"}, {"strokeWidth", 2}}),
                         {{"x", field("low", "quantitative", axis.title)},
                          {"x2", JsonObject{{"field", "high"}}},
                          {"tooltip", tooltip}}));
  for (const char* end : {"low", "high"}) {
    layers.push_back(layer(mark("tick", {{"style", "ink"}, {"thickness", 2}, {"size", 9}}),
                           {{"x", field(end, "quantitative", axis.title)}, {"tooltip", tooltip}}));
  }
  if (bars) {
    // The value itself: an interval's middle is often elsewhere.
    layers.push_back(
        layer(mark("point", {{"filled", true}, {"opacity", 1}, {"size", 55}, {"color", text(kBlue)}}),
              {{"x", field("value", "quantitative", axis.title)}, {"tooltip", tooltip}}));
  }
  if (reference) {
    layers.push_back(layer(mark("rule", {{"style", "reference"}, {"strokeDash", JsonArray{4, 3}}}),
                           {{"x", JsonObject{{"datum", *reference}}}, {"y", nullptr}}));
  }
  words.caption += words.caption.empty() ? "" : " ";
  const double level = rows.empty() || !rows.front().estimate.ci ? 0.95 : rows.front().estimate.level;
  words.caption += fmt::format("Lines: {} intervals.", level_words(level));
  const bool few = std::ranges::any_of(rows, [](const IntervalRow& row) {
    return row.estimate.value.has_value() && row.estimate.n < kFewestForABar;
  });
  if (bars && few) words.caption += no_bar_words();
  JsonArray values = values_of(axis, rows);
  JsonObject y = lines(values);
  const Json height = height_of(y, kLineHeight);
  JsonObject encoding{{"y", std::move(y)}};
  return framed(std::move(words), std::move(values), height, std::move(layers),
                {{"encoding", std::move(encoding)}});
}

}  // namespace assay
