#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats/ranking/bradley_terry.h"
#include "tests/stats/comparisons.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

BradleyTerryOptions with_threshold(std::string reference = "") {
  BradleyTerryOptions options = against(std::move(reference));
  options.ties = Ties::rao_kupper;
  return options;
}

double threshold(const BradleyTerry& fit) {
  return fit.tie.value().estimate.value.value();
}

// shared/reference/statistics.md, 4.9: Davidson's puddings by Rao and Kupper's model.
TEST(RaoKupper, GivesThePublishedWorthsAndThreshold) {
  const BradleyTerry fit = bradley_terry(pudding(), with_threshold());
  EXPECT_EQ(fit.n, 745);
  EXPECT_EQ(fit.method, "maximum_likelihood");
  double total = 0;
  for (const Strength& brand : fit.players) total += std::exp(brand.log_strength.estimate.value.value());
  const double worths[] = {.144399, .171794, .162817, .166078, .160381, .194531};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(std::exp(fit.players[i].log_strength.estimate.value.value()) / total, worths[i], 5e-7);
  }
  EXPECT_NEAR(threshold(fit), 1.748457, 5e-7);
  EXPECT_NEAR(fit.log_likelihood.value(), -809.69713, 5e-6);
  EXPECT_LT(fit.tie->estimate.ci.value().low, 1.748457);
  EXPECT_GT(fit.tie->estimate.ci.value().low, 1.5);
}

TEST(RaoKupper, AgreesWithRInValuesAndBothErrors) {
  const Json reference = reference_file("rao_kupper.json");
  for (const auto& [name, extra] :
       {std::pair("plain", Extra::none), {"seat_and_length", Extra::seat_and_length}}) {
    const FromR expected = from_r(reference.at(name), extra);
    BradleyTerryOptions options = with_threshold("1");
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
      EXPECT_NEAR(effects[i].estimate.value.value(), expected.coefficients[i], 1e-7) << name << i;
      EXPECT_NEAR(effects[i].information_error.value(), expected.errors[i], 1e-7) << name << i;
      EXPECT_NEAR(effects[i].clustered_error.value(), expected.clustered[i], 1e-7) << name << i;
      EXPECT_EQ(effects[i].estimate.method, "t_clustered") << name;
    }
  }
}

// Two players have three shares and two parameters, so the shares are fitted exactly.
TEST(RaoKupper, FitsTheSharesOfTwoPlayersExactly) {
  const BradleyTerry fit =
      bradley_terry(std::vector{game("x", "y", Winner::a, 60), game("x", "y", Winner::b, 15),
                                game("x", "y", Winner::tie, 25)},
                    with_threshold("y"));
  // P(a) = p/(p + θ) = 0.6 and P(b) = 1/(1 + θp) = 0.15: p/θ = 1.5 and pθ = 17/3.
  EXPECT_NEAR(std::exp(2 * strength(fit, "x")), 1.5 * 17 / 3, 1e-8);
  EXPECT_NEAR(threshold(fit), std::sqrt(17.0 / 3 / 1.5), 1e-8);
  // Given a decision, a has 60 of 75; the error is that of such a rate, 1/60 + 1/15.
  const Estimate chance = win_probability(fit, "x", "y");
  EXPECT_NEAR(chance.value.value(), 0.8, 1e-9);
  const double half = 1.959963985 * std::sqrt(1.0 / 60 + 1.0 / 15);
  EXPECT_NEAR(chance.ci.value().low, 1 / (1 + std::exp(-(std::log(4) - half))), 1e-8);
  EXPECT_NEAR(chance.ci.value().high, 1 / (1 + std::exp(-(std::log(4) + half))), 1e-8);
  const Estimate other = win_probability(fit, "y", "x");
  EXPECT_NEAR(other.value.value(), 0.2, 1e-9);
  EXPECT_NEAR(other.ci.value().low, 1 - chance.ci->high, 1e-9);
}

TEST(RaoKupper, IsBradleyTerryWithoutTies) {
  const std::vector<Comparison> games = {game("x", "y", Winner::a, 7), game("x", "y", Winner::b, 3),
                                         game("y", "z", Winner::a, 5), game("z", "y", Winner::a, 4)};
  const BradleyTerry plain = bradley_terry(games);
  const BradleyTerry fit = bradley_terry(games, with_threshold());
  EXPECT_FALSE(fit.tie.has_value());
  EXPECT_EQ(fit.log_likelihood, plain.log_likelihood);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(fit.players[i].log_strength.estimate.value, plain.players[i].log_strength.estimate.value);
  }
  EXPECT_EQ(win_probability(fit, "x", "y").value, win_probability(plain, "x", "y").value);
}

TEST(RaoKupper, KeepsTheThresholdsIntervalAboveOne) {
  const BradleyTerry fit = bradley_terry(
      std::vector{game("x", "y", Winner::a, 6), game("x", "y", Winner::b, 5), game("x", "y", Winner::tie, 1)},
      with_threshold());
  EXPECT_GT(threshold(fit), 1);
  EXPECT_EQ(fit.tie->estimate.ci.value().low, 1);
  // One tie in 100,001 is still one.
  const BradleyTerry rare =
      bradley_terry(std::vector{game("x", "y", Winner::a, 60'000), game("x", "y", Winner::b, 40'000),
                                game("x", "y", Winner::tie, 1)},
                    with_threshold());
  EXPECT_EQ(rare.method, "maximum_likelihood");
  EXPECT_GT(threshold(rare), 1);
  EXPECT_LT(threshold(rare), 1.0001);
}

