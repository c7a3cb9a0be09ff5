#include "stats/comparisons/pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>

#include "stats/comparisons/ranks.h"
#include "stats/intervals/mean.h"
#include "stats/quiet.h"

namespace assay {
namespace {

using boost::math::cdf;
using boost::math::complement;
using boost::math::pdf;

constexpr const char* kUnequalLists = "the lists differ in length: not every value has its partner";
constexpr const char* kNoCluster = "not every pair has its cluster";
constexpr const char* kNoPairs = "no pairs";
constexpr const char* kBadLevel = "an interval's level must lie between 0 and 1";
constexpr std::size_t kExactBelow = 50;   // differences of the signed rank distribution
constexpr std::size_t kMostFlipped = 20;  // units whose sign patterns are all counted
constexpr std::int64_t kMostDraws = 100'000'000;

struct Differences {
  std::vector<double> values;  // finite and sorted
  std::int64_t not_finite = 0;
};

// 0.7 - 0.4 and 0.9 - 0.6 are the same difference but for rounding: sizes closer than that become equal, and
// what is left of equal values becomes 0, lest noise break ties.
void make_ties(std::vector<double>& differences, double noise) {
  std::ranges::sort(differences, [](double x, double y) { return std::fabs(x) < std::fabs(y); });
  double size = 0;
  for (double& difference : differences) {
    if (std::fabs(difference) - size > noise) size = std::fabs(difference);
    difference = std::copysign(size, difference) + 0.0;
  }
}

Differences differences_of(std::span<const double> a, std::span<const double> b) {
  Differences differences;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] - b[i];
    if (!std::isfinite(difference)) {
      ++differences.not_finite;
      continue;
    }
    differences.values.push_back(difference);
    largest = std::max({largest, std::fabs(a[i]), std::fabs(b[i])});
  }
  make_ties(differences.values, 4 * std::numeric_limits<double>::epsilon() * largest);
  std::ranges::sort(differences.values);
  return differences;
}

// Finite differences by cluster, each list sorted, so that no sum depends on the order of rows.
std::map<std::string_view, std::vector<double>> clustered_differences(std::span<const double> a,
                                                                      std::span<const double> b,
                                                                      std::span<const std::string> clusters) {
  std::map<std::string_view, std::vector<double>> grouped;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i] - b[i])) grouped[clusters[i]].push_back(a[i] - b[i]);
  }
  for (auto& [cluster, values] : grouped) std::ranges::sort(values);
  return grouped;
}

// The test that belongs to a mean difference and its standard error.
Contrast t_contrast(Estimate difference, std::optional<double> error, std::int64_t df,
                    Alternative alternative, std::string method) {
  difference.method = method;
  if (!difference.value || !error) {
    std::string reason = difference.value ? difference.undefined : kNoPairs;
    return undefined_contrast(std::move(difference), std::move(reason), std::move(method));
  }
  // What rounding alone leaves of equal differences is no spread.
  if (!(*error > 10 * std::numeric_limits<double>::epsilon() * std::fabs(*difference.value))) {
    difference.ci.reset();
    return undefined_contrast(std::move(difference),
                              "all differences (or the means of all clusters) are equal, which says nothing "
                              "about the error of their mean",
                              std::move(method));
  }
  TestResult test =
      t_result(*difference.value / *error, static_cast<double>(df), alternative, std::move(method));
  return {std::move(test), std::move(difference)};
}

// In how many of the 2^n sign patterns the positive ranks 1…n sum to 0, 1, …
std::vector<double> signed_rank_counts(std::size_t n) {
  std::vector<double> ways(n * (n + 1) / 2 + 1, 0);
  ways[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t s = ways.size() - 1; s >= rank; --s) ways[s] += ways[s - rank];
  }
  return ways;
}

double exact_signed_rank_p(double v, std::size_t n, Alternative alternative) {
  const std::vector<double> ways = signed_rank_counts(n);
  double at_most = 0;
  double at_least = 0;
  for (std::size_t s = 0; s < ways.size(); ++s) {
    if (static_cast<double>(s) <= v) at_most += ways[s];
    if (static_cast<double>(s) >= v) at_least += ways[s];
  }
  const double tail = alternative == Alternative::less      ? at_most
                      : alternative == Alternative::greater ? at_least
                                                            : 2 * std::min(at_most, at_least);
  return std::min(1.0, std::ldexp(tail, -static_cast<int>(n)));
}

