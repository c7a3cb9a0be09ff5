#include "stats/classification/confusion_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "stats/classification/classification.h"
#include "stats/intervals/proportion.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Resampled per-label figures are kept until their quantiles are taken: 80 kB each.
constexpr std::size_t kMostLabelsWithIntervals = 200;

enum LabelValue : std::size_t { kPrecision, kRecall, kF1, kF2, kLabelValues };

// Everything the figures need of a matrix: three numbers a label.
struct Margins {
  std::vector<std::int64_t> expected;
  std::vector<std::int64_t> actual;
  std::vector<std::int64_t> correct;
  std::int64_t total = 0;

  explicit Margins(std::size_t labels) : expected(labels), actual(labels), correct(labels) {}

  void fill(std::span<const ConfusionMatrix::Cell> cells, std::span<const std::int64_t> counts) {
    std::ranges::fill(expected, 0);
    std::ranges::fill(actual, 0);
    std::ranges::fill(correct, 0);
    total = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      expected[cells[i].expected] += counts[i];
      actual[cells[i].actual] += counts[i];
      if (cells[i].expected == cells[i].actual) correct[cells[i].expected] += counts[i];
      total += counts[i];
    }
  }

  BinaryCounts of(std::size_t label) const {
    BinaryCounts counts;
    counts.tp = correct[label];
    counts.fp = actual[label] - correct[label];
    counts.fn = expected[label] - correct[label];
    counts.tn = total - counts.tp - counts.fp - counts.fn;
    return counts;
  }
};

double or_nan(std::optional<double> value) {
  return value.value_or(kNaN);
}

double label_value(const BinaryCounts& counts, std::size_t value) {
  switch (value) {
    case kPrecision:
      return or_nan(precision(counts));
    case kRecall:
      return or_nan(recall(counts));
    case kF1:
      return or_nan(f_beta(counts, 1));
    default:
      return or_nan(f_beta(counts, 2));
  }
}

// (p_o - p_e) / (1 - p_e), in counts; undefined when both sides use one and the same label.
double kappa(const Margins& margins) {
  const double total = static_cast<double>(margins.total);
  double agreed = 0;
  double by_chance = 0;
  for (std::size_t label = 0; label < margins.expected.size(); ++label) {
    agreed += static_cast<double>(margins.correct[label]);
    by_chance += static_cast<double>(margins.expected[label]) * static_cast<double>(margins.actual[label]);
  }
  const double possible = total * total - by_chance;
  return possible == 0 ? kNaN : (agreed * total - by_chance) / possible;
}

double multiclass_correlation(const Margins& margins) {
  const double total = static_cast<double>(margins.total);
  double agreed = 0;
  double by_chance = 0;
  double expected_squares = 0;
  double actual_squares = 0;
  for (std::size_t label = 0; label < margins.expected.size(); ++label) {
    const double expected = static_cast<double>(margins.expected[label]);
    const double actual = static_cast<double>(margins.actual[label]);
    agreed += static_cast<double>(margins.correct[label]);
    by_chance += expected * actual;
    expected_squares += expected * expected;
    actual_squares += actual * actual;
  }
  const double spread =
      std::sqrt(total * total - expected_squares) * std::sqrt(total * total - actual_squares);
  return spread == 0 ? kNaN : (agreed * total - by_chance) / spread;
}

// One average over labels in the making.
struct Average {
  double sum = 0;
  double weight = 0;
  double left_out = 0;

  void add(double value, double its_weight) {
    if (std::isnan(value)) {
      left_out += its_weight;
    } else {
      sum += value * its_weight;
      weight += its_weight;
    }
  }
  double value() const { return weight == 0 ? kNaN : sum / weight; }
};