TEST(RaoKupper, IsUndefinedWithAReason) {
  EXPECT_EQ(bradley_terry(std::vector<Comparison>{}, with_threshold()).undefined, "no comparisons");
  EXPECT_EQ(bradley_terry(std::vector{game("a", "b", Winner::tie)}, with_threshold()).undefined,
            "every comparison is a tie");
  EXPECT_NE(
      bradley_terry(std::vector{game("a", "b", Winner::a), game("c", "d", Winner::tie)}, with_threshold())
          .undefined.find("no chain of comparisons"),
      std::string::npos);
  // Without an interval the chance of a win stays that of the model.
  std::vector<Comparison> games = pudding();
  for (Comparison& one : games) one.cluster = "only";
  const BradleyTerry one = bradley_terry(games, with_threshold());
  const Estimate chance = win_probability(one, "6", "1");
  EXPECT_FALSE(chance.ci.has_value());
  EXPECT_NE(chance.undefined, "");
  EXPECT_NEAR(chance.value.value(),
              win_probability(bradley_terry(pudding(), with_threshold()), "6", "1").value.value(), 1e-12);
  BradleyTerryOptions seat = with_threshold();
  seat.seat = SeatEffect::estimated;
  std::vector<Comparison> fixed_seats = pudding();
  for (Comparison& comparison : fixed_seats) comparison.first = FirstSeat::a;
  EXPECT_EQ(bradley_terry(fixed_seats, seat).undefined, "");  // a chain of orders tells them apart
  fixed_seats.erase(fixed_seats.begin() + 3, fixed_seats.end());
  EXPECT_NE(bradley_terry(fixed_seats, seat).undefined.find("seat effect cannot be told"), std::string::npos);
}

TEST(RaoKupper, UsesAWeakPriorWhereSomeoneNeverLosesAndSaysSo) {
  const BradleyTerry fit = bradley_terry(
      std::vector{game("x", "y", Winner::a, 5), game("x", "y", Winner::tie, 3)}, with_threshold());
  EXPECT_EQ(fit.method, "maximum_likelihood, weak prior");
  EXPECT_GT(strength(fit, "x"), strength(fit, "y"));
  EXPECT_TRUE(std::isfinite(fit.tie.value().information_error.value()));
  EXPECT_GT(threshold(fit), 1);
}

TEST(RaoKupper, DrawsClustersAgainOnRequest) {
  const FromR data = from_r(reference_file("rao_kupper.json").at("plain"), Extra::none);
  BradleyTerryOptions options = with_threshold("1");
  options.bootstrap = Resampling{.draws = 1'000};
  const BradleyTerry fit = bradley_terry(data.games, options);
  const Estimate& resampled = fit.tie.value().resampled;
  EXPECT_EQ(resampled.method, "bootstrap_percentile");
  EXPECT_LT(resampled.ci.value().low, threshold(fit));
  EXPECT_GT(resampled.ci.value().high, threshold(fit));
  EXPECT_GT(resampled.ci.value().low, 1);
}

RC_GTEST_PROP(RaoKupper, DoesNotDependOnTheOrderOrOnWhoIsCalledA,
              (const std::vector<std::uint8_t>& bytes, unsigned seed)) {
  std::vector<Comparison> games = {game("p", "q", Winner::a), game("q", "p", Winner::a),
                                   game("q", "r", Winner::a), game("r", "q", Winner::a),
                                   game("p", "r", Winner::tie)};
  const std::string names[] = {"p", "q", "r"};
  for (const std::uint8_t byte : bytes) {
    const Winner winner = byte % 5 < 2 ? Winner::a : byte % 5 < 4 ? Winner::b : Winner::tie;
    games.push_back(game(names[byte % 3], names[(byte + 1 + byte / 128) % 3], winner));
  }
  std::vector<Comparison> other = games;
  for (Comparison& one : other) {
    if ((one.a < one.b) != (seed % 2 == 0)) continue;
    std::swap(one.a, one.b);
    if (one.winner != Winner::tie) one.winner = one.winner == Winner::a ? Winner::b : Winner::a;
  }
  std::shuffle(other.begin(), other.end(), std::mt19937(seed));
  const BradleyTerry fit = bradley_terry(games, with_threshold());
  const BradleyTerry again = bradley_terry(other, with_threshold());
  RC_ASSERT(fit.undefined.empty());
  RC_ASSERT(fit.log_likelihood == again.log_likelihood);
  RC_ASSERT(threshold(fit) == threshold(again));
  RC_ASSERT(threshold(fit) > 1);
  for (std::size_t i = 0; i < 3; ++i) {
    RC_ASSERT(fit.players[i].log_strength.estimate.value == again.players[i].log_strength.estimate.value);
  }
  if (fit.method != "maximum_likelihood") return;
  // A tie is a win of both, and at the maximum what was unlikely in a player's wins and losses is in balance.
  const double theta = threshold(fit);
  double balance[3] = {};
  for (const Comparison& one : games) {
    const auto a = static_cast<std::size_t>(one.a[0] - 'p');
    const auto b = static_cast<std::size_t>(one.b[0] - 'p');
    const double x = strength(fit, one.a) - strength(fit, one.b);
    const double surprise_a = one.winner != Winner::b ? 1 - 1 / (1 + theta * std::exp(-x)) : 0;
    const double surprise_b = one.winner != Winner::a ? 1 - 1 / (1 + theta * std::exp(x)) : 0;
    balance[a] += surprise_a - surprise_b;
    balance[b] -= surprise_a - surprise_b;
  }
  for (const double sum : balance) RC_ASSERT(std::fabs(sum) < 1e-6);
}

}  // namespace
}  // namespace assay
