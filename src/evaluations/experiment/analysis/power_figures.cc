#include "evaluations/experiment/analysis/power_figures.h"

#include <cmath>
#include <initializer_list>
#include <utility>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace assay::experiment {
namespace {

// `error` is the clustered standard error, `df` the number of queries less one.
PowerFigures figures_of(PowerFigures figures, double error, double df, double level,
                        std::initializer_list<double> differences) {
  const PowerGoal goal{.alpha = 1 - level};
  const double queries = df + 1;
  PairedSpread spread;
  spread.omega_squared = error * error * queries;
  figures.detectable = paired_minimum_effect(spread, static_cast<std::int64_t>(queries), goal);
  // The detectable difference is a multiple of the deviation between queries, whose square over the true one
  // is χ²/df.
  if (figures.detectable.value) {
    const boost::math::chi_squared distribution(df);
    const double tail = (1 - level) / 2;
    figures.detectable.ci =
        Interval{*figures.detectable.value * std::sqrt(df / quantile(distribution, 1 - tail)),
                 *figures.detectable.value * std::sqrt(df / quantile(distribution, tail))};
    figures.detectable.method = "chi_squared";
    figures.detectable.level = level;
  }
  for (const double difference : differences)
    figures.needs.push_back({difference, paired_sample_size(difference, spread, goal)});
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
    const auto& ci = contrast.clustered.difference.ci;
    if (!ci || !contrast.clustered.test.df) {
      figures.detectable = undefined_figure(contrast.clustered.difference.undefined);
      all.push_back(std::move(figures));
      continue;
    }
    const double df = *contrast.clustered.test.df;
    const double error = (ci->high - ci->low) / 2 / quantile(boost::math::students_t(df), 0.5 + level / 2);
    all.push_back(figures_of(std::move(figures), error, df, level, {0.1, 0.2, 0.3, 0.5}));
  }
  for (const PairFigures& pair : pairs) {
    if (!data.conditions[pair.against].control) continue;
    PowerFigures figures;
    figures.condition = pair.condition;
    figures.of = PowerFigures::Of::win_rate;
    if (!pair.winner.standard_error || *pair.winner.standard_error <= 0 || !pair.winner.test.df) {
      figures.detectable = undefined_figure(pair.winner.test.undefined.empty() ? "the queries show no spread"
                                                                               : pair.winner.test.undefined);
      all.push_back(std::move(figures));
      continue;
    }
    all.push_back(figures_of(std::move(figures), *pair.winner.standard_error, *pair.winner.test.df, level,
                             {0.05, 0.1, 0.15}));
  }
  return all;
}

}  // namespace assay::experiment