// What is resampled: eight averages, kappa, correlation, accuracy, then the four values of each label.
constexpr std::size_t kWeighted = 0;
constexpr std::size_t kMacro = kLabelValues;
constexpr std::size_t kKappa = 2 * kLabelValues;
constexpr std::size_t kCorrelation = kKappa + 1;
constexpr std::size_t kAccuracy = kCorrelation + 1;
constexpr std::size_t kFirstLabel = kAccuracy + 1;

void write_figures(const Margins& margins, const std::vector<bool>& averaged, std::span<double> out) {
  Average weighted[kLabelValues];
  Average macro[kLabelValues];
  const bool with_labels = out.size() > kFirstLabel;
  for (std::size_t label = 0; label < margins.expected.size(); ++label) {
    const BinaryCounts counts = margins.of(label);
    const bool occurs = counts.tp + counts.fp + counts.fn > 0;
    for (std::size_t value = 0; value < kLabelValues; ++value) {
      const double figure = label_value(counts, value);
      if (with_labels) out[kFirstLabel + kLabelValues * label + value] = figure;
      // A label that a resample does not contain is no label of that resample.
      if (!occurs || !averaged[label]) continue;
      weighted[value].add(figure, static_cast<double>(margins.expected[label]));
      macro[value].add(figure, 1);
    }
  }
  for (std::size_t value = 0; value < kLabelValues; ++value) {
    out[kWeighted + value] = weighted[value].value();
    out[kMacro + value] = macro[value].value();
  }
  out[kKappa] = kappa(margins);
  out[kCorrelation] = multiclass_correlation(margins);
  const auto correct = std::accumulate(margins.correct.begin(), margins.correct.end(), std::int64_t{0});
  out[kAccuracy] =
      margins.total == 0 ? kNaN : static_cast<double>(correct) / static_cast<double>(margins.total);
}

// `behind`: cases that the labels which are in rest on; `left_out`: those expected to have one that is not.
Estimate averaged(const Average& average, std::int64_t behind, std::int64_t left_out) {
  const double value = average.value();
  Estimate estimate =
      std::isnan(value) ? undefined_figure("undefined for every label", 0) : plain_figure(value, behind);
  if (left_out > 0) {
    const double all = average.weight + average.left_out;
    estimate.bounds = Interval{average.sum / all, (average.sum + average.left_out) / all};
    estimate.missing["label_undefined"] = left_out;
  }
  return estimate;
}

Estimate& member(AveragedFigures& figures, std::size_t value) {
  switch (value) {
    case kPrecision:
      return figures.precision;
    case kRecall:
      return figures.recall;
    case kF1:
      return figures.f1;
    default:
      return figures.f2;
  }
}

// By position: whether averages are taken over the label.
std::vector<bool> averaged_labels(const std::vector<std::string>& labels, const Margins& margins,
                                  const std::vector<std::string>& classes) {
  std::vector<bool> averaged(labels.size(), true);
  if (classes.empty()) return averaged;
  for (std::size_t label = 0; label < labels.size(); ++label)
    averaged[label] =
        margins.expected[label] > 0 || std::ranges::find(classes, labels[label]) != classes.end();
  return averaged;
}

void average_labels(const Margins& margins, const std::vector<bool>& in, MatrixFigures& figures) {
  for (std::size_t value = 0; value < kLabelValues; ++value) {
    Average weighted;
    Average macro;
    std::int64_t left_out = 0;
    for (std::size_t label = 0; label < margins.expected.size(); ++label) {
      if (!in[label]) continue;
      const double figure = label_value(margins.of(label), value);
      weighted.add(figure, static_cast<double>(margins.expected[label]));
      macro.add(figure, 1);
      if (std::isnan(figure)) left_out += margins.expected[label];
    }
    member(figures.weighted, value) = averaged(weighted, margins.total - left_out, left_out);
    // A label counts alike however many expect it. Every case was given some label, whose precision is
    // therefore defined, and is expected to have one, whose recall is: all of them are behind the average.
    member(figures.macro, value) = averaged(macro, margins.total, left_out);
    member(figures.micro, value) = figures.accuracy;
  }
}

