// The figures, tables and plots of a stress test.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/json/json.h"
#include "evaluations/figures.h"
#include "evaluations/stress/figures.h"
#include "report/figure_json.h"
#include "report/plots/plot.h"

namespace assay::stress {
namespace {

constexpr std::size_t kMostShown = 50;  // cases in a table; stress.csv has all

std::string verdict(const SwayRow& row) {
  if (row.as_it_must()) return "counts as a statement";
  if (!row.swayed()) return row.sway.shift.ci ? "not seen to move it" : "too few cases";
  return "moves it";
}

std::string verdict(const NoticeRow& row) {
  switch (row.notice.verdict) {
    case Notice::Verdict::noticed:
      return "noticed";
    case Notice::Verdict::overlooked:
      return "overlooked";
    default:
      return row.notice.n == 0 ? "no case was good enough to fall" : "open";
  }
}

Json low(const Estimate& estimate) {
  return estimate.ci ? Json(estimate.ci->low) : Json(nullptr);
}
Json high(const Estimate& estimate) {
  return estimate.ci ? Json(estimate.ci->high) : Json(nullptr);
}
Json number(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

Table table_of(std::string name, std::string title, std::vector<std::string> columns) {
  Table table;
  table.name = std::move(name);
  table.title = std::move(title);
  table.columns = std::move(columns);
  return table;
}

void add_row(Table& table, const JsonArray& cells) {
  table.rows.emplace_back(cells.begin(), cells.end());
}

Table sway_table(const StressResult& result) {
  Table table = table_of("must_not_matter", "What must not matter",
                         {"change", "metric", "cases", "moved", "moved when judged again", "shift", "from",
                          "to", "p (Holm)", "verdict"});
  for (const SwayRow& row : result.swayed) {
    const Sway& sway = row.sway;
    add_row(table,
            {row.change, row.figure->metric, sway.n, number(sway.moved.value),
             sway.n > 0 && !row.seats() ? Json(static_cast<double>(sway.own) / static_cast<double>(sway.n))
                                        : Json(nullptr),
             number(sway.shift.value), low(sway.shift), high(sway.shift), number(row.p), verdict(row)});
  }
  return table;
}

Table notice_table(const StressResult& result) {
  Table table = table_of(
      "must_matter", "What must matter: planted faults",
      {"fault", "metric", "cases", "noticed", "from", "to", "fell when judged again", "shift", "verdict"});
  for (const NoticeRow& row : result.noticed) {
    const Notice& notice = row.notice;
    add_row(table, {row.change, row.figure->metric, notice.n, number(notice.noticed.value),
                    low(notice.noticed), high(notice.noticed),
                    notice.n > 0 ? Json(static_cast<double>(notice.own) / static_cast<double>(notice.n))
                                 : Json(nullptr),
                    number(notice.shift.value), verdict(row)});
  }
  return table;
}

Table case_table(std::string name, std::string title, const std::vector<MovedCase>& cases) {
  Table table = table_of(std::move(name), std::move(title),
                         {"case", "change", "metric", "unchanged", "judged again", "changed"});
  for (const MovedCase& one : cases) {
    if (table.rows.size() == kMostShown) break;
    add_row(table, {one.id, one.change, one.metric, one.unchanged, one.again, one.changed});
  }
  return table;
}

// Of so many that were looked for; none to look for is not the same as none.
void add_count(std::string name, std::int64_t found, std::int64_t of, std::string none, Summary& summary) {
  Metric metric = figures::count(std::move(name), found, of, Metric::Better::lower);
  if (of == 0) metric.estimate = undefined_figure(std::move(none));
  metric.headline = true;
  summary.metrics.push_back(std::move(metric));
}

void add_metrics(const StressResult& result, Summary& summary) {
  using Better = Metric::Better;
  const auto weaknesses = std::ranges::count_if(result.swayed, &SwayRow::swayed);
  const auto blind = std::ranges::count_if(
      result.noticed, [](const NoticeRow& row) { return row.notice.verdict == Notice::Verdict::overlooked; });
  const auto nothing = [&](Matter matter, const char* not_tried, const char* not_seen) -> std::string {
    if (!result.tried_any(matter)) return not_tried;
    return result.all_failed() ? "every judgement failed" : not_seen;
  };
  add_count("weaknesses", weaknesses, static_cast<std::int64_t>(result.swayed.size()),
            nothing(Matter::must_not, "nothing that must not matter was tried",
                    "no case has all the judgements that are compared"),
            summary);
  const auto planted =
      std::ranges::count_if(result.noticed, [](const NoticeRow& row) { return row.notice.n > 0; });
  add_count("blind_spots", blind, planted,
            nothing(Matter::must, "no fault was planted",
                    "no fault was planted where a good score could have fallen by it"),
            summary);
  for (const SwayRow& row : result.swayed) {
    const std::string stem = fmt::format("{}.{}", row.change, row.figure->metric);
    Metric shift = figures::number(stem + ".shift", row.sway.shift, Better::neither);
    const double width = row.figure->range.high - row.figure->range.low;
    shift.range = row.seats() ? Interval{-0.5, 0.5} : Interval{-width, width};
    shift.reference = 0;
    summary.metrics.push_back(std::move(shift));
    summary.metrics.push_back(figures::share(stem + ".moved", row.sway.moved));
    summary.metrics.back().better = Better::lower;
  }
  for (const NoticeRow& row : result.noticed) {
    summary.metrics.push_back(
        figures::share(fmt::format("{}.{}.noticed", row.change, row.figure->metric), row.notice.noticed));
  }
  for (const auto& [figure, share] : result.own) {
    summary.metrics.push_back(figures::share(fmt::format("again.{}.moved", figure->metric), share));
    summary.metrics.back().better = Better::lower;
  }
}

std::string row_label(std::string_view change, const JudgedFigure& figure) {
  return fmt::format("{} · {}", change, figure.metric);
}

void add_plots(const StressResult& result, Summary& summary) {
  std::vector<IntervalRow> shifts;
  for (const SwayRow& row : result.swayed) {
    // On one axis only what has one scale.
    if (row.figure->range.low == 0 && row.figure->range.high == 1)
      shifts.push_back({row_label(row.change, *row.figure), row.sway.shift});
  }
  if (!shifts.empty()) {
    summary.plots.push_back(interval_plot({"must_not_matter", "What must not matter: how far the score moved",
                                           "mean shift against the unchanged text"},
                                          {.title = "shift", .form = AxisForm::number, .reference = 0},
                                          shifts));
  }
  std::vector<IntervalRow> noticed;
  noticed.reserve(result.noticed.size());
  for (const NoticeRow& row : result.noticed)
    noticed.push_back({row_label(row.change, *row.figure), row.notice.noticed});
  if (!noticed.empty()) {
    summary.plots.push_back(interval_plot(
        {"must_matter", "Planted faults: how often the score fell", "share of the cases that could fall"},
        {.title = "noticed", .form = AxisForm::share}, noticed));
  }
}

}  // namespace

std::vector<std::string> stress_metric_names(const StressPlan& plan) {
  std::vector<std::string> names{"weaknesses", "blind_spots"};
  for (const JudgedFigure& figure : plan.figures) {
    for (const Change& change : changes()) {
      const std::string stem = fmt::format("{}.{}", change.name, figure.metric);
      if (change.matter == Matter::must) {
        names.push_back(stem + ".noticed");
      } else {
        names.push_back(stem + ".shift");
        names.push_back(stem + ".moved");
      }
    }
    if (figure.both_orders) {
      names.push_back(fmt::format("{}.{}.shift", SwayRow::kSeats, figure.metric));
      names.push_back(fmt::format("{}.{}.moved", SwayRow::kSeats, figure.metric));
    }
    names.push_back(fmt::format("again.{}.moved", figure.metric));
  }
  return names;
}

void report(const StressResult& result, Summary& summary) {
  add_metrics(result, summary);
  summary.tables.push_back(sway_table(result));
  if (!result.noticed.empty()) summary.tables.push_back(notice_table(result));
  if (!result.moved.empty())
    summary.tables.push_back(
        case_table("moved_cases", "Cases that moved and should not have, farthest first", result.moved));
  if (!result.missed.empty())
    summary.tables.push_back(case_table("missed_cases", "Planted faults that cost nothing", result.missed));
  add_plots(result, summary);
  summary.conclusions = sentences(result);
}

}  // namespace assay::stress
