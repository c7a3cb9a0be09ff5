#include "report/pages/html_parts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "report/words.h"

namespace assay::html {
namespace {

bool shown_as_code(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
         (c >= 0xE0000 && c <= 0xE007F);
}

// A name may be broken after its dots and underscores, and nowhere else.
std::string breakable(std::string_view escaped) {
  std::string out;
  for (const char c : escaped) {
    out += c;
    if (c == '.' || c == '_') out += "<wbr>";
  }
  return out;
}

// Where a value lies on an axis of 0 to 200 units with 6 at each side for the marks.
double place(double value, const Interval& axis) {
  const double share = std::clamp((value - axis.low) / (axis.high - axis.low), 0.0, 1.0);
  return 6 + share * 188;
}

// The largest of 1, 2, 5 times a power of ten that is not above `size`.
double round_step(double size) {
  const double power = std::pow(10, std::floor(std::log10(size)));
  for (const double factor : {5.0, 2.0}) {
    if (size >= factor * power) return factor * power;
  }
  return power;
}

std::string bar_label(const Metric& metric) {
  std::string label = fmt::format("value {}", value_words(metric));
  if (metric.estimate.ci) {
    label += fmt::format(", {} interval {}", level_words(metric.estimate.level), interval_words(metric));
  }
  return label;
}

std::string basis_words(const Estimate& estimate) {
  if (estimate.count && estimate.n > 0) {
    return fmt::format("{} of {}", count_words(*estimate.count), count_words(estimate.n));
  }
  return fmt::format("n = {}", count_words(estimate.n));
}

std::string sort_key(std::optional<double> value) {
  return value ? number_text(*value) : std::string();
}

}  // namespace

std::string text(std::string_view foreign, std::size_t limit) {
  std::string out;
  const std::string_view all = foreign;
  foreign = cut(foreign, limit);
  out.reserve(foreign.size() + foreign.size() / 8);
  std::string_view rest = foreign;
  while (!rest.empty()) {
    const CodePoint c = first_code_point(rest);
    if (!c.valid) {
      out += "\xEF\xBF\xBD";
    } else if (c.value == '\r' && rest.size() > 1 && rest[1] == '\n') {
      // the line feed follows
    } else if (shown_as_code(c.value)) {
      out += fmt::format("<span class=\"code-point\">U+{:04X}</span>", static_cast<unsigned>(c.value));
    } else if (c.size == 1) {
      out += html_escape(rest.substr(0, 1));
    } else {
      out.append(rest.substr(0, c.size));
    }
    rest.remove_prefix(c.size);
  }
  if (foreign.size() < all.size()) {
    out += fmt::format("<span class=\"note\"> … {} more bytes</span>",
                       count_words(static_cast<std::int64_t>(all.size() - foreign.size())));
  }
  return out;
}

std::string attribute(std::string_view foreign) {
  std::string clean;
  while (!foreign.empty()) {
    const CodePoint c = first_code_point(foreign);
    if (!c.valid || shown_as_code(c.value)) {
      clean += "\xEF\xBF\xBD";
    } else {
      clean.append(foreign.substr(0, c.size));
    }
    foreign.remove_prefix(c.size);
  }
  return html_escape(clean);
}

std::string name(std::string_view foreign) {
  return breakable(text(foreign, 300));
}

std::string metric_title(std::string_view name) {
  std::string title;
  for (const std::string_view part : split(name, '.')) {
    title += title.empty() ? title_words(part) : " · " + plain_words(part);
  }
  return text(title, 300);
}

Interval axis_of(const Metric& metric, std::span<const double> marks) {
  double low = 0;
  double high = 1;
  const auto hold = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  if (metric.estimate.value) hold(*metric.estimate.value);
  if (metric.estimate.ci) {
    hold(metric.estimate.ci->low);
    hold(metric.estimate.ci->high);
  }
  for (const double mark : marks) hold(mark);
  if (low == 0 && high == 1) return {0, 1};
  const double step = round_step((high - low) / 4);
  return {low < 0 ? std::floor(low / step) * step : 0, high > 1 ? std::ceil(high / step) * step : 1};
}

std::string interval_bar(const Metric& metric, std::span<const double> marks, BarSize size) {
  const Estimate& estimate = metric.estimate;
  const bool large = size == BarSize::large;
  const Interval axis = axis_of(metric, marks);
  const double middle = large ? 11 : 8;
  std::string svg = fmt::format(
      "<svg class=\"bar {}\" viewBox=\"0 0 200 {}\" role=\"img\" aria-label=\"{}\">"
      "<line class=\"axis\" x1=\"6\" x2=\"194\" y1=\"{}\" y2=\"{}\"/>",
      large ? "large" : "small", large ? 22 : 16, attribute(bar_label(metric)), middle, middle);
  if (estimate.ci) {
    const double low = place(estimate.ci->low, axis);
    const double high = place(estimate.ci->high, axis);
    svg +=
        fmt::format("<rect class=\"interval\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"8\" rx=\"2\"/>",
                    low, middle - 4, std::max(1.0, high - low));
  }
  for (const double mark : marks) {
    svg += fmt::format("<path class=\"mark\" d=\"M{:.2f} {}v{}\"/>", place(mark, axis),
                       middle - (large ? 11 : 8), large ? 22 : 16);
  }
  if (estimate.value) {
    svg += fmt::format("<rect class=\"value\" x=\"{:.2f}\" y=\"{}\" width=\"4\" height=\"15\" rx=\"2\"/>",
                       place(*estimate.value, axis) - 2, middle - 7.5);
  }
  svg += "</svg>";
  if (!large) return svg;
  const auto end = [&](double value) {
    return metric.form == Metric::Form::share ? fmt::format("{:g}%", value * 100)
                                              : fmt::format("{:g}", value);
  };
  return svg + fmt::format("<p class=\"ends\" aria-hidden=\"true\"><span>{}</span><span>{}</span></p>",
                           end(axis.low), end(axis.high));
}

std::vector<double> gate_marks(const Metric& metric, const std::vector<GateResult>& gates) {
  std::vector<double> marks;
  for (const GateResult& result : gates) {
    const auto gate = parse_gate(result.gate);
    if (gate && gate->name == metric.name) marks.push_back(gate->threshold);
  }
  return marks;
}

std::string headline_card(const Metric& metric, const std::vector<GateResult>& gates) {
  const Estimate& estimate = metric.estimate;
  const std::vector<double> marks = gate_marks(metric, gates);
  std::string card = fmt::format(
      "<article class=\"figure\"><h3 title=\"{}\">{}</h3><p class=\"big{}\">{}</p>", attribute(metric.name),
      metric_title(metric.name), estimate.value ? "" : " undefined", value_words(metric));
  if (metric.form != Metric::Form::count) card += interval_bar(metric, marks, BarSize::large);
  if (estimate.ci) {
    card += fmt::format("<p>{} interval <strong>{}</strong></p>", level_words(estimate.level),
                        interval_words(metric));
  }
  if (!estimate.undefined.empty()) card += fmt::format("<p class=\"why\">{}</p>", text(estimate.undefined));
  card += fmt::format("<p class=\"note\">{}{}{}{}</p>", basis_words(estimate),
                      estimate.ci ? " · " + text(method_words(estimate.method)) : "",
                      metric.better == Metric::Better::lower ? " · lower is better" : "",
                      marks.empty() ? "" : " · <span class=\"mark-key\" aria-hidden=\"true\"></span>gate");
  if (!estimate.missing.empty()) {
    card +=
        fmt::format("<p class=\"why\">Missing: {}{}</p>", text(missing_words(estimate)),
                    estimate.bounds ? fmt::format("; with all of them worst or best the value would be {}",
                                                  range_words(*estimate.bounds, metric.form))
                                    : "");
  }
  return card + "</article>";
}

std::string case_card(const NotableCase& notable) {
  const std::string_view first = notable.fields.empty() ? std::string_view() : notable.fields.front().second;
  std::string card = fmt::format(
      "<details class=\"case\"><summary><span class=\"id\"><bdi>{}</bdi></span><span "
      "class=\"reason\"><bdi>{}</bdi></span>"
      "<span class=\"peek\"><bdi>{}</bdi></span></summary><dl>",
      text(notable.id, 200), text(notable.why, 400), text(cut(first, 160)));
  for (const auto& [name, content] : notable.fields) {
    card += fmt::format("<dt>{}</dt><dd dir=\"auto\">{}</dd>", text(title_words(name), 200),
                        content.empty() ? "<span class=\"note\">empty</span>" : text(content));
  }
  return card + "</dl></details>\n";
}

std::string cell(const Json& value) {
  if (value.is_null()) return "<td class=\"number note\" data-sort=\"\">n/a</td>";
  if (const auto number = as_number(value)) {
    const bool whole = value.is_int64() || value.is_uint64();
    return fmt::format("<td class=\"number\" data-sort=\"{}\">{}</td>", sort_key(number),
                       figure_words(*number, whole ? Metric::Form::count : Metric::Form::number));
  }
  if (const auto words = as_text(value))
    return fmt::format("<td class=\"text\"><bdi>{}</bdi></td>", breakable(text(*words, 2'000)));
  return fmt::format("<td><bdi>{}</bdi></td>", text(to_text(value), 2'000));
}

}  // namespace assay::html