TestResult signed_rank_test(std::span<const double> differences, Alternative alternative) {
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double difference : differences) {
    if (difference == 0) continue;
    sizes.push_back(std::fabs(difference));
    positive.push_back(difference > 0);
  }
  if (sizes.empty()) return no_result("no difference other than 0", "wilcoxon");
  const std::vector<double> ranks = mid_ranks(sizes);
  double v = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) v += positive[i] ? ranks[i] : 0;
  const double ties = tie_sum(sizes);
  const auto n = static_cast<double>(sizes.size());
  TestResult result;
  if (sizes.size() < kExactBelow && sizes.size() == differences.size() && ties == 0) {
    result.method = "wilcoxon_exact";
    result.p = exact_signed_rank_p(v, sizes.size(), alternative);
  } else {
    const double distance = v - n * (n + 1) / 4;
    const double variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
    const double step = alternative == Alternative::greater ? 0.5
                        : alternative == Alternative::less  ? -0.5
                        : distance > 0                      ? 0.5
                        : distance < 0                      ? -0.5
                                                            : 0.0;
    result = z_result((distance - step) / std::sqrt(variance), alternative, "wilcoxon_normal");
  }
  result.statistic = v;
  return result;
}

double walsh_average(double a, double b) {
  return a / 2 + b / 2;
}

// How many Walsh averages are at most x; sorted.
std::int64_t walsh_at_most(std::span<const double> sorted, double x) {
  std::int64_t count = 0;
  std::size_t end = sorted.size();  // partners from i on that keep the average low; fewer as i grows
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    while (end > i && walsh_average(sorted[i], sorted[end - 1]) > x) --end;
    if (end <= i) break;
    count += static_cast<std::int64_t>(end - i);
  }
  return count;
}

// The rank of the interval's lower end among the Walsh averages, from 1; 0 if the level is out of reach.
std::int64_t lower_rank(std::size_t n, double level) {
  const double tail = (1 - level) / 2;
  if (n < kExactBelow) {
    std::int64_t rank = 0;
    double below = 0;
    for (const double ways : signed_rank_counts(n)) {
      below += std::ldexp(ways, -static_cast<int>(n));
      if (below > tail * (1 + 1e-12)) break;
      ++rank;
    }
    return rank;
  }
  const auto size = static_cast<double>(n);
  const double z = boost::math::quantile(boost::math::normal_distribution<double, Quiet>(), 0.5 + level / 2);
  const double rank = size * (size + 1) / 4 - z * std::sqrt(size * (size + 1) * (2 * size + 1) / 24);
  return static_cast<std::int64_t>(std::max(0.0, std::floor(rank)));
}

bool as_extreme(double sum, double seen, double slack, Alternative alternative) {
  switch (alternative) {
    case Alternative::less:
      return sum <= seen + slack;
    case Alternative::greater:
      return sum >= seen - slack;
    case Alternative::two_sided:
      break;
  }
  return std::fabs(sum) >= std::fabs(seen) - slack;
}

// The sums of all sign patterns.
std::vector<double> signed_sums(std::span<const double> sizes) {
  std::vector<double> sums = {0};
  for (const double size : sizes) {
    const std::size_t before = sums.size();
    for (std::size_t i = 0; i < before; ++i) {
      sums.push_back(sums[i] - size);
      sums[i] += size;
    }
  }
  return sums;
}

TestResult sign_flip_of(std::vector<double> units, std::int64_t pairs, const SignFlips& flips,
                        Alternative alternative) {
  if (pairs == 0) return no_result(kNoPairs, "sign_flip");
  if (flips.draws < 1 || flips.draws > kMostDraws) {
    return no_result("the number of draws must lie between 1 and 100 million", "sign_flip");
  }
  std::erase(units, 0.0);
  // Only sizes matter to the patterns; sorted, the order of rows does not.
  std::ranges::sort(units, [](double x, double y) {
    return std::fabs(x) != std::fabs(y) ? std::fabs(x) < std::fabs(y) : x < y;
  });
  double seen = 0;
  double all = 0;
  std::vector<double> sizes;
  for (const double unit : units) {
    seen += unit;
    all += std::fabs(unit);
    sizes.push_back(std::fabs(unit));
  }
  if (!std::isfinite(all)) return no_result("the values are too large to compute with", "sign_flip");
  const double slack = 1e-12 * all;  // patterns that are equal but for rounding count as equal
  TestResult result;
  result.statistic = seen / static_cast<double>(pairs);
  if (sizes.size() <= kMostFlipped) {
    const std::span<const double> span(sizes);
    const std::vector<double> left = signed_sums(span.first(sizes.size() / 2));
    const std::vector<double> right = signed_sums(span.subspan(sizes.size() / 2));
    std::int64_t hits = 0;
    for (const double x : left) {
      for (const double y : right) hits += as_extreme(x + y, seen, slack, alternative) ? 1 : 0;
    }
    result.method = "sign_flip_exact";
    result.p = static_cast<double>(hits) / static_cast<double>(left.size() * right.size());
    return result;
  }
  std::int64_t hits = 0;
  for (std::int64_t draw = 0; draw < flips.draws; ++draw) {
    Random random = flips.random.at(static_cast<std::uint64_t>(draw));
    double sum = 0;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      bits = i % 32 == 0 ? random.bits32() : bits >> 1;
      sum += (bits & 1) != 0 ? sizes[i] : -sizes[i];
    }
    hits += as_extreme(sum, seen, slack, alternative) ? 1 : 0;
  }
  result.method = "sign_flip_monte_carlo";
  result.p = static_cast<double>(1 + hits) / static_cast<double>(1 + flips.draws);
  return result;
}

