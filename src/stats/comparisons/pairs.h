// Do two systems differ on the same cases? Each case is its own control, so only the differences a_i - b_i
// count. Pairs with a value that is not finite are left out and counted in `missing`; lists of different
// length are undefined. The order of the pairs plays no part; exchanging a and b changes signs only.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/random.h"
#include "stats/test_result.h"

namespace assay {

// --- means ---

// t = d̄ / (s_d/√n) with n - 1 degrees of freedom. Assumes independent pairs whose mean is near normal. One
// pair, or differences that are all equal, have a mean but neither interval nor test. Method "paired_t".
Contrast paired_t(std::span<const double> a, std::span<const double> b, double level = 0.95,
                  Alternative alternative = Alternative::two_sided);
// For pairs in clusters (several answers to one query): the clustered standard error of the differences with
// C/(C-1), and C - 1 degrees of freedom (Miller 2024, arXiv:2411.00640). Undefined with one cluster. Method
// "paired_t_clustered".
Contrast paired_t(std::span<const double> a, std::span<const double> b, std::span<const std::string> clusters,
                  double level = 0.95, Alternative alternative = Alternative::two_sided);

// The same, also where all differences are equal and not 0 (every case fell by one level): their spread is
// 0, which no sample proves, so the interval and the test are made as if one more pair (with clusters: one
// more cluster of average size) had shown no difference. They then say the less the fewer pairs there are:
// with four pairs that all went the same way 0 is just outside of 95 %. The value stays what was seen.
// Methods "paired_t_plus_one", "paired_t_clustered_plus_one". `clusters` may be empty: none. A mean that is
// nothing but the rounding of a sum is 0.
Contrast paired_difference(std::span<const double> a, std::span<const double> b,
                           std::span<const std::string> clusters = {}, double level = 0.95);

// --- ranks ---

// Wilcoxon signed rank: V adds the ranks of |d| over the positive differences, zeros left out.
//   "wilcoxon_exact"   fewer than 50 differences, no ties among |d| and no zeros
//   "wilcoxon_normal"  else: mean n(n+1)/4, variance n(n+1)(2n+1)/24 - Σ(t³-t)/48, continuity ½
// Assumes differences that are symmetric about their centre. Undefined if none differs from 0. `difference`
// is hodges_lehmann of all differences, zeros included.
Contrast wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b, double level = 0.95,
                              Alternative alternative = Alternative::two_sided);

// The centre of symmetric differences: the median of the Walsh averages (d_i + d_j)/2, i <= j. The ends of
// the interval are order statistics of these, with ranks from the null distribution of V below 50 differences
// ("hodges_lehmann_exact": at least the level), else M/2 ∓ z·sqrt(n(n+1)(2n+1)/24) with M = n(n+1)/2, rounded
// outwards ("hodges_lehmann_normal"). No interval if too few differences cannot reach the level (six are
// needed for 95 %), or if ties shrink it to a point (Hollander, Wolfe, chapter 3).
Estimate hodges_lehmann(std::span<const double> differences, double level = 0.95);

// --- permutation ---

struct SignFlips {
  std::int64_t draws = 20'000;                 // of the Monte Carlo test; 1 to 100 million
  Random random = Random::keyed("sign_flip");  // callers key it by run and metric
};

// If the systems were exchangeable, each difference could as well have the other sign: the share of sign
// patterns whose mean is at least as far out as the mean seen (the statistic). No distribution is assumed.
// Up to 20 differences other than 0 all patterns are counted ("sign_flip_exact"), beyond they are drawn, and
// p = (1 + hits)/(1 + draws) ("sign_flip_monte_carlo"), which is never 0. If all differences are 0, p is 1.
TestResult sign_flip(std::span<const double> a, std::span<const double> b, const SignFlips& flips = {},
                     Alternative alternative = Alternative::two_sided);
// Pairs of one cluster flip together, so up to 20 clusters are exact. One cluster gives p = 1: it shows
// nothing.
TestResult sign_flip(std::span<const double> a, std::span<const double> b,
                     std::span<const std::string> clusters, const SignFlips& flips = {},
                     Alternative alternative = Alternative::two_sided);

// --- yes or no ---

// McNemar: only the cases on which the two disagree tell them apart. All two-sided.
struct McNemar {
  TestResult exact;        // 2·P(Bin(b+c, ½) <= min(b, c)), at most 1; "mcnemar_exact"
  TestResult mid_p;        // the same with half the probability of the count seen; "mcnemar_mid_p"
  TestResult chi_squared;  // (b-c)²/(b+c) with one degree of freedom; "mcnemar_chi_squared"
  TestResult corrected;    // (|b-c|-1)²/(b+c), not below 0; "mcnemar_chi_squared_corrected"
};
// `only_a` cases passed by a alone, `only_b` by b alone. Without any the exact p is 1 and χ² undefined.
// Reference: Fagerland, Lydersen, Laake 2013 (BMC Medical Research Methodology 13:91), who prefer mid-p.
McNemar mcnemar(std::int64_t only_a, std::int64_t only_b);

}  // namespace assay
