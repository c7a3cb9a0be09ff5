// Metrics and tables of an experiment's summary.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "evaluations/experiment/analysis/analysis.h"
#include "evaluations/figures.h"

namespace assay::experiment {
namespace {

using Row = std::vector<Json>;

Json text(std::string_view value) {
  return boost::json::string(value);
}

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json low(const Estimate& estimate) {
  return estimate.ci ? Json(estimate.ci->low) : Json(nullptr);
}

Json high(const Estimate& estimate) {
  return estimate.ci ? Json(estimate.ci->high) : Json(nullptr);
}

void append(Row& row, const Estimate& estimate) {
  row.push_back(number(estimate.value));
  row.push_back(low(estimate));
  row.push_back(high(estimate));
}

Table table_of(std::string name, std::string title, std::vector<std::string> columns) {
  return {std::move(name), std::move(title), std::move(columns), {}, false, "", ""};
}

Metric neutral(Metric metric) {
  metric.better = Metric::Better::neither;
  return metric;
}

class SummaryWriter {
 public:
  SummaryWriter(const Analysis& analysis, Summary& summary) : analysis_(analysis), summary_(summary) {}

  void write() {
    metrics();
    verdict_table();
    criteria_table();
    pair_table();
    ranking_table();
    type_table();
    run_table();
    bias_table();
    evaluator_table();
    agreement_table();
    spread_table();
    plan_table();
    power_table();
  }

 private:
  void add(Metric metric) { summary_.metrics.push_back(std::move(metric)); }
  void add(Table table) {
    if (!table.rows.empty()) summary_.tables.push_back(std::move(table));
  }
  const std::string& name(std::size_t condition) const { return analysis_.conditions[condition].name; }

  void metrics() {
    for (const PairFigures& pair : analysis_.pairs) {
      if (!analysis_.conditions[pair.against].control) continue;
      add(figures::share("win_rate." + name(pair.condition), pair.winner.rate, true));
      add(neutral(figures::share("tie_rate." + name(pair.condition), pair.ties)));
    }
    for (const ScoreContrast& contrast : analysis_.contrasts) {
      Metric metric = figures::number(
          fmt::format("difference.{}.{}", name(contrast.condition), kCriteria[contrast.criterion]),
          contrast.clustered.difference);
      metric.headline = contrast.criterion == kOverall;
      add(std::move(metric));
    }
    for (const ConditionFigures& figures : analysis_.by_condition) {
      for (std::size_t i = 0; i < kCriteria.size(); ++i)
        add(figures::number(fmt::format("score.{}.{}", figures.name, kCriteria[i]),
                            figures.criteria[i].mean));
      const Condition& condition = analysis_.conditions[figures.condition];
      if (condition.tone || figures.tone[0].value || figures.tone[1].value) {
        for (std::size_t i = 0; i < kToneCriteria.size(); ++i)
          add(figures::number(fmt::format("score.{}.{}", figures.name, kToneCriteria[i]), figures.tone[i]));
      }
      if (condition.reports_role || figures.role_accuracy.value)
        add(figures::share("role_accuracy." + figures.name, figures.role_accuracy));
    }
    for (const Strength& player : analysis_.ranking.players)
      add(figures::number("strength." + player.name, player.log_strength.estimate));
    const AgreementFigures& agreement = analysis_.agreement;
    add(figures::number("agreement.fleiss_kappa", agreement.fleiss_kappa));
    add(figures::number("agreement.krippendorff_alpha", agreement.ordinal_alpha));
    add(figures::number("agreement.krippendorff_alpha_nominal", agreement.nominal_alpha));
    add(figures::share("agreement.raw", agreement.raw));
    std::int64_t flagged = 0;
    for (const Bias& bias : analysis_.biases) {
      flagged += bias.flagged ? 1 : 0;
      if (bias.evaluator) continue;
      Metric metric = figures::number("bias." + bias.name, bias.figure,
                                      bias.neutral ? Metric::Better::neither : Metric::Better::lower);
      if (bias.figure.method == "count") metric.form = Metric::Form::count;
      if (bias.figure.method.starts_with("wilson")) metric.form = Metric::Form::share;
      add(std::move(metric));
    }
    add(figures::count("bias.flagged", flagged, static_cast<std::int64_t>(analysis_.biases.size()),
                       Metric::Better::lower));
    for (const PowerFigures& power : analysis_.power) {
      add(figures::number(fmt::format("detectable.{}.{}", name(power.condition),
                                      power.of == PowerFigures::Of::overall_score ? "overall" : "win_rate"),
                          power.detectable, Metric::Better::lower));
    }
  }

