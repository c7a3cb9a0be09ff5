#include "stats/agreement/krippendorff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Elementary steps that the draws of one interval may take, a few seconds; it only binds on the ratio scale,
// and for distances of the caller's, whose cost is quadratic in the number of different values.
constexpr std::int64_t kMostWork = 4'000'000'000;
constexpr std::int64_t kFewestDraws = 1'000;
// Above these a single pass over the pairs of values takes too long, or the table of them does not fit.
constexpr std::size_t kMostRatioValues = 20'000;
constexpr std::size_t kMostOtherValues = 2'000;

double ratio_distance(double a, double b) {
  const double sum = a + b;
  const double share = sum > 0 ? (a - b) / sum : 0;
  return share * share;
}

// The distances of all pairs of values, row by row; empty if one is not a distance.
std::vector<double> distance_table(const std::vector<double>& values, const RatingDistance& distance) {
  std::vector<double> table(values.size() * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double between = distance(values[i], values[j]);
      if (!(between >= 0) || !std::isfinite(between)) return {};
      table[i * values.size() + j] = table[j * values.size() + i] = between;
    }
  }
  return table;
}

// Alpha of any number of copies of each distinct unit; scratch space is kept between draws.
class Alpha {
 public:
  // `table` holds the distances where there is no scale.
  Alpha(const RatedUnits& units, std::optional<Scale> scale, std::vector<double> table)
      : scale_(scale),
        values_(distinct_values(units)),
        table_(std::move(table)),
        frequency_(values_.size()),
        score_(values_.size()) {
    for (const std::vector<double>& row : units.rows) {
      Unit& unit = units_.emplace_back();
      for (const double rating : row) {
        const auto at = std::ranges::lower_bound(values_, rating);
        unit.values.push_back(static_cast<std::size_t>(at - values_.begin()));
      }
      if (is_pairwise()) unit.pair_disagreement = pair_disagreement(unit.values);
    }
    if (scale == Scale::interval) {
      // The distances from the middle, in units of the range: no offset and no scale can spoil the squares.
      const double middle = values_.front() / 2 + values_.back() / 2;
      const double half = values_.back() / 2 - values_.front() / 2;
      for (std::size_t i = 0; i < values_.size(); ++i) {
        score_[i] = half > 0 ? (values_[i] - middle) / half : 0;
      }
    }
  }

  double operator()(std::span<const std::int64_t> counts) {
    std::ranges::fill(frequency_, 0.0);
    double n = 0;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      const auto copies = static_cast<double>(counts[u]);
      if (counts[u] == 0) continue;
      for (const std::size_t value : units_[u].values) frequency_[value] += copies;
      n += copies * static_cast<double>(units_[u].values.size());
    }
    if (std::ranges::count_if(frequency_, [](double count) { return count > 0; }) < 2) return kNaN;
    if (scale_ == Scale::ordinal) rank();
    double inside = 0;  // n·D_o
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (counts[u] > 0) inside += static_cast<double>(counts[u]) * disagreement(units_[u]);
    }
    const double among = expected(n);  // n·D_e
    return among > 0 ? 1 - inside / among : kNaN;
  }

 private:
  struct Unit {
    std::vector<std::size_t> values;  // ascending positions in values_
    double pair_disagreement = 0;
  };

  bool is_pairwise() const { return !scale_ || scale_ == Scale::ratio; }

  double distance(std::size_t i, std::size_t j) const {
    return scale_ ? ratio_distance(values_[i], values_[j]) : table_[i * values_.size() + j];
  }

  double pair_disagreement(std::span<const std::size_t> values) const {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) sum += distance(values[i], values[j]);
    }
    return 2 * sum / static_cast<double>(values.size() - 1);
  }

  void rank() {
    double below = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      score_[i] = below + frequency_[i] / 2;
      below += frequency_[i];
    }
    for (double& score : score_) score = score / below - 0.5;
  }

  // (1/(m−1))·Σ_{i≠j} δ² of one unit.
  double disagreement(const Unit& unit) const {
    const auto m = static_cast<double>(unit.values.size());
    if (is_pairwise()) return unit.pair_disagreement;
    if (scale_ == Scale::nominal) {
      double equal_pairs = 0;
      for (std::size_t i = 0; i < unit.values.size();) {
        std::size_t end = i;
        while (end < unit.values.size() && unit.values[end] == unit.values[i]) ++end;
        equal_pairs += static_cast<double>((end - i) * (end - i - 1));
        i = end;
      }
      return (m * (m - 1) - equal_pairs) / (m - 1);
    }
    double mean = 0;
    for (const std::size_t value : unit.values) mean += score_[value];
    mean /= m;
    double squares = 0;
    for (const std::size_t value : unit.values) {
      squares += (score_[value] - mean) * (score_[value] - mean);
    }
    return unit.values.front() == unit.values.back() ? 0 : 2 * m * squares / (m - 1);
  }

  // (1/(n−1))·Σ_{i≠j} δ² over all ratings.
  double expected(double n) const {
    double sum = 0;
    if (scale_ == Scale::nominal) {
      for (const double count : frequency_) sum += count * (n - count);
      return sum / (n - 1);
    }
    if (is_pairwise()) {
      for (std::size_t i = 0; i < values_.size(); ++i) {
        if (frequency_[i] == 0) continue;
        for (std::size_t j = 0; j < i; ++j) sum += frequency_[i] * frequency_[j] * distance(i, j);
      }
      return 2 * sum / (n - 1);
    }
    double mean = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) mean += frequency_[i] * score_[i];
    mean /= n;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      sum += frequency_[i] * (score_[i] - mean) * (score_[i] - mean);
    }
    return 2 * n * sum / (n - 1);
  }

  std::optional<Scale> scale_;  // absent: the table says how far values are apart
  std::vector<double> values_;
  std::vector<double> table_;
  std::vector<Unit> units_;
  std::vector<double> frequency_;
  std::vector<double> score_;  // a value's place on the scale, for ordinal and interval
};

