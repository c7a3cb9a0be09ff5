#include "stats/comparisons/two_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "stats/comparisons/ranks.h"
#include "stats/finite.h"
#include "stats/intervals/mean.h"
#include "stats/quiet.h"

namespace assay {
namespace {

using StudentsT = boost::math::students_t_distribution<double, Quiet>;
using Normal = boost::math::normal_distribution<double, Quiet>;
using boost::math::quantile;

constexpr const char* kEmptyGroup = "a group has no observations";
constexpr const char* kBadLevel = "an interval's level must lie between 0 and 1";
constexpr const char* kNoSpread = "all observations within each group are equal: their spread says nothing";
constexpr const char* kTooLarge = "the values are too large to compute with";
constexpr std::size_t kExactBelow = 50;    // values in each group, without ties
constexpr std::size_t kMostPermuted = 20;  // values in both, with ties

bool is_level(double level) {
  return level > 0 && level < 1;
}

// The difference of two means with its standard error, tested and enclosed by t.
Contrast t_contrast(const Moments& a, const Moments& b, double error, double df, Estimate difference,
                    Alternative alternative, std::string method) {
  const double value = *a.mean() - *b.mean();
  const double scale = std::max(std::fabs(*a.mean()), std::fabs(*b.mean()));
  if (!std::isfinite(value) || !std::isfinite(error)) {
    return undefined_contrast(std::move(difference), kTooLarge, std::move(method));
  }
  difference.value = value;
  // What rounding alone leaves of equal values is no spread.
  if (!(error > 10 * std::numeric_limits<double>::epsilon() * scale)) {
    return undefined_contrast(std::move(difference), kNoSpread, std::move(method));
  }
  difference.method = method;
  if (is_level(difference.level)) {
    const double half = quantile(StudentsT(df), 0.5 + difference.level / 2) * error;
    difference.ci = Interval{value - half, value + half};
  } else {
    difference.undefined = kBadLevel;
  }
  return {t_result(value / error, df, alternative, std::move(method)), std::move(difference)};
}

// How many ways there are to draw `size` of the items so that they sum to s; items are positive.
std::vector<double> subset_sums(const std::vector<std::int64_t>& items, std::size_t size) {
  std::vector<std::int64_t> largest = items;
  std::ranges::sort(largest, std::greater<>());
  std::int64_t most = 0;
  for (std::size_t i = 0; i < size; ++i) most += largest[i];
  const std::size_t width = static_cast<std::size_t>(most) + 1;
  std::vector<std::vector<double>> ways(size + 1, std::vector<double>(width, 0));
  ways[0][0] = 1;
  for (const std::int64_t item : items) {
    const auto step = static_cast<std::size_t>(item);
    for (std::size_t k = size; k >= 1; --k) {
      for (std::size_t s = width - 1; s + 1 > step; --s) ways[k][s] += ways[k - 1][s - step];
    }
  }
  return ways[size];
}

// The null distribution of U for groups without ties: how many of the relabellings give 0, 1, … n_a·n_b.
std::vector<double> u_counts(std::size_t n_a, std::size_t n_b) {
  std::vector<std::int64_t> ranks(n_a + n_b);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<std::int64_t>(i) + 1;
  const std::size_t fewer = std::min(n_a, n_b);
  const std::vector<double> sums = subset_sums(ranks, fewer);
  return {sums.begin() + static_cast<std::ptrdiff_t>(fewer * (fewer + 1) / 2), sums.end()};
}

struct Ranked {
  std::vector<double> a;      // sorted
  std::vector<double> b;      // sorted
  std::vector<double> ranks;  // of a, then of b
  double u = 0;
  double ties = 0;  // Σ(t³ - t)
};

// Exact p over every relabelling of the ranks; they are doubled where ties make halves.
double exact_p(const Ranked& groups, Alternative alternative) {
  const std::int64_t unit = groups.ties > 0 ? 2 : 1;
  std::vector<std::int64_t> items;
  items.reserve(groups.ranks.size());
  for (const double rank : groups.ranks) items.push_back(std::llround(rank * static_cast<double>(unit)));
  // Ranks of the smaller group decide; if that is b, above and below change places.
  const bool of_a = groups.a.size() <= groups.b.size();
  const std::size_t size = std::min(groups.a.size(), groups.b.size());
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < size; ++i) seen += of_a ? items[i] : items[groups.a.size() + i];
  const std::int64_t doubled_mean = unit * static_cast<std::int64_t>(size * (items.size() + 1));
  const std::vector<double> ways = subset_sums(items, size);
  double all = 0;
  double extreme = 0;
  for (std::size_t s = 0; s < ways.size(); ++s) {
    const auto sum = static_cast<std::int64_t>(s);
    const bool counts = alternative == Alternative::two_sided
                            ? std::abs(2 * sum - doubled_mean) >= std::abs(2 * seen - doubled_mean)
                        : (alternative == Alternative::greater) == of_a ? sum >= seen
                                                                        : sum <= seen;
    all += ways[s];
    if (counts) extreme += ways[s];
  }
  return std::min(1.0, extreme / all);
}

Ranked ranked(std::span<const double> a, std::span<const double> b) {
  Ranked groups;
  groups.a = finite_sorted(a);
  groups.b = finite_sorted(b);
  std::vector<double> all = groups.a;
  all.insert(all.end(), groups.b.begin(), groups.b.end());
  groups.ranks = mid_ranks(all);
  groups.ties = tie_sum(all);
  double rank_sum = 0;
  for (std::size_t i = 0; i < groups.a.size(); ++i) rank_sum += groups.ranks[i];
  groups.u = rank_sum - static_cast<double>(groups.a.size() * (groups.a.size() + 1)) / 2;
  return groups;
}

bool all_equal(const Ranked& groups) {
  const auto n = static_cast<double>(groups.ranks.size());
  return groups.ties >= n * n * n - n;
}

TestResult normal_rank_test(const Ranked& groups, Alternative alternative, Continuity continuity) {
  const auto n_a = static_cast<double>(groups.a.size());
  const auto n_b = static_cast<double>(groups.b.size());
  const double n = n_a + n_b;
  const double distance = groups.u - n_a * n_b / 2;
  const double variance = n_a * n_b / 12 * ((n + 1) - groups.ties / (n * (n - 1)));
  const double towards_mean = alternative == Alternative::greater ? 0.5
                              : alternative == Alternative::less  ? -0.5
                              : distance > 0                      ? 0.5
                              : distance < 0                      ? -0.5
                                                                  : 0.0;
  const bool corrected = continuity == Continuity::half;
  TestResult result = z_result((distance - (corrected ? towards_mean : 0)) / std::sqrt(variance), alternative,
                               corrected ? "mann_whitney_normal" : "mann_whitney_normal_uncorrected");
  result.statistic = groups.u;
  return result;
}

TestResult rank_test(const Ranked& groups, Alternative alternative) {
  const bool tied = groups.ties > 0;
  const bool small = std::max(groups.a.size(), groups.b.size()) < kExactBelow;
  TestResult result;
  if (all_equal(groups)) {
    result.p = 1;  // all are equal, so every relabelling gives this U
    result.method = "mann_whitney_exact_permutation";
  } else if (!tied && small) {
    result.p = exact_p(groups, alternative);
    result.method = "mann_whitney_exact";
  } else if (tied && groups.ranks.size() <= kMostPermuted) {
    result.p = exact_p(groups, alternative);
    result.method = "mann_whitney_exact_permutation";
  } else {
    return normal_rank_test(groups, alternative, Continuity::half);
  }
  result.statistic = groups.u;
  return result;
}

// How many a_i - b_j are at most x; both sorted.
std::int64_t differences_at_most(std::span<const double> a, std::span<const double> b, double x) {
  std::int64_t count = 0;
  std::size_t first = 0;  // of those b that are near enough below; it moves up as a grows
  for (const double value : a) {
    while (first < b.size() && value - b[first] > x) ++first;
    count += static_cast<std::int64_t>(b.size() - first);
  }
  return count;
}

// The rank of the lower end of the interval among all differences, counted from 1; 0 if the level is out of
// reach.
std::int64_t lower_rank(const Ranked& groups, double level, bool exact) {
  const double tail = (1 - level) / 2;
  if (exact) {
    const std::vector<double> counts = u_counts(groups.a.size(), groups.b.size());
    double all = 0;
    for (const double count : counts) all += count;
    double below = 0;
    std::int64_t rank = 0;
    for (const double count : counts) {
      below += count;
      if (below > tail * all * (1 + 1e-12)) break;
      ++rank;
    }
    return rank;
  }
  const auto n_a = static_cast<double>(groups.a.size());
  const auto n_b = static_cast<double>(groups.b.size());
  const double deviation = std::sqrt(n_a * n_b * (n_a + n_b + 1) / 12);
  const double rank = n_a * n_b / 2 - quantile(Normal(), 0.5 + level / 2) * deviation;
  return static_cast<std::int64_t>(std::max(0.0, std::floor(rank)));
}

void estimate_shift(const Ranked& groups, Estimate& shift) {
  const auto pairs = static_cast<std::int64_t>(groups.a.size() * groups.b.size());
  const auto nth = [&](std::int64_t k) {
    return kth_smallest([&](double x) { return differences_at_most(groups.a, groups.b, x); }, k);
  };
  const double low_middle = nth((pairs + 1) / 2);
  const double high_middle = pairs % 2 == 1 ? low_middle : nth(pairs / 2 + 1);
  const double middle = low_middle + (high_middle - low_middle) / 2;
  const bool exact = std::max(groups.a.size(), groups.b.size()) < kExactBelow;
  shift.method = exact ? "hodges_lehmann_exact" : "hodges_lehmann_normal";
  if (!std::isfinite(middle)) {
    shift.undefined = kTooLarge;
    return;
  }
  shift.value = middle;
  if (!is_level(shift.level)) {
    shift.undefined = kBadLevel;
    return;
  }
  const std::int64_t rank = lower_rank(groups, shift.level, exact);
  if (rank < 1) {
    shift.undefined = "no interval: too few observations to enclose the shift at this level";
    return;
  }
  const Interval ci{nth(rank), nth(pairs + 1 - rank)};
  if (!std::isfinite(ci.low) || !std::isfinite(ci.high)) {
    shift.undefined = kTooLarge;
  } else if (ci.low < ci.high) {
    shift.ci = ci;
  } else {
    shift.undefined = "no interval: equal values shrink it to a point, which would claim certainty";
  }
}

}  // namespace

