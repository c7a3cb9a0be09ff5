#include "stats/comparisons/planning.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "stats/intervals/mean.h"
#include "stats/quiet.h"

namespace assay {
namespace {

using Normal = boost::math::normal_distribution<double, Quiet>;
using StudentsT = boost::math::students_t_distribution<double, Quiet>;
using NoncentralT = boost::math::non_central_t_distribution<double, Quiet>;
using boost::math::cdf;
using boost::math::complement;
using boost::math::quantile;

constexpr double kMostCases = 1e15;
constexpr double kNormalFrom = 1e7;   // degrees of freedom from which t is normal to all digits that matter
constexpr double kCertainShift = 40;  // a noncentrality beyond which power is 1 for any alpha in use

// The first complaint, or nothing.
std::string defect_of_goal(PowerGoal goal) {
  if (!(goal.alpha > 0 && goal.alpha < 1)) return "alpha must lie between 0 and 1";
  if (!(goal.power > goal.alpha / 2 && goal.power < 1)) return "the power must lie between alpha/2 and 1";
  return "";
}

std::string defect_of_delta(double delta) {
  return std::isfinite(delta) && delta != 0 ? "" : "the difference to be found must be a number other than 0";
}

std::string defect_of_cases(std::int64_t cases, std::int64_t fewest) {
  return cases >= fewest ? "" : "too few cases";
}

std::string defect_of_effect(double design_effect) {
  return std::isfinite(design_effect) && design_effect > 0 ? "" : "the design effect must be above 0";
}

std::string defect_of_spread(const PairedSpread& spread) {
  for (const double variance : {spread.omega_squared, spread.sigma_squared_a, spread.sigma_squared_b}) {
    if (!std::isfinite(variance) || variance < 0) return "a variance must be a number from 0 up";
  }
  if (spread.omega_squared + spread.sigma_squared_a + spread.sigma_squared_b <= 0) {
    return "without any variance there is nothing to plan";
  }
  if (!(spread.repeats_a >= 1 && spread.repeats_b >= 1)) return "repeats must be at least 1";
  return defect_of_effect(spread.design_effect);
}

std::string defect_of_spread(GroupSpread spread) {
  if (!std::isfinite(spread.deviation) || spread.deviation <= 0) return "the deviation must be above 0";
  return defect_of_effect(spread.design_effect);
}

std::string defect_of_rate(double rate) {
  return rate >= 0 && rate <= 1 ? "" : "a rate must lie between 0 and 1";
}

template <class... Defects>
std::string first_of(const std::string& first, const Defects&... others) {
  if constexpr (sizeof...(others) == 0) {
    return first;
  } else {
    return first.empty() ? first_of(others...) : first;
  }
}

double z_of(double upper_tail) {
  return quantile(complement(Normal(), upper_tail));
}

double paired_variance(const PairedSpread& spread) {
  return spread.design_effect * (spread.omega_squared + spread.sigma_squared_a / spread.repeats_a +
                                 spread.sigma_squared_b / spread.repeats_b);
}

SampleSize no_size(std::string reason, std::string method) {
  SampleSize size;
  size.method = std::move(method);
  size.undefined = std::move(reason);
  return size;
}

SampleSize sized(double exact, std::string method) {
  if (!(exact <= kMostCases)) return no_size("more cases than can be counted", std::move(method));
  SampleSize size;
  size.exact = exact;
  // A size that is whole but for rounding must not cost one case more.
  size.cases = static_cast<std::int64_t>(std::max(1.0, std::ceil(exact * (1 - 1e-12))));
  size.method = std::move(method);
  return size;
}

Estimate figure(double value, std::int64_t cases, std::string method) {
  Estimate estimate = plain_figure(value, cases);
  estimate.method = std::move(method);
  return estimate;
}

Estimate no_figure(std::string reason, std::int64_t cases, std::string method) {
  Estimate estimate = undefined_figure(std::move(reason), cases);
  estimate.method = std::move(method);
  return estimate;
}

// P(T > t_{α/2}) for two groups of n (which need not be whole) whose means are `shift` standard errors apart.
double t_power(double n, double shift, double alpha) {
  const double df = std::max(1.0, 2 * n - 2);
  if (df >= kNormalFrom) return cdf(Normal(), shift - z_of(alpha / 2));
  if (shift > kCertainShift && df > 10) return 1;
  const double critical = quantile(complement(StudentsT(df), alpha / 2));
  return cdf(complement(NoncentralT(df, shift), critical));
}

double rate_power(double p, double q, double n, double alpha) {
  const double middle = (p + q) / 2;
  const double within = std::sqrt(p * (1 - p) + q * (1 - q));
  const double lead =
      std::fabs(p - q) * std::sqrt(n) - z_of(alpha / 2) * std::sqrt(2 * middle * (1 - middle));
  if (within <= 0) return lead > 0 ? 1 : 0;
  return cdf(Normal(), lead / within);
}

// Where a rising function reaches `target`, between `low` and `high`.
template <class Rising>
double solve(Rising rising, double target, double low, double high) {
  for (int i = 0; i < 200 && high - low > 1e-13 * (1 + std::fabs(low)); ++i) {
    const double middle = low + (high - low) / 2;
    (rising(middle) < target ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace

SampleSize paired_sample_size(double delta, const PairedSpread& spread, PowerGoal goal) {
  if (std::string defect = first_of(defect_of_delta(delta), defect_of_spread(spread), defect_of_goal(goal));
      !defect.empty()) {
    return no_size(std::move(defect), "normal");
  }
  const double reach = (z_of(goal.alpha / 2) + z_of(1 - goal.power)) / delta;
  return sized(reach * reach * paired_variance(spread), "normal");
}

Estimate paired_power(double delta, const PairedSpread& spread, std::int64_t cases, double alpha) {
  if (std::string defect = first_of(defect_of_delta(delta), defect_of_spread(spread),
                                    defect_of_goal({alpha, 0.5 + alpha / 4}), defect_of_cases(cases, 1));
      !defect.empty()) {
    return no_figure(std::move(defect), cases, "normal");
  }
  const double shift = std::fabs(delta) * std::sqrt(static_cast<double>(cases) / paired_variance(spread));
  return figure(cdf(Normal(), shift - z_of(alpha / 2)), cases, "normal");
}

Estimate paired_minimum_effect(const PairedSpread& spread, std::int64_t cases, PowerGoal goal) {
  if (std::string defect =
          first_of(defect_of_spread(spread), defect_of_goal(goal), defect_of_cases(cases, 1));
      !defect.empty()) {
    return no_figure(std::move(defect), cases, "normal");
  }
  const double reach = z_of(goal.alpha / 2) + z_of(1 - goal.power);
  return figure(reach * std::sqrt(paired_variance(spread) / static_cast<double>(cases)), cases, "normal");
}

SampleSize means_sample_size(double delta, GroupSpread spread, PowerGoal goal) {
  if (std::string defect = first_of(defect_of_delta(delta), defect_of_spread(spread), defect_of_goal(goal));
      !defect.empty()) {
    return no_size(std::move(defect), "noncentral_t");
  }
  const double effect = std::fabs(delta) / spread.deviation;
  const auto power = [&](double n) { return t_power(n, effect * std::sqrt(n / 2), goal.alpha); };
  double high = 2;
  while (power(high) < goal.power && high <= kMostCases) high *= 2;
  const double n = high > 2 ? solve(power, goal.power, high / 2, high) : 2;
  return sized(n * spread.design_effect, "noncentral_t");
}

Estimate means_power(double delta, GroupSpread spread, std::int64_t cases_each, double alpha) {
  if (std::string defect = first_of(defect_of_delta(delta), defect_of_spread(spread),
                                    defect_of_goal({alpha, 0.5 + alpha / 4}), defect_of_cases(cases_each, 2));
      !defect.empty()) {
    return no_figure(std::move(defect), cases_each, "noncentral_t");
  }
  const double n = static_cast<double>(cases_each) / spread.design_effect;
  return figure(t_power(n, std::fabs(delta) / spread.deviation * std::sqrt(n / 2), alpha), cases_each,
                "noncentral_t");
}

Estimate means_minimum_effect(GroupSpread spread, std::int64_t cases_each, PowerGoal goal) {
  if (std::string defect =
          first_of(defect_of_spread(spread), defect_of_goal(goal), defect_of_cases(cases_each, 2));
      !defect.empty()) {
    return no_figure(std::move(defect), cases_each, "noncentral_t");
  }
  const double n = static_cast<double>(cases_each) / spread.design_effect;
  const auto power = [&](double shift) { return t_power(n, shift, goal.alpha); };
  double high = 1;
  while (power(high) < goal.power && high < 1e6) high *= 2;
  if (!(high < 1e6)) return no_figure("no difference reaches this power", cases_each, "noncentral_t");
  return figure(solve(power, goal.power, 0, high) * spread.deviation / std::sqrt(n / 2), cases_each,
                "noncentral_t");
}

SampleSize rates_sample_size(double p, double q, PowerGoal goal, double design_effect) {
  if (std::string defect = first_of(defect_of_rate(p), defect_of_rate(q), defect_of_delta(p - q),
                                    defect_of_effect(design_effect), defect_of_goal(goal));
      !defect.empty()) {
    return no_size(std::move(defect), "normal");
  }
  const double middle = (p + q) / 2;
  const double reach = z_of(goal.alpha / 2) * std::sqrt(2 * middle * (1 - middle)) +
                       z_of(1 - goal.power) * std::sqrt(p * (1 - p) + q * (1 - q));
  return sized(std::pow(std::max(0.0, reach) / (p - q), 2) * design_effect, "normal");
}

Estimate rates_power(double p, double q, std::int64_t cases_each, double alpha, double design_effect) {
  if (std::string defect = first_of(defect_of_rate(p), defect_of_rate(q), defect_of_delta(p - q),
                                    defect_of_effect(design_effect), defect_of_goal({alpha, 0.5 + alpha / 4}),
                                    defect_of_cases(cases_each, 1));
      !defect.empty()) {
    return no_figure(std::move(defect), cases_each, "normal");
  }
  return figure(rate_power(p, q, static_cast<double>(cases_each) / design_effect, alpha), cases_each,
                "normal");
}

Estimate rates_minimum_effect(double base, Direction direction, std::int64_t cases_each, PowerGoal goal,
                              double design_effect) {
  if (std::string defect = first_of(defect_of_rate(base), defect_of_effect(design_effect),
                                    defect_of_goal(goal), defect_of_cases(cases_each, 1));
      !defect.empty()) {
    return no_figure(std::move(defect), cases_each, "normal");
  }
  const double n = static_cast<double>(cases_each) / design_effect;
  const double room = direction == Direction::up ? 1 - base : base;
  const auto power = [&](double distance) {
    const double other = direction == Direction::up ? base + distance : base - distance;
    return rate_power(base, std::clamp(other, 0.0, 1.0), n, goal.alpha);
  };
  if (!(room > 0 && power(room) >= goal.power)) {
    return no_figure("no rate in this direction is far enough to be found with so few cases", cases_each,
                     "normal");
  }
  return figure(solve(power, goal.power, 0, room), cases_each, "normal");
}

Estimate design_effect(double mean_size, double correlation, double size_variation) {
  if (!(std::isfinite(mean_size) && mean_size >= 1))
    return undefined_figure("a cluster has at least one case");
  if (!(correlation >= -1 && correlation <= 1))
    return undefined_figure("a correlation lies between -1 and 1");
  if (!(std::isfinite(size_variation) && size_variation >= 0)) {
    return undefined_figure("the variation of sizes must be a number from 0 up");
  }
  const double effect = 1 + ((1 + size_variation * size_variation) * mean_size - 1) * correlation;
  // Clusters of size m cannot correlate below -1/(m-1).
  if (!(effect > 0)) return undefined_figure("clusters of this size cannot have so negative a correlation");
  return plain_figure(effect, 0);
}

Estimate observed_design_effect(std::span<const double> values, std::span<const std::string> clusters) {
  if (values.size() != clusters.size()) return undefined_figure("not every value has its cluster");
  ClusteredMoments moments;
  for (std::size_t i = 0; i < values.size(); ++i) moments.add(clusters[i], values[i]);
  Estimate effect = undefined_figure("", moments.all().n());
  if (moments.all().not_finite() > 0) effect.missing["not_finite"] = moments.all().not_finite();
  const auto clustered = moments.standard_error();
  const auto naive = moments.all().standard_error();
  if (moments.all().n() == 0) {
    effect.undefined = "no observations";
  } else if (!clustered) {
    effect.undefined = "one cluster shows no spread between clusters";
  } else if (!naive || *naive <= 0) {
    effect.undefined = "all observations are equal";
  } else {
    const auto count = static_cast<double>(moments.clusters());
    effect.value = std::pow(*clustered / *naive, 2) * (count - 1) / count;
  }
  return effect;
}

}  // namespace assay
