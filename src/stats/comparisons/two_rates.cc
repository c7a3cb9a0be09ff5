#include "stats/comparisons/two_rates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "stats/intervals/proportion.h"

namespace assay {
namespace {

constexpr const char* kBadLevel = "an interval's level must lie between 0 and 1";
constexpr std::int64_t kMostCases = 1'000'000'000'000'000;  // in a group, so that sums are exact in a double
constexpr std::int64_t kMostTables = 1'000'000;             // of an exact test, whose work grows with them

bool is_share(Share share) {
  return share.n > 0 && share.count >= 0 && share.count <= share.n;
}

std::string defect_of(Share a, Share b) {
  if (a.n == 0 || b.n == 0) return "a group has no observations";
  if (!is_share(a) || !is_share(b)) return "a count lies outside 0 to n";
  if (std::max(a.n, b.n) > kMostCases) return "too many cases to count exactly";
  return "";
}

// The first group's successes given all margins: log-weights of low, low + 1, … up to a constant, from the
// ratio of neighbours.
struct Tables {
  std::int64_t low = 0;
  std::vector<double> log_weights;

  // Probability of the tables that `picks` weighs when the odds ratio is exp(log_odds).
  template <class Picks>
  double probability(double log_odds, Picks picks) const {
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < log_weights.size(); ++k) {
      highest = std::max(highest, log_weights[k] + static_cast<double>(k) * log_odds);
    }
    double all = 0;
    double picked = 0;
    for (std::size_t k = 0; k < log_weights.size(); ++k) {
      const double weight = std::exp(log_weights[k] + static_cast<double>(k) * log_odds - highest);
      all += weight;
      picked += weight * picks(k);
    }
    return picked / all;
  }
};

std::int64_t number_of_tables(Share a, Share b) {
  const std::int64_t successes = a.count + b.count;
  return std::min(a.n, successes) - std::max<std::int64_t>(0, successes - b.n) + 1;
}

Tables possible_tables(Share a, Share b) {
  const std::int64_t successes = a.count + b.count;
  Tables tables;
  tables.low = std::max<std::int64_t>(0, successes - b.n);
  const std::int64_t high = std::min(a.n, successes);
  double log_weight = 0;
  for (std::int64_t x = tables.low; x <= high; ++x) {
    tables.log_weights.push_back(log_weight);
    log_weight += std::log(static_cast<double>(a.n - x) * static_cast<double>(successes - x)) -
                  std::log(static_cast<double>(x + 1) * static_cast<double>(b.n - successes + x + 1));
  }
  return tables;
}

// The log odds ratio where `rising` (a monotone function of it) reaches `target`.
template <class Rising>
double solve_log_odds(Rising rising, double target) {
  double low = -1;
  double high = 1;
  while (rising(low) > target && low > -1e3) low *= 2;
  while (rising(high) < target && high < 1e3) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-14 * (1 + std::fabs(low)); ++i) {
    const double middle = low + (high - low) / 2;
    (rising(middle) < target ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

Estimate conditional_odds_ratio(const Tables& tables, std::size_t seen, std::int64_t n, double level) {
  Estimate odds = undefined_figure("", n);
  odds.level = level;
  odds.method = "fisher_exact";
  const std::size_t last = tables.log_weights.size() - 1;
  if (last == 0) {
    odds.undefined = "the odds ratio is undefined: the margins admit one table only";
    return odds;
  }
  if (seen == last) {
    odds.undefined = "the odds ratio has no finite estimate: a cell of the table is 0";
    return odds;
  }
  const auto mean = [&](double log_odds) {
    return tables.probability(log_odds, [](std::size_t k) { return static_cast<double>(k); });
  };
  odds.value = seen == 0 ? 0 : std::exp(solve_log_odds(mean, static_cast<double>(seen)));
  if (!(level > 0 && level < 1)) {
    odds.undefined = kBadLevel;
    return odds;
  }
  const double tail = (1 - level) / 2;
  const auto at_least = [&](double log_odds) {
    return tables.probability(log_odds, [&](std::size_t k) { return k >= seen ? 1.0 : 0.0; });
  };
  const auto above = [&](double log_odds) {
    return tables.probability(log_odds, [&](std::size_t k) { return k > seen ? 1.0 : 0.0; });
  };
  odds.ci = Interval{seen == 0 ? 0 : std::exp(solve_log_odds(at_least, tail)),
                     std::exp(solve_log_odds(above, 1 - tail))};
  return odds;
}

}  // namespace

Contrast two_proportions(Share a, Share b, double level) {
  Contrast contrast;
  contrast.difference.level = level;
  if (std::string defect = defect_of(a, b); !defect.empty()) {
    return undefined_contrast(std::move(contrast.difference), std::move(defect), "newcombe");
  }
  const Estimate first = wilson(a.count, a.n, level);
  const Estimate second = wilson(b.count, b.n, level);
  const double rate_a = *first.value;
  const double rate_b = *second.value;
  contrast.difference.value = rate_a - rate_b;
  contrast.difference.n = a.n + b.n;
  contrast.difference.method = "newcombe";
  if (first.ci && second.ci) {
    contrast.difference.ci =
        Interval{rate_a - rate_b - std::hypot(rate_a - first.ci->low, second.ci->high - rate_b),
                 rate_a - rate_b + std::hypot(first.ci->high - rate_a, rate_b - second.ci->low)};
  } else {
    contrast.difference.undefined = kBadLevel;
  }
  const auto n_a = static_cast<double>(a.n);
  const auto n_b = static_cast<double>(b.n);
  const double pooled = static_cast<double>(a.count + b.count) / (n_a + n_b);
  if (pooled <= 0 || pooled >= 1) {
    contrast.test = no_result("every case of both groups had the same outcome", "z_pooled");
  } else {
    const double error = std::sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b));
    contrast.test = z_result((rate_a - rate_b) / error, Alternative::two_sided, "z_pooled");
  }
  return contrast;
}

FisherExact fisher_exact(Share a, Share b, double level, Alternative alternative) {
  FisherExact result;
  std::string defect = defect_of(a, b);
  if (defect.empty() && number_of_tables(a, b) > kMostTables) defect = "too many cases for an exact test";
  if (!defect.empty()) {
    result.test = no_result(defect, "fisher_exact");
    result.odds_ratio = undefined_figure(std::move(defect));
    return result;
  }
  const Tables tables = possible_tables(a, b);
  const auto seen = static_cast<std::size_t>(a.count - tables.low);
  // Tables that are as likely as the one seen must not be lost to rounding.
  const double limit = tables.log_weights[seen] + 1e-7;
  result.test.method = "fisher_exact";
  const auto counts = [&](std::size_t k) {
    return alternative == Alternative::greater ? k >= seen
           : alternative == Alternative::less  ? k <= seen
                                               : tables.log_weights[k] <= limit;
  };
  result.test.p = std::min(1.0, tables.probability(0, [&](std::size_t k) { return counts(k) ? 1.0 : 0.0; }));
  result.odds_ratio = conditional_odds_ratio(tables, seen, a.n + b.n, level);
  return result;
}

}  // namespace assay
