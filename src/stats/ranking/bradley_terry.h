// Who is stronger, judged from comparisons of two at a time?
//
// A comparison of a and b has the predictor x = λ_a − λ_b + δ·z + Σ β_k·c_k with log strengths λ, a seat
// effect δ (z = 1 if a was shown first, −1 if b was: δ is the judge's position bias), and covariates c (a's
// minus b's, such as length). Bradley–Terry: P(a wins) = 1/(1 + e^{−x}). With ties, Davidson's model:
//   P(a) : P(b) : P(tie) = e^{x/2} : e^{−x/2} : ν,       so that P(a | no tie) is Bradley–Terry's,
// or Rao and Kupper's, where a lead must exceed a threshold ln θ >= 0 to be noticed:
//   P(a) = 1/(1 + θ·e^{−x}),  P(b) = 1/(1 + θ·e^x),  P(tie) = (θ² − 1)·P(a)·P(b).
// Maximum likelihood by Newton's method. Strengths are relative: they are reported as distances from their
// mean, or from a reference player. A decisive lead on 100 Elo points is P = 0.640.
//
// Errors come from the observed information (independent comparisons), and, if comparisons name their cluster
// (the prompt), from the sandwich clustered on it with C/(C−1) and t on C−1 degrees; intervals use the latter
// where there is one. On request, also the percentile bootstrap over clusters.
//
// Edge cases. Players that no chain of comparisons connects cannot be ranked: undefined, with the groups
// named. Separation (someone never loses, a seat always wins): the likelihood has no maximum, so a weak prior
// is used — as if every player had won and lost half a match against one of mean strength — and every
// `method` ends in
// ", weak prior". A seat effect or covariate that cannot be told from the strengths makes the fit undefined.
// Comparisons of a player with itself, with a covariate that is not finite or with a count below 1 are left
// out and counted. As many parameters as clusters leave no clustered interval. No tie at all: neither ν nor
// θ is fitted.
//
// References: Bradley and Terry 1952; Rao and Kupper 1967; Davidson 1970; Davidson and Beaver 1977 (order
// effects); Firth 1993 and Greenland and Mansournia 2015 (priors under separation).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

enum class Winner { a, b, tie };
enum class FirstSeat { unknown, a, b };

struct Comparison {
  std::string a;
  std::string b;
  Winner winner = Winner::tie;
  FirstSeat first = FirstSeat::unknown;
  std::vector<double> covariates;  // a's minus b's, as many as BradleyTerryOptions::covariates
  std::string cluster;             // empty: a sampling unit of its own
  std::int64_t count = 1;          // so many alike
};

// half_win draws strengths together where ties are common.
enum class Ties { davidson, rao_kupper, half_win };
enum class SeatEffect { ignored, estimated };

struct BradleyTerryOptions {
  Ties ties = Ties::davidson;
  SeatEffect seat = SeatEffect::ignored;
  std::vector<std::string> covariates;  // their names
  std::string reference;                // the player at 0; empty: the mean is at 0
  double level = 0.95;
  std::optional<Resampling> bootstrap;  // its level is ignored
};

struct FittedEffect {
  Estimate estimate;   // method "normal" or "t_clustered"
  Estimate resampled;  // the same value with the bootstrap interval; undefined unless asked for
  std::optional<double> information_error;
  std::optional<double> clustered_error;
};

struct Strength {
  std::string name;
  FittedEffect log_strength;  // n counts the comparisons of this player
  std::int64_t wins = 0;
  std::int64_t losses = 0;
  std::int64_t ties = 0;
  // Among all players by simultaneous intervals of the differences (Bonferroni); 1 is best. Absent without
  // intervals.
  std::optional<std::pair<std::int64_t, std::int64_t>> ranks;
};

struct BradleyTerry {
  Ties ties = Ties::davidson;        // as asked for
  std::vector<Strength> players;     // by name
  std::optional<FittedEffect> seat;  // δ, if asked for
  // ν or θ, if there are ties and they are not half wins; errors are of its log. θ is never below 1.
  std::optional<FittedEffect> tie;
  std::vector<FittedEffect> covariates;
  std::optional<double> log_likelihood;
  std::int64_t n = 0;                           // comparisons
  std::int64_t clusters = 0;                    // 0 if none is named
  std::map<std::string, std::int64_t> missing;  // "self_comparison", "covariate_not_finite", "count_below_1"
  std::string method;                           // "maximum_likelihood", with ", weak prior" under separation
  std::string undefined;
  std::string no_interval;  // why the fit has figures without intervals; empty if it has them
  double level = 0.95;
  // Of the log strengths against the first player, row by row, from the errors that the intervals use; empty
  // if there are none.
  std::vector<double> covariance;
  // Of log θ, in Rao and Kupper's model only: with each of these log strengths, and last its own variance.
  std::vector<double> threshold_covariance;
};
BradleyTerry bradley_terry(std::span<const Comparison> comparisons, const BradleyTerryOptions& options = {});

// The chance that a beats b where one of them wins and the seats are even: that of the model, given no tie.
// In Rao and Kupper's model its odds are (1 + θ·e^x)/(1 + θ·e^{−x}), more than e^x if a is the stronger one,
// and the interval (delta method on the log odds) contains the error of θ. `level` is that of the fit, or
// given: 1 − 0.05/m for m simultaneous ones.
Estimate win_probability(const BradleyTerry& fit, std::string_view a, std::string_view b,
                         std::optional<double> level = std::nullopt);

// The scale of chess: 400 points are odds of ten to one.
double elo_rating(double log_strength, double base = 1500);
double elo_win_probability(double points_ahead);

}  // namespace assay