  void verdict_table() {
    Table table = table_of("recommendations", "What follows, and what limits it", {"recommendation"});
    for (const std::string& sentence : recommendations(analysis_)) table.rows.push_back({text(sentence)});
    add(std::move(table));
  }

  void criteria_table() {
    Table table = table_of("conditions", "Ratings (1 to 5), and difference from control; clustered by query",
                           {"condition", "criterion", "n", "mean", "low", "high", "difference",
                            "difference_low", "difference_high", "p", "p_holm", "p_naive_welch",
                            "p_naive_mann_whitney", "hedges_g", "g_low", "g_high", "cliffs_delta"});
    for (const ConditionFigures& figures : analysis_.by_condition) {
      for (std::size_t i = 0; i < kCriteria.size(); ++i) {
        const Estimate& mean = figures.criteria[i].mean;
        Row row = {text(figures.name), text(kCriteria[i]), mean.n};
        append(row, mean);
        for (const ScoreContrast& contrast : analysis_.contrasts) {
          if (contrast.condition != figures.condition || contrast.criterion != i) continue;
          append(row, contrast.clustered.difference);
          row.push_back(number(contrast.clustered.test.p));
          row.push_back(number(contrast.p_holm));
          row.push_back(number(contrast.naive_welch.test.p));
          row.push_back(number(contrast.naive_mann_whitney.test.p));
          append(row, contrast.hedges_g.clustered);
          row.push_back(number(contrast.cliffs_delta.clustered.value));
        }
        row.resize(table.columns.size());
        table.rows.push_back(std::move(row));
      }
    }
    add(std::move(table));
  }

  void pair_table() {
    Table table = table_of("pairs", "Comparisons (ties count half in the win rate); clustered by query",
                           {"condition", "against", "criterion", "n", "wins", "ties", "losses", "win_rate",
                            "low", "high", "p", "p_holm", "p_naive"});
    for (const PairFigures& pair : analysis_.pairs) {
      const auto add_row = [&](std::string_view criterion, const WinRate& rate, const Row& shares) {
        Row row = {text(name(pair.condition)), text(name(pair.against)), text(criterion), rate.rate.n};
        row.insert(row.end(), shares.begin(), shares.end());
        append(row, rate.rate);
        row.push_back(number(rate.test.p));
        row.push_back(number(rate.p_holm));
        row.push_back(number(rate.naive_test.p));
        table.rows.push_back(std::move(row));
      };
      add_row("winner", pair.winner,
              {number(pair.wins.value), number(pair.ties.value), number(pair.losses.value)});
      for (std::size_t i = 0; i < kCriteria.size(); ++i)
        add_row(kCriteria[i], pair.criteria[i], {nullptr, nullptr, nullptr});
    }
    add(std::move(table));
  }

  void ranking_table() {
    Table table = table_of("ranking", "Ranking (Bradley–Terry with ties and seat effect; log strength)",
                           {"condition", "log_strength", "low", "high", "bootstrap_low", "bootstrap_high",
                            "rank_from", "rank_to", "wins", "ties", "losses"});
    std::vector<const Strength*> order;
    order.reserve(analysis_.ranking.players.size());
    for (const Strength& player : analysis_.ranking.players) order.push_back(&player);
    std::ranges::sort(order, [](const Strength* one, const Strength* other) {
      const double first = one->log_strength.estimate.value.value_or(0);
      const double second = other->log_strength.estimate.value.value_or(0);
      return first != second ? first > second : one->name < other->name;
    });
    for (const Strength* player : order) {
      Row row = {text(player->name)};
      append(row, player->log_strength.estimate);
      row.push_back(low(player->log_strength.resampled));
      row.push_back(high(player->log_strength.resampled));
      row.push_back(player->ranks ? Json(player->ranks->first) : Json(nullptr));
      row.push_back(player->ranks ? Json(player->ranks->second) : Json(nullptr));
      for (const std::int64_t count : {player->wins, player->ties, player->losses}) row.emplace_back(count);
      table.rows.push_back(std::move(row));
    }
    add(std::move(table));
  }

