#include "stats/classification/multilabel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stats/intervals/proportion.h"

namespace assay {
namespace {

constexpr std::size_t kFigures = 6;  // macro and micro: precision, recall, F1
// Beyond it the labels are most likely free text, and their single figures not worth the time of an interval.
constexpr std::size_t kMostLabelsWithIntervals = 200;

// One different pair of sets: which labels it hits, claims wrongly and misses, as positions.
struct Decisions {
  std::vector<std::size_t> hit;
  std::vector<std::size_t> claimed;
  std::vector<std::size_t> missed;
};

Decisions decisions_of(const MultilabelCounts::Pair& pair,
                       const std::map<std::string, std::size_t>& positions) {
  Decisions decisions;
  for (const std::string& label : pair.first)
    (pair.second.contains(label) ? decisions.hit : decisions.missed).push_back(positions.at(label));
  for (const std::string& label : pair.second) {
    if (!pair.first.contains(label)) decisions.claimed.push_back(positions.at(label));
  }
  return decisions;
}

// What a draw of the cases comes to; kept between draws, since there are ten thousand.
class Tally {
 public:
  Tally(std::vector<Decisions> decisions, std::size_t labels)
      : decisions_(std::move(decisions)), labels_(labels) {}

  std::vector<BinaryCounts>& count(std::span<const std::int64_t> cells) {
    for (BinaryCounts& label : labels_) label = {};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i] == 0) continue;
      for (const std::size_t label : decisions_[i].hit) labels_[label].tp += cells[i];
      for (const std::size_t label : decisions_[i].claimed) labels_[label].fp += cells[i];
      for (const std::size_t label : decisions_[i].missed) labels_[label].fn += cells[i];
    }
    return labels_;
  }

  // What each cell says of the label: h(it), c(laimed), m(issed) or nothing (0).
  std::vector<char> kinds_of(std::size_t label) const {
    std::vector<char> kinds(decisions_.size(), 0);
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      const auto has = [&](const std::vector<std::size_t>& list) {
        return std::ranges::find(list, label) != list.end();
      };
      if (has(decisions_[i].hit)) kinds[i] = 'h';
      if (has(decisions_[i].claimed)) kinds[i] = 'c';
      if (has(decisions_[i].missed)) kinds[i] = 'm';
    }
    return kinds;
  }

 private:
  std::vector<Decisions> decisions_;
  std::vector<BinaryCounts> labels_;
};

struct Mean {
  double sum = 0;
  std::int64_t n = 0;
  void add(std::optional<double> value) {
    if (!value) return;
    sum += *value;
    ++n;
  }
  double value() const {
    return n > 0 ? sum / static_cast<double>(n) : std::numeric_limits<double>::quiet_NaN();
  }
};

struct Averages {
  std::array<Mean, 3> macro;
  BinaryCounts sum;

  explicit Averages(const std::vector<BinaryCounts>& labels) {
    for (const BinaryCounts& label : labels) {
      macro[0].add(precision(label));
      macro[1].add(recall(label));
      macro[2].add(f_beta(label, 1));
      sum += label;
    }
  }
  std::array<double, kFigures> values() const {
    const auto or_nan = [](std::optional<double> value) {
      return value.value_or(std::numeric_limits<double>::quiet_NaN());
    };
    return {macro[0].value(),       macro[1].value(),    macro[2].value(),
            or_nan(precision(sum)), or_nan(recall(sum)), or_nan(f_beta(sum, 1))};
  }
};

// The share of drawn cases on which both sets are the same.
double drawn_exact(std::span<const std::int64_t> cells, const std::vector<bool>& is_exact) {
  std::int64_t all = 0;
  std::int64_t exact = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    all += cells[i];
    if (is_exact[i]) exact += cells[i];
  }
  return all == 0 ? std::numeric_limits<double>::quiet_NaN()
                  : static_cast<double>(exact) / static_cast<double>(all);
}

// The counts of one label in each cluster.
std::vector<BinaryCounts> label_counts(const Tally& tally, const std::vector<ClusterCells>& clusters,
                                       std::size_t label) {
  const std::vector<char> kinds = tally.kinds_of(label);
  std::vector<BinaryCounts> counts;
  counts.reserve(clusters.size());
  for (const ClusterCells& cluster : clusters) {
    BinaryCounts& own = counts.emplace_back();
    for (const auto& [cell, count] : cluster) {
      std::int64_t& part = kinds[cell] == 'h'   ? own.tp
                           : kinds[cell] == 'c' ? own.fp
                           : kinds[cell] == 'm' ? own.fn
                                                : own.tn;
      part += count;
    }
  }
  return counts;
}

}  // namespace