Contrast student_t(std::span<const double> a, std::span<const double> b, double level,
                   Alternative alternative) {
  const Moments first = moments_of(finite_sorted(a));
  const Moments second = moments_of(finite_sorted(b));
  const auto n_a = static_cast<double>(first.n());
  const auto n_b = static_cast<double>(second.n());
  Estimate difference =
      figure_of_kept(static_cast<std::size_t>(first.n() + second.n()), a.size() + b.size(), level);
  if (n_a == 0 || n_b == 0) return undefined_contrast(std::move(difference), kEmptyGroup, "student_t");
  if (n_a + n_b < 3) {
    difference.value = *first.mean() - *second.mean();
    return undefined_contrast(std::move(difference), "one observation in each group has no spread",
                              "student_t");
  }
  const double squares = (n_a - 1) * std::pow(first.sample_deviation().value_or(0), 2) +
                         (n_b - 1) * std::pow(second.sample_deviation().value_or(0), 2);
  const double df = n_a + n_b - 2;
  const double error = std::sqrt(squares / df * (1 / n_a + 1 / n_b));
  return t_contrast(first, second, error, df, std::move(difference), alternative, "student_t");
}

Contrast welch_t(std::span<const double> a, std::span<const double> b, double level,
                 Alternative alternative) {
  const Moments first = moments_of(finite_sorted(a));
  const Moments second = moments_of(finite_sorted(b));
  Estimate difference =
      figure_of_kept(static_cast<std::size_t>(first.n() + second.n()), a.size() + b.size(), level);
  if (first.n() == 0 || second.n() == 0) {
    return undefined_contrast(std::move(difference), kEmptyGroup, "welch_t");
  }
  if (first.n() < 2 || second.n() < 2) {
    difference.value = *first.mean() - *second.mean();
    return undefined_contrast(std::move(difference), "a group of one observation has no spread", "welch_t");
  }
  const double error = std::hypot(*first.standard_error(), *second.standard_error());
  // Shares of the squared error, so that neither overflows nor vanishes.
  const double share_a = error > 0 ? std::pow(*first.standard_error() / error, 2) : 0.5;
  const double share_b = 1 - share_a;
  const double df = 1 / (share_a * share_a / static_cast<double>(first.n() - 1) +
                         share_b * share_b / static_cast<double>(second.n() - 1));
  return t_contrast(first, second, error, df, std::move(difference), alternative, "welch_t");
}