  void type_table() {
    Table table = table_of("by_query_type", "By query type",
                           {"query_type", "condition", "queries", "overall", "low", "high", "difference",
                            "difference_low", "difference_high", "win_rate", "win_rate_low", "win_rate_high",
                            "role_accuracy", "role_accuracy_low", "role_accuracy_high"});
    for (const ConditionFigures& figures : analysis_.by_condition) {
      for (const TypeFigures& type : figures.by_type) {
        Row row = {text(type.query_type), text(figures.name), type.queries};
        append(row, type.overall);
        append(row, type.difference);
        append(row, type.win_rate);
        append(row, type.role_accuracy);
        table.rows.push_back(std::move(row));
      }
    }
    add(std::move(table));
  }

  void run_table() {
    Table table = table_of(
        "across_runs", "Do results hold across runs? Overall rating",
        {"condition", "run", "overall", "low", "high", "difference", "difference_low", "difference_high"});
    for (const ConditionFigures& figures : analysis_.by_condition) {
      for (const RunFigures::Run& run : figures.across_runs.runs) {
        Row row = {text(figures.name), run.run};
        append(row, run.overall);
        append(row, run.difference);
        table.rows.push_back(std::move(row));
      }
    }
    add(std::move(table));
  }

  static Row bias_row(const Bias& bias) {
    Row row = {text(bias.name), bias.evaluator ? Json(*bias.evaluator) : Json(nullptr), bias.figure.n};
    append(row, bias.figure);
    row.push_back(number(bias.neutral));
    row.push_back(bias.flagged ? text("flagged") : text(""));
    row.push_back(text(bias.figure.value ? bias.meaning : bias.figure.undefined));
    return row;
  }

  void bias_table() {
    Table table =
        table_of("biases", "What else may have moved the verdicts",
                 {"bias", "evaluator", "n", "figure", "low", "high", "unbiased", "flag", "meaning"});
    for (const Bias& bias : analysis_.biases) {
      if (!bias.evaluator) table.rows.push_back(bias_row(bias));
    }
    add(std::move(table));
  }

  void evaluator_table() {
    Table table =
        table_of("evaluators", "Each evaluator against the others",
                 {"bias", "evaluator", "n", "figure", "low", "high", "unbiased", "flag", "meaning"});
    for (const Bias& bias : analysis_.biases) {
      if (bias.evaluator) table.rows.push_back(bias_row(bias));
    }
    add(std::move(table));
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
    add_row("pairs: raw agreement", agreement.raw);
    add_row("pairs: Fleiss' kappa", agreement.fleiss_kappa);
    add_row("pairs: Krippendorff's alpha (nominal)", agreement.nominal_alpha);
    add_row("ratings: Krippendorff's alpha (ordinal)", agreement.ordinal_alpha);
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
        needed.push_back(need.queries.cases ? Json(*need.queries.cases) : Json(nullptr));
        needed.push_back(text(need.queries.undefined));
        table.rows.push_back(std::move(needed));
      }
    }
    add(std::move(table));
  }

  const Analysis& analysis_;
  Summary& summary_;
};

}  // namespace

void add_figures(const Analysis& analysis, Summary& summary) {
  SummaryWriter(analysis, summary).write();
}

std::vector<std::string> figure_names() {
  return {"win_rate.",
          "tie_rate.",
          "difference.",
          "score.",
          "role_accuracy.",
          "strength.",
          "detectable.",
          "agreement.raw",
          "agreement.fleiss_kappa",
          "agreement.krippendorff_alpha",
          "agreement.krippendorff_alpha_nominal",
          "bias.position",
          "bias.flip_rate",
          "bias.changed_rate",
          "bias.seat_effect",
          "bias.longer_wins",
          "bias.length_slope",
          "bias.rating_length_slope",
          "bias.lost",
          "bias.leaks",
          "bias.missing_responses",
          "bias.flagged"};
}

}  // namespace assay::experiment
