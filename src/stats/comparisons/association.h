// Do two measures of the same cases go together, and how closely? Every coefficient lies in [-1, 1], keeps
// its sign, and comes with an interval and a two-sided test of no association.
//
// x[i] and y[i] belong to one case; lists of different length are undefined, and a case with a value that is
// not finite is left out and counted in `missing`. The order of cases plays no part. A measure that is
// constant has no coefficient. Perfect agreement (±1) has no interval: its spread says nothing.
#pragma once

#include <cstdint>
#include <span>

#include "stats/test_result.h"

namespace assay {

struct Association {
  Estimate coefficient;
  TestResult test;
};

// Linear: r = Σ(x-x̄)(y-ȳ)/sqrt(Σ(x-x̄)²·Σ(y-ȳ)²). Interval tanh(atanh r ± z/sqrt(n-3)) from four cases on
// ("fisher_z"); test t = r·sqrt((n-2)/(1-r²)) ("pearson_t"). Both assume a bivariate normal distribution.
Association pearson(std::span<const double> x, std::span<const double> y, double level = 0.95);

// Monotone: Pearson of the mid-ranks. Interval by Fisher's z with variance (1 + ρ²/2)/(n-3), Bonett and
// Wright 2000, Psychometrika 65, 23–28 ("fisher_z_bonett_wright"). Test: all orders of y up to nine cases,
// ties or not, and for perfect agreement ("spearman_exact_permutation"); else t as above ("spearman_t").
Association spearman(std::span<const double> x, std::span<const double> y, double level = 0.95);

// Ordinal: tau-b = (C - D)/sqrt((n0-n1)(n0-n2)) with C concordant and D discordant pairs of n0 = n(n-1)/2, n1
// and n2 tied in x and in y; O(n log n). Interval by Fisher's z with variance 0.437/(n-4), from five cases on
// (Fieller, Hartley, Pearson 1957; "fisher_z_fieller"). Test: below 50 cases without ties the distribution of
// C, which is the statistic ("kendall_exact"); else z with the variance corrected for ties in both, which is
// the statistic ("kendall_normal"; Kendall, Rank Correlation Methods, chapter 4).
Association kendall_tau_b(std::span<const double> x, std::span<const double> y, double level = 0.95);

// Yes or no against yes or no: signed phi = (ad - bc)/sqrt of the product of the margins, Pearson's r of two
// measures that are 0 or 1. The interval carries the multinomial delta-method variance (Bishop, Fienberg,
// Holland, Discrete Multivariate Analysis, chapter 11) through Fisher's z ("fisher_z_delta"); test χ² =
// n·phi² with one degree of freedom, without continuity ("phi_chi_squared").
struct BinaryTable {
  std::int64_t both = 0;
  std::int64_t first_only = 0;
  std::int64_t second_only = 0;
  std::int64_t neither = 0;
};
Association phi(const BinaryTable& table, double level = 0.95);
// The same from data; a value other than 0 and 1 makes it undefined.
Association phi(std::span<const double> x, std::span<const double> y, double level = 0.95);

// Yes or no (0 or 1) against a number: Pearson's r; its test is Student's t of the two groups ("pearson_t").
// Fisher's z does not hold for a measure with two values: the interval is Cohen's d's (noncentral t) carried
// over by r = d/sqrt(d² + n(n-2)/(n_0·n_1)).
Association point_biserial(std::span<const double> yes, std::span<const double> values, double level = 0.95);

}  // namespace assay
