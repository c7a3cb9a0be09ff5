// Do two groups of different cases differ? Groups that answered the same cases are compared in stats/pairs.h,
// which is far sharper; rates in stats/two_rates.h. Every comparison gives a test and, beside it, the size of
// the difference with its interval: a p-value alone says neither how much nor how sure.
//
// Values that are not finite are left out and counted in `missing`. The order of the values plays no part.
// With one value, or values that are all equal, there is no spread and hence no t-test; exact tests still
// have a p-value then (1, since no relabelling could look different).
#pragma once

#include <span>
#include <string>

#include "stats/test_result.h"

namespace assay {

// --- means ---

// t = (ā - b̄) / (s·sqrt(1/n_a + 1/n_b)) with the pooled s and n_a + n_b - 2 degrees of freedom. Assumes equal
// variances; one group may have a single value. Method "student_t".
Contrast student_t(std::span<const double> a, std::span<const double> b, double level = 0.95,
                   Alternative alternative = Alternative::two_sided);
// t = (ā - b̄) / sqrt(s_a²/n_a + s_b²/n_b) with Welch and Satterthwaite's degrees of freedom: the default, as
// it costs next to nothing when variances are equal. Needs two values in each group. Method "welch_t".
Contrast welch_t(std::span<const double> a, std::span<const double> b, double level = 0.95,
                 Alternative alternative = Alternative::two_sided);
// The difference of means when values come in clusters, which may reach across the groups (the same query in
// both): variance C/(C-1)·Σ_c(Σ_{i∈a,c}(a_i - ā)/n_a - Σ_{i∈b,c}(b_i - b̄)/n_b)² and C - 1 degrees of freedom,
// the two-group form of Miller 2024 (arXiv:2411.00640), where C is the smaller of the groups' numbers of
// clusters: right when all clusters are in both, cautious when they are apart. Undefined if a group has one
// cluster only. Method "t_clustered".
Contrast clustered_t(std::span<const double> a, std::span<const std::string> clusters_a,
                     std::span<const double> b, std::span<const std::string> clusters_b, double level = 0.95,
                     Alternative alternative = Alternative::two_sided);

// --- ranks ---

// Mann–Whitney (Wilcoxon rank sum): the statistic U = R_a - n_a(n_a+1)/2 counts the pairs in which a is above
// b, ties by half. `difference` is the Hodges–Lehmann shift, the median of all a_i - b_j, with the order
// statistics of these as its interval.
// Methods:
//   "mann_whitney_exact"              no ties, both groups below 50: the null distribution of U
//   "mann_whitney_exact_permutation"  ties, n_a + n_b at most 20: every relabelling of the mid-ranks; p
//                                     counts those at least as far from the mean of U
//   "mann_whitney_normal"             else: variance n_a·n_b/12·[(N+1) - Σ(t³-t)/(N(N-1))], continuity ½
// The ranks of the interval's ends come from the null distribution of U if both groups are below 50
// ("hodges_lehmann_exact": at least the level, ties or not), else they are n_a·n_b/2 ∓
// z·sqrt(n_a·n_b(N+1)/12), rounded outwards ("hodges_lehmann_normal"). There is no interval if too few values
// cannot reach the level, or if ties shrink it to a point (Hollander, Wolfe, Nonparametric Statistical
// Methods, chapter 4).
Contrast mann_whitney(std::span<const double> a, std::span<const double> b, double level = 0.95,
                      Alternative alternative = Alternative::two_sided);

// The normal approximation alone, however few values there are, with the ½ or without it: to compare with
// programs that know no other. All values equal have no variance: undefined. Method "mann_whitney_normal",
// or "mann_whitney_normal_uncorrected" without the ½.
enum class Continuity { half, none };
TestResult mann_whitney_normal(std::span<const double> a, std::span<const double> b,
                               Alternative alternative = Alternative::two_sided,
                               Continuity continuity = Continuity::half);

}  // namespace assay
