// What if the cases that failed had been decided? What was expected of them is known, what would have come is
// not. Their number by reason stands beside each figure of a classification, and the bounds within which it
// would lie had all of them been decided worst for it, or best:
//
//   precision   worst: no missing positive is found and every missing negative is claimed; best: the reverse
//   recall      rests on expected positives only, so missing negatives are not missing in it
//   F           worst and best of both
//
// Averages over labels get the average of their labels' bounds: no single outcome of the missing cases is the
// worst for all labels at once, so they are on the safe side.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "stats/classification/classification.h"
#include "stats/classification/confusion_matrix.h"
#include "stats/estimate.h"

namespace assay {

using MissingReasons = std::map<std::string, std::int64_t>;

// Yes/no decisions that are missing.
class MissingDecisions {
 public:
  void add(bool expected, const std::string& reason, std::int64_t count = 1) {
    (expected ? positives_ : negatives_)[reason] += count;
  }
  MissingDecisions& operator+=(const MissingDecisions& other);
  // Puts what is missing and the bounds into figures that were made of `counts`.
  void apply(const BinaryCounts& counts, Estimate& precision, Estimate& recall, Estimate& f1) const;
  // The bounds alone; precision, recall, Fβ. An undefined end is 0, or 1.
  struct Bounds {
    Interval precision;
    Interval recall;
    Interval f;
  };
  Bounds bounds(const BinaryCounts& counts, double beta = 1) const;

 private:
  MissingReasons positives_;
  MissingReasons negatives_;
};

// Choices among labels that are missing, by the label that was expected.
class MissingLabels {
 public:
  void add(std::string_view expected, const std::string& reason);
  // Puts what is missing and the bounds into every figure of the matrix: labels, averages, accuracy, kappa.
  void apply(const ConfusionMatrix& matrix, MatrixFigures& figures) const;

 private:
  MissingDecisions seen_as(std::string_view label) const;

  std::map<std::string, MissingReasons, std::less<>> expected_;
  MissingReasons all_;
};

}  // namespace assay