// Why these values have no place on the scale; empty if they have.
std::string misplaced(const std::vector<double>& values, std::optional<Scale> scale) {
  if (scale == Scale::ratio && values.front() < 0) return "a ratio scale has no negative values";
  if (scale == Scale::ratio && values.size() > kMostRatioValues) {
    return "too many different values for the ratio scale";
  }
  if (!scale && values.size() > kMostOtherValues) return "too many different values for a table of distances";
  return "";
}

Estimate alpha_of(const Ratings& ratings, std::optional<Scale> scale, const RatingDistance& distance,
                  const Resampling& resampling) {
  const RatedUnits units = pairable_units(ratings);
  Estimate estimate;
  describe_units(estimate, ratings, units);
  estimate.undefined = units.undefined;
  if (!estimate.undefined.empty()) return estimate;

  const std::vector<double> values = distinct_values(units);
  estimate.undefined = misplaced(values, scale);
  if (!estimate.undefined.empty()) return estimate;
  std::vector<double> table;
  if (!scale) {
    table = distance_table(values, distance);
    if (table.empty()) {
      estimate.undefined = "a distance of two ratings is negative or not finite";
      return estimate;
    }
  }
  Alpha alpha(units, scale, std::move(table));
  const double value = alpha(units.counts);
  if (!std::isfinite(value)) {
    estimate.undefined = "every rating is the same, so there is no disagreement by chance to compare with";
    return estimate;
  }
  estimate.value = value;

  Resampling bounded = resampling;
  if (!scale || scale == Scale::ratio) {
    const auto cost = static_cast<std::int64_t>(values.size() * values.size() / 2 + 1);
    bounded.draws = std::min(bounded.draws, kMostWork / cost);
    if (bounded.draws < std::min(kFewestDraws, resampling.draws)) {
      attach(estimate, {std::nullopt, "no interval: there are too many different values to resample"},
             resampling.level);
      return estimate;
    }
  }
  const auto intervals = resample_cells(
      units.counts, 1,
      [&](std::span<const std::int64_t> counts, std::span<double> figures) { figures[0] = alpha(counts); },
      bounded, units.clusters);
  attach(estimate, intervals[0], resampling.level, units.drawn());
  return estimate;
}

}  // namespace

Estimate krippendorff_alpha(const Ratings& ratings, Scale scale, const Resampling& resampling) {
  return alpha_of(ratings, scale, {}, resampling);
}

Estimate krippendorff_alpha(const Ratings& ratings, const RatingDistance& distance,
                            const Resampling& resampling) {
  return alpha_of(ratings, std::nullopt, distance, resampling);
}

}  // namespace assay