TestResult chi_squared(double statistic, std::string method) {
  TestResult result;
  result.statistic = statistic;
  result.df = 1;
  result.p = cdf(complement(boost::math::chi_squared_distribution<double, Quiet>(1), statistic));
  result.method = std::move(method);
  return result;
}

// How far from 0 the mean of differences that cancel may come to lie by the rounding of their sum alone.
double rounding_of(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (const std::span<const double> values : {a, b}) {
    for (const double value : values) sum += std::isfinite(value) ? std::fabs(value) : 0;
  }
  return std::numeric_limits<double>::epsilon() * sum;
}

}  // namespace

Contrast paired_t(std::span<const double> a, std::span<const double> b, double level,
                  Alternative alternative) {
  Estimate empty;
  empty.level = level;
  if (a.size() != b.size()) return undefined_contrast(std::move(empty), kUnequalLists, "paired_t");
  const Differences differences = differences_of(a, b);
  Moments moments;
  for (const double value : differences.values) moments.add(value);
  Estimate mean = estimate_mean(moments, level);
  if (differences.not_finite > 0) mean.missing["not_finite"] = differences.not_finite;
  return t_contrast(std::move(mean), moments.standard_error(), moments.n() - 1, alternative, "paired_t");
}

Contrast paired_t(std::span<const double> a, std::span<const double> b, std::span<const std::string> clusters,
                  double level, Alternative alternative) {
  Estimate empty;
  empty.level = level;
  const std::string method = "paired_t_clustered";
  if (a.size() != b.size()) return undefined_contrast(std::move(empty), kUnequalLists, method);
  if (a.size() != clusters.size()) return undefined_contrast(std::move(empty), kNoCluster, method);
  ClusteredMoments moments;
  for (const auto& [cluster, values] : clustered_differences(a, b, clusters)) {
    for (const double value : values) moments.add(cluster, value);
  }
  Estimate mean = estimate_mean(moments, level);
  const std::int64_t not_finite = static_cast<std::int64_t>(a.size()) - moments.all().n();
  if (not_finite > 0) mean.missing["not_finite"] = not_finite;
  return t_contrast(std::move(mean), moments.standard_error(), moments.clusters() - 1, alternative, method);
}

Contrast paired_difference(std::span<const double> a, std::span<const double> b,
                           std::span<const std::string> clusters, double level) {
  const auto tested = [&](std::span<const double> x, std::span<const double> y,
                          std::span<const std::string> grouped) {
    return clusters.empty() ? paired_t(x, y, level) : paired_t(x, y, grouped, level);
  };
  Contrast seen = tested(a, b, clusters);
  if (seen.difference.value && std::fabs(*seen.difference.value) <= rounding_of(a, b))
    seen.difference.value = 0;
  if (seen.test.p || !seen.difference.value || *seen.difference.value == 0) return seen;
  const std::set<std::string_view> groups(clusters.begin(), clusters.end());
  const std::size_t units = clusters.empty() ? a.size() : groups.size();
  if (units < 2) return seen;
  const std::size_t added = std::max<std::size_t>(1, a.size() / units);
  std::vector<double> more_a(a.begin(), a.end());
  std::vector<double> more_b(b.begin(), b.end());
  std::vector<std::string> more_clusters(clusters.begin(), clusters.end());
  // A name that no cluster has: longer than the longest.
  std::string own = "+";
  for (const std::string_view group : groups) own.resize(std::max(own.size(), group.size() + 1), '+');
  for (std::size_t i = 0; i < added; ++i) {
    more_a.push_back(0);
    more_b.push_back(0);
    if (!clusters.empty()) more_clusters.push_back(own);
  }
  Contrast shrunk = tested(more_a, more_b, more_clusters);
  if (!shrunk.test.p) return seen;
  seen.difference.ci = shrunk.difference.ci;
  seen.difference.undefined.clear();
  seen.difference.method += "_plus_one";
  seen.test = std::move(shrunk.test);
  seen.test.method = seen.difference.method;
  return seen;
}

Contrast wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b, double level,
                              Alternative alternative) {
  if (a.size() != b.size()) {
    Estimate empty;
    empty.level = level;
    return undefined_contrast(std::move(empty), kUnequalLists, "wilcoxon");
  }
  const Differences differences = differences_of(a, b);
  Contrast contrast;
  contrast.difference = hodges_lehmann(differences.values, level);
  if (differences.not_finite > 0) contrast.difference.missing["not_finite"] = differences.not_finite;
  contrast.test = differences.values.empty() ? no_result(kNoPairs, "wilcoxon")
                                             : signed_rank_test(differences.values, alternative);
  return contrast;
}

