// How far may a sum stray while one looks at it after every observation? Boundaries for sums whose tails are
// heavier than the normal ones of stats/sequential.h, and for a whole distribution. Each holds at all times
// together: the chance that the sum ever lies above it is at most α.
//
// A sum S of centred observations comes with v, how much it may have varied so far, and with c, the scale of
// its upper tail. What the two must promise is E exp(λS - ψ(λ)·v) <= 1 for 0 <= λ (< 1/c), where
//   sub-exponential  ψ = (-ln(1 - cλ) - cλ)/c²    waiting times of mean c, v = t·c²; observations whose range
//                                                 has the width c, v = Σ(x - what was foretold of x)²
//   sub-Poisson      ψ = (e^{cλ} - cλ - 1)/c²     observations at most c above their mean, v = their summed
//                                                 variances (Bennett); counts, c = 1 and v = their mean sum
//   sub-gamma        ψ = λ²/(2(1 - cλ))           both of the above; c = 0: sub-Gaussian, v = t·σ²
// S alone is bounded; for both sides take α/2 and the boundary of -S beside it.
//
// All functions give NaN outside of their domain: v < 0, ρ, c or another parameter not positive and finite
// (c = 0 is allowed where said), α outside (0, 1). Reference: Howard, Ramdas, McAuliffe, Sekhon,
// "Time-uniform, nonparametric, nonasymptotic confidence sequences" (Annals of Statistics 2021,
// arXiv:1810.08240).
#pragma once

namespace assay {

// --- Mixtures over λ ------------------------------------------------------------------------------------

// ρ says where the boundary is tight: best_rho(v, 2α) of stats/sequential.h for sums near v. As c falls to 0
// both become the normal mixture's boundary for S alone.

// Sub-exponential, 1 - cλ mixed by a gamma distribution with shape and rate ρ/c², cut to λ >= 0. With
// a = ρ/c², b = (v + ρ)/c², u = cs/(v + ρ) and Stirling's remainder δ the logarithm of the mixture is
//   ½·ln(a/b) + b·(u - ln(1 + u)) + δ(b) - δ(a) + ln P(b, b·(1 + u)) - ln P(a, a),
// P and Q being the regularised incomplete gamma functions; NaN also for s <= -(v + ρ)/c. A c below
// 1e-5·sqrt(v + ρ) counts as that much, since P and Q are not known well enough further on; it raises the
// boundary by about 1e-5 of it.
double gamma_exponential_log_wealth(double s, double v, double rho, double c);
// The s at which it reaches ln(1/α).
double gamma_exponential_boundary(double v, double rho, double c, double alpha);

// Sub-Poisson, e^{cλ} mixed by the same gamma distribution, cut to λ >= 0; with y = b·(1 + u)
//   ½·ln(a/y) + b·((1 + u)·ln(1 + u) - u) + δ(y) - δ(a) + ln Q(y, b) - ln Q(a, a).
double gamma_poisson_log_wealth(double s, double v, double rho, double c);
double gamma_poisson_boundary(double v, double rho, double c, double alpha);

// --- Stitching ------------------------------------------------------------------------------------------

struct Stitching {
  double first_v = 1;  // tight from here on; below, the boundary stays what it is here
  double scale = 0;    // c >= 0
  double power = 1.4;  // how the error is shared among epochs: epoch k gets a share of 1/k^power; above 1
  double ratio = 2;    // of the ends of an epoch, η; above 1
};

// Sub-gamma, and it grows as slowly as the law of the iterated logarithm allows, sqrt(v·ln ln v): linear
// boundaries, one for each epoch η^k, stitched together (theorem 1). With v not below first_v
//   ℓ = power·ln ln(η·v/first_v) + ln(ζ(power)/(α·ln(η)^power)),
//   sqrt(k₁²·v·ℓ + (k₂·c·ℓ)²) + k₂·c·ℓ,  k₁ = (η^¼ + η^-¼)/√2,  k₂ = (√η + 1)/2.
double stitched_boundary(double v, double alpha, const Stitching& stitching = {});

// --- A whole distribution -------------------------------------------------------------------------------

// From `first_t` observations on, the observed distribution function is nowhere further from the true one
// than A·sqrt((ln(1 + ln(t/first_t)) + C)/t), so every quantile may be read off at any time (Howard, Ramdas,
// "Sequential estimation of quantiles with applications to A/B testing and best-arm identification",
// Bernoulli 2022, arXiv:1906.09712, theorem 2). C is the least number for which
//   min over η of 4·exp(-γ²C)·(1 + 1/((γ² - 1)·ln η)) <= α,  γ² = (2/η)·(A - sqrt(2(η - 1)/C))² > 1.
// `leading` is A, above 1/√2: a smaller one is tighter late, a larger one early. Infinite before first_t,
// which must be at least 1: nothing is promised there. Independent observations, of any distribution.
double distribution_boundary(double t, double first_t, double alpha, double leading = 0.85);

}  // namespace assay
