#include "stats/ranking/bradley_terry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats/ranking/comparison_graph.h"
#include "tests/stats/comparisons.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

// Stigler 1994, citations among statistical journals; the row journal wins once per citation received. Values
// as in BradleyTerry2.
TEST(BradleyTerry, GivesThePublishedStrengthsOfTheJournals) {
  const std::vector<std::string> journals = {"Biometrika", "Comm. Statist.", "JASA", "JRSS-B"};
  const std::int64_t cited[4][4] = {
      {714, 730, 498, 221}, {33, 425, 68, 17}, {320, 813, 1072, 142}, {284, 276, 325, 188}};
  std::vector<Comparison> games;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (i != j) games.push_back(game(journals[i], journals[j], Winner::a, cited[i][j]));
    }
  }
  const BradleyTerry fit = bradley_terry(games, against("Biometrika"));
  EXPECT_EQ(fit.method, "maximum_likelihood");
  EXPECT_NEAR(strength(fit, "Comm. Statist."), -2.949072, 5e-7);
  EXPECT_NEAR(strength(fit, "JASA"), -0.479570, 5e-7);
  EXPECT_NEAR(strength(fit, "JRSS-B"), 0.268954, 5e-7);
  EXPECT_NEAR(player(fit, "Comm. Statist.").log_strength.information_error.value(), .102545, 5e-7);
  EXPECT_NEAR(player(fit, "JASA").log_strength.information_error.value(), .060589, 5e-7);
  EXPECT_NEAR(player(fit, "JRSS-B").log_strength.information_error.value(), .070830, 5e-7);
  EXPECT_EQ(player(fit, "Biometrika").log_strength.estimate.value, 0);
  EXPECT_FALSE(player(fit, "Biometrika").log_strength.estimate.ci.has_value());
  EXPECT_EQ(player(fit, "JRSS-B").ranks.value(), std::pair(std::int64_t{1}, std::int64_t{1}));
  EXPECT_EQ(player(fit, "Comm. Statist.").ranks.value(), std::pair(std::int64_t{4}, std::int64_t{4}));
  EXPECT_EQ(player(fit, "JASA").wins, 320 + 813 + 142);
  EXPECT_FALSE(fit.tie.has_value());
  EXPECT_FALSE(fit.seat.has_value());
}

// American League 1987, east (Agresti): home team, then opponent, home wins, away wins. Values as in
// BradleyTerry2.
std::vector<Comparison> baseball() {
  struct Series {
    const char* home;
    const char* away;
    int home_wins;
    int away_wins;
  };
  const std::vector<Series> season = {
      {"Mil", "Det", 4, 3}, {"Mil", "Tor", 4, 2}, {"Mil", "NY", 4, 3},  {"Mil", "Bos", 6, 1},
      {"Mil", "Cle", 4, 2}, {"Mil", "Bal", 6, 0}, {"Det", "Mil", 3, 3}, {"Det", "Tor", 4, 2},
      {"Det", "NY", 4, 3},  {"Det", "Bos", 6, 0}, {"Det", "Cle", 6, 1}, {"Det", "Bal", 4, 3},
      {"Tor", "Mil", 2, 5}, {"Tor", "Det", 4, 3}, {"Tor", "NY", 2, 4},  {"Tor", "Bos", 4, 3},
      {"Tor", "Cle", 4, 2}, {"Tor", "Bal", 6, 0}, {"NY", "Mil", 3, 3},  {"NY", "Det", 5, 1},
      {"NY", "Tor", 2, 5},  {"NY", "Bos", 4, 3},  {"NY", "Cle", 4, 2},  {"NY", "Bal", 6, 1},
      {"Bos", "Mil", 5, 1}, {"Bos", "Det", 2, 5}, {"Bos", "Tor", 3, 3}, {"Bos", "NY", 4, 2},
      {"Bos", "Cle", 5, 2}, {"Bos", "Bal", 6, 0}, {"Cle", "Mil", 2, 5}, {"Cle", "Det", 3, 3},
      {"Cle", "Tor", 3, 4}, {"Cle", "NY", 4, 3},  {"Cle", "Bos", 4, 2}, {"Cle", "Bal", 2, 4},
      {"Bal", "Mil", 2, 5}, {"Bal", "Det", 1, 5}, {"Bal", "Tor", 1, 6}, {"Bal", "NY", 2, 4},
      {"Bal", "Bos", 1, 6}, {"Bal", "Cle", 3, 4}};
  std::vector<Comparison> games;
  for (const Series& series : season) {
    for (const auto& [winner, count] :
         {std::pair(Winner::a, series.home_wins), {Winner::b, series.away_wins}}) {
      if (count == 0) continue;
      games.push_back(game(series.home, series.away, winner, count));
      games.back().first = FirstSeat::a;
    }
  }
  return games;
}

