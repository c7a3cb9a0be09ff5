#include <algorithm>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/pages/html_parts.h"
#include "report/words.h"

namespace assay::html {
namespace {

constexpr std::size_t kMostDataRows = 500;

// JSON that a page can hold: nothing in it can end the script element or open another.
std::string inline_json(const Json& value) {
  std::string out;
  for (const char c : to_text(value)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

// The names of the rows' members in the order of their first sight; what is made only for drawing is left
// out.
std::vector<std::string> columns_of(const JsonArray& rows) {
  static const std::set<std::string, std::less<>> kForDrawing{"line", "written"};
  std::vector<std::string> columns;
  for (const Json& row : rows) {
    if (!row.is_object()) continue;
    for (const auto& [key, value] : row.get_object()) {
      const std::string name(key);
      if (!kForDrawing.contains(name) && std::ranges::find(columns, name) == columns.end())
        columns.push_back(name);
    }
  }
  return columns;
}

std::string data_table(const Plot& plot) {
  const Json* values = find_pointer(plot.spec, "/data/values");
  if (values == nullptr || !values->is_array()) return "";
  const JsonArray& rows = values->get_array();
  const std::vector<std::string> columns = columns_of(rows);
  std::string out = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table class=\"sortable\">"
      "<caption class=\"visually-hidden\">{0}</caption><thead><tr>",
      attribute(plot.title));
  for (const std::string& column : columns) {
    const bool numeric = std::ranges::any_of(rows, [&](const Json& row) {
      const Json* value = find_member(row, column);
      return value != nullptr && as_number(*value).has_value();
    });
    out += fmt::format("<th scope=\"col\"{}>{}</th>", numeric ? " class=\"number\"" : "",
                       text(plain_words(column), 100));
  }
  out += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(rows.size(), kMostDataRows); ++i) {
    out += "<tr>";
    for (const std::string& column : columns) {
      const Json* value = find_member(rows[i], column);
      out += value == nullptr ? "<td></td>" : cell(*value);
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (rows.size() > kMostDataRows) {
    out += fmt::format("<p class=\"note\">{} more rows are in plots/{}.vl.json.</p>\n",
                       count_words(static_cast<std::int64_t>(rows.size() - kMostDataRows)),
                       attribute(plot.name));
  }
  return out;
}

std::string plot_figure(const Plot& plot, Drawing drawing) {
  const bool drawn = drawing == Drawing::script;
  std::string out = fmt::format("<figure class=\"plot{}\" data-name=\"{}\">\n<h3>{}</h3>\n",
                                plot.wide ? " wide" : "", attribute(plot.name), text(plot.title, 300));
  if (drawn) {
    out += fmt::format(
        "<div class=\"canvas\"></div>\n<script type=\"application/json\" class=\"plot\">{}</script>\n",
        inline_json(plot.spec));
  }
  out += fmt::format("<figcaption class=\"note\">{}</figcaption>\n", text(plot.caption, 3'000));
  const std::string table = data_table(plot);
  if (drawn) {
    out += "<p class=\"actions\" hidden></p>\n<details class=\"more\"><summary>Open the data</summary>\n" +
           table + "</details>\n";
  } else {
    out += table;
  }
  return out + "</figure>\n";
}

}  // namespace

std::string plots_section(const std::vector<Plot>& plots, Drawing drawing) {
  std::string out;
  if (drawing == Drawing::none) {
    out +=
        "<p class=\"note\">This program was built without the script that draws plots, so their data "
        "stand here as tables. Each plot is a Vega-Lite spec in plots/ that any Vega-Lite editor "
        "draws.</p>\n";
  } else {
    out +=
        "<noscript><p class=\"note\">Plots are drawn by a script; without it, open the data of "
        "each.</p></noscript>\n";
  }
  out += "<div class=\"plots\">\n";
  for (const Plot& plot : plots) out += plot_figure(plot, drawing);
  return out + "</div>\n";
}

}  // namespace assay::html
