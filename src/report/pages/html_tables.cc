// The tables of a page: any table, a matrix of counts, and all metrics of a run.

#include <algorithm>

#include <boost/json/string.hpp>
#include <fmt/format.h>

#include "report/pages/html_parts.h"
#include "report/words.h"

namespace assay::html {
namespace {

constexpr std::size_t kFilterFrom = 12;        // rows from which a filter helps
constexpr std::size_t kLongFrom = 30;          // rows from which a table scrolls in its own place
constexpr std::size_t kMostMatrixLabels = 60;  // beyond it a square is unreadable
constexpr std::size_t kMostRows = 1'000;

std::string title_of(const Table& table) {
  return table.title.empty() ? title_words(table.name) : table.title;
}

// tables.js shows it.
std::string filter_box(std::size_t rows) {
  if (rows < kFilterFrom) return "";
  return "<label class=\"filter\" hidden>Filter <input type=\"search\" placeholder=\"text in a row\" "
         "autocomplete=\"off\"></label>";
}

// A table that can be scrolled sideways, also by keyboard.
std::string whole_table(const Table& table, const std::string& title) {
  std::string out = filter_box(table.rows.size());
  out += fmt::format(
      "<div class=\"scroll{}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table role=\"table\" "
      "class=\"sortable\"><caption class=\"visually-hidden\">{}</caption><thead><tr>",
      table.rows.size() > kLongFrom ? " long" : "", attribute(title), text(title));
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

// The labels, which JSON has once, at both sides.
std::string whole_matrix(const Table& table, const std::string& title) {
  if (table.columns.size() > kMostMatrixLabels) {
    return fmt::format(
        "<p class=\"note\">{} labels are too many to draw; the matrix is in summary.json.</p>\n",
        count_words(static_cast<std::int64_t>(table.columns.size())));
  }
  const std::string rows = table.row_title.empty() ? "rows" : table.row_title;
  const std::string columns = table.column_title.empty() ? "columns" : table.column_title;
  Table shown = table;
  shown.columns.insert(shown.columns.begin(), fmt::format("{} ↓ {} →", rows, columns));
  for (std::size_t i = 0; i < shown.rows.size(); ++i) {
    const std::string label = i < table.columns.size() ? table.columns[i] : std::string();
    shown.rows[i].insert(shown.rows[i].begin(), boost::json::string(label));
  }
  return whole_table(shown, title);
}

Json text_cell(std::string_view words) {
  return boost::json::string(words);
}

}  // namespace

std::string table_section(const Table& table) {
  const std::string title = title_of(table);
  return fmt::format("<h3>{}</h3>\n{}", text(title),
                     table.matrix ? whole_matrix(table, title) : whole_table(table, title));
}

std::string metrics_section(const Summary& summary, std::string_view title) {
  if (summary.metrics.empty()) return "<p class=\"note\">The run reported no figures.</p>\n";
  const bool missing =
      std::ranges::any_of(summary.metrics, [](const Metric& one) { return !one.estimate.missing.empty(); });
  Table table;
  table.title = title;
  table.columns = {"figure", "value", "95% interval", "n", "method"};
  if (missing) table.columns.insert(table.columns.end(), {"missing", "bounds"});
  for (const Metric& metric : summary.metrics) {
    const Estimate& estimate = metric.estimate;
    std::vector<Json>& row = table.rows.emplace_back();
    row = {text_cell(metric.name), text_cell(value_words(metric)),
           text_cell(estimate.ci ? interval_words(metric) : estimate.undefined),
           metric.form == Metric::Form::count ? Json("") : Json(estimate.n),
           text_cell(estimate.ci ? method_words(estimate.method) : "")};
    if (!missing) continue;
    row.push_back(text_cell(missing_words(estimate)));
    row.push_back(text_cell(estimate.bounds ? range_words(*estimate.bounds, metric.form) : ""));
  }
  return table_section(table);
}

}  // namespace assay::html