Contrast clustered_t(std::span<const double> a, std::span<const std::string> clusters_a,
                     std::span<const double> b, std::span<const std::string> clusters_b, double level,
                     Alternative alternative) {
  const std::string method = "t_clustered";
  if (a.size() != clusters_a.size() || b.size() != clusters_b.size()) {
    return undefined_contrast(figure_of_kept(0, 0, level), "not every value has its cluster", method);
  }
  struct Members {
    std::vector<double> a;
    std::vector<double> b;
  };
  std::map<std::string_view, Members> clusters;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i])) clusters[clusters_a[i]].a.push_back(a[i]);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (std::isfinite(b[i])) clusters[clusters_b[i]].b.push_back(b[i]);
  }
  const Moments first = moments_of(finite_sorted(a));
  const Moments second = moments_of(finite_sorted(b));
  Estimate difference =
      figure_of_kept(static_cast<std::size_t>(first.n() + second.n()), a.size() + b.size(), level);
  if (first.n() == 0 || second.n() == 0) {
    return undefined_contrast(std::move(difference), kEmptyGroup, method);
  }
  double squares = 0;
  double in_a = 0;
  double in_b = 0;
  for (auto& [name, members] : clusters) {
    double influence = 0;
    for (const double value : finite_sorted(members.a)) {
      influence += (value - *first.mean()) / static_cast<double>(first.n());
    }
    for (const double value : finite_sorted(members.b)) {
      influence -= (value - *second.mean()) / static_cast<double>(second.n());
    }
    squares += influence * influence;
    in_a += members.a.empty() ? 0 : 1;
    in_b += members.b.empty() ? 0 : 1;
  }
  const double count = std::min(in_a, in_b);
  if (count < 2) {
    difference.value = *first.mean() - *second.mean();
    return undefined_contrast(std::move(difference),
                              "one cluster in a group shows no spread between clusters", method);
  }
  return t_contrast(first, second, std::sqrt(squares * count / (count - 1)), count - 1, std::move(difference),
                    alternative, method);
}

Contrast mann_whitney(std::span<const double> a, std::span<const double> b, double level,
                      Alternative alternative) {
  const Ranked groups = ranked(a, b);
  Contrast contrast;
  contrast.difference = figure_of_kept(groups.a.size() + groups.b.size(), a.size() + b.size(), level);
  if (groups.a.empty() || groups.b.empty()) {
    return undefined_contrast(std::move(contrast.difference), kEmptyGroup, "mann_whitney");
  }
  contrast.test = rank_test(groups, alternative);
  estimate_shift(groups, contrast.difference);
  return contrast;
}

TestResult mann_whitney_normal(std::span<const double> a, std::span<const double> b, Alternative alternative,
                               Continuity continuity) {
  const Ranked groups = ranked(a, b);
  if (groups.a.empty() || groups.b.empty()) return no_result(kEmptyGroup, "mann_whitney_normal");
  if (all_equal(groups)) {
    return no_result("all observations are equal: U has no variance", "mann_whitney_normal");
  }
  return normal_rank_test(groups, alternative, continuity);
}

}  // namespace assay
