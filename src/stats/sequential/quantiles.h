// Where does a quantile lie, while the observations are still coming? The observed distribution function
// stays within a band around the true one at all times together (distribution_boundary of boundaries.h), so
// every quantile may be read off as often as one likes: the median of scores, the 95th percentile of
// latencies.
//
// With b the half width of the band after n observations, the q-quantile lies between the smallest
// observation that at least a share q − b does not exceed, and the same for q + b. Holds for independent
// observations of any distribution, ties and infinite variance included.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "stats/estimate.h"

namespace assay {

struct QuantilePlan {
  double level = 0.95;
  std::int64_t first_look = 100;  // nothing is promised before; the band is tightest near it
  std::optional<Interval> range =
      std::nullopt;  // known limits stand in where the band reaches beyond the data
};

// The smallest observation that at least the share (inside 0 … 1) does not exceed. The observations are
// finite and ascending. Method "distribution_band"; no interval before first_look, or if the band reaches
// beyond the observations at an end and no range is known.
Estimate quantile_sequence(std::span<const double> ascending, double share, const QuantilePlan& plan = {});

}  // namespace assay
