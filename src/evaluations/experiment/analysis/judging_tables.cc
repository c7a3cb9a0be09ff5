// Tables on the judging: biases, agreement, where the spread comes from, and what more would show.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "evaluations/experiment/analysis/analysis_tables.h"
#include "evaluations/experiment/analysis/table_cells.h"

namespace assay::experiment {
namespace {

using namespace cells;

class JudgingTables {
 public:
  JudgingTables(const Analysis& analysis, Summary& summary) : analysis_(analysis), summary_(summary) {}

  void write() {
    bias_tables();
    agreement_table();
    spread_table();
    plan_table();
    power_table();
  }

 private:
  void add(Table table) {
    if (!table.rows.empty()) summary_.tables.push_back(std::move(table));
  }
  const std::string& name(std::size_t condition) const { return analysis_.conditions[condition].name; }

  bool was_asked(const PowerFigures& power) const {
    return power.of == PowerFigures::Of::overall_score ? asks_ratings(analysis_) : asks_pairs(analysis_);
  }

  static Row bias_row(const Bias& bias) {
    Row row = {text(bias.name), bias.evaluator ? Json(*bias.evaluator) : Json(nullptr), bias.figure.n};
    append(row, bias.figure);
    row.push_back(number(bias.neutral));
    row.push_back(bias.flagged ? text("flagged") : text(""));
    row.push_back(text(bias.figure.value ? bias.meaning : bias.figure.undefined));
    return row;
  }

  void bias_tables() {
    const std::vector<std::string> columns{"bias", "evaluator", "n",    "figure", "low",
                                           "high", "unbiased",  "flag", "meaning"};
    Table panel = table_of("biases", "What else may have moved the verdicts", columns);
    Table single = table_of("evaluators", "Each evaluator against the others", columns);
    for (const Bias& bias : analysis_.biases) {
      if (concerns(analysis_, bias)) (bias.evaluator ? single : panel).rows.push_back(bias_row(bias));
    }
    add(std::move(panel));
    add(std::move(single));
  }

  void agreement_table() {
    Table table =
        table_of("agreement", "Do the evaluators agree?", {"figure", "n", "value", "low", "high", "note"});
    const auto add_row = [&](std::string_view figure, const Estimate& estimate) {
      Row row = {text(figure), estimate.n};
      append(row, estimate);
      row.push_back(text(estimate.undefined));
      table.rows.push_back(std::move(row));
    };
    const AgreementFigures& agreement = analysis_.agreement;
    if (asks_pairs(analysis_)) {
      add_row("pairs: raw agreement", agreement.raw);
      add_row("pairs: Fleiss' kappa", agreement.fleiss_kappa);
      add_row("pairs: Krippendorff's alpha (nominal)", agreement.nominal_alpha);
    }
    if (asks_ratings(analysis_)) add_row("ratings: Krippendorff's alpha (ordinal)", agreement.ordinal_alpha);
    for (const EvaluatorAgreement& one : agreement.evaluators) {
      if (one.verdicts.value)
        add_row(fmt::format("evaluator {}: verdicts equal to the others'", one.evaluator), one.verdicts);
      if (one.ratings.value)
        add_row(fmt::format("evaluator {}: correlation with the others' mean", one.evaluator), one.ratings);
    }
    add(std::move(table));
  }

  void spread_table() {
    Table table = table_of("variance_components", "Where the spread of overall ratings comes from",
                           {"condition", "of", "component", "variance", "low", "high", "share", "note"});
    if (!asks_ratings(analysis_)) return;
    for (const SpreadFigures& spread : analysis_.spread) {
      const char* of = spread.of == SpreadFigures::Of::score ? "score" : "difference";
      if (!spread.study.undefined.empty()) {
        table.rows.push_back({text(name(spread.condition)), text(of), nullptr, nullptr, nullptr, nullptr,
                              nullptr, text(spread.study.undefined)});
      }
      for (const NestedComponent& component : spread.study.components) {
        Row row = {text(name(spread.condition)), text(of), text(component.name)};
        append(row, component.variance);
        row.emplace_back(component.share);
        row.push_back(text(component.note));
        table.rows.push_back(std::move(row));
      }
    }
    add(std::move(table));
  }

  void plan_table() {
    Table table =
        table_of("evaluators_and_runs", "How many evaluators and runs would do, for differences of ratings",
                 {"condition", "reliability", "low", "high", "evaluators", "runs", "would_reach", "note"});
    if (!asks_ratings(analysis_)) return;
    for (const SpreadFigures& spread : analysis_.spread) {
      if (spread.of != SpreadFigures::Of::difference) continue;
      Row row = {text(name(spread.condition))};
      append(row, spread.study.reliability);
      row.push_back(spread.plan.evaluators ? Json(*spread.plan.evaluators) : Json(nullptr));
      row.push_back(spread.plan.runs ? Json(*spread.plan.runs) : Json(nullptr));
      row.push_back(number(spread.plan.reliability));
      row.push_back(text(spread.plan.undefined));
      table.rows.push_back(std::move(row));
    }
    add(std::move(table));
  }

  void power_table() {
    Table table = table_of("power", "What this design could show (power 0.8), and queries needed",
                           {"condition", "of", "queries", "detectable", "low", "high", "for_a_difference_of",
                            "queries_needed", "note"});
    for (const PowerFigures& power : analysis_.power) {
      if (!was_asked(power)) continue;
      const char* of = power.of == PowerFigures::Of::overall_score ? "overall score" : "win rate";
      Row row = {text(name(power.condition)), text(of), power.detectable.n};
      append(row, power.detectable);
      if (power.needs.empty()) {
        row.insert(row.end(), {nullptr, nullptr, text(power.detectable.undefined)});
        table.rows.push_back(row);
      }
      for (const PowerFigures::Need& need : power.needs) {
        Row needed = row;
        needed.emplace_back(need.difference);
        needed.push_back(need.queries ? Json(*need.queries) : Json(nullptr));
        needed.push_back(text(need.note));
        table.rows.push_back(std::move(needed));
      }
    }
    add(std::move(table));
  }

  const Analysis& analysis_;
  Summary& summary_;
};

}  // namespace

void add_judging_tables(const Analysis& analysis, Summary& summary) {
  JudgingTables(analysis, summary).write();
}

}  // namespace assay::experiment
