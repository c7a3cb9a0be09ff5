#include "stats/classification/missing_decisions.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "stats/intervals/missing.h"

namespace assay {
namespace {

std::int64_t sum_of(const MissingReasons& reasons) {
  std::int64_t sum = 0;
  for (const auto& [reason, count] : reasons) sum += count;
  return sum;
}

void note(Estimate& estimate, const MissingReasons& reasons, Interval bounds) {
  if (sum_of(reasons) == 0) return;
  for (const auto& [reason, count] : reasons) {
    if (count > 0) estimate.missing[reason] += count;
  }
  estimate.bounds = bounds;
}

// Running average of bounds.
struct AveragedBounds {
  Interval sum;
  double weight = 0;
  void add(Interval bounds, double its_weight) {
    sum.low += bounds.low * its_weight;
    sum.high += bounds.high * its_weight;
    weight += its_weight;
  }
  Interval value() const {
    return weight > 0 ? Interval{sum.low / weight, sum.high / weight} : Interval{0, 1};
  }
};

BinaryCounts counts_of(const LabelFigures& label) {
  return {.tp = label.correct,
          .tn = 0,
          .fp = label.predicted - label.correct,
          .fn = label.support - label.correct};
}

}  // namespace

MissingDecisions& MissingDecisions::operator+=(const MissingDecisions& other) {
  for (const auto& [reason, count] : other.positives_) positives_[reason] += count;
  for (const auto& [reason, count] : other.negatives_) negatives_[reason] += count;
  return *this;
}

MissingDecisions::Bounds MissingDecisions::bounds(const BinaryCounts& counts, double beta) const {
  const std::int64_t positives = sum_of(positives_);
  const std::int64_t negatives = sum_of(negatives_);
  BinaryCounts worst = counts;
  worst.fn += positives;
  worst.fp += negatives;
  BinaryCounts best = counts;
  best.tp += positives;
  best.tn += negatives;
  const auto between = [](std::optional<double> low, std::optional<double> high) {
    return Interval{low.value_or(0), high.value_or(1)};
  };
  return {between(precision(worst), precision(best)), between(recall(worst), recall(best)),
          between(f_beta(worst, beta), f_beta(best, beta))};
}

void MissingDecisions::apply(const BinaryCounts& counts, Estimate& precision, Estimate& recall,
                             Estimate& f1) const {
  const Bounds within = bounds(counts);
  MissingReasons all = positives_;
  for (const auto& [reason, count] : negatives_) all[reason] += count;
  note(precision, all, within.precision);
  note(recall, positives_, within.recall);
  note(f1, all, within.f);
}

void MissingLabels::add(std::string_view expected, const std::string& reason) {
  auto own = expected_.find(expected);
  if (own == expected_.end()) own = expected_.emplace(expected, MissingReasons()).first;
  ++own->second[reason];
  ++all_[reason];
}

MissingDecisions MissingLabels::seen_as(std::string_view label) const {
  MissingDecisions missing;
  for (const auto& [expected, reasons] : expected_) {
    for (const auto& [reason, count] : reasons) missing.add(expected == label, reason, count);
  }
  return missing;
}

void MissingLabels::apply(const ConfusionMatrix& matrix, MatrixFigures& figures) const {
  if (all_.empty()) return;
  // Precision, recall, F1, F2 of each label, averaged.
  AveragedBounds macro[4];
  AveragedBounds weighted[4];
  const auto average = [&](const BinaryCounts& counts, const MissingDecisions& missing, double support) {
    const MissingDecisions::Bounds one = missing.bounds(counts);
    const Interval f2 = missing.bounds(counts, 2).f;
    const Interval bounds[] = {one.precision, one.recall, one.f, f2};
    for (std::size_t i = 0; i < 4; ++i) {
      macro[i].add(bounds[i], 1);
      weighted[i].add(bounds[i], support);
    }
  };
  std::set<std::string_view> known;
  const auto missed = [this](std::string_view label) {
    const auto own = expected_.find(label);
    return own == expected_.end() ? 0 : sum_of(own->second);
  };
  for (LabelFigures& label : figures.labels) {
    known.insert(label.label);
    const MissingDecisions missing = seen_as(label.label);
    const BinaryCounts counts = counts_of(label);
    if (label.averaged || missed(label.label) > 0)
      average(counts, missing, static_cast<double>(label.support + missed(label.label)));
    missing.apply(counts, label.precision, label.recall, label.f1);
    note(label.f2, all_, missing.bounds(counts, 2).f);
  }
  for (const auto& [label, reasons] : expected_) {
    if (!known.contains(label)) average({}, seen_as(label), static_cast<double>(sum_of(reasons)));
  }
  for (auto& [into, bounds] : {std::pair(&figures.macro, macro), std::pair(&figures.weighted, weighted)}) {
    note(into->precision, all_, bounds[0].value());
    note(into->recall, all_, bounds[1].value());
    note(into->f1, all_, bounds[2].value());
    note(into->f2, all_, bounds[3].value());
  }
  figures.accuracy = with_missing(std::move(figures.accuracy), all_);
  // All of them wrong (in a way that nobody expects), or all right.
  ConfusionMatrix wrong = matrix;
  ConfusionMatrix right = matrix;
  for (const auto& [label, reasons] : expected_) {
    wrong.add(label, label + " (missing)", sum_of(reasons));
    right.add(label, label, sum_of(reasons));
  }
  const auto kappa = [](const ConfusionMatrix& of) {
    return matrix_figures(of, {.draws = 0}).cohen_kappa.value;
  };
  const auto low = kappa(wrong);
  const auto high = kappa(right);
  if (low && high) {
    note(figures.cohen_kappa, all_, {*low, *high});
  } else {
    for (const auto& [reason, count] : all_) figures.cohen_kappa.missing[reason] += count;
  }
}

}  // namespace assay
