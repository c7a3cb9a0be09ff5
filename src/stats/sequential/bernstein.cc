#include "stats/sequential/bernstein.h"

#include <algorithm>
#include <cmath>

#include "stats/sequential/boundaries.h"
#include "stats/sequential/sequential.h"

namespace assay {

void BernsteinSequence::add(double score) {
  if (!std::isfinite(score)) {
    ++missing_;
    return;
  }
  if (score < plan_.range.low || score > plan_.range.high)
    broken_ = "a score lies outside the range, which the interval relies on";
  const double foretold = n_ == 0 ? (plan_.range.low + plan_.range.high) / 2 : sum_ / static_cast<double>(n_);
  spread_ += (score - foretold) * (score - foretold);
  sum_ += score;
  ++n_;
}

Estimate BernsteinSequence::now() const {
  Estimate estimate = undefined_figure(n_ == 0 ? "no observations" : broken_, n_);
  if (missing_ > 0) estimate.missing["not_finite"] = missing_;
  estimate.level = plan_.level;
  estimate.method =
      plan_.bound == BernsteinBound::mixture ? "empirical_bernstein_mixture" : "empirical_bernstein_stitched";
  if (n_ == 0) return estimate;
  const double count = static_cast<double>(n_);
  estimate.value = sum_ / count;
  if (!broken_.empty()) return estimate;

  const double width = plan_.range.high - plan_.range.low;
  const double alpha = 1 - plan_.level;
  const double tuned = plan_.tuned_for * width * width / 12;
  const double boundary = plan_.bound == BernsteinBound::mixture
                              ? gamma_exponential_boundary(spread_, best_rho(tuned, alpha), width, alpha / 2)
                              : stitched_boundary(spread_, alpha / 2, {.first_v = tuned, .scale = width});
  if (!std::isfinite(boundary)) {
    estimate.undefined = "no interval: range, level or the number that it is tuned for is impossible";
    return estimate;
  }
  estimate.ci = Interval{std::max(plan_.range.low, *estimate.value - boundary / count),
                         std::min(plan_.range.high, *estimate.value + boundary / count)};
  return estimate;
}

}  // namespace assay