Estimate chance_corrected(double value, std::int64_t total, const char* undefined) {
  return std::isnan(value) ? undefined_figure(undefined, total) : plain_figure(value, total);
}

LabelFigures label_figures(std::string label, const BinaryCounts& counts, double level) {
  LabelFigures figures;
  figures.label = std::move(label);
  figures.support = counts.tp + counts.fn;
  figures.predicted = counts.tp + counts.fp;
  figures.correct = counts.tp;
  figures.precision = figures.predicted == 0 ? undefined_figure("no case was given this label")
                                             : wilson(counts.tp, figures.predicted, level);
  figures.recall = figures.support == 0 ? undefined_figure("no case was expected to have this label")
                                        : wilson(counts.tp, figures.support, level);
  // A label of the matrix stands on one side at least, so F is defined.
  const std::int64_t n = counts.tp + counts.fp + counts.fn;
  figures.f1 = plain_figure(*f_beta(counts, 1), n);
  figures.f2 = plain_figure(*f_beta(counts, 2), n);
  return figures;
}

}  // namespace

std::uint32_t ConfusionMatrix::index_of(std::string_view label) {
  const auto found = index_.find(label);
  if (found != index_.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(label);
  index_.emplace(std::string(label), index);
  return index;
}

void ConfusionMatrix::add(std::string_view expected, std::string_view actual, std::int64_t count,
                          std::string_view cluster) {
  if (count <= 0) return;
  const std::uint64_t row = index_of(expected);
  const std::uint64_t column = expected == actual ? row : index_of(actual);
  counts_[(row << 32) | column] += count;
  if (!cluster.empty()) {
    auto own = clusters_.find(cluster);
    if (own == clusters_.end())
      own = clusters_.emplace(cluster, std::map<std::uint64_t, std::int64_t>()).first;
    own->second[(row << 32) | column] += count;
  }
  total_ += count;
  if (row == column) correct_ += count;
}

void ConfusionMatrix::merge(const ConfusionMatrix& other) {
  for (const auto& [key, count] : other.counts_) {
    add(other.names_[key >> 32], other.names_[key & 0xFFFFFFFFU], count);
  }
}

std::vector<std::size_t> ConfusionMatrix::sorted_positions() const {
  std::vector<std::size_t> order(names_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) -> const std::string& { return names_[i]; });
  std::vector<std::size_t> position(names_.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return position;
}

std::vector<std::string> ConfusionMatrix::labels() const {
  std::vector<std::string> sorted = names_;
  std::ranges::sort(sorted);
  return sorted;
}

std::vector<ConfusionMatrix::Cell> ConfusionMatrix::cells() const {
  const std::vector<std::size_t> position = sorted_positions();
  std::vector<Cell> cells;
  cells.reserve(counts_.size());
  for (const auto& [key, count] : counts_) {
    cells.push_back({position[key >> 32], position[key & 0xFFFFFFFFU], count});
  }
  std::ranges::sort(cells, [](const Cell& a, const Cell& b) {
    return a.expected != b.expected ? a.expected < b.expected : a.actual < b.actual;
  });
  return cells;
}

std::vector<ClusterCells> ConfusionMatrix::clusters() const {
  const std::vector<std::size_t> position = sorted_positions();
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> place;
  for (const Cell& cell : cells()) place.emplace(std::pair(cell.expected, cell.actual), place.size());
  std::vector<ClusterCells> clusters;
  clusters.reserve(clusters_.size());
  for (const auto& [name, counts] : clusters_) {
    ClusterCells& own = clusters.emplace_back();
    for (const auto& [key, count] : counts)
      own.emplace_back(place.at({position[key >> 32], position[key & 0xFFFFFFFFU]}), count);
    std::ranges::sort(own);
  }
  return clusters;
}

std::vector<std::vector<std::int64_t>> ConfusionMatrix::rows() const {
  std::vector<std::vector<std::int64_t>> rows(names_.size(), std::vector<std::int64_t>(names_.size()));
  for (const Cell& cell : cells()) rows[cell.expected][cell.actual] = cell.count;
  return rows;
}

MatrixFigures matrix_figures(const ConfusionMatrix& matrix, const Resampling& resampling,
                             const std::vector<std::string>& classes) {
  const double level = resampling.level;
  const std::vector<ConfusionMatrix::Cell> cells = matrix.cells();
  std::vector<std::int64_t> counts;
  counts.reserve(cells.size());
  for (const ConfusionMatrix::Cell& cell : cells) counts.push_back(cell.count);
  Margins margins(matrix.label_count());
  margins.fill(cells, counts);

  MatrixFigures figures;
  figures.accuracy = wilson(matrix.correct(), matrix.total(), level);
  if (matrix.total() == 0) {
    const Estimate none = undefined_figure("no observations");
    figures.weighted = figures.macro = figures.micro = {none, none, none, none};
    figures.cohen_kappa = figures.matthews_correlation = none;
    return figures;
  }
  std::vector<std::string> labels = matrix.labels();
  const std::vector<bool> averaged = averaged_labels(labels, margins, classes);
  average_labels(margins, averaged, figures);
  figures.cohen_kappa = chance_corrected(kappa(margins), margins.total,
                                         "chance alone agrees: both sides use one and the same label");
  figures.matthews_correlation = chance_corrected(multiclass_correlation(margins), margins.total,
                                                  "one label only, on the expected or on the actual side");
  for (std::size_t label = 0; label < labels.size(); ++label) {
    figures.labels.push_back(label_figures(std::move(labels[label]), margins.of(label), level));
    figures.labels.back().averaged = averaged[label];
  }

  const std::vector<ClusterCells> clusters = matrix.clusters();
  const bool with_labels = labels.size() <= kMostLabelsWithIntervals;
  const auto intervals = resample_cells(
      counts, kFirstLabel + (with_labels ? kLabelValues * labels.size() : 0),
      [&](std::span<const std::int64_t> drawn, std::span<double> out) {
        margins.fill(cells, drawn);
        write_figures(margins, averaged, out);
      },
      resampling, clusters);
  const Drawn drawn = clusters.empty() ? Drawn::cases : Drawn::clusters;
  if (drawn == Drawn::clusters) {
    attach(figures.accuracy, intervals[kAccuracy], level, drawn);
    figures.micro = {figures.accuracy, figures.accuracy, figures.accuracy, figures.accuracy};
  }
  for (std::size_t value = 0; value < kLabelValues; ++value) {
    attach(member(figures.weighted, value), intervals[kWeighted + value], level, drawn);
    attach(member(figures.macro, value), intervals[kMacro + value], level, drawn);
  }
  // Recall weighted by support is the accuracy, so it has the accuracy's interval.
  figures.weighted.recall = figures.accuracy;
  attach(figures.cohen_kappa, intervals[kKappa], level, drawn);
  attach(figures.matthews_correlation, intervals[kCorrelation], level, drawn);
  for (std::size_t label = 0; label < figures.labels.size(); ++label) {
    static const ResampledInterval kTooMany{std::nullopt, "no interval: too many labels to resample each"};
    const auto interval = [&](std::size_t value) -> const ResampledInterval& {
      return with_labels ? intervals[kFirstLabel + kLabelValues * label + value] : kTooMany;
    };
    LabelFigures& own = figures.labels[label];
    attach(own.f1, interval(kF1), level, drawn);
    attach(own.f2, interval(kF1 + 1), level, drawn);
    if (drawn == Drawn::cases) continue;  // the plain rates have Wilson's
    attach(own.precision, interval(kPrecision), level, drawn);
    attach(own.recall, interval(kRecall), level, drawn);
  }
  return figures;
}

}  // namespace assay
