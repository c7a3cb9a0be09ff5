// The tables of the HTML report: all metrics, the evaluation's own tables, and matrices of counts as shaded
// squares.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "report/pages/html_parts.h"
#include "report/words.h"

namespace assay::html {
namespace {

constexpr std::size_t kFilterFrom = 12;        // rows from which a filter helps
constexpr std::size_t kLongFrom = 30;          // rows from which a table scrolls in its own place
constexpr std::size_t kMostMatrixLabels = 60;  // beyond it a square is unreadable
constexpr std::size_t kMostRows = 1'000;

struct Columns {
  bool missing = false;
  bool bounds = false;
};

std::string title_of(const Table& table) {
  return table.title.empty() ? title_words(table.name) : table.title;
}

// A table that can be scrolled sideways, also by keyboard; ends with "</table></div>".
std::string open_table(std::string_view title, std::string_view classes, std::size_t rows = 0) {
  return fmt::format(
      "<div class=\"scroll{}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table role=\"table\" "
      "class=\"{}\">"
      "<caption class=\"visually-hidden\">{}</caption>",
      rows > kLongFrom ? " long" : "", attribute(title), classes, text(title));
}

std::string filter_box(std::size_t rows, std::string_view what) {
  if (rows < kFilterFrom) return "";
  return fmt::format(
      "<label class=\"filter\" hidden>Filter <input type=\"search\" placeholder=\"{}\" "
      "autocomplete=\"off\"></label>",
      attribute(what));
}

std::string metric_row(const Metric& metric, const std::vector<GateResult>& gates, const Columns& columns,
                       const SharedScales& scales) {
  const Estimate& estimate = metric.estimate;
  const auto key = [](std::optional<double> value) { return value ? number_text(*value) : std::string(); };
  std::string row = fmt::format(
      "<tr role=\"row\"><th role=\"rowheader\" scope=\"row\"><code><bdi>{}</bdi></code></th>"
      "<td role=\"cell\" class=\"number value\" data-sort=\"{}\">{}</td>",
      name(metric.name), key(estimate.value), value_words(metric));
  row += fmt::format("<td role=\"cell\" class=\"range\" data-sort=\"{}\">",
                     estimate.ci ? key(estimate.ci->high - estimate.ci->low) : "");
  if (estimate.ci) {
    const auto axis = scales.of(metric);
    row += fmt::format(
        "<div>{}<span>{}</span></div>",
        axis ? interval_bar(metric, gate_marks(metric, gates), BarSize::small, *axis) : std::string(),
        interval_words(metric));
  } else if (!estimate.undefined.empty()) {
    row += fmt::format("<span class=\"note\">{}</span>", text(estimate.undefined));
  }
  const bool counted = metric.form == Metric::Form::count;
  row += fmt::format("</td><td role=\"cell\" class=\"number\" data-label=\"n\" data-sort=\"{}\">{}</td>",
                     counted ? "" : fmt::format("{}", estimate.n), counted ? "" : count_words(estimate.n));
  row += fmt::format("<td role=\"cell\" data-label=\"method\">{}</td>",
                     estimate.ci ? text(method_words(estimate.method)) : "");
  if (columns.missing) {
    row += fmt::format("<td role=\"cell\" data-label=\"missing\">{}</td>", text(missing_words(estimate)));
  }
  if (columns.bounds) {
    row += fmt::format("<td role=\"cell\" data-label=\"bounds\">{}</td>",
                       estimate.bounds ? range_words(*estimate.bounds, metric.form) : "");
  }
  return row + "</tr>\n";
}

std::string metric_table(const std::vector<const Metric*>& metrics, const Summary& summary,
                         std::string_view caption) {
  const SharedScales scales(metrics);
  Columns columns;
  for (const Metric* metric : metrics) {
    columns.missing |= !metric->estimate.missing.empty();
    columns.bounds |= metric->estimate.bounds.has_value();
  }
  std::string out =
      filter_box(metrics.size(), "name of a figure") + open_table(caption, "stack sortable", metrics.size());
  // Roles are said here, since the narrow layout takes the table display, and with it the meaning, away.
  out += "<thead role=\"rowgroup\"><tr role=\"row\">";
  const auto head = [&](std::string_view words, std::string_view classes = "") {
    out += fmt::format("<th role=\"columnheader\" scope=\"col\"{}>{}</th>", classes, words);
  };
  head("figure");
  head("value", " class=\"number\"");
  head("95% interval");
  head("n", " class=\"number\"");
  head("method");
  if (columns.missing) head("missing");
  if (columns.bounds) head("bounds");
  out += "</tr></thead><tbody role=\"rowgroup\">\n";
  for (const Metric* metric : metrics) out += metric_row(*metric, summary.gates, columns, scales);
  out += "</tbody></table></div>\n";
  if (const std::string words = scales.words(metrics); !words.empty())
    out += fmt::format("<p class=\"note scales\">{}</p>\n", words);
  return out;
}

// "likert.mean.work" is a part of "likert.mean".
bool is_part(std::string_view name, const std::set<std::string_view>& names) {
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    if (names.contains(name.substr(0, dot))) return true;
  }
  return false;
}

// The marks tell the style where black or white text reads better: on the dark page above 0.585, on the light
// one above 0.7, which is where both have the same contrast with the shade (4.6 to 1).
std::string shaded_cell(const Json& value, double row_total, bool diagonal) {
  const double count = as_number(value).value_or(0);
  if (count == 0) return "<td class=\"zero\">0</td>";
  const double share = row_total > 0 ? count / row_total : 0;
  const double depth = 0.08 + 0.82 * share;
  return fmt::format("<td class=\"{}{}{}\" style=\"--depth:{:.2f}\" title=\"{} of the row\">{}</td>",
                     diagonal ? "hit" : "miss", depth > 0.585 ? " deep" : "", depth > 0.7 ? " deeper" : "",
                     depth, share_words(share), figure_words(count, Metric::Form::count));
}

}  // namespace