TEST(BradleyTerry, GivesThePublishedStrengthsOfTheBaseballTeams) {
  const BradleyTerry fit = bradley_terry(baseball(), against("Bal"));
  const std::vector<std::pair<const char*, double>> expected = {
      {"Bos", 1.1077}, {"Cle", .6839}, {"Det", 1.4364}, {"Mil", 1.5814}, {"NY", 1.2476}, {"Tor", 1.2945}};
  for (const auto& [name, value] : expected) EXPECT_NEAR(strength(fit, name), value, 5e-5) << name;
  EXPECT_NEAR(fit.log_likelihood.value(), -172.2482, 5e-5);

  BradleyTerryOptions options = against("Bal");
  options.seat = SeatEffect::estimated;
  const BradleyTerry home = bradley_terry(baseball(), options);
  EXPECT_NEAR(home.seat.value().estimate.value.value(), 0.3023, 5e-5);
  EXPECT_NEAR(home.seat.value().information_error.value(), .1309, 5e-5);
  EXPECT_NEAR(home.log_likelihood.value(), -169.5429, 5e-5);
  EXPECT_NEAR(2 * (home.log_likelihood.value() - fit.log_likelihood.value()), 5.4106, 5e-4);
  EXPECT_NEAR(home.seat.value().estimate.ci.value().low, 0.3023 - 1.959964 * .1309, 2e-4);
}

TEST(BradleyTerry, GivesDavidsonsPublishedWorthsAndTies) {
  const BradleyTerry fit = bradley_terry(pudding());
  EXPECT_EQ(fit.n, 745);
  double total = 0;
  for (const Strength& brand : fit.players) total += std::exp(brand.log_strength.estimate.value.value());
  const double worths[] = {.138803, .173001, .161747, .165373, .158685, .202389};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(std::exp(fit.players[i].log_strength.estimate.value.value()) / total, worths[i], 5e-7);
  }
  EXPECT_NEAR(fit.tie.value().estimate.value.value(), 0.746823, 5e-7);
  EXPECT_NEAR(fit.log_likelihood.value(), -809.70951, 5e-6);
  EXPECT_LT(fit.tie.value().estimate.ci.value().low, 0.746823);
  EXPECT_GT(fit.tie.value().estimate.ci.value().low, 0.6);
}

TEST(BradleyTerry, AgreesWithGlmInRInValuesAndBothErrors) {
  const Json reference = reference_file("ranking.json");
  for (const auto& [name, extra] : {std::pair("plain", Extra::none),
                                    {"seat_and_length", Extra::seat_and_length},
                                    {"davidson", Extra::none},
                                    {"davidson_seat_and_length", Extra::seat_and_length}}) {
    const FromR expected = from_r(reference.at(name), extra);
    BradleyTerryOptions options = against("1");
    if (extra == Extra::seat_and_length) {
      options.seat = SeatEffect::estimated;
      options.covariates = {"length"};
    }
    const BradleyTerry fit = bradley_terry(expected.games, options);
    ASSERT_EQ(fit.undefined, "") << name;
    EXPECT_EQ(fit.method, "maximum_likelihood") << name;
    EXPECT_NEAR(fit.log_likelihood.value(), expected.log_likelihood, 1e-8) << name;
    const std::vector<FittedEffect> effects = effects_of(fit);
    ASSERT_EQ(effects.size(), expected.coefficients.size()) << name;
    for (std::size_t i = 0; i < effects.size(); ++i) {
      EXPECT_NEAR(effects[i].estimate.value.value(), expected.coefficients[i], 1e-8) << name << i;
      EXPECT_NEAR(effects[i].information_error.value(), expected.errors[i], 1e-7) << name << i;
      EXPECT_NEAR(effects[i].clustered_error.value(), expected.clustered[i], 1e-7) << name << i;
      EXPECT_EQ(effects[i].estimate.method, "t_clustered") << name;
    }
  }
}

