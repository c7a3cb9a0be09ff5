// How large is a difference, in units that do not depend on the scale? Standardised mean differences, the
// chance that one group is above the other, and the odds ratio, each with its interval. Magnitude labels
// ("small", "large") are conventions and are not given: read the number.
//
// Values that are not finite are left out and counted in `missing`. The order of values plays no part.
// Exchanging the groups turns the sign (A becomes 1 - A, the odds ratio its inverse).
#pragma once

#include <span>

#include "stats/comparisons/two_rates.h"
#include "stats/estimate.h"

namespace assay {

// --- standardised differences of means ---
// Interval: the noncentral t distributions under which the t seen lies at the (1-level)/2 tails, found by
// bisection ("noncentral_t"); exact for normal data. Where that distribution cannot be computed with
// certainty (very large t), the large-sample standard error, "large_sample". Undefined without spread.
// Reference: Hedges, Olkin, Statistical Methods for Meta-Analysis, 1985, chapter 5; Cumming, Finch 2001.

// d = (ā - b̄)/s with the pooled s; n_a + n_b >= 3. Large sample: SE² = 1/n_a + 1/n_b + d²/(2(n_a+n_b)).
Estimate cohen_d(std::span<const double> a, std::span<const double> b, double level = 0.95);
// g = J·d without d's small-sample bias, J = Γ(m/2)/(sqrt(m/2)·Γ((m-1)/2)) with m = n_a + n_b - 2 >= 2; the
// interval is J times that of d.
Estimate hedges_g(std::span<const double> a, std::span<const double> b, double level = 0.95);
// For pairs: mean over standard deviation of the differences a_i - b_i. Lists of different length are
// undefined. It is in units of the differences and not to be compared with d. Large sample:
// SE² = 1/n + d_z²/(2n).
Estimate cohen_dz(std::span<const double> a, std::span<const double> b, double level = 0.95);

// --- dominance ---
// δ = P(a > b) - P(a < b), A = P(a > b) + ½·P(a = b) = (δ + 1)/2; for any ordered scale.
// Interval ("cliff"): (δ - δ³ ± z·s·sqrt((1-δ²)² + z²s²)) / (1 - δ² + z²s²) with the consistent variance
// s² = [(n_b-1)·s²_i + (n_a-1)·s²_j + Σ_ij(δ_ij-δ)²/((n_a-1)(n_b-1))]/(n_a·n_b), where s²_i and s²_j are the
// sample variances of the row and column means of δ_ij = sign(a_i - b_j) (Cliff, Ordinal Methods for
// Behavioral Data Analysis, 1996, chapter 5). Two values in each group are needed. If the groups do not
// overlap (δ = ±1) the variance says nothing, and the interval is Wilson's for min(n_a, n_b) successes in as
// many cases, on the scale of δ: from (n-z²)/(n+z²) to 1 ("wilson_of_separated_groups"). All values equal:
// none. On request ("cliff_unbiased"), as other programs have it, with Cliff's unbiased variance
//   [n_b²·Σ(row mean - δ)² + n_a²·Σ(column mean - δ)² - Σ_ij(δ_ij-δ)²]/(n_a·n_b·(n_a-1)(n_b-1)),
// and not below (1-δ²)/(n_a·n_b-1), since few values can make it negative.
enum class DominanceVariance { consistent, unbiased };
Estimate cliffs_delta(std::span<const double> a, std::span<const double> b, double level = 0.95,
                      DominanceVariance variance = DominanceVariance::consistent);
Estimate vargha_delaney(std::span<const double> a, std::span<const double> b, double level = 0.95);

// --- odds ---
// (a·d)/(b·c) of successes and failures with Woolf's interval exp(ln OR ± z·sqrt(1/a+1/b+1/c+1/d)), method
// "woolf". If one cell is 0, ½ is added to all four, in value and interval ("woolf_half_added"). Undefined if
// all cases of both groups had the same outcome, or a group is empty.
Estimate odds_ratio(Share a, Share b, double level = 0.95);

}  // namespace assay
