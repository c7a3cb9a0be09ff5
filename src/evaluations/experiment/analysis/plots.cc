#include "evaluations/experiment/analysis/plots.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace assay::experiment {
namespace {

constexpr Interval kScale = {1, 5};

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
    box.n = overall.mean.n;
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
                "Blinded ratings from 1 to 5: the box holds the middle half, the lines all of them; the "
                "mean has its interval, clustered by query."},
               {"overall rating", AxisForm::number, kScale}, boxes));
}

void add_win_rates(const Analysis& analysis, std::vector<Plot>& plots) {
  std::vector<IntervalRow> rows;
  for (const PairFigures& pair : analysis.pairs) {
    if (pair.winner.rate.n == 0) continue;
    rows.push_back(
        {fmt::format("{} against {}", name_of(analysis, pair.condition), name_of(analysis, pair.against)),
         pair.winner.rate});
  }
  // Those against control are the headline already.
  if (rows.size() < analysis.conditions.size()) return;
  plots.push_back(
      interval_plot({"win_rates", "Win rates",
                     "Blinded comparisons; a tie is half a win, so 50 % is even. Intervals are clustered "
                     "by query."},
                    {"win rate", AxisForm::share, Interval{0, 1}}, rows));
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
                             "A tie is half a win. Few queries of a type make wide intervals."},
                            {"win rate", AxisForm::share, Interval{0, 1}}, rows);
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
  std::int64_t judged = 0;
  for (const ConditionFigures& condition : analysis.by_condition) {
    std::vector<std::optional<double>> row(map.columns.size());
    bool any = false;
    for (const TypeFigures& type : condition.by_type) {
      const auto column = std::ranges::find(map.columns, type.query_type);
      if (column == map.columns.end() || !type.role_accuracy.value) continue;
      row[static_cast<std::size_t>(column - map.columns.begin())] = type.role_accuracy.value;
      judged += type.role_accuracy.n;
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
                            "scores. {} judgements; intervals are in the tables.",
                            judged)},
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
                                {"share of A", AxisForm::share, Interval{0, 1}}, rows));
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
