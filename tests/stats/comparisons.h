// Comparisons as tests write them, Davidson's puddings, and those of the R scripts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/json.h"
#include "stats/ranking/bradley_terry.h"
#include "tests/stats/reference/file.h"

namespace assay {

inline Comparison game(std::string a, std::string b, Winner winner, std::int64_t count = 1) {
  Comparison comparison;
  comparison.a = std::move(a);
  comparison.b = std::move(b);
  comparison.winner = winner;
  comparison.count = count;
  return comparison;
}

inline BradleyTerryOptions against(std::string reference) {
  BradleyTerryOptions options;
  options.reference = std::move(reference);
  return options;
}

inline const Strength& player(const BradleyTerry& fit, std::string_view name) {
  const auto found = std::ranges::find(fit.players, name, &Strength::name);
  if (found == fit.players.end()) throw std::runtime_error("no player " + std::string(name));
  return *found;
}

inline double strength(const BradleyTerry& fit, std::string_view name) {
  return player(fit, name).log_strength.estimate.value.value();
}

// Davidson 1970, six brands of chocolate pudding.
inline std::vector<Comparison> pudding() {
  const int table[15][5] = {{1, 2, 19, 22, 16}, {1, 3, 16, 19, 12}, {2, 3, 19, 19, 10}, {1, 4, 18, 23, 13},
                            {2, 4, 23, 19, 9},  {3, 4, 19, 20, 15}, {1, 5, 13, 19, 18}, {2, 5, 16, 20, 12},
                            {3, 5, 16, 15, 17}, {4, 5, 17, 14, 16}, {1, 6, 18, 21, 12}, {2, 6, 22, 20, 12},
                            {3, 6, 13, 18, 10}, {4, 6, 14, 19, 18}, {5, 6, 11, 21, 12}};
  std::vector<Comparison> games;
  for (const auto& row : table) {
    const std::string a = std::to_string(row[0]);
    const std::string b = std::to_string(row[1]);
    games.push_back(game(a, b, Winner::a, row[2]));
    games.push_back(game(a, b, Winner::b, row[3]));
    games.push_back(game(a, b, Winner::tie, row[4]));
  }
  return games;
}

// Comparisons that ranking.R or rao_kupper.R drew, and what it fitted to them.
struct FromR {
  std::vector<Comparison> games;
  std::vector<double> coefficients;
  std::vector<double> errors;
  std::vector<double> clustered;
  double log_likelihood = 0;
};

enum class Extra { none, seat_and_length };

inline FromR from_r(const Json& json, Extra extra) {
  FromR result;
  const Json& data = json.at("data");
  for (std::size_t i = 0; i < data.at("a").as_array().size(); ++i) {
    const auto number = [&](const char* column) { return as_number(data.at(column).at(i)).value(); };
    const std::string_view winner = data.at("winner").at(i).as_string();
    Comparison one =
        game(std::to_string(static_cast<int>(number("a"))), std::to_string(static_cast<int>(number("b"))),
             winner == "a"   ? Winner::a
             : winner == "b" ? Winner::b
                             : Winner::tie);
    if (data.as_object().contains("cluster")) {
      one.cluster = "prompt " + std::to_string(static_cast<int>(number("cluster")));
      one.first = number("first") > 0 ? FirstSeat::a : FirstSeat::b;
    }
    if (extra == Extra::seat_and_length) one.covariates = {number("length")};
    result.games.push_back(std::move(one));
  }
  if (json.as_object().contains("se")) {
    result.coefficients = reference_numbers(json.at("coefficients"));
    result.errors = reference_numbers(json.at("se"));
    result.clustered = reference_numbers(json.at("clustered_se"));
    result.log_likelihood = as_number(json.at("log_likelihood")).value();
  }
  return result;
}

// Strengths of players 2, 3, …, seat, length, log ν or log θ: the order of the parameters in these scripts.
inline std::vector<FittedEffect> effects_of(const BradleyTerry& fit) {
  std::vector<FittedEffect> effects;
  for (std::size_t i = 1; i < fit.players.size(); ++i) effects.push_back(fit.players[i].log_strength);
  if (fit.seat) effects.push_back(*fit.seat);
  for (const FittedEffect& covariate : fit.covariates) effects.push_back(covariate);
  if (fit.tie) {
    effects.push_back(*fit.tie);
    effects.back().estimate.value = std::log(effects.back().estimate.value.value());
  }
  return effects;
}

}  // namespace assay
