#include "stats/comparisons/effect_size.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "stats/finite.h"
#include "stats/intervals/mean.h"
#include "stats/quiet.h"

namespace assay {
namespace {

using NoncentralT = boost::math::non_central_t_distribution<double, Quiet>;

constexpr const char* kEmptyGroup = "a group has no observations";
constexpr const char* kBadLevel = "an interval's level must lie between 0 and 1";
constexpr double kLargestT = 1000;  // up to here Boost agrees with numerical integration to ten digits

double normal_quantile(double probability) {
  return boost::math::quantile(boost::math::normal_distribution<double, Quiet>(), probability);
}

bool is_level(double level) {
  return level > 0 && level < 1;
}

Estimate undefined_effect(Estimate effect, std::string reason) {
  effect.undefined = std::move(reason);
  return effect;
}

// The noncentrality at which t is the `probability` quantile; none if it cannot be found for certain.
std::optional<double> noncentrality(double t, double df, double probability) {
  const auto excess = [&](double ncp) {
    return boost::math::cdf(NoncentralT(df, ncp), t) - probability;  // falls as ncp grows
  };
  double step = 1 + t * t / (2 * df);
  double low = t - step;
  double high = t + step;
  for (int i = 0; i < 60 && excess(low) < 0; ++i) low -= step *= 2;
  step = 1 + t * t / (2 * df);
  for (int i = 0; i < 60 && excess(high) > 0; ++i) high += step *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * (1 + std::fabs(t)); ++i) {
    const double middle = low + (high - low) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  const double found = low + (high - low) / 2;
  if (!std::isfinite(found) || !(std::fabs(excess(found)) < 1e-8)) return std::nullopt;
  return found;
}

// A standardised difference `value` that is `scale` times a t with `df` degrees of freedom.
void enclose(Estimate& effect, double scale, double df, double large_sample_error) {
  if (!is_level(effect.level)) {
    effect.undefined = kBadLevel;
    return;
  }
  const double t = *effect.value / scale;
  const double tail = (1 - effect.level) / 2;
  if (std::fabs(t) <= kLargestT) {
    const auto low = noncentrality(t, df, 1 - tail);
    const auto high = noncentrality(t, df, tail);
    if (low && high) {
      effect.ci = Interval{*low * scale, *high * scale};
      effect.method = "noncentral_t";
      return;
    }
  }
  const double half = normal_quantile(1 - tail) * large_sample_error;
  effect.ci = Interval{*effect.value - half, *effect.value + half};
  effect.method = "large_sample";
}

// Mean over deviation, absent if there is no spread but what rounding leaves, or if it is not finite.
std::optional<double> standardised(double mean, double deviation, double largest) {
  if (!(deviation > 10 * std::numeric_limits<double>::epsilon() * largest)) return std::nullopt;
  const double value = mean / deviation;
  if (!std::isfinite(value) || !std::isfinite(deviation)) return std::nullopt;
  return value;
}

double largest_of(const Moments& moments) {
  return std::max(std::fabs(*moments.minimum()), std::fabs(*moments.maximum()));
}

// How the sorted b lie about the value x: (below - above)/n_b.
double dominance_over(double x, const std::vector<double>& b) {
  const auto [first, last] = std::ranges::equal_range(b, x);
  return static_cast<double>((first - b.begin()) - (b.end() - last)) / static_cast<double>(b.size());
}

struct Dominance {
  double delta = 0;
  double variance = 0;
};

Dominance dominance(const std::vector<double>& a, const std::vector<double>& b, DominanceVariance variance) {
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  Moments rows;
  Moments columns;
  double ties = 0;
  for (const double x : a) {
    rows.add(dominance_over(x, b));
    const auto [first, last] = std::ranges::equal_range(b, x);
    ties += static_cast<double>(last - first);
  }
  for (const double y : b) columns.add(-dominance_over(y, a));
  Dominance result;
  result.delta = *rows.mean();
  if (a.size() < 2 || b.size() < 2) return result;
  const double squares =
      std::max(0.0, n_a * n_b - ties - n_a * n_b * result.delta * result.delta);  // Σ(δ_ij - δ)²
  const double of_rows = std::pow(*rows.sample_deviation(), 2);
  const double of_columns = std::pow(*columns.sample_deviation(), 2);
  if (variance == DominanceVariance::unbiased) {
    const double unbiased = (n_b * n_b * (n_a - 1) * of_rows + n_a * n_a * (n_b - 1) * of_columns - squares) /
                            (n_a * n_b * (n_a - 1) * (n_b - 1));
    result.variance = std::max(unbiased, (1 - result.delta * result.delta) / (n_a * n_b - 1));
    return result;
  }
  result.variance =
      ((n_b - 1) * of_rows + (n_a - 1) * of_columns + squares / ((n_a - 1) * (n_b - 1))) / (n_a * n_b);
  return result;
}

}  // namespace

Estimate cohen_d(std::span<const double> a, std::span<const double> b, double level) {
  const Moments first = moments_of(finite_sorted(a));
  const Moments second = moments_of(finite_sorted(b));
  const auto n_a = static_cast<double>(first.n());
  const auto n_b = static_cast<double>(second.n());
  Estimate effect =
      figure_of_kept(static_cast<std::size_t>(first.n() + second.n()), a.size() + b.size(), level);
  if (n_a == 0 || n_b == 0) return undefined_effect(std::move(effect), kEmptyGroup);
  if (n_a + n_b < 3) {
    return undefined_effect(std::move(effect), "one observation in each group has no spread");
  }
  const double df = n_a + n_b - 2;
  const double pooled = std::hypot(std::sqrt((n_a - 1) / df) * first.sample_deviation().value_or(0),
                                   std::sqrt((n_b - 1) / df) * second.sample_deviation().value_or(0));
  effect.value =
      standardised(*first.mean() - *second.mean(), pooled, std::max(largest_of(first), largest_of(second)));
  if (!effect.value) {
    return undefined_effect(std::move(effect), "the groups have no spread to measure the difference by");
  }
  const double d = *effect.value;
  enclose(effect, std::sqrt(1 / n_a + 1 / n_b), df, std::sqrt(1 / n_a + 1 / n_b + d * d / (2 * (n_a + n_b))));
  return effect;
}

Estimate hedges_g(std::span<const double> a, std::span<const double> b, double level) {
  Estimate effect = cohen_d(a, b, level);
  if (!effect.value) return effect;
  const double m = static_cast<double>(effect.n) - 2;
  if (m < 2) {
    effect.value.reset();
    effect.ci.reset();
    effect.method.clear();
    return undefined_effect(std::move(effect), "three observations are too few for the correction of bias");
  }
  const double correction = boost::math::tgamma_delta_ratio((m - 1) / 2, 0.5, Quiet());
  const double j = 1 / (std::sqrt(m / 2) * correction);
  *effect.value *= j;
  if (effect.ci) effect.ci = Interval{effect.ci->low * j, effect.ci->high * j};
  return effect;
}

Estimate cohen_dz(std::span<const double> a, std::span<const double> b, double level) {
  if (a.size() != b.size()) {
    return undefined_effect(figure_of_kept(0, 0, level),
                            "the lists differ in length: not every value has its partner");
  }
  std::vector<double> differences;
  differences.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
  const Moments moments = moments_of(finite_sorted(differences));
  Estimate effect = figure_of_kept(static_cast<std::size_t>(moments.n()), a.size(), level);
  if (moments.n() == 0) return undefined_effect(std::move(effect), "no pairs");
  if (moments.n() == 1) return undefined_effect(std::move(effect), "one pair has no spread");
  effect.value = standardised(*moments.mean(), *moments.sample_deviation(), largest_of(moments));
  if (!effect.value) return undefined_effect(std::move(effect), "the differences have no spread");
  const auto n = static_cast<double>(moments.n());
  enclose(effect, 1 / std::sqrt(n), n - 1, std::sqrt((1 + *effect.value * *effect.value / 2) / n));
  return effect;
}

Estimate cliffs_delta(std::span<const double> a, std::span<const double> b, double level,
                      DominanceVariance variance_kind) {
  const std::vector<double> first = finite_sorted(a);
  const std::vector<double> second = finite_sorted(b);
  Estimate effect = figure_of_kept(first.size() + second.size(), a.size() + b.size(), level);
  if (first.empty() || second.empty()) return undefined_effect(std::move(effect), kEmptyGroup);
  const auto [delta, variance] = dominance(first, second, variance_kind);
  effect.value = delta;
  effect.method = variance_kind == DominanceVariance::unbiased ? "cliff_unbiased" : "cliff";
  if (!is_level(level)) return undefined_effect(std::move(effect), kBadLevel);
  if (first.size() < 2 || second.size() < 2) {
    return undefined_effect(std::move(effect), "no interval: a group of one observation has no spread");
  }
  if (first.front() == second.back() && first.back() == second.front()) {
    return undefined_effect(std::move(effect), "no interval: all observations are equal");
  }
  const double z = normal_quantile(0.5 + level / 2);
  if (first.front() > second.back() || first.back() < second.front()) {
    const auto fewer = static_cast<double>(std::min(first.size(), second.size()));
    const double inner = (fewer - z * z) / (fewer + z * z);
    effect.value = first.front() > second.back() ? 1 : -1;
    effect.ci = *effect.value > 0 ? Interval{inner, 1} : Interval{-1, -inner};
    effect.method = "wilson_of_separated_groups";
    return effect;
  }
  const double noise = z * z * variance;
  const double open = 1 - delta * delta;
  const double half = std::sqrt(noise * (open * open + noise));
  effect.ci = Interval{std::max(-1.0, (delta * open - half) / (open + noise)),
                       std::min(1.0, (delta * open + half) / (open + noise))};
  return effect;
}

Estimate vargha_delaney(std::span<const double> a, std::span<const double> b, double level) {
  Estimate effect = cliffs_delta(a, b, level);
  if (effect.value) effect.value = (*effect.value + 1) / 2;
  if (effect.ci) effect.ci = Interval{(effect.ci->low + 1) / 2, (effect.ci->high + 1) / 2};
  return effect;
}

Estimate odds_ratio(Share a, Share b, double level) {
  Estimate effect;
  effect.level = level;
  if (a.n == 0 || b.n == 0) return undefined_effect(std::move(effect), kEmptyGroup);
  if (a.count < 0 || a.count > a.n || b.count < 0 || b.count > b.n) {
    return undefined_effect(std::move(effect), "a count lies outside 0 to n");
  }
  effect.n = a.n + b.n;
  const auto successes = static_cast<double>(a.count) + static_cast<double>(b.count);
  if (successes == 0 || (a.count == a.n && b.count == b.n)) {
    return undefined_effect(std::move(effect), "every case of both groups had the same outcome");
  }
  const bool empty_cell = a.count == 0 || a.count == a.n || b.count == 0 || b.count == b.n;
  const double half = empty_cell ? 0.5 : 0;
  const double cells[] = {static_cast<double>(a.count) + half, static_cast<double>(a.n - a.count) + half,
                          static_cast<double>(b.count) + half, static_cast<double>(b.n - b.count) + half};
  const double log_odds = std::log(cells[0]) - std::log(cells[1]) - std::log(cells[2]) + std::log(cells[3]);
  effect.value = (cells[0] * cells[3]) / (cells[1] * cells[2]);
  effect.method = empty_cell ? "woolf_half_added" : "woolf";
  if (!is_level(level)) return undefined_effect(std::move(effect), kBadLevel);
  const double error = std::sqrt(1 / cells[0] + 1 / cells[1] + 1 / cells[2] + 1 / cells[3]);
  const double reach = normal_quantile(0.5 + level / 2) * error;
  effect.ci = Interval{std::exp(log_odds - reach), std::exp(log_odds + reach)};
  return effect;
}

}  // namespace assay
