#include "stats/comparisons/association.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "stats/comparisons/effect_size.h"
#include "stats/comparisons/ranks.h"
#include "stats/quiet.h"

namespace assay {
namespace {

constexpr const char* kBadLevel = "an interval's level must lie between 0 and 1";
constexpr const char* kPerfect = "no interval: the agreement is perfect, which says nothing about its error";
constexpr std::size_t kMostPermuted = 9;  // cases whose orders are all counted
constexpr std::size_t kKendallExactBelow = 50;
constexpr std::int64_t kMostCases = 1'000'000'000'000'000;

struct Cases {
  std::vector<double> x;
  std::vector<double> y;
  Estimate coefficient;   // n, level and missing filled in
  std::string undefined;  // why there is nothing to compute
};

// Complete cases, sorted by x then y, so that no sum depends on their order.
Cases complete_cases(std::span<const double> x, std::span<const double> y, double level) {
  Cases cases;
  cases.coefficient.level = level;
  if (x.size() != y.size()) {
    cases.undefined = "the lists differ in length: not every value has its partner";
    return cases;
  }
  std::vector<std::pair<double, double>> rows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i]) && std::isfinite(y[i])) rows.emplace_back(x[i], y[i]);
  }
  std::ranges::sort(rows);
  for (const auto& [first, second] : rows) {
    cases.x.push_back(first);
    cases.y.push_back(second);
  }
  cases.coefficient.n = static_cast<std::int64_t>(rows.size());
  if (rows.size() < x.size()) {
    cases.coefficient.missing["not_finite"] = static_cast<std::int64_t>(x.size() - rows.size());
  }
  if (rows.size() < 2) {
    cases.undefined = rows.empty() ? "no observations" : "one observation shows no association";
  } else if (std::ranges::min(cases.x) == std::ranges::max(cases.x) ||
             std::ranges::min(cases.y) == std::ranges::max(cases.y)) {
    cases.undefined = "a measure is constant: it cannot go together with anything";
  }
  return cases;
}

Association undefined_association(Estimate coefficient, std::string reason, std::string method) {
  coefficient.undefined = reason;
  return {std::move(coefficient), no_result(std::move(reason), std::move(method))};
}

// Deviations from the mean, scaled to at most 1 so that no square overflows.
std::vector<double> scaled_deviations(std::span<const double> values) {
  const double low = std::ranges::min(values);
  const double range = std::ranges::max(values) / 2 - low / 2;
  std::vector<double> scaled;
  double mean = 0;
  for (const double value : values) {
    scaled.push_back((value / 2 - low / 2) / range);
    mean += (scaled.back() - mean) / static_cast<double>(scaled.size());
  }
  for (double& value : scaled) value -= mean;
  return scaled;
}

double correlation(std::span<const double> x, std::span<const double> y) {
  const std::vector<double> dx = scaled_deviations(x);
  const std::vector<double> dy = scaled_deviations(y);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < dx.size(); ++i) {
    xx += dx[i] * dx[i];
    yy += dy[i] * dy[i];
    xy += dx[i] * dy[i];
  }
  const double r = xy / std::sqrt(xx * yy);
  // Rounding leaves a perfect line a little short of 1.
  if (std::fabs(r) > 1 - 8 * std::numeric_limits<double>::epsilon()) return r > 0 ? 1 : -1;
  return r;
}

// tanh(atanh r ± z·sqrt(variance)); variance absent if there are too few cases for it.
void enclose_by_fisher(Estimate& coefficient, std::optional<double> variance, std::string method) {
  coefficient.method = std::move(method);
  const double r = *coefficient.value;
  if (!(coefficient.level > 0 && coefficient.level < 1)) {
    coefficient.undefined = kBadLevel;
  } else if (std::fabs(r) >= 1) {
    coefficient.undefined = kPerfect;
  } else if (!variance) {
    coefficient.undefined = "no interval: too few observations";
  } else {
    const boost::math::normal_distribution<double, Quiet> normal;
    const double half = boost::math::quantile(normal, 0.5 + coefficient.level / 2) * std::sqrt(*variance);
    coefficient.ci = Interval{std::tanh(std::atanh(r) - half), std::tanh(std::atanh(r) + half)};
  }
}

TestResult correlation_t(double r, std::size_t n, std::string method) {
  if (n < 3) return no_result("two observations always lie on a line", std::move(method));
  if (std::fabs(r) >= 1) return no_result("the points lie on a line, where t is infinite", std::move(method));
  const auto df = static_cast<double>(n - 2);
  return t_result(r * std::sqrt(df / ((1 - r) * (1 + r))), df, Alternative::two_sided, std::move(method));
}

std::optional<double> one_over(std::size_t n, std::size_t lost, double numerator) {
  if (n <= lost) return std::nullopt;
  return numerator / static_cast<double>(n - lost);
}

