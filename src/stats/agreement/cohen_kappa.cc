#include "stats/agreement/cohen_kappa.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <boost/math/distributions/normal.hpp>

#include "stats/quiet.h"

namespace assay {
namespace {

using Normal = boost::math::normal_distribution<double, Quiet>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostCategories = 200;

std::size_t side_of(std::size_t cells) {
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(cells))));
  return side * side == cells ? side : 0;
}

// Shares of a square table of counts, and what they cost.
struct Shares {
  explicit Shares(std::size_t categories) : side(categories), cell(side * side), row(side), column(side) {}

  void set(std::span<const std::int64_t> counts) {
    std::ranges::fill(row, 0.0);
    std::ranges::fill(column, 0.0);
    double n = 0;
    for (const std::int64_t count : counts) n += static_cast<double>(count);
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j < side; ++j) {
        const double share = static_cast<double>(counts[i * side + j]) / n;
        cell[i * side + j] = share;
        row[i] += share;
        column[j] += share;
      }
    }
  }

  double observed(std::span<const double> weights) const {
    double cost = 0;
    for (std::size_t i = 0; i < cell.size(); ++i) cost += weights[i] * cell[i];
    return cost;
  }

  double expected(std::span<const double> weights) const {
    double cost = 0;
    for (std::size_t i = 0; i < side; ++i) {
      if (row[i] == 0) continue;
      for (std::size_t j = 0; j < side; ++j) cost += weights[i * side + j] * row[i] * column[j];
    }
    return cost;
  }

  double kappa(std::span<const double> weights) const {
    const double chance = expected(weights);
    return chance > 0 ? 1 - observed(weights) / chance : kNaN;
  }

  std::size_t side;
  std::vector<double> cell;
  std::vector<double> row;
  std::vector<double> column;
};

struct Variances {
  double at_value = 0;
  double at_chance = 0;
};

// Fleiss, Cohen, Everitt 1969, written for disagreements: with agreement weights 1 − v the terms in v remain.
Variances variances(const Shares& shares, std::span<const double> weights, double kappa, double n) {
  const std::size_t side = shares.side;
  std::vector<double> row_mean(side);
  std::vector<double> column_mean(side);
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      row_mean[i] += (1 - weights[i * side + j]) * shares.column[j];
      column_mean[j] += (1 - weights[i * side + j]) * shares.row[i];
    }
  }
  const double chance = shares.expected(weights);
  const double agreement = 1 - chance;
  double at_value = 0;
  double at_chance = 0;
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      const double agree = 1 - weights[i * side + j];
      const double means = row_mean[i] + column_mean[j];
      const double from_value = agree - means * (1 - kappa);
      at_value += shares.cell[i * side + j] * from_value * from_value;
      at_chance += shares.row[i] * shares.column[j] * (agree - means) * (agree - means);
    }
  }
  const double centre = kappa - agreement * (1 - kappa);
  const double scale = chance * chance * n;
  return {(at_value - centre * centre) / scale, (at_chance - agreement * agreement) / scale};
}

CohenKappa undefined_kappa(Estimate described, const std::string& reason) {
  described.undefined = reason;
  CohenKappa result;
  result.figure.analytic = described;
  result.figure.resampled = described;
  result.chance.test.undefined = reason;
  return result;
}

std::string wrong_table(std::span<const std::int64_t> counts, std::span<const double> weights) {
  const std::size_t side = side_of(counts.size());
  if (side == 0) return counts.empty() ? "no units" : "the table of counts is not square";
  if (side > kMostCategories) return "more than 200 different values: those are measurements, not labels";
  if (weights.size() != counts.size()) return "there is not one weight per cell";
  if (std::ranges::any_of(counts, [](std::int64_t count) { return count < 0; })) return "a count is negative";
  if (std::ranges::all_of(counts, [](std::int64_t count) { return count == 0; })) return "no units";
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0) return "a weight is negative or not finite";
    if (i % (side + 1) == 0 && weights[i] != 0) return "a weight on the diagonal is not 0";
  }
  return "";
}

