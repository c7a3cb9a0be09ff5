// How far do raters agree who give any number of labels at once (topic tags)? Two sets may differ and still
// agree in part, so Krippendorff's alpha (see krippendorff.h) takes a distance of sets in place of δ²:
//   Jaccard  1 − J, J = |A∩B|/|A∪B|
//   MASI     1 − J·M, M = 1 if A = B, ⅔ if one holds the other, ⅓ if they overlap, 0 if they share nothing:
//            a set that says more is nearer than one that says something else
// Both are 0 for equal sets and 1 for sets that share nothing. Two empty sets are equal: both raters say that
// no label fits. With one label in every set both alphas are the nominal one.
//
// Whether alpha by MASI or by Jaccard is "good" cannot be read off nominal thresholds: state the distance.
//
// Reference: Passonneau, "Measuring agreement on set-valued items (MASI) for semantic and pragmatic
// annotation", LREC 2006.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

using LabelSet = std::set<std::string>;

enum class SetDistance { jaccard, masi };

double label_set_distance(const LabelSet& a, const LabelSet& b, SetDistance distance);

// One row a unit, one set a rater in the raters' order; absent if a rater did not say anything, which is not
// the same as an empty set. Undefined as alpha is, and for more than 2,000 different sets; the interval is
// the percentile bootstrap over units. `n` is the number of units with at least two sets.
Estimate label_set_alpha(std::span<const std::vector<std::optional<LabelSet>>> units, SetDistance distance,
                         const Resampling& resampling = {});

}  // namespace assay
