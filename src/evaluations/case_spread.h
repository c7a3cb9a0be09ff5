// How the cases are spread behind the figures: scores, latency and cost of each, counted into bins as they
// come, so that memory does not grow with the cases. Gives the plots that every evaluation has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "evaluations/evaluation.h"
#include "evaluations/score.h"
#include "report/plots/plot.h"
#include "stats/estimate.h"

namespace assay {

// Counts of values in bins. A bin remembers the mean of what fell into it, so that a value that is alone in
// its bin is given back as it was.
class BinnedValues {
 public:
  // `bins` of equal width over the range; values outside of it go into the outermost ones.
  static BinnedValues linear(Interval range, std::size_t bins);
  // Equal steps of the logarithm, 50 a factor of ten; values at or below `range.low` go into the first bin.
  static BinnedValues logarithmic(Interval range);

  void add(double value);  // one that is not finite is left out
  std::int64_t n() const { return n_; }
  // The value that this share lies at or below (the smallest such bin's mean). n() must not be 0.
  double quantile(double share) const;
  double largest() const { return largest_; }  // exactly; n() must not be 0
  std::vector<CumulativeSeries::Point> cumulative(std::size_t most) const;
  // Neighbouring bins put together, `bins` of equal width in all; only of linear ones.
  std::vector<HistogramBin> histogram(std::size_t bins) const;
  Box box(std::string label) const;
  // Whether all values are one of the ends of the range: yes or no, which a histogram says nothing about.
  bool only_ends() const;

 private:
  enum class Scale { linear, logarithmic };
  struct Bin {
    std::int64_t count = 0;
    double mean = 0;
  };
  BinnedValues(Scale scale, Interval range, std::size_t bins) : scale_(scale), range_(range), bins_(bins) {}
  std::size_t bin_of(double value) const;

  Scale scale_;
  Interval range_;
  std::vector<Bin> bins_;
  std::int64_t n_ = 0;
  double largest_ = 0;
  bool inner_ = false;  // a value was none of the range's ends
};

class CaseSpread {
 public:
  explicit CaseSpread(std::vector<MeanFigure> figures);
  void add_scores(Scores scores);
  void add_finished(const FinishedCase& finished);
  // Adds to the summary's plots; means and their intervals are taken from its metrics.
  void add_plots(Summary& summary) const;

 private:
  void add_score_plots(Summary& summary) const;

  struct Figure {
    MeanFigure declared;
    BinnedValues values;
  };
  std::vector<Figure> figures_;
  BinnedValues latency_ms_;
  BinnedValues cost_usd_;
  bool cost_known_ = true;
};

}  // namespace assay
