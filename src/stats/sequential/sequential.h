// What may be said while a run is still going? An ordinary interval that is looked at after every answer is
// wrong far more often than its level says. A confidence sequence holds at all times together: the chance
// that it ever excludes the true mean is at most 1 - level, so one may look as often as one likes and stop
// whenever the answer is clear. The price is width. An e-value is the same for a test: the wealth of a
// gambler who bets against the null hypothesis; under it, the chance to ever reach 1/α is at most α.
//
// All of them need observations in random order (shuffled cases), chosen without a look at their scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/estimate.h"

namespace assay {

// --- Betting, for scores within a known range -----------------------------------------------------------

struct BettingPlan {
  double level = 0.95;
  Interval range{0, 1};
  // The cases are drawn without replacement from this many, and the mean is that of all of them.
  std::optional<std::int64_t> population = std::nullopt;
  std::size_t cells = 1000;  // of the grid over the range; at least 10, at most 100,000
};

// Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (JRSS-B 2024,
// arXiv:2010.09686): for every candidate mean m two gamblers bet that the scores are higher and lower,
//   W(m) = ½·Π(1 + λ⁺·(x - m)) + ½·Π(1 - λ⁻·(x - m)),  λ = sqrt(2·ln(2/α) / (σ̂²·t·ln(1 + t))),
// with σ̂² from the scores before, λ⁺ <= ½/m and λ⁻ <= ½/(1 - m); candidates with W >= 1/α are out for good.
// Between two points of the grid W is bounded from below (the first product falls in m, the second rises), so
// the grid costs width but never coverage. Without replacement m is what the rest must have on average,
// (N·m - Σ before)/(N - t + 1).
//
// Guaranteed for every distribution on the range, from the first score on. A step costs O(cells).
class BettingSequence {
 public:
  explicit BettingSequence(BettingPlan plan = {});

  // A score that is not finite is counted and left out. Of a population it stays a member that may have had
  // any value, so both gamblers lose their stake on it, which keeps the guarantee even if it is the failures
  // that go missing. A score outside the range voids the guarantee: the interval is undefined from then on.
  //
  // Observations may count unequally: `weight` in (0, 1], known before the score, and of a cluster its share
  // of the largest cluster's size. The gamblers then win or lose weight·(x - m), and the mean is the weighted
  // one, E[weight·x]/E[weight]. Only without a population.
  void add(double score, double weight = 1);

  // Mean and interval of what was added, method "betting" or "betting_without_replacement". When the whole
  // population was seen the mean is known, and only then the interval is a point.
  Estimate now() const;

 private:
  void bet(double least_score, double most_score, double weight);
  void exclude();

  BettingPlan plan_;
  std::string broken_;  // why there is no interval any more
  std::int64_t n_ = 0;
  std::int64_t missing_ = 0;
  double sum_ = 0;  // of scores as shares of the range, like all below, times their weights
  double weights_ = 0;
  double spread_ = 0.25;        // ¼ + Σ(x - running mean)²
  std::vector<double> higher_;  // the two gamblers' wealth at the points of the grid, from low to high
  std::vector<double> lower_;
  std::size_t first_ = 0;  // cells first_ … last_ - 1 are not out yet
  std::size_t last_ = 0;
};

// The e-value of one fixed bet against "the mean is at most m" (bet > 0) or "at least m" (bet < 0), for
// scores in [0, 1] and 0 < m < 1: Π(1 + bet·(x - m)). NaN if the bet could lose more than everything (outside
// -1/(1 - m) … 1/m) or a score lies outside.
double fixed_bet_e_value(std::span<const double> scores, double m, double bet);

// --- Normal mixture, for any scores ---------------------------------------------------------------------

// Howard, Ramdas, McAuliffe, Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences"
// (Annals of Statistics 2021, arXiv:1810.08240). A sum S of centred, σ-sub-Gaussian observations with v =
// t·σ² stays within the boundary at all times with probability 1 - α:
//   |S| < sqrt((v + ρ)·ln((v + ρ)/(ρ·α²))).
// NaN for v < 0, ρ <= 0 or α outside (0, 1).
double normal_mixture_boundary(double v, double rho, double alpha);
// The same for S alone: where ½·ln(4ρ/(v + ρ)) + s²/(2(v + ρ)) + ln Φ(s/sqrt(v + ρ)) reaches ln(1/α).
double normal_mixture_boundary_above(double v, double rho, double alpha);
// The logarithm of the mixture itself, ½·ln(ρ/(v + ρ)) + s²/(2(v + ρ)).
double normal_mixture_log_wealth(double s, double v, double rho);
// The ρ for which the two-sided boundary is (nearly) lowest at v: v/(2·ln(1/α) + ln(1 + 2·ln(1/α))). For the
// one-sided boundary take 2α.
double best_rho(double v, double alpha);

struct NormalMixturePlan {
  double level = 0.95;
  // Known: σ is half its width (Hoeffding), and the level is guaranteed. Unknown: σ is estimated, and the
  // level holds in the limit only (Waudby-Smith et al., Annals of Statistics 2024, arXiv:2103.06476).
  std::optional<Interval> range = std::nullopt;
  double tuned_for = 100;  // the number of observations at which the interval is tightest
  // No interval before this many observations if σ is estimated: earlier, skewed scores look too even. Looked
  // at from 10 on, 8 % to 10 % of streams exclude the truth where 5 % may; from 100 on, 3.8 % of ratings
  // and 5.4 % of pass-or-fail at 0.9 (bench/coverage.cc).
  std::int64_t first_look = 100;
};

// Depends on count, mean and spread alone, so a resumed run says the same; costs O(1).
class NormalMixtureSequence {
 public:
  explicit NormalMixtureSequence(NormalMixturePlan plan = {});
  void add(double value);  // not finite: counted and left out; outside the range: undefined from then on
  // Method "normal_mixture" or "normal_mixture_asymptotic"; the latter has no interval before first_look, for
  // one observation, or for observations that are all equal.
  Estimate now() const;

