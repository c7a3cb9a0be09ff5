#include "stats/intervals/resample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::int64_t kFewestDraws = 1'000;
// Elementary steps (a drawn case or cell, a written figure) that one call may take: a few seconds.
constexpr std::int64_t kMostWork = 200'000'000;
// Fewer groups of clusters would say too little about the error.
constexpr std::int64_t kFewestGroups = 200;
// The draws use those from 0 on.
constexpr std::uint64_t kGroupingSequence = std::numeric_limits<std::uint64_t>::max();
// Below this many cases a cell, drawing the cases one by one is cheaper than a binomial per cell.
constexpr std::int64_t kCasesPerCell = 12;

// One multinomial draw after another from fixed counts.
class CellDraws {
 public:
  explicit CellDraws(std::span<const std::int64_t> counts)
      : drawn_(counts.size()), total_(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})) {
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      if (counts[cell] > 0) order_.push_back(cell);
    }
    if (one_by_one()) {
      cell_of_case_.reserve(static_cast<std::size_t>(total_));
      for (const std::size_t cell : order_) {
        cell_of_case_.insert(cell_of_case_.end(), static_cast<std::size_t>(counts[cell]), cell);
      }
      return;
    }
    // Largest first: soon few cases are left, and the binomials become small and cheap.
    std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
      return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
    });
    std::int64_t left = total_;
    for (const std::size_t cell : order_) {
      share_of_rest_.push_back(static_cast<double>(counts[cell]) / static_cast<double>(left));
      left -= counts[cell];
    }
  }

  std::int64_t steps() const {
    const auto cells = static_cast<std::int64_t>(order_.size());
    return one_by_one() ? total_ : cells * kCasesPerCell;
  }

  std::span<const std::int64_t> draw(Random random) {
    std::ranges::fill(drawn_, 0);
    if (one_by_one()) {
      for (std::int64_t i = 0; i < total_; ++i) {
        ++drawn_[cell_of_case_[random.below(static_cast<std::uint64_t>(total_))]];
      }
      return drawn_;
    }
    std::int64_t left = total_;
    for (std::size_t i = 0; i < order_.size() && left > 0; ++i) {
      const std::int64_t count = i + 1 == order_.size() ? left : random.binomial(left, share_of_rest_[i]);
      drawn_[order_[i]] = count;
      left -= count;
    }
    return drawn_;
  }

 private:
  bool one_by_one() const { return total_ / kCasesPerCell <= static_cast<std::int64_t>(order_.size()); }

  std::vector<std::int64_t> drawn_;
  std::int64_t total_;
  std::vector<std::size_t> order_;  // the cells that are not empty
  std::vector<std::size_t> cell_of_case_;
  std::vector<double> share_of_rest_;
};

// One draw of whole clusters after another.
class ClusterDraws {
 public:
  ClusterDraws(std::span<const ClusterCells> clusters, std::size_t cells)
      : clusters_(clusters), drawn_(cells) {}

  std::int64_t steps() const {
    std::size_t steps = clusters_.size();
    for (const ClusterCells& cluster : clusters_) steps += cluster.size();
    return static_cast<std::int64_t>(steps);
  }

  std::span<const std::int64_t> draw(Random random) {
    std::ranges::fill(drawn_, 0);
    for (std::size_t i = 0; i < clusters_.size(); ++i) {
      for (const auto& [cell, count] : clusters_[random.below(clusters_.size())]) drawn_[cell] += count;
    }
    return drawn_;
  }

 private:
  std::span<const ClusterCells> clusters_;
  std::vector<std::int64_t> drawn_;
};

// Clusters put together at random into groups of one size. Groups of independent clusters are independent
// clusters as well, with the same share in the error of a figure, and a few hundred show it to within some
// percent.
std::vector<ClusterCells> grouped(std::span<const ClusterCells> clusters, std::size_t groups,
                                  std::size_t cells, Random random) {
  std::vector<std::uint32_t> order(clusters.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  std::vector<ClusterCells> together(groups);
  std::vector<std::int64_t> sums(cells);
  for (std::size_t group = 0; group < groups; ++group) {
    std::ranges::fill(sums, 0);
    for (std::size_t i = group; i < order.size(); i += groups) {
      for (const auto& [cell, count] : clusters[order[i]]) sums[cell] += count;
    }
    for (std::size_t cell = 0; cell < cells; ++cell) {
      if (sums[cell] > 0) together[group].emplace_back(cell, sums[cell]);
    }
  }
  return together;
}

std::vector<ResampledInterval> none(std::size_t figures, const std::string& reason) {
  return std::vector<ResampledInterval>(figures, ResampledInterval{std::nullopt, reason});
}

}  // namespace

