#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/stats/stats_modes.h"
#include "core/text.h"
#include "report/figure_json.h"
#include "report/words.h"
#include "stats/ranking/bradley_terry.h"

namespace assay {
namespace {

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

std::vector<std::string> effect_row(std::string name, const FittedEffect& effect, std::string n) {
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
  std::size_t columns[3] = {};
  std::size_t next = 0;
  for (const std::string& name : {question.winner, question.a, question.b}) {
    const auto column = table.column(name);
    if (!column) return fail(column.error());
    columns[next++] = *column;
  }
  std::optional<std::size_t> cluster;
  if (!question.cluster.empty()) {
    const auto column = table.column(question.cluster);
    if (!column) return fail(column.error());
    cluster = *column;
  }
  std::vector<Comparison> comparisons;
  std::string problems;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto problem = [&](const std::string& what) {
      problems += fmt::format("{}line {}: {}", problems.empty() ? "" : "\n", table.line(row), what);
    };
    const auto won = table.text(row, columns[0]);
    const auto a = table.text(row, columns[1]);
    const auto b = table.text(row, columns[2]);
    const auto of = cluster ? table.text(row, *cluster) : std::optional<std::string>("");
    if (!a || !b || !of) {
      problem(fmt::format("column {} is empty", !a ? question.a : !b ? question.b : question.cluster));
      continue;
    }
    if (!won) continue;  // not decided
    const auto winner = winner_of(*won, *a, *b);
    if (!winner) {
      problem(
          fmt::format("column {}: found {}, expected a, b, tie, {} or {}", question.winner, *won, *a, *b));
      continue;
    }
    comparisons.push_back(
        {.a = *a, .b = *b, .winner = *winner, .first = FirstSeat::a, .covariates = {}, .cluster = *of});
  }
  if (!problems.empty()) return fail(Error{ErrorKind::data, problems, {{"file", table.path()}}});
  return comparisons;
}

}  // namespace

Result<StatsAnswer> rank_winners(const DataTable& table, const WinnerQuestion& question) {
  const auto comparisons = read_comparisons(table, question);
  if (!comparisons) return fail(comparisons.error());
  BradleyTerryOptions options;
  options.seat = SeatEffect::estimated;
  const BradleyTerry fit = bradley_terry(*comparisons, options);
  if (!fit.undefined.empty()) return fail(Error{ErrorKind::data, fit.undefined, {{"file", table.path()}}});

  JsonObject players;
  std::vector<std::vector<std::string>> rows{{"", "log strength", "se", "95% interval", "n", "method"}};
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
  StatsAnswer answer;
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

}  // namespace assay
