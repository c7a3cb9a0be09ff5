// How well does a yes/no decision agree with the truth? Figures of four counts. Precision or recall without a
// denominator is undefined; Fβ is undefined only when there is no positive on either side (so it is 0 when
// all expected positives were missed and none was claimed).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

struct BinaryCounts {
  std::int64_t tp = 0;
  std::int64_t tn = 0;
  std::int64_t fp = 0;
  std::int64_t fn = 0;

  void add(bool expected, bool actual) { ++(expected ? (actual ? tp : fn) : (actual ? fp : tn)); }
  BinaryCounts& operator+=(const BinaryCounts& other);
  std::int64_t total() const { return tp + tn + fp + fn; }
};

// The bare values, absent where undefined.
std::optional<double> precision(const BinaryCounts& counts);  // tp / (tp + fp)
std::optional<double> recall(const BinaryCounts& counts);     // tp / (tp + fn)
std::optional<double> f_beta(const BinaryCounts& counts, double beta);
std::optional<double> accuracy(const BinaryCounts& counts);
// Mean of recall and specificity; undefined unless both classes are expected somewhere.
std::optional<double> balanced_accuracy(const BinaryCounts& counts);
// Matthews correlation; undefined if either side uses one class only.
std::optional<double> matthews_correlation(const BinaryCounts& counts);

// All of them with intervals: Wilson for the plain rates, bootstrap over the four counts for the others.
struct BinaryFigures {
  Estimate precision;
  Estimate recall;
  Estimate f1;
  Estimate f2;
  Estimate accuracy;
  Estimate balanced_accuracy;
  Estimate matthews_correlation;
};
// With the counts of each cluster, which together make up `counts`, all of them get the bootstrap that draws
// clusters.
BinaryFigures binary_figures(const BinaryCounts& counts, const Resampling& resampling = {},
                             std::span<const BinaryCounts> clusters = {});

}  // namespace assay
