#include "stats/classification/classification.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stats/intervals/proportion.h"

namespace assay {
namespace {

double real(std::int64_t count) {
  return static_cast<double>(count);
}

std::optional<double> share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return real(part) / real(whole);
}

Estimate rate(std::int64_t part, std::int64_t whole, double level, const char* undefined) {
  if (whole == 0) return undefined_figure(undefined);
  return wilson(part, whole, level);
}

Estimate figure(std::optional<double> value, std::int64_t n, const char* undefined) {
  return value ? plain_figure(*value, n) : undefined_figure(undefined, n);
}

double or_nan(std::optional<double> value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

BinaryCounts& BinaryCounts::operator+=(const BinaryCounts& other) {
  tp += other.tp;
  tn += other.tn;
  fp += other.fp;
  fn += other.fn;
  return *this;
}

std::optional<double> precision(const BinaryCounts& counts) {
  return share(counts.tp, counts.tp + counts.fp);
}

std::optional<double> recall(const BinaryCounts& counts) {
  return share(counts.tp, counts.tp + counts.fn);
}

std::optional<double> f_beta(const BinaryCounts& counts, double beta) {
  if (counts.tp + counts.fp + counts.fn == 0) return std::nullopt;
  const double weight = beta * beta;
  const double hits = (1 + weight) * real(counts.tp);
  const double all = hits + weight * real(counts.fn) + real(counts.fp);
  if (all == 0) return 0;  // β = 0 and nothing but missed positives: precision is undefined, no hit is not
  return hits / all;
}

std::optional<double> accuracy(const BinaryCounts& counts) {
  return share(counts.tp + counts.tn, counts.total());
}

std::optional<double> balanced_accuracy(const BinaryCounts& counts) {
  const auto sensitivity = recall(counts);
  const auto specificity = share(counts.tn, counts.tn + counts.fp);
  if (!sensitivity || !specificity) return std::nullopt;
  return (*sensitivity + *specificity) / 2;
}

std::optional<double> matthews_correlation(const BinaryCounts& counts) {
  const double tp = real(counts.tp);
  const double tn = real(counts.tn);
  const double fp = real(counts.fp);
  const double fn = real(counts.fn);
  // Two roots: the product of four margins overflows no double, but loses its last bits sooner.
  const double margins = std::sqrt((tp + fp) * (tp + fn)) * std::sqrt((tn + fp) * (tn + fn));
  if (margins == 0) return std::nullopt;
  return (tp * tn - fp * fn) / margins;
}

BinaryFigures binary_figures(const BinaryCounts& counts, const Resampling& resampling,
                             std::span<const BinaryCounts> clusters) {
  const double level = resampling.level;
  const std::int64_t total = counts.total();
  if (total == 0) {
    const Estimate none = undefined_figure("no observations");
    return {none, none, none, none, none, none, none};
  }
  BinaryFigures figures;
  figures.precision = rate(counts.tp, counts.tp + counts.fp, level, "no case was classified as positive");
  figures.recall = rate(counts.tp, counts.tp + counts.fn, level, "no case was expected to be positive");
  figures.accuracy = wilson(counts.tp + counts.tn, total, level);
  const std::int64_t with_positive = counts.tp + counts.fp + counts.fn;
  const char* const no_positive = "no case was expected or classified as positive";
  figures.f1 = figure(f_beta(counts, 1), with_positive, no_positive);
  figures.f2 = figure(f_beta(counts, 2), with_positive, no_positive);
  figures.balanced_accuracy = figure(balanced_accuracy(counts), total, "only one class was expected");
  figures.matthews_correlation =
      figure(matthews_correlation(counts), total, "one class only, on the expected or on the actual side");

  const std::array<std::int64_t, 4> cells{counts.tp, counts.tn, counts.fp, counts.fn};
  std::vector<ClusterCells> by_cluster;
  by_cluster.reserve(clusters.size());
  for (const BinaryCounts& one : clusters) {
    by_cluster.push_back({{0, one.tp}, {1, one.tn}, {2, one.fp}, {3, one.fn}});
    std::erase_if(by_cluster.back(), [](const auto& cell) { return cell.second == 0; });
  }
  const auto intervals = resample_cells(
      cells, 7,
      [](std::span<const std::int64_t> drawn, std::span<double> out) {
        const BinaryCounts again{drawn[0], drawn[1], drawn[2], drawn[3]};
        out[0] = or_nan(f_beta(again, 1));
        out[1] = or_nan(f_beta(again, 2));
        out[2] = or_nan(balanced_accuracy(again));
        out[3] = or_nan(matthews_correlation(again));
        out[4] = or_nan(precision(again));
        out[5] = or_nan(recall(again));
        out[6] = or_nan(accuracy(again));
      },
      resampling, by_cluster);
  const Drawn drawn = clusters.empty() ? Drawn::cases : Drawn::clusters;
  attach(figures.f1, intervals[0], level, drawn);
  attach(figures.f2, intervals[1], level, drawn);
  attach(figures.balanced_accuracy, intervals[2], level, drawn);
  attach(figures.matthews_correlation, intervals[3], level, drawn);
  if (clusters.empty()) return figures;
  attach(figures.precision, intervals[4], level, drawn);
  attach(figures.recall, intervals[5], level, drawn);
  attach(figures.accuracy, intervals[6], level, drawn);
  // Draws that are all equal leave none; the clusters that carry the rate still say how sure it is.
  const auto when_equal = [&](Estimate& rate, std::int64_t (*carried)(const BinaryCounts&)) {
    if (rate.ci || !rate.value) return;
    const auto carriers =
        std::ranges::count_if(clusters, [&](const BinaryCounts& one) { return carried(one) > 0; });
    rate.ci = wilson_of_equal(*rate.value, carriers, level);
    if (!rate.ci) return;
    rate.method = "wilson_clustered";
    rate.undefined.clear();
  };
  when_equal(figures.precision, [](const BinaryCounts& one) { return one.tp + one.fp; });
  when_equal(figures.recall, [](const BinaryCounts& one) { return one.tp + one.fn; });
  when_equal(figures.accuracy, [](const BinaryCounts& one) { return one.total(); });
  return figures;
}

}  // namespace assay