TEST(BradleyTerry, CountsEveryComparisonAsItsOwnClusterWithoutNames) {
  const Json reference = reference_file("ranking.json");
  FromR data = from_r(reference.at("plain"), Extra::none);
  for (std::size_t i = 0; i < data.games.size(); ++i) data.games[i].cluster = std::to_string(i);
  const BradleyTerry alone = bradley_terry(data.games, against("1"));
  for (Comparison& one : data.games) one.cluster = "";
  data.games.front().cluster = "named";
  const BradleyTerry unnamed = bradley_terry(data.games, against("1"));
  EXPECT_EQ(alone.clusters, unnamed.clusters);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_NEAR(alone.players[i].log_strength.clustered_error.value(),
                unnamed.players[i].log_strength.clustered_error.value(), 1e-12);
  }
}

TEST(BradleyTerry, UsesAWeakPriorWhereSomeoneNeverLosesAndSaysSo) {
  const Json reference = reference_file("ranking.json").at("separated");
  const FromR data = from_r(reference, Extra::none);
  const BradleyTerry fit = bradley_terry(data.games);
  EXPECT_EQ(fit.method, "maximum_likelihood, weak prior");
  const std::vector<double> expected = reference_numbers(reference.at("strengths"));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(fit.players[i].log_strength.estimate.value.value(), expected[i], 2e-6);
    EXPECT_EQ(fit.players[i].log_strength.estimate.method, "normal, weak prior");
    EXPECT_TRUE(fit.players[i].log_strength.estimate.ci.has_value());
  }
  // Davidson: someone wins or ties and never loses.
  const BradleyTerry ties =
      bradley_terry(std::vector{game("x", "y", Winner::a, 5), game("x", "y", Winner::tie, 3)});
  EXPECT_EQ(ties.method, "maximum_likelihood, weak prior");
  EXPECT_GT(strength(ties, "x"), strength(ties, "y"));
}

TEST(BradleyTerry, UsesAWeakPriorWhereTheFirstSeatAlwaysWins) {
  std::vector<Comparison> games;
  for (const auto& [a, b] :
       {std::pair("x", "y"), {"y", "x"}, {"y", "z"}, {"z", "y"}, {"x", "z"}, {"z", "x"}}) {
    games.push_back(game(a, b, Winner::a, 4));
    games.back().first = FirstSeat::a;
  }
  BradleyTerryOptions options;
  options.seat = SeatEffect::estimated;
  const BradleyTerry fit = bradley_terry(games, options);
  EXPECT_EQ(fit.method, "maximum_likelihood, weak prior");
  EXPECT_GT(fit.seat.value().estimate.value.value(), 1);
  EXPECT_TRUE(std::isfinite(fit.seat.value().information_error.value()));
}

TEST(BradleyTerry, NamesTheGroupsThatNothingConnects) {
  const BradleyTerry fit = bradley_terry(std::vector{game("a", "b", Winner::a), game("b", "a", Winner::a),
                                                     game("c", "d", Winner::tie), game("e", "e", Winner::a)});
  EXPECT_EQ(fit.undefined, "no chain of comparisons connects the groups {a, b}, {c, d}");
  EXPECT_FALSE(fit.players.front().log_strength.estimate.value.has_value());
  EXPECT_EQ(fit.players.front().log_strength.estimate.undefined, fit.undefined);
  EXPECT_EQ(fit.missing.at("self_comparison"), 1);
  EXPECT_EQ(win_probability(fit, "a", "b").undefined, fit.undefined);
}

TEST(BradleyTerry, IsUndefinedWithAReason) {
  EXPECT_EQ(bradley_terry(std::vector<Comparison>{}).undefined, "no comparisons");
  EXPECT_EQ(bradley_terry(std::vector{game("a", "a", Winner::a)}).undefined, "no comparisons");
  EXPECT_EQ(bradley_terry(std::vector{game("a", "b", Winner::tie)}).undefined, "every comparison is a tie");
  EXPECT_EQ(bradley_terry(pudding(), against("7")).undefined, "the reference 7 is in no comparison");
  BradleyTerryOptions seat;
  seat.seat = SeatEffect::estimated;
  EXPECT_EQ(bradley_terry(pudding(), seat).undefined, "no comparison says who was first");
  BradleyTerryOptions length;
  length.covariates = {"length"};
  EXPECT_EQ(bradley_terry(pudding(), length).undefined, "a comparison has not one value per covariate");
  std::vector<Comparison> flat = pudding();
  for (Comparison& one : flat) one.covariates = {0};
  EXPECT_NE(bradley_terry(flat, length).undefined.find("length"), std::string::npos);
}