// How many of the distinct orders of y have Σ rank_x·rank_y at least as far from its mean; ranks are doubled
// to be whole. Orders that only exchange ties are equally many for each, so distinct ones suffice.
double all_orders_p(std::span<const double> rank_x, std::span<const double> rank_y) {
  std::vector<std::int64_t> x;
  std::vector<std::int64_t> y;
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < rank_x.size(); ++i) {
    x.push_back(std::llround(2 * rank_x[i]));
    y.push_back(std::llround(2 * rank_y[i]));
    seen += x[i] * y[i];
  }
  // Doubled ranks have the mean n + 1, so n·(n+1)² is the mean of the sum.
  const auto n = static_cast<std::int64_t>(x.size());
  const std::int64_t mean = n * (n + 1) * (n + 1);
  std::ranges::sort(y);
  std::int64_t all = 0;
  std::int64_t extreme = 0;
  do {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    ++all;
    extreme += std::abs(sum - mean) >= std::abs(seen - mean) ? 1 : 0;
  } while (std::ranges::next_permutation(y).found);
  return static_cast<double>(extreme) / static_cast<double>(all);
}

// Sizes of the groups of equal values.
std::vector<double> tie_groups(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::vector<double> groups;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i] != sorted[i - 1]) groups.push_back(0);
    ++groups.back();
  }
  return groups;
}

// p of ranks that agree perfectly: one order of all distinct ones, and its reverse if the ties allow it.
double perfect_p(std::span<const double> ranks) {
  const auto n = static_cast<double>(ranks.size());
  double log_orders = boost::math::lgamma(n + 1, Quiet());
  std::vector<double> groups = tie_groups(ranks);
  for (const double group : groups) log_orders -= boost::math::lgamma(group + 1, Quiet());
  const bool reversible = std::equal(groups.begin(), groups.end(), groups.rbegin());
  return std::min(1.0, (reversible ? 2 : 1) * std::exp(-log_orders));
}

// Pairs i < j with values[i] > values[j]; sorts the values by merging.
std::int64_t count_inversions(std::vector<double>& values) {
  std::vector<double> merged(values.size());
  std::int64_t inversions = 0;
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t from = 0; from < values.size(); from += 2 * width) {
      const std::size_t middle = std::min(from + width, values.size());
      const std::size_t to = std::min(from + 2 * width, values.size());
      std::size_t left = from;
      std::size_t right = middle;
      for (std::size_t at = from; at < to; ++at) {
        if (right == to || (left < middle && values[left] <= values[right])) {
          merged[at] = values[left++];
        } else {
          inversions += static_cast<std::int64_t>(middle - left);
          merged[at] = values[right++];
        }
      }
    }
    values.swap(merged);
  }
  return inversions;
}

struct Concordance {
  double score = 0;  // C - D
  double pairs = 0;  // n(n-1)/2
  std::vector<double> ties_x;
  std::vector<double> ties_y;
};

double sum_over(const std::vector<double>& groups, double (*term)(double)) {
  double sum = 0;
  for (const double t : groups) sum += term(t);
  return sum;
}

double tied_pairs(const std::vector<double>& groups) {
  return sum_over(groups, [](double t) { return t * (t - 1) / 2; });
}

// Knight 1966: with cases sorted by x, then y, the discordant pairs are the inversions of y.
Concordance concordance(const Cases& cases) {
  Concordance result;
  result.ties_x = tie_groups(cases.x);
  result.ties_y = tie_groups(cases.y);
  const auto n = static_cast<double>(cases.x.size());
  result.pairs = n * (n - 1) / 2;
  double tied_in_both = 0;
  for (std::size_t from = 0; from < cases.x.size();) {
    std::size_t to = from;
    while (to < cases.x.size() && cases.x[to] == cases.x[from] && cases.y[to] == cases.y[from]) ++to;
    const auto equal = static_cast<double>(to - from);
    tied_in_both += equal * (equal - 1) / 2;
    from = to;
  }
  std::vector<double> y = cases.y;
  const auto discordant = static_cast<double>(count_inversions(y));
  result.score =
      result.pairs - tied_pairs(result.ties_x) - tied_pairs(result.ties_y) + tied_in_both - 2 * discordant;
  return result;
}