 private:
  NormalMixturePlan plan_;
  std::string broken_;
  std::int64_t n_ = 0;
  std::int64_t missing_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// --- Pass or fail ---------------------------------------------------------------------------------------

// Which rates the gambler believes in: all, or those above the null hypothesis only.
enum class BetsOn { both_sides, larger };

// ln of the Beta(a, b) mixture's wealth against "the rate is p" after s successes and f failures,
//   B(a + s, b + f) / (B(a, b)·p^s·(1 - p)^f),
// or with the Beta cut to rates above p. s and f need not be whole. NaN outside the domain.
double beta_mixture_log_wealth(double successes, double failures, double p, double a, double b,
                               BetsOn side = BetsOn::both_sides);

// All rates p that a Beta(κp, κ(1 - p)) mixture does not exclude (Howard et al., as above),
// κ = best_rho(tuned_for, 1 - level) - 1, at least 0.001. Guaranteed for every n at once. Method
// "beta_binomial"; n = 0 is undefined.
Estimate bernoulli_sequence(std::int64_t successes, std::int64_t n, double level = 0.95,
                            double tuned_for = 100);

// The same as a stream; it depends on the counts alone.
class BernoulliSequence {
 public:
  explicit BernoulliSequence(double level = 0.95, double tuned_for = 100)
      : level_(level), tuned_for_(tuned_for) {}
  void add(bool success) {
    ++n_;
    successes_ += success ? 1 : 0;
  }
  Estimate now() const { return bernoulli_sequence(successes_, n_, level_, tuned_for_); }

 private:
  double level_;
  double tuned_for_;
  std::int64_t n_ = 0;
  std::int64_t successes_ = 0;
};

// --- Two systems on the same cases ----------------------------------------------------------------------

// Evidence against "both pass equally often", from the cases that only one of them passes: given such a case,
// each is equally likely to be the one. `p` = 1/(largest e so far), at most 1, may be looked at at any time.
// e-values of independent batches multiply; those of dependent tests may be averaged.
struct EValue {
  double e = 1;
  double log_e = 0;
  double p = 1;
  std::int64_t n = 0;  // discordant pairs
  std::string method;  // "beta_mixture"
  std::string undefined;
};

// Beta(a, b) mixture over the share of discordant pairs that A wins; the default is the uniform one. No
// discordant pair: e = 1, nothing is known. Negative counts or a, b <= 0 are undefined. As all counts at once
// say nothing about earlier looks, p is 1/e here.
EValue paired_e_value(std::int64_t a_only, std::int64_t b_only, double a = 1, double b = 1,
                      BetsOn side = BetsOn::both_sides);

class PairedEvidence {
 public:
  explicit PairedEvidence(BetsOn side = BetsOn::both_sides) : side_(side) {}
  void add(bool a_passed, bool b_passed);
  EValue now() const;

 private:
  BetsOn side_;
  std::int64_t a_only_ = 0;
  std::int64_t b_only_ = 0;
  double largest_log_e_ = 0;
};

// --- Many tests -----------------------------------------------------------------------------------------

// e-BH (Wang and Ramdas, JRSS-B 2022, arXiv:2009.02824): the smallest false discovery rate at which each
// hypothesis is rejected, min over k >= rank of m/(k·e_(k)), at most 1. Whatever the dependence of the
// e-values. One that is NaN or negative stays NaN, but counts in m: the family was declared.
std::vector<double> e_bh_adjusted(std::span<const double> e_values);
// Which are rejected at that rate.
std::vector<bool> e_bh(std::span<const double> e_values, double rate = 0.05);

}  // namespace assay