std::string metrics_section(const Summary& summary) {
  std::set<std::string_view> names;
  for (const Metric& metric : summary.metrics) names.insert(metric.name);
  std::vector<const Metric*> whole;
  std::vector<const Metric*> parts;
  for (const Metric& metric : summary.metrics) {
    (!metric.headline && is_part(metric.name, names) ? parts : whole).push_back(&metric);
  }
  if (summary.metrics.empty()) return "<p class=\"note\">The run reported no figures.</p>\n";
  std::string out;
  if (!whole.empty()) out += metric_table(whole, summary, "All figures");
  if (!parts.empty()) {
    out += fmt::format("<details class=\"more\"><summary>{} by label or part</summary>\n",
                       counted_words(static_cast<std::int64_t>(parts.size()), "more figure", "more figures"));
    out += metric_table(parts, summary, "Figures by label or part") + "</details>\n";
  }
  return out;
}

std::string table_section(const Table& table) {
  const std::string title = title_of(table);
  std::string out =
      fmt::format("<h3>{}</h3>\n{}", text(title), filter_box(table.rows.size(), "text in a row"));
  out += open_table(title, "sortable", table.rows.size()) + "<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool numeric = std::ranges::any_of(table.rows, [&](const std::vector<Json>& row) {
      return i < row.size() && as_number(row[i]).has_value();
    });
    out += fmt::format("<th scope=\"col\"{}>{}</th>", numeric ? " class=\"number\"" : "",
                       text(plain_words(table.columns[i]), 300));
  }
  out += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(table.rows.size(), kMostRows); ++i) {
    out += "<tr>";
    for (const Json& value : table.rows[i]) out += cell(value);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (table.rows.size() > kMostRows) {
    out += fmt::format("<p class=\"note\">{} more rows are in summary.json.</p>\n",
                       count_words(static_cast<std::int64_t>(table.rows.size() - kMostRows)));
  }
  return out;
}

std::string matrix_section(const Table& table) {
  const std::string title = title_of(table);
  std::string out = fmt::format("<h3>{}</h3>\n", text(title));
  const std::size_t size = table.columns.size();
  if (size > kMostMatrixLabels) {
    return out + fmt::format(
                     "<p class=\"note\">{} labels are too many to draw; the matrix is in summary.json.</p>\n",
                     count_words(static_cast<std::int64_t>(size)));
  }
  const std::string rows = text(table.row_title.empty() ? "rows" : table.row_title);
  const std::string columns = text(table.column_title.empty() ? "columns" : table.column_title);
  const bool tall = size > 4 && std::ranges::any_of(
                                    table.columns, [](const std::string& label) { return label.size() > 6; });
  out += fmt::format(
      "<p class=\"note\">Rows: {}. Columns: {}. The shade is the share of the row; "
      "<span class=\"key hit\"></span> on the diagonal they agree, <span class=\"key miss\"></span> "
      "elsewhere not.</p>\n",
      rows, columns);
  out += open_table(title, tall ? "matrix tall" : "matrix");
  out += fmt::format("<thead><tr><th scope=\"col\" class=\"corner\"><span>{} ↓</span> <span>{} →</span></th>",
                     rows, columns);
  for (const std::string& label : table.columns) {
    out += fmt::format("<th scope=\"col\"><bdi>{}</bdi></th>", name(label));
  }
  out += "<th scope=\"col\" class=\"total\">all</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    double total = 0;
    for (const Json& value : table.rows[i]) total += as_number(value).value_or(0);
    out += fmt::format("<tr><th scope=\"row\"><bdi>{}</bdi></th>",
                       name(i < size ? table.columns[i] : std::string()));
    for (std::size_t j = 0; j < table.rows[i].size(); ++j)
      out += shaded_cell(table.rows[i][j], total, i == j);
    out += fmt::format("<td class=\"total\">{}</td></tr>\n", figure_words(total, Metric::Form::count));
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace assay::html
