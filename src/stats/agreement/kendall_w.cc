#include "stats/agreement/kendall_w.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>

#include "stats/quiet.h"

namespace assay {
namespace {

using ChiSquared = boost::math::chi_squared_distribution<double, Quiet>;

constexpr const char* kMethod = "chi_squared";
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// W of any number of copies of each distinct unit.
class Concordance {
 public:
  Concordance(const RatedUnits& units, std::size_t raters) : units_(units), rank_sums_(units.rows.size()) {
    for (std::size_t rater = 0; rater < raters; ++rater) {
      std::vector<std::size_t> order(units.rows.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, {}, [&](std::size_t unit) { return units.rows[unit][rater]; });
      orders_.push_back(std::move(order));
    }
  }

  double operator()(std::span<const std::int64_t> counts) {
    std::ranges::fill(rank_sums_, 0.0);
    double n = 0;
    for (const std::int64_t count : counts) n += static_cast<double>(count);
    double ties = 0;
    for (std::size_t rater = 0; rater < orders_.size(); ++rater) ties += add_ranks(rater, counts);
    const auto m = static_cast<double>(orders_.size());
    const double mean = m * (n + 1) / 2;
    double squares = 0;
    for (std::size_t unit = 0; unit < rank_sums_.size(); ++unit) {
      if (counts[unit] == 0) continue;
      squares += static_cast<double>(counts[unit]) * (rank_sums_[unit] - mean) * (rank_sums_[unit] - mean);
    }
    const double most = m * m * (n * n * n - n) - m * ties;
    return n >= 2 && most > 0 ? 12 * squares / most : kNaN;
  }

 private:
  // Adds one rater's mid-ranks and returns Σ(t³−t) over the rater's ties.
  double add_ranks(std::size_t rater, std::span<const std::int64_t> counts) {
    const std::vector<std::size_t>& order = orders_[rater];
    double below = 0;
    double ties = 0;
    for (std::size_t i = 0; i < order.size();) {
      std::size_t end = i;
      double tied = 0;
      while (end < order.size() && units_.rows[order[end]][rater] == units_.rows[order[i]][rater]) {
        tied += static_cast<double>(counts[order[end++]]);
      }
      for (std::size_t at = i; at < end; ++at) rank_sums_[order[at]] += below + (tied + 1) / 2;
      ties += tied * tied * tied - tied;
      below += tied;
      i = end;
    }
    return ties;
  }

  const RatedUnits& units_;
  std::vector<std::vector<std::size_t>> orders_;  // by rater, the units in ascending order
  std::vector<double> rank_sums_;
};

}  // namespace

KendallW kendall_w(const Ratings& ratings, const Resampling& resampling) {
  const RatedUnits units = complete_units(ratings);
  KendallW result;
  result.test.method = kMethod;
  describe_units(result.w, ratings, units);
  std::string reason = units.undefined;
  if (reason.empty() && units.total < 2) reason = "one unit has no order";
  if (!reason.empty()) {
    result.w.undefined = result.test.undefined = reason;
    return result;
  }
  Concordance concordance(units, ratings.raters());
  const double w = concordance(units.counts);
  if (!std::isfinite(w)) {
    result.w.undefined = result.test.undefined =
        "every rater gives all units the same rating, so there is no order";
    return result;
  }
  result.w.value = w;
  const auto intervals = resample_cells(
      units.counts, 1,
      [&](std::span<const std::int64_t> counts, std::span<double> figures) {
        figures[0] = concordance(counts);
      },
      resampling);
  attach(result.w, intervals[0], resampling.level);

  const auto freedom = static_cast<double>(units.total - 1);
  result.test.df = freedom;
  result.test.statistic = static_cast<double>(ratings.raters()) * freedom * w;
  result.test.p = boost::math::cdf(boost::math::complement(ChiSquared(freedom), *result.test.statistic));
  return result;
}

}  // namespace assay
