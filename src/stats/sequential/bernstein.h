// What is the mean of scores within a known range, while they are still coming? An empirical Bernstein
// sequence: as narrow as the scores are even, valid at all times together, and O(1) a score. The betting
// sequence (sequential.h) is narrower for the first scores, this one later: equal at about 2,000 scores that
// are spread evenly over the range, half as wide at a million.
//
// Howard, Ramdas, McAuliffe, Sekhon (arXiv:1810.08240), theorem 4: with the scores before giving x̂ (their
// mean; at first the middle of the range), v = Σ(x − x̂)² and c the width of the range, the sum of x − µ is
// sub-exponential to both sides, so that |x̄ − µ| < u(v)/n with u a boundary of boundaries.h at α/2. Needs
// scores in random order, like all of sequential.h.
#pragma once

#include <cstdint>
#include <string>

#include "stats/estimate.h"

namespace assay {

// The mixture is tighter near `tuned_for` scores, the stitched boundary grows slowest in the long run.
enum class BernsteinBound { mixture, stitched };

struct BernsteinPlan {
  double level = 0.95;
  Interval range{0, 1};
  BernsteinBound bound = BernsteinBound::mixture;
  // The number of scores at which the mixture is tightest, and from which on the stitched boundary is, if the
  // scores are spread evenly over the range (a variance of width²/12).
  double tuned_for = 100;
};

class BernsteinSequence {
 public:
  explicit BernsteinSequence(BernsteinPlan plan = {}) : plan_(plan) {}

  // Not finite: counted and left out. Outside the range: the interval is undefined from then on.
  void add(double score);
  // Mean and interval, method "empirical_bernstein_mixture" or "empirical_bernstein_stitched"; the interval
  // is never wider than the range.
  Estimate now() const;

 private:
  BernsteinPlan plan_;
  std::string broken_;  // why there is no interval any more
  std::int64_t n_ = 0;
  std::int64_t missing_ = 0;
  double sum_ = 0;
  double spread_ = 0;  // v
};

}  // namespace assay
