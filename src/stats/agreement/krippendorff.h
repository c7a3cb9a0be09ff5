// How far do any number of raters agree beyond chance, on any scale, with holes in the table?
//
// Krippendorff's alpha = 1 − D_o/D_e over the n ratings that have a partner on their unit:
//   D_o = (1/n)·Σ_u (1/(m_u−1))·Σ_{i≠j in u} δ²(i,j)      disagreement inside units
//   D_e = (1/(n(n−1)))·Σ_{i≠j} δ²(i,j)                    disagreement among all ratings
// 1 is perfect agreement, 0 what chance gives, below 0 systematic disagreement. The scale decides δ²:
//   nominal   0 if equal, else 1
//   ordinal   the squared difference of mid-ranks (ratings below a value plus half of those equal to it)
//   interval  (a−b)²
//   ratio     ((a−b)/(a+b))², for values that are not negative
//   any other given by the caller, such as the distance of two sets of labels (see label_sets.h)
// A squared difference summed over pairs needs only sums and sums of squares, so nominal, ordinal and
// interval cost O(n); ratio and any other cost the square of the number of different values.
//
// Units with a single rating are left out and counted. Undefined if fewer than two raters share a unit, if
// all ratings are equal (then D_e is 0: nobody shows that they can tell units apart), or for a negative value
// on the ratio scale. The interval is the percentile bootstrap over units, or the clusters that they name;
// alpha is computed anew, ranks included, in every draw. Reference: Krippendorff, "Content Analysis", chapter
// on reliability; "Computing Krippendorff's alpha-reliability" (2011).
#pragma once

#include <functional>

#include "stats/agreement/ratings.h"
#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

enum class Scale { nominal, ordinal, interval, ratio };

// `n` is the number of units with at least two ratings.
Estimate krippendorff_alpha(const Ratings& ratings, Scale scale, const Resampling& resampling = {});

// δ² of two different values; it stays the same if they change places, and is finite and not negative (a
// distance that is not makes alpha undefined). Asked once per pair of values, of which there may be 2,000.
using RatingDistance = std::function<double(double, double)>;
Estimate krippendorff_alpha(const Ratings& ratings, const RatingDistance& distance,
                            const Resampling& resampling = {});

}  // namespace assay