double quantile_of(std::span<double> values, double share) {
  const double position = std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::ranges::nth_element(values, at);
  if (below + 1 == values.size()) return *at;
  const double next = *std::min_element(at + 1, values.end());
  return *at + (position - static_cast<double>(below)) * (next - *at);
}

ResampledInterval percentile_interval(std::vector<double> draws, double level) {
  if (!(level > 0 && level < 1)) return {std::nullopt, "an interval's level must lie between 0 and 1"};
  const std::size_t all = draws.size();
  std::erase_if(draws, [](double draw) { return std::isnan(draw); });
  if (draws.empty() || draws.size() * 2 < all) {
    return {std::nullopt, fmt::format("no interval: the figure is undefined in {} of {} resamples",
                                      all - draws.size(), all)};
  }
  const auto [least, most] = std::ranges::minmax(draws);
  // What is left of sums is no spread: kappa against a rater who always says the same is 0 up to its last
  // bit.
  if (most - least <= 1e-13 * std::max({std::fabs(least), std::fabs(most), 0.01})) {
    return {std::nullopt,
            "no interval: every resample gives the same figure, which says nothing about its error"};
  }
  const double tail = (1 - level) / 2;
  const double low = quantile_of(draws, tail);
  return {Interval{low, quantile_of(draws, 1 - tail)}, ""};
}

double expanded_level(double level, std::int64_t units) {
  if (units < 2) return level;
  const auto n = static_cast<double>(units);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.5 + level / 2);
  return 2 * boost::math::cdf(boost::math::normal(), t * std::sqrt(n / (n - 1))) - 1;
}

std::vector<ResampledInterval> resample_cells(std::span<const std::int64_t> counts, std::size_t figures,
                                              const CellFigures& evaluate, const Resampling& resampling,
                                              std::span<const ClusterCells> clusters) {
  if (std::ranges::any_of(counts, [](std::int64_t count) { return count < 0; })) {
    return none(figures, "no interval: a count is negative");
  }
  if (!clusters.empty() && clusters.size() < kFewestClusters) {
    return none(figures, fmt::format("no interval: {} clusters are too few to draw from, {} are needed",
                                     clusters.size(), kFewestClusters));
  }
  CellDraws cells(clusters.empty() ? counts : std::span<const std::int64_t>());
  const auto around = static_cast<std::int64_t>(counts.size() + 4 * figures) + 1;  // a draw's other steps
  const std::int64_t fewest = std::min(kFewestDraws, resampling.draws);
  std::vector<ClusterCells> groups;
  if (!clusters.empty() && (ClusterDraws(clusters, counts.size()).steps() + around) * fewest > kMostWork) {
    // As many groups as can be drawn as often as was asked, whichever of the cells each of them has.
    const std::int64_t affordable = (kMostWork / std::max<std::int64_t>(resampling.draws, 1) - around) /
                                    static_cast<std::int64_t>(counts.size() + 1);
    if (affordable >= kFewestGroups) {
      groups = grouped(clusters, static_cast<std::size_t>(affordable), counts.size(),
                       resampling.random.at(kGroupingSequence));
      clusters = groups;
    }
  }
  ClusterDraws whole_clusters(clusters, counts.size());
  const std::int64_t steps = (clusters.empty() ? cells.steps() : whole_clusters.steps()) + around;
  const std::int64_t draws = std::min(resampling.draws, kMostWork / steps);
  if (draws < fewest) {
    return none(figures, clusters.empty() ? "no interval: there are too many distinct outcomes to resample"
                                          : "no interval: there are too many clusters to draw again");
  }
  if (draws <= 0) return none(figures, "no interval: no resamples were asked for");

  const auto rows = static_cast<std::size_t>(draws);
  std::vector<std::vector<double>> drawn(figures, std::vector<double>(rows));
  std::vector<double> row(figures, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows; ++i) {
    const Random random = resampling.random.at(i);
    evaluate(clusters.empty() ? cells.draw(random) : whole_clusters.draw(random), row);
    for (std::size_t figure = 0; figure < figures; ++figure) drawn[figure][i] = row[figure];
  }
  std::vector<ResampledInterval> intervals;
  intervals.reserve(figures);
  for (std::vector<double>& draws_of_one : drawn) {
    intervals.push_back(percentile_interval(std::move(draws_of_one), resampling.level));
  }
  return intervals;
}

void attach(Estimate& estimate, const ResampledInterval& interval, double level, Drawn drawn) {
  if (!estimate.value) return;
  estimate.ci = interval.ci;
  estimate.undefined = interval.undefined;
  estimate.method = drawn == Drawn::clusters ? "bootstrap_clusters" : "bootstrap_percentile";
  estimate.level = level;
}

}  // namespace assay
