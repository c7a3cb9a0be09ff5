#include "stats/agreement/intraclass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <boost/math/distributions/fisher_f.hpp>

#include "stats/quiet.h"

namespace assay {
namespace {

using FisherF = boost::math::fisher_f_distribution<double, Quiet>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFigures = 6;
// A sum of squares below this share of the whole is rounding.
constexpr double kRounding = 1e-24;

// Mean squares of any number of copies of each distinct unit.
class TwoWayTable {
 public:
  TwoWayTable(const RatedUnits& units, std::size_t raters) : raters_(raters), columns_(raters) {
    // Measured from the first rating and in units of the largest distance from it, no offset or scale can
    // spoil the squares, and equal ratings are exactly 0.
    const double origin = units.rows.front().front();
    for (const std::vector<double>& row : units.rows) {
      for (const double rating : row) unit_ = std::max(unit_, std::fabs(rating / 2 - origin / 2));
    }
    for (const std::vector<double>& row : units.rows) {
      Row& kept = rows_.emplace_back();
      for (const double rating : row) {
        kept.ratings.push_back(unit_ > 0 ? (rating / 2 - origin / 2) / unit_ : 0);
        kept.mean += kept.ratings.back() / static_cast<double>(raters);
      }
      for (const double rating : kept.ratings) kept.within += (rating - kept.mean) * (rating - kept.mean);
      if (std::ranges::min(row) == std::ranges::max(row)) kept.within = 0;
    }
  }

  // In the unit of the table; scaled() gives the unit of the ratings.
  MeanSquares operator()(std::span<const std::int64_t> counts) {
    std::ranges::fill(columns_, 0.0);
    double n = 0;
    double grand = 0;
    for (std::size_t u = 0; u < rows_.size(); ++u) {
      if (counts[u] == 0) continue;
      const auto copies = static_cast<double>(counts[u]);
      n += copies;
      grand += copies * rows_[u].mean;
      for (std::size_t rater = 0; rater < raters_; ++rater) {
        columns_[rater] += copies * rows_[u].ratings[rater];
      }
    }
    grand /= n;
    const auto k = static_cast<double>(raters_);
    double units = 0;
    double within = 0;
    for (std::size_t u = 0; u < rows_.size(); ++u) {
      const auto copies = static_cast<double>(counts[u]);
      units += copies * k * (rows_[u].mean - grand) * (rows_[u].mean - grand);
      within += copies * rows_[u].within;
    }
    double raters = 0;
    for (const double column : columns_) raters += n * (column / n - grand) * (column / n - grand);
    double residual = within - raters;
    const double whole = units + within;
    if (units < kRounding * whole) units = 0;
    if (residual < 1e-13 * whole) residual = 0;
    MeanSquares squares;
    squares.units = static_cast<std::int64_t>(n);
    squares.raters = static_cast<std::int64_t>(raters_);
    squares.between_units = units / (n - 1);
    squares.within_units = within / (n * (k - 1));
    squares.between_raters = raters / (k - 1);
    squares.residual = residual / ((n - 1) * (k - 1));
    return squares;
  }

  MeanSquares scaled(MeanSquares squares) const {
    const double scale = 4 * unit_ * unit_;
    squares.between_units *= scale;
    squares.within_units *= scale;
    squares.between_raters *= scale;
    squares.residual *= scale;
    return squares;
  }

