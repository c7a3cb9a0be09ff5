// Do raters put the units into the same order? Kendall's W from 0 (no common order) to 1 (the same order),
//   W = 12·S / (m²(n³−n) − m·Σ_j T_j),   T_j = Σ(t³−t) over the ties of rater j,
// with S the sum of squared deviations of the units' rank sums (mid-ranks) from their mean. Test against no
// common order: m(n−1)W, χ² with n−1 degrees (n above 7 or so). Units not rated by all are left out and
// counted. Undefined with fewer than two units or if every rater ties all units. Interval: bootstrap over
// units with ranks made anew; a unit drawn twice ties with itself for every rater, so W drifts up in small
// tables. Reference: Kendall and Babington Smith 1939; Siegel and Castellan 1988 for ties.
#pragma once

#include "stats/agreement/ratings.h"
#include "stats/estimate.h"
#include "stats/intervals/resample.h"
#include "stats/test_result.h"

namespace assay {

struct KendallW {
  Estimate w;
  TestResult test;  // statistic m(n−1)W, method "chi_squared"
};
KendallW kendall_w(const Ratings& ratings, const Resampling& resampling = {});

}  // namespace assay
