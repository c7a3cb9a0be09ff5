#include "stats/intervals/bootstrap.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kFewestDraws = 1'000;
// Drawn clusters or rows that one call may take: about ten seconds of one core.
constexpr std::int64_t kMostPicks = 2'000'000'000;
// Below this many picks a second thread costs more than it saves.
constexpr std::int64_t kPicksPerThread = 1'000'000;
// Draws that a thread takes at once.
constexpr std::int64_t kBlock = 64;
// From this many clusters of one kind on, one binomial is cheaper than drawing the clusters one by one.
constexpr std::size_t kAlikePerBinomial = 12;

// The draws use those from 0 on.
constexpr std::uint64_t kGroupingSequence = std::numeric_limits<std::uint64_t>::max();

double normal_quantile(double share) {
  if (share <= 0) return -std::numeric_limits<double>::infinity();
  if (share >= 1) return std::numeric_limits<double>::infinity();
  return boost::math::quantile(boost::math::normal(), share);
}

double normal_share(double z) {
  return std::isnan(z) ? z : boost::math::cdf(boost::math::normal(), z);
}

// How many draws fit into the bounds, or why none.
struct Budget {
  std::int64_t draws = 0;
  std::string refused;
};

Budget budget(std::int64_t asked, std::size_t picks_per_draw) {
  if (asked <= 0) return {0, "no interval: no resamples were asked for"};
  const auto picks = static_cast<std::int64_t>(std::max<std::size_t>(picks_per_draw, 1));
  const std::int64_t draws = std::min(asked, kMostPicks / picks);
  if (draws < std::min(asked, kFewestDraws)) return {0, "no interval: there is too much to resample"};
  return {draws, ""};
}

// Fills draws[d] = figure_of_draw(d, scratch) for every d, on several threads; each has a scratch of its own.
template <class Scratch, class DrawFigure>
std::vector<double> all_draws(std::int64_t draws, std::size_t picks_per_draw, unsigned threads,
                              const Scratch& empty, const DrawFigure& figure_of_draw) {
  std::vector<double> figures(static_cast<std::size_t>(draws), kNaN);
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    Scratch scratch = empty;
    while (true) {
      const std::int64_t begin = next.fetch_add(kBlock);
      if (begin >= draws) return;
      for (std::int64_t d = begin; d < std::min(begin + kBlock, draws); ++d) {
        figures[static_cast<std::size_t>(d)] = figure_of_draw(static_cast<std::uint64_t>(d), scratch);
      }
    }
  };
  std::int64_t wanted = threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : threads;
  const std::int64_t blocks = (draws + kBlock - 1) / kBlock;
  wanted = std::min(wanted, blocks);
  if (threads == 0) {
    wanted = std::min(wanted, 1 + draws * static_cast<std::int64_t>(picks_per_draw) / kPicksPerThread);
  }
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(wanted));
  const auto guarded = [&](std::size_t worker) {
    try {
      work();
    } catch (...) {
      failures[worker] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t worker = 1; worker < failures.size(); ++worker) {
      try {
        helpers.emplace_back(guarded, worker);
      } catch (const std::system_error&) {
        break;  // no more threads to be had: those that run do the rest
      }
    }
    guarded(0);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return figures;
}

// The estimate without its interval: what both ways of drawing begin with.
Estimate started(double value, std::size_t rows, const Bootstrap& options) {
  Estimate estimate;
  estimate.n = static_cast<std::int64_t>(rows);
  estimate.level = options.level;
  estimate.method = options.kind == BootstrapKind::bca ? "bootstrap_bca" : "bootstrap_percentile";
  if (rows == 0) {
    estimate.undefined = "no observations";
  } else if (!std::isfinite(value)) {
    estimate.undefined = "the figure is undefined for these rows";
  } else {
    estimate.value = value;
    if (!(options.level > 0 && options.level < 1)) {
      estimate.undefined = "an interval's level must lie between 0 and 1";
    }
  }
  return estimate;
}

const char* one_unit(std::span<const std::string> clusters) {
  return clusters.empty() ? "no interval: one observation has no spread"
                          : "no interval: one cluster shows no spread between clusters";
}

// What is left to do once all draws are there.
void finish(Estimate& estimate, std::vector<double> draws, std::span<const double> without_each,
            BootstrapKind kind) {
  for (double& draw : draws) {
    if (!std::isfinite(draw)) draw = kNaN;
  }
  const ResampledInterval interval =
      kind == BootstrapKind::bca
          ? bca_interval(*estimate.value, std::move(draws), bca_acceleration(without_each), estimate.level)
          : percentile_interval(std::move(draws), estimate.level);
  estimate.ci = interval.ci;
  estimate.undefined = interval.undefined;
}

