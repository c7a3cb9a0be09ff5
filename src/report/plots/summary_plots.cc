#include "report/plots/summary_plots.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "report/plots/few.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kMostRows = 30;
constexpr std::size_t kMostFamilies = 6;
constexpr std::size_t kMostLabels = 40;  // a matrix with more is a grey field

AxisForm axis_form(Metric::Form form) {
  return form == Metric::Form::share ? AxisForm::share : AxisForm::number;
}

bool drawable(const Metric& metric) {
  return metric.form != Metric::Form::count && (metric.estimate.value || metric.estimate.ci);
}

IntervalAxis axis_for(const Metric& metric) {
  return {"", axis_form(metric.form), metric.range, metric.reference};
}

bool same_axis(const Metric& a, const Metric& b) {
  const auto ends = [](const Metric& metric) {
    return metric.range ? std::pair(metric.range->low, metric.range->high) : std::pair(0.0, 1.0);
  };
  return a.form == b.form && ends(a) == ends(b) && a.reference == b.reference;
}

// A plot for each scale: a rating of 1 to 5 beside a share of 0.1 would hide one of them.
void add_headline(const Summary& summary, std::vector<Plot>& plots) {
  std::vector<std::vector<const Metric*>> groups;
  for (const Metric& metric : summary.metrics) {
    if (!metric.headline || !drawable(metric)) continue;
    const auto group = std::ranges::find_if(
        groups, [&](const std::vector<const Metric*>& one) { return same_axis(*one.front(), metric); });
    if (group == groups.end()) {
      groups.push_back({&metric});
    } else if (group->size() < kMostRows) {
      group->push_back(&metric);
    }
  }
  for (const std::vector<const Metric*>& group : groups) {
    std::vector<IntervalRow> rows;
    rows.reserve(group.size());
    for (const Metric* metric : group) rows.push_back({metric_words(metric->name), metric->estimate});
    const bool shares = group.front()->form == Metric::Form::share;
    const auto& range = group.front()->range;
    plots.push_back(interval_plot({shares ? "headline_shares" : "headline_figures",
                                   (shares ? "Headline shares" : "Headline figures") +
                                       (range ? fmt::format(", {:g} to {:g}", range->low, range->high) : ""),
                                   ""},
                                  axis_for(*group.front()), rows));
  }
}

using MetricsByName = std::map<std::string_view, const Metric*>;

// The figure that this one is a part of: "precision" of "precision.tax", "likert.mean" of "likert.mean.work".
const Metric* whole_of(const Metric& part, const MetricsByName& metrics) {
  const std::string_view name = part.name;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    if (const auto whole = metrics.find(name.substr(0, dot)); whole != metrics.end()) return whole->second;
  }
  return nullptr;
}

void add_families(const Summary& summary, std::vector<Plot>& plots) {
  struct Family {
    const Metric* whole;
    std::vector<const Metric*> parts;
  };
  MetricsByName by_name;
  for (const Metric& metric : summary.metrics) by_name.emplace(metric.name, &metric);
  std::vector<Family> families;
  for (const Metric& metric : summary.metrics) {
    const Metric* whole = metric.form == Metric::Form::count ? nullptr : whole_of(metric, by_name);
    if (whole == nullptr || whole->form != metric.form) continue;
    // What is said of the figure itself, as the variance of its judge, is no label's share of it.
    if (whole->better != metric.better) continue;
    const auto family = std::ranges::find(families, whole, &Family::whole);
    if (family == families.end()) {
      families.push_back({whole, {&metric}});
    } else {
      family->parts.push_back(&metric);
    }
  }
  std::size_t drawn = 0;
  for (const Family& family : families) {
    std::vector<IntervalRow> rows{{"overall", family.whole->estimate}};
    std::size_t few = 0;
    std::size_t more = 0;
    for (const Metric* part : family.parts) {
      if (part->estimate.n < kFewestForABar || !drawable(*part)) {
        ++few;
      } else if (rows.size() > kMostRows) {
        ++more;
      } else {
        rows.push_back({part->name.substr(family.whole->name.size() + 1), part->estimate});
      }
    }
    if (rows.size() < 3) continue;
    if (drawn++ == kMostFamilies) return;
    std::string caption;
    if (more > 0)
      caption = fmt::format("The first {} of {}. ", kMostRows,
                            count_words(static_cast<std::int64_t>(kMostRows + more)));
    if (few > 0) {
      caption +=
          fmt::format("{} with n below {} not drawn.",
                      counted_words(static_cast<std::int64_t>(few), "label", "labels"), kFewestForABar);
    }
    if (!caption.empty()) caption += " All are in the table of metrics.";
    const std::string words = metric_words(family.whole->name);
    plots.push_back(interval_plot({family.whole->name + "_by_label", words + " by label", std::move(caption)},
                                  axis_for(*family.whole), rows));
  }
}

std::vector<std::optional<double>> numbers_of(const std::vector<Json>& row, std::size_t from) {
  std::vector<std::optional<double>> numbers;
  for (std::size_t i = from; i < row.size(); ++i) numbers.push_back(as_number(row[i]));
  return numbers;
}

Plot matrix_plot(const Table& table) {
  HeatMap map{
      table.row_title, table.column_title, table.columns, table.columns, {}, HeatMap::Shade::share_of_row};
  double total = 0;
  for (const std::vector<Json>& row : table.rows) {
    map.cells.push_back(numbers_of(row, 0));
    for (const auto& cell : map.cells.back()) total += cell.value_or(0);
  }
  return heat_map(
      {table.name, table.title.empty() ? metric_words(table.name) : table.title,
       fmt::format("n = {}. The shade is the share of the row.", figure_words(total, Metric::Form::count))},
      map);
}

}  // namespace

Plot table_heat_map(const Table& table, const TableSides& sides, HeatMap::Shade shade, std::string caption) {
  HeatMap map{sides.rows, sides.columns, {}, {}, {}, shade};
  for (std::size_t i = 1; i < table.columns.size(); ++i) map.columns.push_back(table.columns[i]);
  for (const std::vector<Json>& row : table.rows) {
    map.rows.emplace_back(row.empty() ? "" : as_text(row.front()).value_or(""));
    map.cells.push_back(numbers_of(row, 1));
  }
  return heat_map(
      {table.name, table.title.empty() ? metric_words(table.name) : table.title, std::move(caption)}, map);
}

std::vector<Plot> summary_plots(const Summary& summary) {
  std::vector<Plot> plots;
  add_headline(summary, plots);
  for (const Table& table : summary.tables) {
    if (table.matrix && table.columns.size() >= 2 && table.columns.size() <= kMostLabels)
      plots.push_back(matrix_plot(table));
  }
  add_families(summary, plots);
  return plots;
}

void give_own_names(std::vector<Plot>& plots) {
  std::set<std::string> taken;
  for (Plot& plot : plots) {
    const std::string base = plot.name;
    for (int next = 2; !taken.insert(plot.name).second; ++next) plot.name = fmt::format("{}-{}", base, next);
  }
}

}  // namespace assay