// Two-sided p of so many concordant pairs among all orders of n: the chance that a random order has k
// inversions, built up case by case.
double kendall_exact_p(std::int64_t concordant, std::size_t n) {
  std::vector<double> chance = {1};
  for (std::size_t size = 2; size <= n; ++size) {
    std::vector<double> next(size * (size - 1) / 2 + 1, 0);
    for (std::size_t k = 0; k < chance.size(); ++k) {
      for (std::size_t added = 0; added < size; ++added) {
        next[k + added] += chance[k] / static_cast<double>(size);
      }
    }
    chance = std::move(next);
  }
  double at_most = 0;
  double at_least = 0;
  for (std::size_t k = 0; k < chance.size(); ++k) {
    if (static_cast<std::int64_t>(k) <= concordant) at_most += chance[k];
    if (static_cast<std::int64_t>(k) >= concordant) at_least += chance[k];
  }
  return std::min(1.0, 2 * std::min(at_most, at_least));
}

TestResult kendall_test(const Concordance& pairs, std::size_t cases) {
  const bool tied = pairs.ties_x.size() < cases || pairs.ties_y.size() < cases;
  if (!tied && cases < kKendallExactBelow) {
    const std::int64_t concordant = std::llround((pairs.score + pairs.pairs) / 2);
    TestResult result;
    result.method = "kendall_exact";
    result.statistic = static_cast<double>(concordant);
    result.p = kendall_exact_p(concordant, cases);
    return result;
  }
  const auto n = static_cast<double>(cases);
  const auto spread = [](double t) { return t * (t - 1) * (2 * t + 5); };
  const auto triples = [](double t) { return t * (t - 1) * (t - 2); };
  double variance = (spread(n) - sum_over(pairs.ties_x, spread) - sum_over(pairs.ties_y, spread)) / 18 +
                    2 * tied_pairs(pairs.ties_x) * tied_pairs(pairs.ties_y) / (n * (n - 1));
  if (cases > 2) {
    variance += sum_over(pairs.ties_x, triples) * sum_over(pairs.ties_y, triples) / (9 * triples(n));
  }
  return z_result(pairs.score / std::sqrt(variance), Alternative::two_sided, "kendall_normal");
}

bool is_binary(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value == 0 || value == 1; });
}

// n times the multinomial delta-method variance of phi, from the margins' shares.
double phi_variance(double phi, double first, double second) {
  const double spread_1 = first * (1 - first);
  const double spread_2 = second * (1 - second);
  const double lean_1 = 2 * first - 1;
  const double lean_2 = 2 * second - 1;
  return 1 - phi * phi + phi * (1 + phi * phi / 2) * lean_1 * lean_2 / std::sqrt(spread_1 * spread_2) -
         0.75 * phi * phi * (lean_1 * lean_1 / spread_1 + lean_2 * lean_2 / spread_2);
}

}  // namespace

Association pearson(std::span<const double> x, std::span<const double> y, double level) {
  Cases cases = complete_cases(x, y, level);
  if (!cases.undefined.empty()) {
    return undefined_association(std::move(cases.coefficient), cases.undefined, "pearson_t");
  }
  Association result{std::move(cases.coefficient), {}};
  const double r = correlation(cases.x, cases.y);
  result.coefficient.value = r;
  enclose_by_fisher(result.coefficient, one_over(cases.x.size(), 3, 1), "fisher_z");
  result.test = correlation_t(r, cases.x.size(), "pearson_t");
  return result;
}

Association spearman(std::span<const double> x, std::span<const double> y, double level) {
  Cases cases = complete_cases(x, y, level);
  if (!cases.undefined.empty()) {
    return undefined_association(std::move(cases.coefficient), cases.undefined, "spearman");
  }
  const std::vector<double> rank_x = mid_ranks(cases.x);
  const std::vector<double> rank_y = mid_ranks(cases.y);
  Association result{std::move(cases.coefficient), {}};
  const std::size_t n = cases.x.size();
  const double rho = correlation(rank_x, rank_y);
  result.coefficient.value = rho;
  enclose_by_fisher(result.coefficient, one_over(n, 3, 1 + rho * rho / 2), "fisher_z_bonett_wright");
  if (n > kMostPermuted && std::fabs(rho) < 1) {
    result.test = correlation_t(rho, n, "spearman_t");
  } else {
    result.test.method = "spearman_exact_permutation";
    result.test.statistic = rho;
    result.test.p = n > kMostPermuted ? perfect_p(rank_x) : all_orders_p(rank_x, rank_y);
  }
  return result;
}

Association kendall_tau_b(std::span<const double> x, std::span<const double> y, double level) {
  Cases cases = complete_cases(x, y, level);
  if (!cases.undefined.empty()) {
    return undefined_association(std::move(cases.coefficient), cases.undefined, "kendall");
  }
  const Concordance pairs = concordance(cases);
  Association result{std::move(cases.coefficient), {}};
  const double untied_x = pairs.pairs - tied_pairs(pairs.ties_x);
  const double untied_y = pairs.pairs - tied_pairs(pairs.ties_y);
  result.coefficient.value = std::clamp(pairs.score / (std::sqrt(untied_x) * std::sqrt(untied_y)), -1.0, 1.0);
  // Where all untied pairs agree, the root must not leave it short of 1.
  if (std::fabs(pairs.score) >= std::max(untied_x, untied_y)) {
    result.coefficient.value = pairs.score > 0 ? 1 : -1;
  }
  enclose_by_fisher(result.coefficient, one_over(cases.x.size(), 4, 0.437), "fisher_z_fieller");
  result.test = kendall_test(pairs, cases.x.size());
  return result;
}

