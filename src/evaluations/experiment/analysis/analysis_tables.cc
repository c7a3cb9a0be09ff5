// What conditions came to: the tables that compare them.
#include "evaluations/experiment/analysis/analysis_tables.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>

#include "evaluations/experiment/analysis/table_cells.h"

namespace assay::experiment {
namespace {

using namespace cells;

class Tables {
 public:
  Tables(const Analysis& analysis, Summary& summary) : analysis_(analysis), summary_(summary) {}

  void write() {
    limit_table();
    missing_table();
    if (asks_ratings(analysis_)) {
      difference_table();
      effect_table();
      criteria_table();
    }
    if (asks_pairs(analysis_)) {
      pair_table();
      tone_table();
      ranking_table();
    }
    role_table();
    other_role_table();
    type_table();
    run_table();
  }

 private:
  void add(Table table) {
    if (!table.rows.empty()) summary_.tables.push_back(std::move(table));
  }
  const std::string& name(std::size_t condition) const { return analysis_.conditions[condition].name; }

  void limit_table() {
    Table table = table_of("limits", "What limits the conclusions", {"limit"});
    for (const std::string& sentence : limits(analysis_)) table.rows.push_back({text(sentence)});
    add(std::move(table));
  }

  // Where everything came there is nothing to tell.
  void missing_table() {
    Table table = table_of("missing", "What is missing",
                           {"condition", "answers", "missing", "ratings", "lost_ratings"});
    bool any = false;
    for (const ConditionFigures& figures : analysis_.by_condition) {
      any |= figures.unanswered > 0 || figures.ratings_lost > 0;
      table.rows.push_back({text(figures.name), figures.answers, figures.unanswered,
                            figures.criteria[kOverall].ratings, figures.ratings_lost});
    }
    if (any) add(std::move(table));
  }

  void difference_table() {
    Table table = table_of(
        "differences",
        "Ratings: difference from control, paired by query (bounds: everything missing worst, or best)",
        {"condition", "criterion", "queries", "ratings", "ratings_of_control", "difference", "low", "high",
         "p", "p_holm", "bound_low", "bound_high"});
    for (const ScoreContrast& contrast : analysis_.contrasts) {
      const Finding& finding = contrast.difference;
      Row row = {text(name(contrast.condition)), text(rated_name(contrast.criterion)), finding.figure.n,
                 contrast.ratings, contrast.ratings_control};
      append(row, finding.figure);
      row.push_back(number(finding.test.p));
      row.push_back(number(finding.p_holm));
      append_bounds(row, finding.figure);
      table.rows.push_back(std::move(row));
    }
    add(std::move(table));
  }

  void effect_table() {
    Table table = table_of("effect_sizes",
                           "Ratings: standardised differences from control, and tests that count each rating",
                           {"condition", "criterion", "hedges_g", "low", "high", "cliffs_delta", "cohen_dz",
                            "p_wilcoxon", "p_naive_welch", "p_naive_mann_whitney"});
    for (const ScoreContrast& contrast : analysis_.contrasts) {
      Row row = {text(name(contrast.condition)), text(rated_name(contrast.criterion))};
      append(row, contrast.hedges_g.clustered);
      row.push_back(number(contrast.cliffs_delta.clustered.value));
      row.push_back(number(contrast.cohen_dz.value));
      row.push_back(number(contrast.wilcoxon.test.p));
      row.push_back(number(contrast.naive_welch.test.p));
      row.push_back(number(contrast.naive_mann_whitney.test.p));
      table.rows.push_back(std::move(row));
    }
    add(std::move(table));
  }

  void criteria_table() {
    Table table = table_of(
        "conditions", "Ratings (1 to 5); every query counts once",
        {"condition", "criterion", "queries", "ratings", "mean", "low", "high", "bound_low", "bound_high"});
    for (const ConditionFigures& figures : analysis_.by_condition) {
      for (std::size_t i = 0; i < kRated; ++i) {
        if (i >= kCriteria.size() && !asks_tone(analysis_)) continue;
        const Estimate& mean = figures.criteria[i].mean;
        Row row = {text(figures.name), text(rated_name(i)), mean.n, figures.criteria[i].ratings};
        append(row, mean);
        append_bounds(row, mean);
        table.rows.push_back(std::move(row));
      }
    }
    add(std::move(table));
  }

  void pair_table() {
    Table table =
        table_of("pairs", "Comparisons (ties count half in the win rate); every query counts once",
                 {"condition", "against", "criterion", "queries", "verdicts", "wins", "ties", "losses",
                  "win_rate", "low", "high", "p", "p_holm", "p_naive", "bound_low", "bound_high"});
    for (const PairFigures& pair : analysis_.pairs) {
      const auto add_row = [&](std::string_view criterion, const WinRate& rate, const Row& shares) {
        Row row = {text(name(pair.condition)), text(name(pair.against)), text(criterion), rate.rate.figure.n,
                   pair.verdicts};
        row.insert(row.end(), shares.begin(), shares.end());
        append(row, rate.rate.figure);
        row.push_back(number(rate.rate.test.p));
        row.push_back(number(rate.rate.p_holm));
        row.push_back(number(rate.naive_test.p));
        append_bounds(row, rate.rate.figure);
        table.rows.push_back(std::move(row));
      };
      add_row("winner", pair.winner,
              {number(pair.wins.value), number(pair.ties.value), number(pair.losses.value)});
      for (std::size_t i = 0; i < kCriteria.size(); ++i)
        add_row(kCriteria[i], pair.criteria[i], {nullptr, nullptr, nullptr});
    }
    add(std::move(table));
  }

