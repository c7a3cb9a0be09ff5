// How far do two raters agree, if the rows that both rated were drawn with unequal, known probabilities? A
// row that was seldom drawn stands for many, so each counts 1/probability (Hájek). Counted alike they would
// speak of the draw: a design that seeks what the judge is unsure of seeks where it errs.
#pragma once

#include <span>
#include <string>

#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

struct DrawnPair {
  double first = 0;
  double second = 0;
  bool same = false;         // by whatever rule
  double probability = 1;    // above 0 and up to 1
  std::string cluster = {};  // the sampling unit; empty: the row itself
};

// The share of rows that are the same: Wilson's formula with n_eff = min(p(1 - p)/SE², n),
// SE from Σ w·(same - p)/Σ w by unit, and t with units - 1 degrees of freedom. Where all rows are equal
// nothing varies, and n_eff is (Σ w)²/Σ w² over units (Kish). Method "wilson_weighted", or with several rows
// a unit "wilson_weighted_clustered".
Estimate weighted_share(std::span<const DrawnPair> pairs, double level = 0.95);

// Cohen's kappa, unweighted, of the table of shares that the weights make; Krippendorff's alpha for intervals
// of the weighted distances. With equal probabilities they are cohen_kappa's and krippendorff_alpha's values.
// The intervals are from drawing rows, or clusters, again.
Estimate weighted_kappa(std::span<const DrawnPair> pairs, const Resampling& resampling = {});
Estimate weighted_alpha(std::span<const DrawnPair> pairs, const Resampling& resampling = {});

}  // namespace assay