Association phi(const BinaryTable& table, double level) {
  Association result;
  result.coefficient.level = level;
  const std::string method = "phi_chi_squared";
  for (const std::int64_t count : {table.both, table.first_only, table.second_only, table.neither}) {
    if (count < 0 || count > kMostCases) {
      return undefined_association(std::move(result.coefficient), "a count is negative or too large", method);
    }
  }
  const auto both = static_cast<double>(table.both);
  const auto first_only = static_cast<double>(table.first_only);
  const auto second_only = static_cast<double>(table.second_only);
  const auto neither = static_cast<double>(table.neither);
  const double n = both + first_only + second_only + neither;
  result.coefficient.n = table.both + table.first_only + table.second_only + table.neither;
  if (n == 0) return undefined_association(std::move(result.coefficient), "no observations", method);
  const double first = (both + first_only) / n;
  const double second = (both + second_only) / n;
  if (first <= 0 || first >= 1 || second <= 0 || second >= 1) {
    return undefined_association(std::move(result.coefficient),
                                 "a measure is constant: it cannot go together with anything", method);
  }
  double value = (both / n * (neither / n) - first_only / n * (second_only / n)) /
                 std::sqrt(first * (1 - first) * second * (1 - second));
  if (table.first_only == 0 && table.second_only == 0) value = 1;
  if (table.both == 0 && table.neither == 0) value = -1;
  result.coefficient.value = value;
  const double open = (1 - value) * (1 + value);
  const double variance = phi_variance(value, first, second);
  enclose_by_fisher(result.coefficient,
                    open > 0 && variance > 0 ? std::optional(variance / (n * open * open)) : std::nullopt,
                    "fisher_z_delta");
  result.test.method = method;
  result.test.statistic = n * value * value;
  result.test.df = 1;
  const boost::math::chi_squared_distribution<double, Quiet> distribution(1);
  result.test.p = boost::math::cdf(boost::math::complement(distribution, *result.test.statistic));
  return result;
}

Association phi(std::span<const double> x, std::span<const double> y, double level) {
  Cases cases = complete_cases(x, y, level);
  if (cases.undefined.empty() && !(is_binary(cases.x) && is_binary(cases.y))) {
    cases.undefined = "a value is neither 0 nor 1";
  }
  if (!cases.undefined.empty()) {
    return undefined_association(std::move(cases.coefficient), cases.undefined, "phi_chi_squared");
  }
  BinaryTable table;
  for (std::size_t i = 0; i < cases.x.size(); ++i) {
    ++(cases.x[i] == 1 ? (cases.y[i] == 1 ? table.both : table.first_only)
                       : (cases.y[i] == 1 ? table.second_only : table.neither));
  }
  Association result = phi(table, level);
  result.coefficient.missing = cases.coefficient.missing;
  return result;
}

Association point_biserial(std::span<const double> yes, std::span<const double> values, double level) {
  Cases cases = complete_cases(yes, values, level);
  if (cases.undefined.empty() && !is_binary(cases.x)) cases.undefined = "a value is neither 0 nor 1";
  if (!cases.undefined.empty()) {
    return undefined_association(std::move(cases.coefficient), cases.undefined, "pearson_t");
  }
  Association result = pearson(cases.x, cases.y, level);
  result.coefficient.missing = cases.coefficient.missing;
  result.coefficient.ci.reset();
  result.coefficient.undefined.clear();
  result.coefficient.method.clear();
  const auto ones = static_cast<std::size_t>(std::ranges::count(cases.x, 1.0));
  const std::size_t zeros = cases.x.size() - ones;
  // Sorted by the first measure, the zeros come first.
  const std::span<const double> all(cases.y);
  const Estimate d = cohen_d(all.subspan(zeros), all.first(zeros), level);
  if (!d.ci) {
    result.coefficient.undefined = d.value ? d.undefined : "no interval: no spread within the two groups";
    return result;
  }
  const auto n = static_cast<double>(cases.x.size());
  const double margin = n * (n - 2) / (static_cast<double>(ones) * static_cast<double>(zeros));
  const auto carried = [&](double effect) { return effect / std::sqrt(effect * effect + margin); };
  result.coefficient.ci = Interval{carried(d.ci->low), carried(d.ci->high)};
  result.coefficient.method = d.method;
  return result;
}

}  // namespace assay