// Rows of each cluster, clusters by name; without clusters each row by itself.
std::vector<std::vector<std::size_t>> rows_by_cluster(std::size_t rows,
                                                      std::span<const std::string> clusters) {
  std::vector<std::vector<std::size_t>> groups;
  if (clusters.empty()) {
    groups.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) groups.push_back({row});
    return groups;
  }
  std::map<std::string_view, std::vector<std::size_t>> by_name;
  for (std::size_t row = 0; row < rows; ++row) by_name[clusters[row]].push_back(row);
  groups.reserve(by_name.size());
  for (auto& [name, members] : by_name) groups.push_back(std::move(members));
  return groups;
}

struct ClusterSum {
  double numerator = 0;
  double denominator = 0;
  auto operator<=>(const ClusterSum&) const = default;
};

// Smallest first, so that the last bits do not depend on the order of the rows.
ClusterSum total_of(std::span<ClusterSum> parts) {
  std::ranges::sort(parts, [](const ClusterSum& a, const ClusterSum& b) { return a < b; });
  ClusterSum total;
  for (const ClusterSum& part : parts) {
    total.numerator += part.numerator;
    total.denominator += part.denominator;
  }
  return total;
}

double ratio_of(const ClusterSum& sum) {
  return sum.denominator == 0 ? kNaN : sum.numerator / sum.denominator;
}

// Draws as many clusters as there are, with replacement, and adds up their sums. Clusters of equal sums are
// one kind: if there are few kinds, a draw is one binomial per kind.
class SumDraws {
 public:
  explicit SumDraws(std::vector<ClusterSum> sums) : sums_(std::move(sums)) {
    for (const ClusterSum& sum : sums_) {  // they are sorted
      if (kinds_.empty() || kinds_.back().sum != sum) kinds_.push_back({sum, 0, 0});
      ++kinds_.back().count;
    }
    if (one_by_one()) return;
    // The most frequent first: soon few clusters are left, and the binomials become small and cheap.
    std::ranges::sort(kinds_, [](const Kind& a, const Kind& b) {
      return a.count != b.count ? a.count > b.count : a.sum < b.sum;
    });
    auto left = static_cast<std::int64_t>(sums_.size());
    for (Kind& kind : kinds_) {
      kind.share_of_rest = static_cast<double>(kind.count) / static_cast<double>(left);
      left -= kind.count;
    }
  }

  // What one draw of these sums, which are sorted, would take.
  static std::size_t picks_of(std::span<const ClusterSum> sums) {
    std::size_t kinds = sums.empty() ? 0 : 1;
    for (std::size_t i = 1; i < sums.size(); ++i) kinds += sums[i] != sums[i - 1] ? 1 : 0;
    return std::min(sums.size(), kinds * kAlikePerBinomial);
  }

  bool one_by_one() const { return kinds_.size() * kAlikePerBinomial >= sums_.size(); }
  std::size_t picks() const { return std::min(sums_.size(), kinds_.size() * kAlikePerBinomial); }

  double figure(Random random) const {
    ClusterSum total;
    if (one_by_one()) {
      const std::uint64_t size = sums_.size();
      for (std::uint64_t i = 0; i < size; ++i) {
        const ClusterSum& sum = sums_[random.below(size)];
        total.numerator += sum.numerator;
        total.denominator += sum.denominator;
      }
      return ratio_of(total);
    }
    auto left = static_cast<std::int64_t>(sums_.size());
    for (std::size_t i = 0; i < kinds_.size() && left > 0; ++i) {
      const Kind& kind = kinds_[i];
      const std::int64_t count = i + 1 == kinds_.size() ? left : random.binomial(left, kind.share_of_rest);
      total.numerator += static_cast<double>(count) * kind.sum.numerator;
      total.denominator += static_cast<double>(count) * kind.sum.denominator;
      left -= count;
    }
    return ratio_of(total);
  }

 private:
  struct Kind {
    ClusterSum sum;
    std::int64_t count = 0;
    double share_of_rest = 0;
  };
  std::vector<ClusterSum> sums_;
  std::vector<Kind> kinds_;
};

// The sums of every cluster, sorted.
std::vector<ClusterSum> sums_by_cluster(std::vector<ClusterSum> rows,
                                        const std::vector<std::string_view>& clusters) {
  if (clusters.empty()) {
    std::ranges::sort(rows, [](const ClusterSum& a, const ClusterSum& b) { return a < b; });
    return rows;
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return clusters[a] < clusters[b]; });
  std::vector<ClusterSum> sums;
  std::vector<ClusterSum> members;
  for (std::size_t i = 0; i < order.size(); ++i) {
    members.push_back(rows[order[i]]);
    if (i + 1 == order.size() || clusters[order[i + 1]] != clusters[order[i]]) {
      sums.push_back(total_of(members));
      members.clear();
    }
  }
  std::ranges::sort(sums, [](const ClusterSum& a, const ClusterSum& b) { return a < b; });
  return sums;
}

