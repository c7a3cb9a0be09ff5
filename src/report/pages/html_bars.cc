// Intervals drawn as inline SVG, and the scales that they are drawn on.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "report/pages/html_parts.h"
#include "report/scale.h"
#include "report/words.h"

namespace assay::html {
namespace {

// Where a value lies on an axis of 0 to 200 units with 6 at each side for the marks.
double place(double value, const Interval& axis) {
  const double share = std::clamp((value - axis.low) / (axis.high - axis.low), 0.0, 1.0);
  return 6 + share * 188;
}

// Where a figure lies, its interval and its gates included.
struct Extent {
  double low = 0;
  double high = 0;
  bool any = false;
  void hold(double value) {
    if (!std::isfinite(value)) return;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
};

Extent extent_of(const Metric& metric, std::span<const double> marks) {
  Extent extent;
  if (metric.estimate.value) extent.hold(*metric.estimate.value);
  if (metric.estimate.ci) {
    extent.hold(metric.estimate.ci->low);
    extent.hold(metric.estimate.ci->high);
  }
  for (const double mark : marks) extent.hold(mark);
  return extent;
}

double size_of(const Extent& extent) {
  return std::max(std::fabs(extent.low), std::fabs(extent.high));
}

// Can lie on both sides of 0, which is then what it is read against.
bool is_signed(const Metric& metric, const Extent& extent) {
  return !metric.range && (extent.low < 0 || metric.reference == 0.0);
}

std::string bar_label(const Metric& metric) {
  std::string label = fmt::format("value {}", value_words(metric));
  if (metric.estimate.ci) {
    label += fmt::format(", {} interval {}", level_words(metric.estimate.level), interval_words(metric));
  }
  return label;
}

std::string end_words(double value, Metric::Form form) {
  return form == Metric::Form::share ? fmt::format("{:g}%", value * 100) : fmt::format("{:g}", value);
}

}  // namespace

Interval axis_of(const Metric& metric, std::span<const double> marks) {
  const Extent extent = extent_of(metric, marks);
  if (is_signed(metric, extent)) return around_zero(size_of(extent));
  const Interval scale = metric.range.value_or(Interval{0, 1});
  return {std::min(scale.low, extent.any ? extent.low : scale.low),
          extent.any && extent.high > scale.high ? round_up(extent.high) : scale.high};
}

std::optional<double> reference_of(const Metric& metric, const Interval& axis) {
  if (metric.reference) return metric.reference;
  if (axis.low < 0 && axis.high > 0) return 0;
  return std::nullopt;
}

SharedScales::SharedScales(std::span<const Metric* const> metrics) {
  for (const Metric* metric : metrics) {
    const Extent extent = extent_of(*metric, {});
    if (is_signed(*metric, extent) && size_of(extent) <= 1)
      (metric->form == Metric::Form::share ? share_size_ : number_size_) =
          std::max(metric->form == Metric::Form::share ? share_size_ : number_size_, size_of(extent));
  }
}

std::optional<Interval> SharedScales::of(const Metric& metric) const {
  const Extent extent = extent_of(metric, {});
  if (is_signed(metric, extent)) {
    const double size = metric.form == Metric::Form::share ? share_size_ : number_size_;
    if (size == 0 || size_of(extent) > size) return std::nullopt;
    return around_zero(size);
  }
  const Interval scale = metric.range.value_or(Interval{0, 1});
  if (extent.low < scale.low || extent.high > scale.high) return std::nullopt;
  return scale;
}

std::string SharedScales::words(std::span<const Metric* const> metrics) const {
  std::vector<std::string> scales;
  for (const Metric* metric : metrics) {
    if (!metric->estimate.ci || metric->form == Metric::Form::count) continue;
    const auto axis = of(*metric);
    if (!axis) continue;
    std::string scale =
        fmt::format("{} to {}", end_words(axis->low, metric->form), end_words(axis->high, metric->form));
    if (std::ranges::find(scales, scale) == scales.end()) scales.push_back(std::move(scale));
  }
  if (scales.empty()) return "";
  return fmt::format("Bars of the same kind share one scale: {}.", join(scales, ", "));
}

std::string interval_bar(const Metric& metric, std::span<const double> marks, BarSize size,
                         const Interval& axis) {
  const Estimate& estimate = metric.estimate;
  const bool large = size == BarSize::large;
  const double middle = large ? 11 : 8;
  const int height = large ? 22 : 16;
  std::string svg = fmt::format(
      "<svg class=\"bar {}\" viewBox=\"0 0 200 {}\" role=\"img\" aria-label=\"{}\">"
      "<line class=\"axis\" x1=\"6\" x2=\"194\" y1=\"{}\" y2=\"{}\"/>",
      large ? "large" : "small", height, attribute(bar_label(metric)), middle, middle);
  if (const auto reference = reference_of(metric, axis)) {
    svg += fmt::format("<path class=\"reference\" d=\"M{:.2f} 0v{}\"/>", place(*reference, axis), height);
  }
  if (estimate.ci) {
    const double low = place(estimate.ci->low, axis);
    const double high = place(estimate.ci->high, axis);
    svg +=
        fmt::format("<rect class=\"interval\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"8\" rx=\"2\"/>",
                    low, middle - 4, std::max(1.0, high - low));
  }
  for (const double mark : marks) {
    svg += fmt::format("<path class=\"mark\" d=\"M{:.2f} 0v{}\"/>", place(mark, axis), height);
  }
  if (estimate.value) {
    svg += fmt::format("<rect class=\"value\" x=\"{:.2f}\" y=\"{}\" width=\"4\" height=\"15\" rx=\"2\"/>",
                       place(*estimate.value, axis) - 2, middle - 7.5);
  }
  svg += "</svg>";
  if (!large) return svg;
  const auto reference = reference_of(metric, axis);
  const bool inside = reference && *reference > axis.low && *reference < axis.high;
  return svg + fmt::format("<p class=\"ends\" aria-hidden=\"true\"><span>{}</span>{}<span>{}</span></p>",
                           end_words(axis.low, metric.form),
                           inside ? fmt::format("<span>{}</span>", end_words(*reference, metric.form))
                                  : std::string(),
                           end_words(axis.high, metric.form));
}

}  // namespace assay::html
