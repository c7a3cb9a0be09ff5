#include "evaluations/experiment/analysis/power_figures.h"

#include <cmath>
#include <initializer_list>
#include <utility>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "evaluations/experiment/analysis/arms.h"

namespace assay::experiment {
namespace {

constexpr double kPower = 0.8;
constexpr std::int64_t kMostQueries = 1'000'000;
constexpr double kLargestDifference = kLikert.high - kLikert.low;
constexpr double kLargestLead = 0.5;  // of a win rate, from even

// P(T > t_{α/2}) for noncentral T with n − 1 degrees and noncentrality (δ/s)·√n, as R's
// power.t.test(type = "paired").
double power_of(double in_deviations, double queries, double alpha) {
  constexpr double kCertain = 30;  // a noncentrality beyond which power is 1 for any number of queries in use
  const double df = queries - 1;
  const double shift = in_deviations * std::sqrt(queries);
  const double limit = quantile(boost::math::students_t(df), 1 - alpha / 2);
  if (shift - limit > kCertain) return 1;
  return cdf(complement(boost::math::non_central_t(df, shift), limit));
}

// In standard deviations between queries.
double detectable_with(double queries, double alpha) {
  double low = 0;
  double high = 1;
  while (power_of(high, queries, alpha) < kPower) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (power_of(middle, queries, alpha) < kPower ? low : high) = middle;
  }
  return high;
}

std::optional<std::int64_t> queries_for(double in_deviations, double alpha) {
  const auto enough = [&](std::int64_t queries) {
    return power_of(in_deviations, static_cast<double>(queries), alpha) >= kPower;
  };
  std::int64_t low = 1;  // never enough
  std::int64_t high = 2;
  while (!enough(high)) {
    low = high;
    high *= 2;
    if (high > kMostQueries) return std::nullopt;
  }
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

PowerFigures::Need need_for(double difference, double deviation, double alpha) {
  PowerFigures::Need need;
  need.difference = difference;
  need.queries = queries_for(difference / deviation, alpha);
  if (!need.queries) {
    need.note = fmt::format("more than {} queries", kMostQueries);
  } else if (*need.queries < kFewestQueries) {
    need.note = fmt::format("by the spread seen {} would do, but fewer than {} do not show the spread",
                            *need.queries, kFewestQueries);
    need.queries = kFewestQueries;
  }
  return need;
}

// `largest`: the difference between the ends of the scale.
PowerFigures figures_of(PowerFigures figures, const Finding& finding, double largest, double level,
                        std::initializer_list<double> differences) {
  const std::int64_t queries = finding.figure.n;
  if (!finding.standard_error || queries < 2) {
    figures.detectable = undefined_figure(!finding.figure.value ? finding.figure.undefined
                                          : queries < 2         ? "one query shows no spread between queries"
                                          : !finding.test.undefined.empty() ? finding.test.undefined
                                                                            : "the queries show no spread",
                                          queries);
    return figures;
  }
  const double alpha = 1 - level;
  const double n = static_cast<double>(queries);
  const double deviation = *finding.standard_error * std::sqrt(n);
  for (const double difference : differences) figures.needs.push_back(need_for(difference, deviation, alpha));
  figures.detectable = plain_figure(deviation * detectable_with(n, alpha), queries);
  if (*figures.detectable.value > largest) {
    figures.detectable = undefined_figure(kNothingPossible, queries);
    return figures;
  }
  // The detectable difference is a multiple of the deviation between queries, whose square over the true one
  // is χ²/df.
  const boost::math::chi_squared distribution(n - 1);
  figures.detectable.ci =
      Interval{*figures.detectable.value * std::sqrt((n - 1) / quantile(distribution, 1 - alpha / 2)),
               *figures.detectable.value * std::sqrt((n - 1) / quantile(distribution, alpha / 2))};
  figures.detectable.method = "chi_squared";
  figures.detectable.level = level;
  return figures;
}

}  // namespace

std::vector<PowerFigures> power_figures(const std::vector<ScoreContrast>& contrasts,
                                        const std::vector<PairFigures>& pairs, const ExperimentData& data,
                                        double level) {
  std::vector<PowerFigures> all;
  for (const ScoreContrast& contrast : contrasts) {
    if (contrast.criterion != kOverall) continue;
    PowerFigures figures;
    figures.condition = contrast.condition;
    figures.of = PowerFigures::Of::overall_score;
    all.push_back(
        figures_of(std::move(figures), contrast.difference, kLargestDifference, level, {0.1, 0.2, 0.3, 0.5}));
  }
  for (const PairFigures& pair : pairs) {
    if (!data.conditions[pair.against].control) continue;
    PowerFigures figures;
    figures.condition = pair.condition;
    figures.of = PowerFigures::Of::win_rate;
    all.push_back(figures_of(std::move(figures), pair.winner.rate, kLargestLead, level, {0.05, 0.1, 0.15}));
  }
  return all;
}

}  // namespace assay::experiment