TEST(BradleyTerry, CannotTellASeatFromAPlayerWhoIsAlwaysFirst) {
  std::vector<Comparison> games = {game("x", "y", Winner::a, 3), game("x", "y", Winner::b, 2)};
  for (Comparison& one : games) one.first = FirstSeat::a;
  BradleyTerryOptions options;
  options.seat = SeatEffect::estimated;
  EXPECT_NE(bradley_terry(games, options).undefined.find("seat effect cannot be told"), std::string::npos);
  // A covariate that is a difference of two players' own values, likewise.
  for (Comparison& one : games) one.covariates = {2.5};
  BradleyTerryOptions length;
  length.covariates = {"length"};
  EXPECT_NE(bradley_terry(games, length).undefined.find("covariate length cannot be told"),
            std::string::npos);
}

TEST(BradleyTerry, LeavesOutWhatItCannotUseAndCountsIt) {
  std::vector<Comparison> games = {game("x", "y", Winner::a, 3), game("x", "y", Winner::b, 2),
                                   game("x", "y", Winner::b, 0), game("x", "x", Winner::a)};
  for (std::size_t i = 0; i < games.size(); ++i) games[i].covariates = {i == 0 ? 1.0 : -0.5};
  games.push_back(game("x", "y", Winner::a, 7));
  games.back().covariates = {std::nan("")};
  games.push_back(game("y", "x", Winner::a, 7));
  games.back().covariates = {std::numeric_limits<double>::infinity()};
  games.push_back(game("y", "x", Winner::b, 1));
  games.back().covariates = {1.5};
  BradleyTerryOptions options;
  options.covariates = {"length"};
  const BradleyTerry fit = bradley_terry(games, options);
  EXPECT_EQ(fit.undefined, "");
  EXPECT_EQ(fit.n, 6);
  EXPECT_EQ(fit.missing.at("covariate_not_finite"), 2);
  EXPECT_EQ(fit.missing.at("self_comparison"), 1);
  EXPECT_EQ(fit.missing.at("count_below_1"), 1);
}

TEST(BradleyTerry, OfFewClustersHasNoInterval) {
  std::vector<Comparison> games = pudding();
  for (Comparison& one : games) one.cluster = "only";
  const BradleyTerry one = bradley_terry(games);
  EXPECT_EQ(one.clusters, 1);
  EXPECT_TRUE(one.players[0].log_strength.estimate.value.has_value());
  EXPECT_EQ(one.players[0].log_strength.estimate.undefined,
            "no interval: one cluster shows no spread between clusters");
  EXPECT_FALSE(one.players[0].ranks.has_value());
  EXPECT_EQ(win_probability(one, "1", "2").undefined, one.no_interval);
  EXPECT_TRUE(win_probability(one, "1", "2").value.has_value());
  for (std::size_t i = 0; i < games.size(); ++i) games[i].cluster = std::to_string(i % 4);
  const BradleyTerry four = bradley_terry(games);
  EXPECT_NE(four.players[0].log_strength.estimate.undefined.find("4 clusters"), std::string::npos);
  EXPECT_FALSE(four.players[0].log_strength.estimate.ci.has_value());
}

TEST(BradleyTerry, GivesTheChanceOfAWinWithItsInterval) {
  // 30 of 40 decided: log odds ln 3 with error sqrt(1/30 + 1/10).
  const BradleyTerry fit =
      bradley_terry(std::vector{game("x", "y", Winner::a, 30), game("y", "x", Winner::a, 10)});
  const Estimate chance = win_probability(fit, "x", "y");
  EXPECT_NEAR(chance.value.value(), 0.75, 1e-9);
  const double half = 1.959964 * std::sqrt(1.0 / 30 + 1.0 / 10);
  EXPECT_NEAR(chance.ci.value().low, 1 / (1 + std::exp(-(std::log(3) - half))), 1e-6);
  EXPECT_NEAR(chance.ci.value().high, 1 / (1 + std::exp(-(std::log(3) + half))), 1e-6);
  const Estimate other = win_probability(fit, "y", "x");
  EXPECT_NEAR(other.value.value(), 0.25, 1e-9);
  EXPECT_NEAR(other.ci.value().low, 1 - chance.ci.value().high, 1e-9);
  EXPECT_GT(win_probability(fit, "x", "y", 0.99).ci.value().high, chance.ci.value().high);
  EXPECT_NE(win_probability(fit, "x", "z").undefined, "");
  EXPECT_NE(win_probability(fit, "x", "x").undefined, "");
  EXPECT_NE(win_probability(fit, "x", "y", 1.0).undefined, "");
}