Estimate hodges_lehmann(std::span<const double> differences, double level) {
  std::vector<double> sorted;
  for (const double difference : differences) {
    if (std::isfinite(difference)) sorted.push_back(difference);
  }
  std::ranges::sort(sorted);
  Estimate centre = undefined_figure("", static_cast<std::int64_t>(sorted.size()));
  centre.level = level;
  centre.method = sorted.size() < kExactBelow ? "hodges_lehmann_exact" : "hodges_lehmann_normal";
  if (sorted.size() < differences.size()) {
    centre.missing["not_finite"] = static_cast<std::int64_t>(differences.size() - sorted.size());
  }
  if (sorted.empty()) {
    centre.undefined = kNoPairs;
    return centre;
  }
  const std::int64_t averages = centre.n * (centre.n + 1) / 2;
  const auto nth = [&](std::int64_t k) {
    return kth_smallest([&](double x) { return walsh_at_most(sorted, x); }, k);
  };
  centre.value = walsh_average(nth((averages + 1) / 2), nth(averages / 2 + 1));
  if (!(level > 0 && level < 1)) {
    centre.undefined = kBadLevel;
    return centre;
  }
  const std::int64_t rank = lower_rank(sorted.size(), level);
  if (rank < 1) {
    centre.undefined = "no interval: too few differences to enclose the centre at this level";
    return centre;
  }
  const Interval ci{nth(rank), nth(averages + 1 - rank)};
  if (ci.low < ci.high) {
    centre.ci = ci;
  } else {
    centre.undefined = "no interval: equal differences shrink it to a point, which would claim certainty";
  }
  return centre;
}

TestResult sign_flip(std::span<const double> a, std::span<const double> b, const SignFlips& flips,
                     Alternative alternative) {
  if (a.size() != b.size()) return no_result(kUnequalLists, "sign_flip");
  Differences differences = differences_of(a, b);
  const auto pairs = static_cast<std::int64_t>(differences.values.size());
  return sign_flip_of(std::move(differences.values), pairs, flips, alternative);
}

TestResult sign_flip(std::span<const double> a, std::span<const double> b,
                     std::span<const std::string> clusters, const SignFlips& flips, Alternative alternative) {
  if (a.size() != b.size()) return no_result(kUnequalLists, "sign_flip");
  if (a.size() != clusters.size()) return no_result(kNoCluster, "sign_flip");
  std::vector<double> sums;
  std::int64_t pairs = 0;
  for (const auto& [cluster, values] : clustered_differences(a, b, clusters)) {
    double sum = 0;
    for (const double value : values) sum += value;
    sums.push_back(sum);
    pairs += static_cast<std::int64_t>(values.size());
  }
  return sign_flip_of(std::move(sums), pairs, flips, alternative);
}

McNemar mcnemar(std::int64_t only_a, std::int64_t only_b) {
  McNemar result;
  result.exact.method = "mcnemar_exact";
  result.mid_p.method = "mcnemar_mid_p";
  result.chi_squared.method = "mcnemar_chi_squared";
  result.corrected.method = "mcnemar_chi_squared_corrected";
  if (only_a < 0 || only_b < 0) {
    for (TestResult* test : {&result.exact, &result.mid_p, &result.chi_squared, &result.corrected}) {
      test->undefined = "a count is negative";
    }
    return result;
  }
  const double fewer = static_cast<double>(std::min(only_a, only_b));
  const double n = static_cast<double>(only_a) + static_cast<double>(only_b);
  result.exact.statistic = static_cast<double>(only_a);
  result.mid_p.statistic = static_cast<double>(only_a);
  if (only_a == 0 && only_b == 0) {
    result.exact.p = 1;
    result.mid_p.p = 1;
    result.chi_squared.undefined = "the two never disagree";
    result.corrected.undefined = "the two never disagree";
    return result;
  }
  const boost::math::binomial_distribution<double, Quiet> coin(n, 0.5);
  result.exact.p = std::min(1.0, 2 * cdf(coin, fewer));
  result.mid_p.p = std::min(1.0, 2 * cdf(coin, fewer) - pdf(coin, fewer));
  const double apart = std::fabs(static_cast<double>(only_a) - static_cast<double>(only_b));
  result.chi_squared = chi_squared(apart * apart / n, "mcnemar_chi_squared");
  const double corrected = std::max(0.0, apart - 1);
  result.corrected = chi_squared(corrected * corrected / n, "mcnemar_chi_squared_corrected");
  return result;
}

}  // namespace assay