  // Marks and shares of either side, and the difference; which one is more natural is one figure, even at
  // one half.
  void tone_table() {
    Table table =
        table_of("tone_in_comparisons", "Tone, side by side: marks (1 to 5), shares, and who is more natural",
                 {"condition", "against", "question", "queries", "verdicts", "condition_has", "other_has",
                  "figure", "low", "high", "even", "p", "p_holm"});
    for (const PairFigures& pair : analysis_.pairs) {
      if (!pair.tone) continue;
      const PairTone& tone = *pair.tone;
      const auto add_row = [&](std::string_view question, const Finding& finding, const Json& own,
                               const Json& other) {
        Row row = {text(name(pair.condition)),
                   text(name(pair.against)),
                   text(question),
                   finding.figure.n,
                   tone.verdicts,
                   own,
                   other};
        append(row, finding.figure);
        row.emplace_back(finding.neutral);
        row.push_back(number(finding.test.p));
        row.push_back(number(finding.p_holm));
        table.rows.push_back(std::move(row));
      };
      const auto add_sides = [&](std::string_view question, const BothSides& sides) {
        add_row(question, sides.difference, number(sides.condition.value), number(sides.against.value));
      };
      for (std::size_t i = 0; i < kToneCriteria.size(); ++i) add_sides(kToneCriteria[i], tone.marks[i]);
      add_sides("jarring_shift", tone.jarring_shift);
      add_sides("awkward_language", tone.awkward_language);
      add_row("more_natural", tone.more_natural, nullptr, nullptr);
    }
    add(std::move(table));
  }

  void role_table() {
    Table table = table_of("roles", "Roles: found apt by judges, and equal to the query's own",
                           {"condition", "queries", "verdicts", "apt", "low", "high", "answers_with_role",
                            "same_as_query", "same_low", "same_high"});
    for (const ConditionFigures& figures : analysis_.by_condition) {
      if (!analysis_.conditions[figures.condition].has_role()) continue;
      Row row = {text(figures.name), figures.role_accuracy.n, figures.role_verdicts};
      append(row, figures.role_accuracy);
      row.emplace_back(figures.roles_named);
      append(row, figures.role_match);
      table.rows.push_back(std::move(row));
    }
    add(std::move(table));
  }

  void other_role_table() {
    Table table = table_of("other_roles", "Ambiguous queries: other roles that judges would accept",
                           {"query", "role", "named", "of_verdicts"});
    for (const OtherRole& other : analysis_.other_roles)
      table.rows.push_back(
          {text(analysis_.queries[other.query].id), text(other.role), other.named, other.asked});
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
    std::vector<std::string> columns{"query_type", "condition", "queries"};
    const auto heads = [&](std::initializer_list<const char*> names) {
      columns.insert(columns.end(), names.begin(), names.end());
    };
    const bool ratings = asks_ratings(analysis_);
    const bool pairs = asks_pairs(analysis_);
    const bool roles = analysis_.role_verdicts > 0;
    if (ratings) heads({"overall", "low", "high", "difference", "difference_low", "difference_high"});
    if (pairs) heads({"win_rate", "win_rate_low", "win_rate_high"});
    if (roles) heads({"role_accuracy", "role_accuracy_low", "role_accuracy_high", "role_match"});
    Table table = table_of("by_query_type", "By query type", std::move(columns));
    for (const ConditionFigures& figures : analysis_.by_condition) {
      for (const TypeFigures& type : figures.by_type) {
        Row row = {text(type.query_type), text(figures.name), type.queries};
        if (ratings) {
          append(row, type.overall);
          append(row, type.difference);
        }
        if (pairs) append(row, type.win_rate);
        if (roles) {
          append(row, type.role_accuracy);
          row.push_back(number(type.role_match.value));
        }
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

  const Analysis& analysis_;
  Summary& summary_;
};

}  // namespace

bool asks_pairs(const Analysis& analysis) {
  return analysis.pair_judges > 0 || analysis.pair_verdicts > 0;
}

bool asks_ratings(const Analysis& analysis) {
  return analysis.raters > 0 || analysis.ratings > 0;
}

bool asks_tone(const Analysis& analysis) {
  return std::ranges::any_of(analysis.conditions, &Condition::tone);
}

bool queries_have_roles(const Analysis& analysis) {
  return std::ranges::any_of(analysis.queries, [](const Query& query) { return !query.role.empty(); });
}

bool concerns(const Analysis& analysis, const Bias& bias) {
  static constexpr std::array<std::string_view, 4> kOfPairs = {"position", "seat_effect", "longer_wins",
                                                               "length_slope"};
  if (bias.name == "flip_rate" || bias.name == "changed_rate") return analysis.swap && asks_pairs(analysis);
  if (bias.name == "rating_length_slope") return asks_ratings(analysis);
  return std::ranges::find(kOfPairs, bias.name) == kOfPairs.end() || asks_pairs(analysis);
}

void add_tables(const Analysis& analysis, Summary& summary) {
  Tables(analysis, summary).write();
  add_judging_tables(analysis, summary);
}

}  // namespace assay::experiment