// Very many clusters are put together at random into this many groups of one size, and groups are drawn: a
// sum of independent clusters is a cluster as well, with the same share in the error and the skew of the
// figure. Of 10,000 groups the error is estimated to within 1 %, which is what the draws themselves vary by,
// and the work does not grow with the data any more.
constexpr std::size_t kMostGroups = 10'000;

// `sums` are sorted, so the groups depend neither on the order of the rows nor on the names of the clusters;
// but they must not be alike by that order, which would hide the spread.
std::vector<ClusterSum> grouped(std::vector<ClusterSum> sums, Random random) {
  for (std::size_t i = sums.size() - 1; i > 0; --i) std::swap(sums[i], sums[random.below(i + 1)]);
  std::vector<ClusterSum> groups(kMostGroups);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ClusterSum& group = groups[i % kMostGroups];
    group.numerator += sums[i].numerator;
    group.denominator += sums[i].denominator;
  }
  std::ranges::sort(groups, [](const ClusterSum& a, const ClusterSum& b) { return a < b; });
  return groups;
}

}  // namespace

double bca_bias(double value, std::span<const double> draws) {
  double below = 0;
  double all = 0;
  // Draws that differ from the figure by rounding alone are ties.
  double largest = std::fabs(value);
  for (const double draw : draws) {
    if (std::isfinite(draw)) largest = std::max(largest, std::fabs(draw));
  }
  const double near = 1e-12 * largest;
  for (const double draw : draws) {
    if (!std::isfinite(draw)) continue;
    ++all;
    if (std::fabs(draw - value) <= near) {
      below += 0.5;
    } else if (draw < value) {
      ++below;
    }
  }
  return all == 0 ? kNaN : normal_quantile(below / all);
}

double bca_acceleration(std::span<const double> without_each) {
  double sum = 0;
  double count = 0;
  for (const double figure : without_each) {
    if (!std::isfinite(figure)) continue;
    sum += figure;
    ++count;
  }
  if (count == 0) return 0;
  const double mean = sum / count;
  double squares = 0;
  double cubes = 0;
  for (const double figure : without_each) {
    if (!std::isfinite(figure)) continue;
    const double distance = mean - figure;
    squares += distance * distance;
    cubes += distance * distance * distance;
  }
  // Figures that are equal but for rounding have no skew.
  if (squares <= count * 1e-28 * mean * mean || squares == 0) return 0;
  return cubes / (6 * std::pow(squares, 1.5));
}

Interval bca_shares(double bias, double acceleration, double level) {
  const auto share = [&](double z) {
    const double moved = bias + z;
    const double scale = 1 - acceleration * moved;
    return scale > 0 ? normal_share(bias + moved / scale) : kNaN;
  };
  const double z = normal_quantile(0.5 + level / 2);
  return {share(-z), share(z)};
}

ResampledInterval bca_interval(double value, std::vector<double> draws, double acceleration, double level) {
  if (!(level > 0 && level < 1)) return {std::nullopt, "an interval's level must lie between 0 and 1"};
  if (!std::isfinite(value)) return {std::nullopt, "no interval: the figure itself is undefined"};
  const std::size_t all = draws.size();
  std::erase_if(draws, [](double draw) { return !std::isfinite(draw); });
  if (draws.empty() || draws.size() * 2 < all) {
    return {std::nullopt, fmt::format("no interval: the figure is undefined in {} of {} resamples",
                                      all - draws.size(), all)};
  }
  const auto [least, most] = std::ranges::minmax(draws);
  if (most - least <= 1e-13 * std::max(std::fabs(least), std::fabs(most))) {
    return {std::nullopt,
            "no interval: every resample gives the same figure, which says nothing about its error"};
  }
  const double bias = bca_bias(value, draws);
  if (!std::isfinite(bias)) {
    return {std::nullopt, "no interval: all resamples lie on one side of the figure"};
  }
  const Interval shares = bca_shares(bias, acceleration, level);
  if (!(shares.low < shares.high)) {
    return {std::nullopt, "no interval: the figure is too skewed for the BCa correction"};
  }
  const double low = quantile_of(draws, shares.low);
  const double high = quantile_of(draws, shares.high);
  if (!(low < high)) {
    return {std::nullopt, "no interval: nearly all resamples give the same figure"};
  }
  return {Interval{low, high}, ""};
}

