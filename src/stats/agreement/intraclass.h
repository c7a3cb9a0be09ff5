// How much of the spread of ratings is between the units, and not between raters or noise? Intraclass
// correlations of n units × k raters, all cells filled (units with a hole are left out and counted).
//
// With the mean squares of the two-way table, B between units, J between raters, E residual, and W within
// units (J and E together):
//   ICC(1,1) = (B−W)/(B+(k−1)W)                  raters differ from unit to unit
//   ICC(2,1) = (B−E)/(B+(k−1)E+k(J−E)/n)         the same raters, a sample of many; strictness counts
//   ICC(3,1) = (B−E)/(B+(k−1)E)                  these raters only; a constant strictness is forgiven
//   ICC(1,k) = (B−W)/B   ICC(2,k) = (B−E)/(B+(J−E)/n)   ICC(3,k) = (B−E)/B     the same for the mean of the k
// An ICC says nothing without its name: report which. Values below 0 are reported as they are; they say that
// units differ less than noise would make them.
//
// Two intervals each: the F intervals of Shrout and Fleiss (method "f"; for ratings near normal), and the
// percentile bootstrap over units. Undefined with fewer than two units, or if all ratings are equal; no F
// interval if the raters agree perfectly, since there is then no error to measure. References: Shrout and
// Fleiss 1979; McGraw and Wong 1996.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stats/agreement/ratings.h"
#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

struct MeanSquares {
  double between_units = 0;
  double within_units = 0;
  double between_raters = 0;
  double residual = 0;
  std::int64_t units = 0;
  std::int64_t raters = 0;
};

struct Intraclass {
  Estimate f;          // with the F interval
  Estimate resampled;  // the same value with the bootstrap interval
};

struct IntraclassFigures {
  std::optional<MeanSquares> mean_squares;  // absent if undefined
  Intraclass icc_1_1;
  Intraclass icc_2_1;
  Intraclass icc_3_1;
  Intraclass icc_1_k;
  Intraclass icc_2_k;
  Intraclass icc_3_k;
};
IntraclassFigures intraclass_figures(const Ratings& ratings, const Resampling& resampling = {});

}  // namespace assay