TEST(BradleyTerry, GivesTheSameChanceWhateverTheReference) {
  const BradleyTerry fit = bradley_terry(baseball());
  const BradleyTerry to_boston = bradley_terry(baseball(), against("Bos"));
  const Interval expected = player(to_boston, "NY").log_strength.estimate.ci.value();
  const Interval chance = win_probability(fit, "NY", "Bos").ci.value();
  EXPECT_NEAR(chance.low, 1 / (1 + std::exp(-expected.low)), 1e-9);
  EXPECT_NEAR(chance.high, 1 / (1 + std::exp(-expected.high)), 1e-9);
}

TEST(ComparisonGraph, KnowsWhoReachesWhom) {
  using Match = PairedChoice::Match;
  const auto match = [](std::size_t a, std::size_t b, int outcome) { return Match{a, b, outcome, 0, {}}; };
  const std::vector<Match> chain = {match(0, 1, 1), match(1, 2, 1)};
  const std::vector<double> both = {1, 1};
  EXPECT_FALSE(everyone_reaches_everyone(chain, both, 3));
  EXPECT_FALSE(everyone_reaches_everyone(std::vector<Match>{match(0, 1, -1), match(1, 2, -1)}, both, 3));
  const std::vector<Match> ring = {match(0, 1, 1), match(1, 2, 1), match(0, 2, -1)};
  EXPECT_TRUE(everyone_reaches_everyone(ring, std::vector<double>{1, 1, 1}, 3));
  EXPECT_FALSE(everyone_reaches_everyone(ring, std::vector<double>{1, 1, 0}, 3));
  EXPECT_TRUE(everyone_reaches_everyone(std::vector<Match>{match(0, 1, 0), match(1, 2, 0)}, both, 3));
  EXPECT_EQ(connected_groups(chain, both, 3).size(), 1);
  EXPECT_EQ(connected_groups(chain, std::vector<double>{1, 0}, 3),
            (std::vector<std::vector<std::size_t>>{{0, 1}, {2}}));
}

TEST(BradleyTerry, CountsATieAsHalfAWinOnRequest) {
  BradleyTerryOptions options;
  options.ties = Ties::half_win;
  const BradleyTerry half =
      bradley_terry(std::vector{game("x", "y", Winner::a, 20), game("x", "y", Winner::b, 5),
                                game("x", "y", Winner::tie, 10)},
                    options);
  EXPECT_FALSE(half.tie.has_value());
  EXPECT_NEAR(win_probability(half, "x", "y").value.value(), 25.0 / 35, 1e-9);
}

// A hundred points ahead wins 64 % of the games.
TEST(Elo, HasTheScaleOfChess) {
  EXPECT_NEAR(elo_win_probability(100), 0.640065, 5e-7);
  EXPECT_NEAR(elo_win_probability(0), 0.5, 1e-15);
  EXPECT_NEAR(elo_rating(std::log(10)), 1900, 1e-9);
  EXPECT_NEAR(elo_rating(0, 1000), 1000, 1e-12);
}

TEST(BradleyTerry, DrawsClustersAgainOnRequest) {
  const Json reference = reference_file("ranking.json");
  const FromR data = from_r(reference.at("davidson"), Extra::none);
  BradleyTerryOptions options = against("1");
  EXPECT_NE(bradley_terry(data.games, options).players[1].log_strength.resampled.undefined, "");
  options.bootstrap = Resampling();
  options.bootstrap->draws = 2000;
  const BradleyTerry fit = bradley_terry(data.games, options);
  for (std::size_t i = 1; i < 4; ++i) {
    const FittedEffect& effect = fit.players[i].log_strength;
    EXPECT_EQ(effect.resampled.method, "bootstrap_percentile");
    // The two intervals tell the same story.
    const double width = effect.estimate.ci->high - effect.estimate.ci->low;
    EXPECT_NEAR(effect.resampled.ci.value().low, effect.estimate.ci->low, 0.3 * width);
    EXPECT_NEAR(effect.resampled.ci.value().high, effect.estimate.ci->high, 0.3 * width);
  }
  EXPECT_GT(fit.tie.value().resampled.ci.value().low, 0);
  EXPECT_FALSE(fit.players[0].log_strength.resampled.ci.has_value());
}