 private:
  struct Row {
    std::vector<double> ratings;
    double mean = 0;
    double within = 0;  // sum of squares around the mean
  };
  std::size_t raters_;
  double unit_ = 0;
  std::vector<Row> rows_;
  std::vector<double> columns_;
};

// NaN if the denominator is 0, or nothing but the rounding of terms as large as `terms`.
double ratio(double numerator, double denominator, double terms) {
  return denominator > 1e-12 * terms ? numerator / denominator : kNaN;
}

// (1,1) (2,1) (3,1) (1,k) (2,k) (3,k); NaN where undefined.
std::array<double, kFigures> values(const MeanSquares& squares) {
  const auto n = static_cast<double>(squares.units);
  const auto k = static_cast<double>(squares.raters);
  const double b = squares.between_units;
  const double w = squares.within_units;
  const double j = squares.between_raters;
  const double e = squares.residual;
  const double terms = b + w + j + e;
  return {ratio(b - w, b + (k - 1) * w, terms), ratio(b - e, b + (k - 1) * e + k * (j - e) / n, terms),
          ratio(b - e, b + (k - 1) * e, terms), ratio(b - w, b, terms),
          ratio(b - e, b + (j - e) / n, terms), ratio(b - e, b, terms)};
}

double f_point(double share, double first, double second) {
  return boost::math::quantile(FisherF(first, second), share);
}

struct Pair {
  Interval single;
  Interval mean;
};

// For (1,·) and (3,·), whose F ratio has a known distribution.
Pair exact_intervals(double f, double first, double second, double k, double level) {
  const double share = 0.5 + level / 2;
  const double low = f / f_point(share, first, second);
  const double high = f * f_point(share, second, first);
  return {{(low - 1) / (low + k - 1), (high - 1) / (high + k - 1)}, {1 - 1 / low, 1 - 1 / high}};
}

double stepped_up(double single, double k) {
  return k * single / (1 + (k - 1) * single);
}

// For (2,·), whose degrees of freedom are approximated (Satterthwaite).
Pair approximate_intervals(const MeanSquares& squares, double value, double level) {
  const auto n = static_cast<double>(squares.units);
  const auto k = static_cast<double>(squares.raters);
  const double b = squares.between_units;
  const double j = squares.between_raters;
  const double e = squares.residual;
  const double f = j / e;
  const double weight = n * (1 + (k - 1) * value) - k * value;
  const double top = k * value * f + weight;
  const double freedom =
      (k - 1) * (n - 1) * top * top / ((n - 1) * k * k * value * value * f * f + weight * weight);
  const double share = 0.5 + level / 2;
  const double upper = f_point(share, n - 1, freedom);
  const double lower = f_point(share, freedom, n - 1);
  const double noise = k * j + (k * n - k - n) * e;
  const double low = n * (b - upper * e) / (upper * noise + n * b);
  const double high = n * (lower * b - e) / (noise + n * lower * b);
  return {{low, high}, {stepped_up(low, k), stepped_up(high, k)}};
}

// Why there is no F interval; empty if there is one.
std::string no_f_interval(const MeanSquares& squares, double level) {
  if (!(level > 0 && level < 1)) return "an interval's level must lie between 0 and 1";
  if (!(squares.residual > 0)) {
    return "no interval: the raters differ by nothing but a constant, so there is no error to measure";
  }
  if (!(squares.between_units > 0)) return "no interval: the units do not differ";
  return "";
}

std::array<Intraclass*, kFigures> all_of(IntraclassFigures& figures) {
  return {&figures.icc_1_1, &figures.icc_2_1, &figures.icc_3_1,
          &figures.icc_1_k, &figures.icc_2_k, &figures.icc_3_k};
}

void attach_f(Estimate& estimate, Interval interval, const std::string& reason, double level) {
  if (!estimate.value) return;
  estimate.method = "f";
  estimate.level = level;
  estimate.undefined = reason;
  if (!reason.empty()) return;
  if (std::isfinite(interval.low) && std::isfinite(interval.high) && interval.low < interval.high) {
    estimate.ci = interval;
  } else {
    estimate.undefined = "no interval: its limits are beyond what can be computed from these mean squares";
  }
}

}  // namespace

IntraclassFigures intraclass_figures(const Ratings& ratings, const Resampling& resampling) {
  const RatedUnits units = complete_units(ratings);
  IntraclassFigures result;
  const auto figures = all_of(result);
  std::string reason = units.undefined;
  if (reason.empty() && units.total < 2) reason = "one unit shows no spread between units";
  if (reason.empty() && distinct_values(units).size() < 2) reason = "all ratings are equal";
  for (Intraclass* figure : figures) {
    describe_units(figure->f, ratings, units);
    figure->f.undefined = reason;
    figure->resampled = figure->f;
  }
  if (!reason.empty()) return result;

  TwoWayTable table(units, ratings.raters());
  const MeanSquares squares = table(units.counts);
  result.mean_squares = table.scaled(squares);
  const std::array<double, kFigures> at = values(squares);
  const auto intervals = resample_cells(
      units.counts, kFigures,
      [&](std::span<const std::int64_t> counts, std::span<double> row) {
        std::ranges::copy(values(table(counts)), row.begin());
      },
      resampling);
  for (std::size_t i = 0; i < kFigures; ++i) {
    if (!std::isfinite(at[i])) {
      figures[i]->f.undefined = figures[i]->resampled.undefined =
          "the spread between units is too small to divide by";
      continue;
    }
    figures[i]->f.value = figures[i]->resampled.value = at[i];
    attach(figures[i]->resampled, intervals[i], resampling.level);
  }

  const std::string no_f = no_f_interval(squares, resampling.level);
  Pair one{};
  Pair two{};
  Pair three{};
  if (no_f.empty()) {
    const auto n = static_cast<double>(squares.units);
    const auto k = static_cast<double>(squares.raters);
    one = exact_intervals(squares.between_units / squares.within_units, n - 1, n * (k - 1), k,
                          resampling.level);
    two = approximate_intervals(squares, at[1], resampling.level);
    three = exact_intervals(squares.between_units / squares.residual, n - 1, (n - 1) * (k - 1), k,
                            resampling.level);
  }
  attach_f(result.icc_1_1.f, one.single, no_f, resampling.level);
  attach_f(result.icc_2_1.f, two.single, no_f, resampling.level);
  attach_f(result.icc_3_1.f, three.single, no_f, resampling.level);
  attach_f(result.icc_1_k.f, one.mean, no_f, resampling.level);
  attach_f(result.icc_2_k.f, two.mean, no_f, resampling.level);
  attach_f(result.icc_3_k.f, three.mean, no_f, resampling.level);
  return result;
}

}  // namespace assay