void MultilabelCounts::know(std::string_view label) {
  if (labels_.find(label) == labels_.end()) labels_.emplace(label);
}

void MultilabelCounts::add(const std::set<std::string>& expected, const std::set<std::string>& actual,
                           std::string_view cluster) {
  for (const auto* side : {&expected, &actual}) {
    for (const std::string& label : *side) know(label);
  }
  const auto pair = pairs_.try_emplace({expected, actual}, 0).first;
  ++pair->second;
  ++total_;
  if (cluster.empty()) return;
  auto own = clusters_.find(cluster);
  if (own == clusters_.end()) own = clusters_.emplace(cluster, std::map<const Pair*, std::int64_t>()).first;
  ++own->second[&pair->first];
}

std::vector<ClusterCells> MultilabelCounts::clusters() const {
  std::map<const Pair*, std::size_t> place;
  for (const auto& [pair, count] : pairs_) place.emplace(&pair, place.size());
  std::vector<ClusterCells> clusters;
  clusters.reserve(clusters_.size());
  for (const auto& [name, counts] : clusters_) {
    ClusterCells& own = clusters.emplace_back();
    for (const auto& [pair, count] : counts) own.emplace_back(place.at(pair), count);
    std::ranges::sort(own);
  }
  return clusters;
}

MultilabelFigures multilabel_figures(const MultilabelCounts& counts, const Resampling& resampling) {
  std::map<std::string, std::size_t> positions;
  for (const std::string& label : counts.labels()) positions.emplace(label, positions.size());
  std::vector<Decisions> decisions;
  std::vector<std::int64_t> cells;
  std::vector<bool> is_exact;
  std::int64_t exact = 0;
  for (const auto& [pair, number] : counts.pairs()) {
    decisions.push_back(decisions_of(pair, positions));
    cells.push_back(number);
    is_exact.push_back(pair.first == pair.second);
    if (is_exact.back()) exact += number;
  }
  Tally tally(std::move(decisions), positions.size());
  MultilabelFigures figures;
  figures.exact_match = wilson(exact, counts.total(), resampling.level);

  Resampling per_label = resampling;
  if (positions.size() > kMostLabelsWithIntervals) per_label.draws = 0;
  const std::vector<BinaryCounts> observed = tally.count(cells);
  const std::vector<ClusterCells> clusters = counts.clusters();
  const bool per_label_intervals = positions.size() <= kMostLabelsWithIntervals;
  for (const auto& [label, position] : positions) {
    BinaryCounts own = observed[position];
    own.tn = counts.total() - own.tp - own.fp - own.fn;
    BinaryFigures binary = binary_figures(
        own, per_label,
        per_label_intervals ? label_counts(tally, clusters, position) : std::vector<BinaryCounts>());
    figures.labels.push_back(
        {label, own, std::move(binary.precision), std::move(binary.recall), std::move(binary.f1)});
  }

  const Averages averages(observed);
  const auto values = averages.values();
  const BinaryCounts& sum = averages.sum;
  const std::array<std::int64_t, kFigures> n{averages.macro[0].n, averages.macro[1].n,
                                             averages.macro[2].n, sum.tp + sum.fp,
                                             sum.tp + sum.fn,     sum.tp + sum.fp + sum.fn};
  const std::array<const char*, 3> why = {"nothing was claimed", "nothing was expected",
                                          "nothing was expected or claimed"};
  const auto intervals = resample_cells(
      cells, kFigures + 1,
      [&tally, &is_exact](std::span<const std::int64_t> drawn, std::span<double> out) {
        const auto again = Averages(tally.count(drawn)).values();
        std::copy(again.begin(), again.end(), out.begin());
        out[kFigures] = drawn_exact(drawn, is_exact);
      },
      resampling, clusters);
  const Drawn drawn = clusters.empty() ? Drawn::cases : Drawn::clusters;
  if (drawn == Drawn::clusters) attach(figures.exact_match, intervals[kFigures], resampling.level, drawn);
  const std::array<Estimate*, kFigures> places = {&figures.macro.precision, &figures.macro.recall,
                                                  &figures.macro.f1,        &figures.micro.precision,
                                                  &figures.micro.recall,    &figures.micro.f1};
  for (std::size_t i = 0; i < kFigures; ++i) {
    if (std::isnan(values[i])) {
      *places[i] = undefined_figure(why[i % 3]);
    } else {
      *places[i] = plain_figure(values[i], n[i]);
      attach(*places[i], intervals[i], resampling.level, drawn);
    }
  }
  return figures;
}

}  // namespace assay