std::vector<Comparison> drawn_games(const std::vector<std::array<unsigned char, 3>>& rows) {
  std::vector<Comparison> games;
  for (const auto& row : rows) {
    games.push_back(game(std::string(1, static_cast<char>('a' + row[0] % 4)),
                         std::string(1, static_cast<char>('a' + row[1] % 4)),
                         row[2] % 3 == 0   ? Winner::a
                         : row[2] % 3 == 1 ? Winner::b
                                           : Winner::tie));
    games.back().first = row[2] % 2 == 0 ? FirstSeat::a : FirstSeat::b;
    games.back().cluster = std::to_string(row[2] % 7);
  }
  return games;
}

RC_GTEST_PROP(BradleyTerry, DoesNotDependOnTheOrderOfRowsOrOfTheTwoSides,
              (const std::vector<std::array<unsigned char, 3>>& rows, unsigned seed)) {
  std::vector<Comparison> games = drawn_games(rows);
  BradleyTerryOptions options;
  options.seat = SeatEffect::estimated;
  options.bootstrap = Resampling();
  options.bootstrap->draws = 20;
  const BradleyTerry one = bradley_terry(games, options);
  std::mt19937 source(seed);
  std::shuffle(games.begin(), games.end(), source);
  for (Comparison& each : games) {
    if (source() % 2 == 0) continue;
    std::swap(each.a, each.b);
    if (each.winner != Winner::tie) each.winner = each.winner == Winner::a ? Winner::b : Winner::a;
    each.first = each.first == FirstSeat::a ? FirstSeat::b : FirstSeat::a;
  }
  const BradleyTerry other = bradley_terry(games, options);
  RC_ASSERT(one.undefined == other.undefined && one.method == other.method);
  for (std::size_t i = 0; i < one.players.size(); ++i) {
    const FittedEffect& a = one.players[i].log_strength;
    const FittedEffect& b = other.players[i].log_strength;
    RC_ASSERT(a.estimate.value == b.estimate.value && a.clustered_error == b.clustered_error);
    RC_ASSERT(a.resampled.ci.has_value() == b.resampled.ci.has_value());
    if (a.resampled.ci) RC_ASSERT(a.resampled.ci->low == b.resampled.ci->low);
    RC_ASSERT(!a.estimate.value || std::isfinite(*a.estimate.value));
    RC_ASSERT(!a.estimate.ci || a.estimate.ci->low < a.estimate.ci->high);
  }
}

RC_GTEST_PROP(BradleyTerry, TurnsRoundWithTheOutcomesAndIgnoresNames,
              (const std::vector<std::array<unsigned char, 3>>& rows)) {
  std::vector<Comparison> games = drawn_games(rows);
  const BradleyTerry one = bradley_terry(games);
  if (!one.undefined.empty()) return;
  std::vector<Comparison> renamed = games;
  for (Comparison& each : renamed) {  // reverses the order of the players
    for (std::string* name : {&each.a, &each.b})
      *name = std::string(1, static_cast<char>('z' - (*name)[0] + 'a'));
  }
  const BradleyTerry other = bradley_terry(renamed);
  for (Comparison& each : games) {
    if (each.winner != Winner::tie) each.winner = each.winner == Winner::a ? Winner::b : Winner::a;
  }
  const BradleyTerry turned = bradley_terry(games);
  const std::size_t players = one.players.size();
  for (std::size_t i = 0; i < players; ++i) {
    const double value = one.players[i].log_strength.estimate.value.value();
    RC_ASSERT(std::fabs(value - other.players[players - 1 - i].log_strength.estimate.value.value()) < 1e-6);
    RC_ASSERT(std::fabs(value + turned.players[i].log_strength.estimate.value.value()) < 1e-6);
  }
}

RC_GTEST_PROP(BradleyTerry, HasTheSameValuesAndSmallerErrorsIfEveryRowIsThereTwice,
              (const std::vector<std::array<unsigned char, 3>>& rows)) {
  std::vector<Comparison> games = drawn_games(rows);
  for (Comparison& each : games) each.cluster = "";
  const BradleyTerry one = bradley_terry(games);
  if (one.method != "maximum_likelihood") return;
  const std::size_t size = games.size();
  for (std::size_t i = 0; i < size; ++i) games.push_back(games[i]);
  const BradleyTerry two = bradley_terry(games);
  for (std::size_t i = 0; i < one.players.size(); ++i) {
    const FittedEffect& a = one.players[i].log_strength;
    const FittedEffect& b = two.players[i].log_strength;
    RC_ASSERT(std::fabs(*a.estimate.value - *b.estimate.value) < 1e-6);
    RC_ASSERT(std::fabs(*a.information_error / std::sqrt(2) - *b.information_error) < 1e-6);
  }
}

}  // namespace
}  // namespace assay