Estimate bootstrap(std::size_t rows, std::span<const std::string> clusters, const RowFigure& figure,
                   const Bootstrap& options) {
  if (!clusters.empty() && clusters.size() != rows) return undefined_figure("not every row has its cluster");
  const std::vector<std::vector<std::size_t>> groups = rows_by_cluster(rows, clusters);
  std::vector<std::size_t> everything;
  everything.reserve(rows);
  for (const auto& group : groups) everything.insert(everything.end(), group.begin(), group.end());
  Estimate estimate = started(rows == 0 ? kNaN : figure(everything), rows, options);
  if (!estimate.undefined.empty()) return estimate;
  if (groups.size() < 2) {
    estimate.undefined = one_unit(clusters);
    return estimate;
  }
  const Budget allowed = budget(options.draws, rows);
  if (allowed.draws == 0) {
    estimate.undefined = allowed.refused;
    return estimate;
  }
  std::vector<double> draws = all_draws(allowed.draws, rows, options.threads, std::vector<std::size_t>(),
                                        [&](std::uint64_t draw, std::vector<std::size_t>& drawn) {
                                          Random random = options.random.at(draw);
                                          drawn.clear();
                                          for (std::size_t i = 0; i < groups.size(); ++i) {
                                            const auto& group = groups[random.below(groups.size())];
                                            drawn.insert(drawn.end(), group.begin(), group.end());
                                          }
                                          return figure(drawn);
                                        });
  std::vector<double> without_each;
  if (options.kind == BootstrapKind::bca) {
    // The figure without cluster i, for as many clusters as the bounds allow (evenly spaced beyond).
    const std::size_t affordable = static_cast<std::size_t>(kMostPicks) / std::max<std::size_t>(rows, 1);
    const std::size_t step = groups.size() / std::max<std::size_t>(affordable, 1) + 1;
    const std::size_t figures = (groups.size() + step - 1) / step;
    without_each =
        all_draws(static_cast<std::int64_t>(figures), rows, options.threads, std::vector<std::size_t>(),
                  [&](std::uint64_t index, std::vector<std::size_t>& rest) {
                    rest.clear();
                    for (std::size_t i = 0; i < groups.size(); ++i) {
                      if (i == index * step) continue;
                      rest.insert(rest.end(), groups[i].begin(), groups[i].end());
                    }
                    return figure(rest);
                  });
  }
  finish(estimate, std::move(draws), without_each, options.kind);
  return estimate;
}

Estimate bootstrap_ratio(std::span<const double> numerators, std::span<const double> denominators,
                         std::span<const std::string> clusters, const Bootstrap& options) {
  if (numerators.size() != denominators.size()) return undefined_figure("not every row has both numbers");
  if (!clusters.empty() && clusters.size() != numerators.size()) {
    return undefined_figure("not every row has its cluster");
  }
  std::vector<ClusterSum> rows;
  std::vector<std::string_view> names;
  rows.reserve(numerators.size());
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    if (!std::isfinite(numerators[i]) || !std::isfinite(denominators[i])) continue;
    rows.push_back({numerators[i] + 0.0, denominators[i] + 0.0});  // + 0.0: -0 and 0 are one number
    if (!clusters.empty()) names.emplace_back(clusters[i]);
  }
  const std::size_t count = rows.size();
  const std::int64_t left_out = static_cast<std::int64_t>(numerators.size() - count);
  std::vector<ClusterSum> sums = sums_by_cluster(std::move(rows), names);
  const ClusterSum total = total_of(sums);
  Estimate estimate = started(ratio_of(total), count, options);
  if (left_out > 0) estimate.missing["not_finite"] = left_out;
  if (count > 0 && total.denominator == 0) estimate.undefined = "the denominators sum to 0";
  if (!estimate.undefined.empty()) return estimate;
  if (sums.size() < 2) {
    estimate.undefined = one_unit(clusters);
    return estimate;
  }
  if (SumDraws::picks_of(sums) > kMostGroups)
    sums = grouped(std::move(sums), options.random.at(kGroupingSequence));
  std::vector<double> without_each;
  without_each.reserve(sums.size());
  for (const ClusterSum& sum : sums) {
    without_each.push_back(ratio_of({total.numerator - sum.numerator, total.denominator - sum.denominator}));
  }
  const SumDraws sampler(std::move(sums));
  const Budget allowed = budget(options.draws, sampler.picks());
  if (allowed.draws == 0) {
    estimate.undefined = allowed.refused;
    return estimate;
  }
  struct Nothing {};
  std::vector<double> draws =
      all_draws(allowed.draws, sampler.picks(), options.threads, Nothing(),
                [&](std::uint64_t draw, Nothing&) { return sampler.figure(options.random.at(draw)); });
  finish(estimate, std::move(draws), without_each, options.kind);
  return estimate;
}

Estimate bootstrap_mean(std::span<const double> values, std::span<const std::string> clusters,
                        const Bootstrap& options) {
  const std::vector<double> ones(values.size(), 1.0);
  return bootstrap_ratio(values, ones, clusters, options);
}

}  // namespace assay
