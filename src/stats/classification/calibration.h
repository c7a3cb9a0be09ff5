// Does a stated confidence mean what it says? The expected calibration error over bins of equal width, and
// the reliability table behind it. A stream of any length: only the bins are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stats/estimate.h"
#include "stats/intervals/mean.h"

namespace assay {

class Calibration {
 public:
  // At least one bin, at most a thousand; 10 and 15 are usual. Bins are (0, 1/m], (1/m, 2/m], …; 0 belongs to
  // the first.
  explicit Calibration(std::size_t bins = 10);

  // A confidence outside [0, 1] (a percentage, NaN) is counted as out_of_range and left out.
  void add(double confidence, bool correct);

  std::int64_t n() const { return n_; }
  std::int64_t out_of_range() const { return out_of_range_; }

  // Σ (n_b/n)·|accuracy_b - mean confidence_b| (Guo et al. 2017). No interval: chance alone pushes the figure
  // up when bins are small, so a resampled interval would exclude a perfect calibration; the table shows each
  // bin's.
  Estimate expected_error() const;
  // The largest gap of any bin that is not empty.
  Estimate largest_error() const;
  // Mean of (confidence - correct)², with its t interval.
  Estimate brier_score(double level = 0.95) const;

  struct Bin {
    double low = 0;
    double high = 0;
    std::int64_t n = 0;
    std::optional<double> mean_confidence;
    Estimate accuracy;  // Wilson
  };
  std::vector<Bin> reliability(double level = 0.95) const;

 private:
  struct Sums {
    std::int64_t n = 0;
    std::int64_t correct = 0;
    double confidence = 0;  // running mean
  };
  double gap(const Sums& bin) const;

  std::vector<Sums> bins_;
  Moments squared_errors_;
  std::int64_t n_ = 0;
  std::int64_t out_of_range_ = 0;
};

}  // namespace assay
