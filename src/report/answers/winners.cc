#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "report/answers/columns.h"
#include "report/answers/mode.h"
#include "report/answers/words.h"
#include "report/figure_json.h"
#include "report/words.h"
#include "stats/ranking/bradley_terry.h"

namespace assay::answers {
namespace {

// `winner` holds the name of a or b, "a", "b", or "tie".
struct WinnerQuestion {
  std::string winner;
  std::string a;
  std::string b;
  std::string cluster;  // empty: every comparison stands for itself
};

Json effect_json(const FittedEffect& effect) {
  const Estimate& estimate = effect.estimate;
  JsonObject json{
      {"value", number_json(estimate.value)},
      {"se", number_json(effect.clustered_error ? effect.clustered_error : effect.information_error)},
      {"ci", interval_json(estimate.ci)},
      {"method", estimate.method}};
  if (!estimate.undefined.empty()) json["undefined"] = estimate.undefined;
  return json;
}

Row effect_row(std::string name, const FittedEffect& effect, std::string n) {
  const Estimate& estimate = effect.estimate;
  const auto error = effect.clustered_error ? effect.clustered_error : effect.information_error;
  return {std::move(name),       number_or_none(estimate.value),
          number_or_none(error), interval_or_none(estimate),
          std::move(n),          estimate.method};
}

// Who won, as the column has it.
std::optional<Winner> winner_of(const std::string& cell, const std::string& a, const std::string& b) {
  if (cell == a) return Winner::a;
  if (cell == b) return Winner::b;
  const std::string word = lower_ascii(cell);
  if (word == "a") return Winner::a;
  if (word == "b") return Winner::b;
  if (word == "tie") return Winner::tie;
  return std::nullopt;
}

Result<std::vector<Comparison>> read_comparisons(const DataTable& table, const WinnerQuestion& question) {
  Columns columns(table);
  const auto winners = columns.texts(question.winner);
  const auto first = columns.texts(question.a);
  const auto second = columns.texts(question.b);
  const auto clusters = question.cluster.empty() ? Columns::Texts(columns.rows(), std::string())
                                                 : columns.texts(question.cluster);
  std::vector<Comparison> comparisons;
  for (std::size_t row = 0; row < columns.rows(); ++row) {
    const auto& a = first[row];
    const auto& b = second[row];
    if (!a || !b || !clusters[row]) {
      columns.empty(row, !a ? question.a : !b ? question.b : question.cluster);
      continue;
    }
    if (!winners[row]) continue;  // not decided
    const auto winner = winner_of(*winners[row], *a, *b);
    if (!winner) {
      columns.wrong(row, fmt::format("column {}: found {}, expected a, b, tie, {} or {}", question.winner,
                                     *winners[row], *a, *b));
      continue;
    }
    comparisons.push_back({.a = *a,
                           .b = *b,
                           .winner = *winner,
                           .first = FirstSeat::a,
                           .covariates = {},
                           .cluster = *clusters[row]});
  }
  if (auto good = columns.status(); !good) return fail(std::move(good.error()));
  return comparisons;
}

Result<Answer> rank_winners(const DataTable& table, const Config& config) {
  const WinnerQuestion question{config.text("winner"), config.text("a"), config.text("b"),
                                config.text("cluster")};
  if (question.winner.empty() || question.a.empty() || question.b.empty()) {
    return fail(ErrorKind::usage,
                "--winner needs --a COLUMN and --b COLUMN, the columns that say who met whom");
  }
  const auto comparisons = read_comparisons(table, question);
  if (!comparisons) return fail(comparisons.error());
  BradleyTerryOptions options;
  options.seat = SeatEffect::estimated;
  const BradleyTerry fit = bradley_terry(*comparisons, options);
  if (!fit.undefined.empty()) return fail(Error{ErrorKind::data, fit.undefined, {{"file", table.path()}}});

  JsonObject players;
  std::vector<Row> rows{{"", "log strength", "se", "95% interval", "n", "method"}};
  for (const Strength& player : fit.players) {
    Json entry = effect_json(player.log_strength);
    JsonObject& object = entry.get_object();
    object["log_strength"] = object["value"];
    object.erase("value");
    object["wins"] = player.wins;
    object["losses"] = player.losses;
    object["ties"] = player.ties;
    if (player.ranks) object["ranks"] = JsonArray{player.ranks->first, player.ranks->second};
    players[player.name] = std::move(entry);
    rows.push_back(effect_row(player.name, player.log_strength,
                              std::to_string(player.wins + player.losses + player.ties)));
  }
  Answer answer;
  answer.json = JsonObject{{"bradley_terry", std::move(players)},
                           {"n", fit.n},
                           {"clusters", fit.clusters},
                           {"log_likelihood", number_json(fit.log_likelihood)},
                           {"method", fit.method},
                           {"order_effect", fit.seat ? effect_json(*fit.seat) : Json(nullptr)},
                           {"tie", fit.tie ? effect_json(*fit.tie) : Json(nullptr)}};
  if (fit.seat) rows.push_back(effect_row("(order effect)", *fit.seat, ""));
  if (fit.tie) rows.push_back(effect_row("(tie)", *fit.tie, ""));
  answer.text = text_table(rows);
  return answer;
}

}  // namespace

Mode winners_mode() {
  return {.name = "winners",
          .title = "who wins",
          .needed = "--winner COLUMN --a COLUMN --b COLUMN",
          .asked_by = {"winner"},
          .keys =
              {
                  {.name = "winner", .help = "Column of who won: a, b, tie, or the winner's name."},
                  {.name = "a", .help = "Column of the first of each pair."},
                  {.name = "b", .help = "Column of the second of each pair."},
                  {.name = "cluster",
                   .help = "Column that says which rows belong together; intervals honour it."},
              },
          .answer = rank_winners};
}

}  // namespace assay::answers
