// Where does a share of the observations end (the 95th percentile of latencies)? With an interval that
// assumes nothing about the distribution.
//
//   independent   order statistics: x_(l) and x_(u) with the largest l for which P(Bin(n, q) < l) and the
//                 smallest u for which P(Bin(n, q) >= u) do not exceed half of 1 - level; at least the level.
//                 Method "order_statistics"
//   in clusters   Woodruff 1952 (JASA 47, 635–646): the share of observations up to the quantile has a
//                 clustered standard error; the quantiles at q ∓ t·SE, C - 1 degrees of freedom, are the
//                 ends. Method "woodruff_clustered"
//
// No interval where an end would lie beyond the observations: 20 latencies say nothing about how far the 95th
// percentile may reach up.
#pragma once

#include <cstdint>
#include <span>

#include "stats/estimate.h"

namespace assay {

// The value is interpolated linearly between neighbours (R's type 7). `share` lies inside 0 … 1. clusters[i]
// is the number of the cluster of values[i]; empty: every value stands for itself.
Estimate estimate_quantile(std::span<const double> values, double share,
                           std::span<const std::uint32_t> clusters = {}, double level = 0.95);

}  // namespace assay
