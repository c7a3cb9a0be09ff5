// How many cases are needed, what can so many show, and how likely is a true difference to be seen? All for
// two-sided tests at level `alpha`; power counts only findings in the right direction. Planning figures have
// no interval: they are as good as the spread put in, which a pilot run should give.
//
// Every figure takes a design effect: cases that come in clusters carry less, so n cases in clusters are
// worth n / design_effect independent ones. Impossible input (a negative variance, a power above 1, a
// difference of 0) is undefined and says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "stats/estimate.h"

namespace assay {

struct PowerGoal {
  double alpha = 0.05;
  double power = 0.8;
};

struct SampleSize {
  std::optional<double> exact;        // where the formula meets the goal
  std::optional<std::int64_t> cases;  // rounded up
  std::string method;
  std::string undefined;
};

// --- the same cases under two systems ---
// Variance of one case's difference: ω² + σ_a²/K_a + σ_b²/K_b, where ω² is the variance between cases of the
// difference in expected scores, σ² the variance between repeats of one case, K the repeats (Miller 2024,
// arXiv:2411.00640). Normal approximation, method "normal".
struct PairedSpread {
  double omega_squared = 0;
  double sigma_squared_a = 0;
  double sigma_squared_b = 0;
  double repeats_a = 1;
  double repeats_b = 1;
  double design_effect = 1;
};
// n = (z_{α/2} + z_β)²·variance/δ².
SampleSize paired_sample_size(double delta, const PairedSpread& spread, PowerGoal goal = {});
// Φ(|δ|·sqrt(n/variance) - z_{α/2}).
Estimate paired_power(double delta, const PairedSpread& spread, std::int64_t cases, double alpha = 0.05);
// (z_{α/2} + z_β)·sqrt(variance/n).
Estimate paired_minimum_effect(const PairedSpread& spread, std::int64_t cases, PowerGoal goal = {});

// --- different cases: means ---
// Student's t with n cases in each group: power is P(T > t_{α/2}) for noncentral T with 2n - 2 degrees of
// freedom and noncentrality |δ|/s·sqrt(n/2), as R's power.t.test. Method "noncentral_t". At least two in each
// group.
struct GroupSpread {
  double deviation = 1;  // within each group
  double design_effect = 1;
};
SampleSize means_sample_size(double delta, GroupSpread spread, PowerGoal goal = {});  // in each group
Estimate means_power(double delta, GroupSpread spread, std::int64_t cases_each, double alpha = 0.05);
Estimate means_minimum_effect(GroupSpread spread, std::int64_t cases_each, PowerGoal goal = {});

// --- different cases: rates ---
// With p̄ = (p+q)/2 and n in each group: power Φ((|p-q|·√n - z_{α/2}·sqrt(2p̄(1-p̄)))/sqrt(p(1-p) + q(1-q))), as
// R's power.prop.test (Fleiss, Levin, Paik, Statistical Methods for Rates and Proportions, chapter 4). Method
// "normal".
SampleSize rates_sample_size(double p, double q, PowerGoal goal = {}, double design_effect = 1);
Estimate rates_power(double p, double q, std::int64_t cases_each, double alpha = 0.05,
                     double design_effect = 1);
// How far from `base` the other rate must lie, upwards or downwards; undefined if even 1 (or 0) is not
// enough.
enum class Direction { up, down };
Estimate rates_minimum_effect(double base, Direction direction, std::int64_t cases_each, PowerGoal goal = {},
                              double design_effect = 1);

// --- clusters ---
// 1 + ((1 + cv²)·m - 1)·ρ for clusters of mean size m whose sizes vary by cv (deviation over mean), with
// correlation ρ within clusters (Eldridge, Ashby, Kerry 2006). Plain figure.
Estimate design_effect(double mean_size, double correlation, double size_variation = 0);
// From data: the squared ratio of the clustered (without C/(C-1)) to the naive standard error. Undefined with
// one cluster or without spread; not finite values are left out.
Estimate observed_design_effect(std::span<const double> values, std::span<const std::string> clusters);

}  // namespace assay
