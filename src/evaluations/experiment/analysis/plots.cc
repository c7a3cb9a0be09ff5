#include "evaluations/experiment/analysis/plots.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace assay::experiment {
namespace {

constexpr Interval kScale = {1, 5};
constexpr double kEven = 0.5;

std::string name_of(const Analysis& analysis, std::size_t condition) {
  return analysis.conditions[condition].name;
}

const ConditionFigures* control_of(const Analysis& analysis) {
  const auto found = std::ranges::find(analysis.by_condition, true, &ConditionFigures::control);
  return found == analysis.by_condition.end() ? nullptr : &*found;
}

void add_boxes(const Analysis& analysis, std::vector<Plot>& plots) {
  std::vector<Box> boxes;
  for (const ConditionFigures& condition : analysis.by_condition) {
    const CriterionFigures& overall = condition.criteria[kOverall];
    if (!overall.box) continue;
    Box box;
    box.label = condition.name;
    box.n = overall.ratings;
    box.low = overall.box->minimum;
    box.lower_quartile = overall.box->lower_quartile;
    box.median = overall.box->median;
    box.upper_quartile = overall.box->upper_quartile;
    box.high = overall.box->maximum;
    box.mean = overall.mean;
    boxes.push_back(std::move(box));
  }
  if (boxes.empty()) return;
  plots.push_back(
      box_plot({"scores_by_condition", "Overall ratings by condition",
                "Blinded ratings from 1 to 5: the box holds the middle half, the lines all of them; n counts "
                "ratings. The mean and its interval are over queries, each counting once."},
               {"overall rating", AxisForm::number, kScale}, boxes));
}

// The headline has those against control; here is everything that was compared.
void add_win_rates(const Analysis& analysis, std::vector<Plot>& plots) {
  std::vector<IntervalRow> rows;
  for (const PairFigures& pair : analysis.pairs) {
    if (pair.winner.rate.figure.n == 0) continue;
    rows.push_back(
        {fmt::format("{} against {}", name_of(analysis, pair.condition), name_of(analysis, pair.against)),
         pair.winner.rate.figure});
  }
  if (rows.size() < analysis.conditions.size()) return;
  plots.push_back(
      interval_plot({"win_rates", "Win rates",
                     "Blinded comparisons; a tie is half a win, so 50 % is even. n counts queries."},
                    {"win rate", AxisForm::share, Interval{0, 1}, kEven}, rows));
}

void add_win_rates_by_type(const Analysis& analysis, std::vector<Plot>& plots) {
  std::vector<IntervalRow> rows;
  for (const ConditionFigures& condition : analysis.by_condition) {
    if (condition.control) continue;
    for (const TypeFigures& type : condition.by_type) {
      if (type.win_rate.n > 0)
        rows.push_back({fmt::format("{}, {}", condition.name, type.query_type), type.win_rate});
    }
  }
  if (rows.empty()) return;
  Plot plot = interval_plot({"win_rates_by_query_type", "Win rates against control by query type",
                             "A tie is half a win. n counts queries; few of a type make wide intervals."},
                            {"win rate", AxisForm::share, Interval{0, 1}, kEven}, rows);
  plot.wide = true;
  plots.push_back(std::move(plot));
}

// Every criterion, so that an effect beside the overall one is seen.
void add_differences(const Analysis& analysis, std::vector<Plot>& plots) {
  std::vector<IntervalRow> rows;
  double reach = 0;
  for (const ScoreContrast& contrast : analysis.contrasts) {
    const Estimate& figure = contrast.difference.figure;
    if (!figure.value) continue;
    rows.push_back(
        {fmt::format("{}, {}", name_of(analysis, contrast.condition), rated_name(contrast.criterion)),
         figure});
    const Interval held = figure.ci.value_or(Interval{*figure.value, *figure.value});
    reach = std::max({reach, std::fabs(held.low), std::fabs(held.high)});
  }
  if (rows.empty()) return;
  // In half points, and as far to the one side as to the other.
  const double side = std::max(0.5, std::ceil(reach * 2) / 2);
  Plot plot = interval_plot({"differences", "Ratings: difference from control, criterion by criterion",
                             "Points of the scale from 1 to 5, paired by query; right of the line the "
                             "condition was rated higher. n counts queries."},
                            {"difference in points", AxisForm::number, Interval{-side, side}, 0.0}, rows);
  plot.wide = true;
  plots.push_back(std::move(plot));
}

// Each query at its mean rating under control and under the condition.
void add_scatter(const Analysis& analysis, std::vector<Plot>& plots) {
  const ConditionFigures* control = control_of(analysis);
  if (control == nullptr) return;
  std::map<std::size_t, double> under_control;
  for (const QueryFigures& figures : analysis.by_query) {
    if (figures.condition == control->condition && figures.overall)
      under_control[figures.query] = *figures.overall;
  }
  for (const ConditionFigures& condition : analysis.by_condition) {
    if (condition.control) continue;
    std::vector<ScatterPoint> points;
    for (const QueryFigures& figures : analysis.by_query) {
      const auto control_score = under_control.find(figures.query);
      if (figures.condition != condition.condition || !figures.overall ||
          control_score == under_control.end())
        continue;
      points.push_back({analysis.queries[figures.query].id, control_score->second, *figures.overall, {}});
    }
    if (points.empty()) continue;
    plots.push_back(scatter_plot(
        {plot_file_name("improvement_" + condition.name),
         fmt::format("{} against control, query by query", condition.name),
         "Mean overall rating of a query; above the line the condition did better."},
        {"control", condition.name, AxisForm::number, ScatterAxes::Reference::diagonal}, points));
  }
}

void add_roles(const Analysis& analysis, std::vector<Plot>& plots) {
  HeatMap map;
  map.row_title = "condition";
  map.column_title = "query type";
  map.shade = HeatMap::Shade::share;
  for (const ConditionFigures& condition : analysis.by_condition) {
    for (const TypeFigures& type : condition.by_type) {
      if (type.role_accuracy.n > 0 && std::ranges::find(map.columns, type.query_type) == map.columns.end())
        map.columns.push_back(type.query_type);
    }
  }
  std::int64_t queries = 0;
  for (const ConditionFigures& condition : analysis.by_condition) {
    std::vector<std::optional<double>> row(map.columns.size());
    bool any = false;
    for (const TypeFigures& type : condition.by_type) {
      const auto column = std::ranges::find(map.columns, type.query_type);
      if (column == map.columns.end() || !type.role_accuracy.value) continue;
      row[static_cast<std::size_t>(column - map.columns.begin())] = type.role_accuracy.value;
      queries += type.role_accuracy.n;
      any = true;
    }
    if (!any) continue;
    map.rows.push_back(condition.name);
    map.cells.push_back(std::move(row));
  }
  if (map.rows.empty()) return;
  plots.push_back(
      heat_map({"role_appropriateness", "Were the roles apt?",
                fmt::format("Share of judgements that found the role apt, asked apart from the blinded "
                            "scores. {} queries over all rows; intervals are in the tables.",
                            queries)},
               map));
}

void add_seats(const Analysis& analysis, std::vector<Plot>& plots) {
  std::vector<IntervalRow> rows;
  for (const Bias& bias : analysis.biases) {
    if (bias.name != "position" || bias.figure.n == 0) continue;
    rows.push_back(
        {bias.evaluator ? fmt::format("evaluator {}", *bias.evaluator) : std::string("all evaluators"),
         bias.figure});
  }
  if (rows.empty()) return;
  plots.push_back(interval_plot({"position_bias", "Do judges prefer the first seat?",
                                 "Share of Response A among decided verdicts; 50 % is even."},
                                {"share of A", AxisForm::share, Interval{0, 1}, kEven}, rows));
}

void add_agreement(const Analysis& analysis, std::vector<Plot>& plots) {
  std::vector<IntervalRow> rows;
  for (const EvaluatorAgreement& one : analysis.agreement.evaluators) {
    if (one.verdicts.n > 0)
      rows.push_back({fmt::format("evaluator {}, verdicts", one.evaluator), one.verdicts});
    if (one.ratings.n > 0) rows.push_back({fmt::format("evaluator {}, ratings", one.evaluator), one.ratings});
  }
  if (rows.empty()) return;
  plots.push_back(
      interval_plot({"agreement", "Does each evaluator agree with the rest?",
                     "Verdicts: share of the others with the same word. Ratings: correlation with the "
                     "others' mean."},
                    {"agreement", AxisForm::number, {}}, rows));
}

}  // namespace

std::vector<Plot> plots_of(const Analysis& analysis) {
  std::vector<Plot> plots;
  add_differences(analysis, plots);
  add_boxes(analysis, plots);
  add_win_rates(analysis, plots);
  add_win_rates_by_type(analysis, plots);
  add_roles(analysis, plots);
  add_scatter(analysis, plots);
  add_seats(analysis, plots);
  add_agreement(analysis, plots);
  return plots;
}

}  // namespace assay::experiment