// `clusters` are those of the table's cells; none: every unit stands for itself.
CohenKappa kappa_of(std::span<const std::int64_t> counts, std::span<const double> weights, Estimate described,
                    const Resampling& resampling, std::span<const ClusterCells> clusters = {}) {
  const std::string wrong = wrong_table(counts, weights);
  if (!wrong.empty()) return undefined_kappa(std::move(described), wrong);
  described.n = 0;
  for (const std::int64_t count : counts) described.n += count;
  // Kappa does not depend on the unit of the weights, but their squares must fit.
  const double heaviest = std::ranges::max(weights);
  std::vector<double> scaled(weights.begin(), weights.end());
  for (double& weight : scaled) weight = heaviest > 0 ? weight / heaviest : 0;

  Shares shares(side_of(counts.size()));
  shares.set(counts);
  const double value = shares.kappa(scaled);
  if (!std::isfinite(value)) {
    return undefined_kappa(std::move(described),
                           "chance would never disagree: both raters use one and the same category");
  }
  CohenKappa result;
  AgreementFigure& figure = result.figure;
  figure.observed = 1 - shares.observed(scaled);
  figure.expected = 1 - shares.expected(scaled);
  figure.analytic = described;
  figure.analytic.value = value;
  figure.resampled = figure.analytic;

  const auto [at_value, at_chance] = variances(shares, scaled, value, static_cast<double>(described.n));
  const double level = resampling.level;
  figure.analytic.method = "normal";
  figure.analytic.level = level;
  if (!(level > 0 && level < 1)) {
    figure.analytic.undefined = "an interval's level must lie between 0 and 1";
  } else if (described.n < 2) {
    figure.analytic.undefined = "no interval: one unit has no spread";
  } else if (!(at_value > 1e-20)) {
    figure.analytic.undefined = "no interval: the table shows no spread, which says nothing about the error";
  } else {
    figure.standard_error = std::sqrt(at_value);
    const double half = boost::math::quantile(Normal(), 0.5 + level / 2) * *figure.standard_error;
    figure.analytic.ci = Interval{value - half, std::min(value + half, 1.0)};
  }
  result.chance = chance_test(value, at_chance > 1e-20 ? std::sqrt(at_chance) : 0);

  Shares drawn(shares.side);
  const auto intervals = resample_cells(
      counts, 1,
      [&](std::span<const std::int64_t> again, std::span<double> figures) {
        drawn.set(again);
        figures[0] = drawn.kappa(scaled);
      },
      resampling, clusters);
  attach(figure.resampled, intervals[0], level, clusters.empty() ? Drawn::cases : Drawn::clusters);
  return result;
}

}  // namespace

std::vector<double> disagreement_weights(std::span<const double> categories, KappaWeights weights) {
  std::vector<double> matrix;
  matrix.reserve(categories.size() * categories.size());
  for (const double a : categories) {
    for (const double b : categories) {
      const double distance = std::fabs(a - b);
      switch (weights) {
        case KappaWeights::unweighted:
          matrix.push_back(a == b ? 0 : 1);
          break;
        case KappaWeights::linear:
          matrix.push_back(distance);
          break;
        case KappaWeights::quadratic:
          matrix.push_back(distance * distance);
          break;
      }
    }
  }
  return matrix;
}

CohenKappa cohen_kappa(const Ratings& ratings, KappaWeights weights, const Resampling& resampling) {
  const RatedUnits units = complete_units(ratings);
  Estimate described;
  describe_units(described, ratings, units);
  std::string reason = units.undefined;
  if (reason.empty() && ratings.raters() != 2) reason = "Cohen's kappa compares two raters; choose a pair";
  const std::vector<double> categories = distinct_values(units);
  const std::size_t side = categories.size();
  if (reason.empty() && side > kMostCategories) {
    reason = "more than 200 different values: those are measurements, not labels";
  }
  if (!reason.empty()) return undefined_kappa(std::move(described), reason);

  std::vector<std::int64_t> counts(side * side);
  std::vector<std::size_t> cell_of;  // each row is one cell of the table
  for (const std::vector<double>& row : units.rows) {
    const auto i = std::ranges::lower_bound(categories, row[0]) - categories.begin();
    const auto j = std::ranges::lower_bound(categories, row[1]) - categories.begin();
    cell_of.push_back(static_cast<std::size_t>(i) * side + static_cast<std::size_t>(j));
    counts[cell_of.back()] = units.counts[cell_of.size() - 1];
  }
  std::vector<ClusterCells> clusters = units.clusters;
  for (ClusterCells& cluster : clusters) {
    for (auto& [cell, count] : cluster) cell = cell_of[cell];
  }
  return kappa_of(counts, disagreement_weights(categories, weights), std::move(described), resampling,
                  clusters);
}

CohenKappa cohen_kappa(std::span<const std::int64_t> counts, std::span<const double> weights,
                       const Resampling& resampling) {
  return kappa_of(counts, weights, Estimate(), resampling);
}

}  // namespace assay
