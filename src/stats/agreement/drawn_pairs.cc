#include "stats/agreement/drawn_pairs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "stats/intervals/proportion.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool usable(const DrawnPair& pair) {
  return std::isfinite(pair.first) && std::isfinite(pair.second) && pair.probability > 0 &&
         pair.probability <= 1;
}

bool in_clusters(std::span<const DrawnPair> pairs) {
  return std::ranges::any_of(pairs, [](const DrawnPair& pair) { return !pair.cluster.empty(); });
}

// Rows that are alike in all, counted together.
struct Cells {
  struct Cell {
    double first = 0;
    double second = 0;
    double weight = 0;  // of one row
  };
  std::vector<Cell> list;
  std::vector<std::int64_t> counts;
  std::vector<ClusterCells> clusters;  // by name; empty without
};

Cells cells_of(std::span<const DrawnPair> pairs) {
  Cells cells;
  std::map<std::tuple<double, double, double>, std::size_t> places;
  for (const DrawnPair& pair : pairs) places.try_emplace({pair.first, pair.second, pair.probability});
  for (auto& [key, place] : places) {
    place = cells.list.size();
    const auto [first, second, probability] = key;
    cells.list.push_back({first, second, 1 / probability});
  }
  cells.counts.resize(cells.list.size());
  std::map<std::string, std::map<std::size_t, std::int64_t>> by_cluster;
  const bool clustered = in_clusters(pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const DrawnPair& pair = pairs[i];
    const std::size_t place = places.at({pair.first, pair.second, pair.probability});
    ++cells.counts[place];
    if (clustered) ++by_cluster[pair.cluster.empty() ? "\n" + std::to_string(i) : pair.cluster][place];
  }
  for (const auto& [name, own] : by_cluster) cells.clusters.emplace_back(own.begin(), own.end());
  return cells;
}

// Rows and their weights, and what a figure needs of them.
struct Sums {
  double weight = 0;
  double equal = 0;
  double squares = 0;  // of the differences
  std::map<double, double> first;
  std::map<double, double> second;
  double rows = 0;

  Sums(const Cells& cells, std::span<const std::int64_t> counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const Cells::Cell& cell = cells.list[i];
      const double own = cell.weight * static_cast<double>(counts[i]);
      rows += static_cast<double>(counts[i]);
      weight += own;
      equal += cell.first == cell.second ? own : 0;
      squares += own * (cell.first - cell.second) * (cell.first - cell.second);
      first[cell.first] += own;
      second[cell.second] += own;
    }
  }

  double kappa() const {
    double chance = 0;
    for (const auto& [value, own] : first) {
      const auto other = second.find(value);
      if (other != second.end()) chance += own * other->second / (weight * weight);
    }
    return chance < 1 ? 1 - (1 - equal / weight) / (1 - chance) : kNaN;
  }

  double alpha() const {
    double mean = 0;
    for (const auto* side : {&first, &second}) {
      for (const auto& [value, own] : *side) mean += own * value / (2 * weight);
    }
    double variance = 0;
    for (const auto* side : {&first, &second}) {
      for (const auto& [value, own] : *side) variance += own * (value - mean) * (value - mean) / (2 * weight);
    }
    const double ratings = 2 * rows;
    const double among = 2 * variance * ratings / (ratings - 1);
    return among > 0 ? 1 - squares / weight / among : kNaN;
  }
};

Estimate resampled(std::span<const DrawnPair> pairs, const Resampling& resampling,
                   double (Sums::*figure)() const, std::string_view none) {
  if (pairs.empty()) return undefined_figure("no units");
  if (!std::ranges::all_of(pairs, usable))
    return undefined_figure("a score is no number, or a row's probability does not lie above 0 and up to 1");
  const Cells cells = cells_of(pairs);
  const double value = std::invoke(figure, Sums(cells, cells.counts));
  Estimate estimate;
  estimate.n = static_cast<std::int64_t>(pairs.size());
  if (!std::isfinite(value)) {
    estimate.undefined = none;
    return estimate;
  }
  estimate.value = value;
  const auto intervals = resample_cells(
      cells.counts, 1,
      [&](std::span<const std::int64_t> counts, std::span<double> figures) {
        figures[0] = std::invoke(figure, Sums(cells, counts));
      },
      resampling, cells.clusters);
  attach(estimate, intervals[0], resampling.level, cells.clusters.empty() ? Drawn::cases : Drawn::clusters);
  return estimate;
}

}  // namespace

Estimate weighted_share(std::span<const DrawnPair> pairs, double level) {
  if (pairs.empty()) return undefined_figure("no units");
  if (!std::ranges::all_of(pairs, usable))
    return undefined_figure("a score is no number, or a row's probability does not lie above 0 and up to 1");
  Estimate estimate;
  estimate.n = static_cast<std::int64_t>(pairs.size());
  estimate.level = level;
  double all = 0;
  double yes = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    all += 1 / pairs[i].probability;
    yes += pairs[i].same ? 1 / pairs[i].probability : 0;
  }
  // Not by the quotient: rounding may leave a rate of all of them short of 1.
  const auto count = std::ranges::count(pairs, true, &DrawnPair::same);
  const double p = count == 0 ? 0 : count == estimate.n ? 1 : yes / all;
  estimate.value = p;
  struct Unit {
    double weight = 0;
    double excess = 0;
  };
  std::map<std::string, Unit> units;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Unit& unit = units[pairs[i].cluster.empty() ? "\n" + std::to_string(i) : pairs[i].cluster];
    unit.weight += 1 / pairs[i].probability;
    unit.excess += ((pairs[i].same ? 1 : 0) - p) / pairs[i].probability;
  }
  estimate.method = units.size() == pairs.size() ? "wilson_weighted" : "wilson_weighted_clustered";
  if (units.size() < 2) {
    estimate.undefined = pairs.size() == 1 ? "no interval: one row has no spread"
                                           : "no interval: all rows belong to one cluster";
    return estimate;
  }
  const auto number = static_cast<double>(units.size());
  double squares = 0;
  double square_weights = 0;
  for (const auto& [name, unit] : units) {
    squares += unit.excess * unit.excess;
    square_weights += unit.weight * unit.weight;
  }
  const double variance = number / (number - 1) * squares / (all * all);
  const double size = variance > 0 ? std::min(static_cast<double>(pairs.size()), p * (1 - p) / variance)
                                   : all * all / square_weights;
  estimate.ci = wilson_of_size(p, size, number - 1, level);
  return estimate;
}

Estimate weighted_kappa(std::span<const DrawnPair> pairs, const Resampling& resampling) {
  return resampled(pairs, resampling, &Sums::kappa,
                   "chance would never disagree: both raters use one and the same category");
}

Estimate weighted_alpha(std::span<const DrawnPair> pairs, const Resampling& resampling) {
  return resampled(pairs, resampling, &Sums::alpha,
                   "every rating is the same, so there is no disagreement by chance to compare with");
}

}  // namespace assay
