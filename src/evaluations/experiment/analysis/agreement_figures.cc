#include "evaluations/experiment/analysis/agreement_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/random.h"
#include "evaluations/experiment/analysis/by_query.h"
#include "stats/agreement/agreement.h"
#include "stats/agreement/krippendorff.h"
#include "stats/intervals/bootstrap.h"

namespace assay::experiment {
namespace {

using Unit =
    std::tuple<std::size_t, std::size_t, std::size_t, int>;  // query, two conditions (or one twice), run
using Words = std::map<Unit, std::map<int, double>>;         // by evaluator

// 1: the condition that comes first, -1: the other, 0: a tie.
Words words_on_pairs(const ExperimentData& data) {
  Words words;
  for (const PairVerdict& verdict : data.pairs) {
    const auto [first, second] = std::minmax(verdict.condition_a, verdict.condition_b);
    words[{verdict.query, first, second, verdict.run}][verdict.evaluator] +=
        2 * points_for(verdict, verdict.winner, first) - 1;
  }
  for (auto& [unit, by_evaluator] : words) {
    for (auto& [evaluator, word] : by_evaluator) word = (word > 0 ? 1 : 0) - (word < 0 ? 1 : 0);
  }
  return words;
}

Words overall_ratings(const ExperimentData& data) {
  Words words;
  for (const Rating& rating : data.ratings) {
    words[{rating.query, rating.condition, rating.condition, rating.run}][rating.evaluator] =
        rating.scores[kOverall];
  }
  return words;
}

Ratings table_of(const Words& words) {
  std::map<int, std::size_t> columns;
  for (const auto& [unit, by_evaluator] : words) {
    for (const auto& [evaluator, word] : by_evaluator) columns.emplace(evaluator, 0);
  }
  std::size_t next = 0;
  for (auto& [evaluator, column] : columns) column = next++;
  Ratings table(columns.size());
  for (const auto& [unit, by_evaluator] : words) {
    std::vector<double> row(columns.size(), Ratings::kAbsent);
    for (const auto& [evaluator, word] : by_evaluator) row[columns[evaluator]] = word;
    table.add_unit(row, cluster_of(std::get<0>(unit)));
  }
  return table;
}

Estimate share_of_equals(const Words& words, int evaluator, double level) {
  Sample sample;
  for (const auto& [unit, by_evaluator] : words) {
    const auto own = by_evaluator.find(evaluator);
    if (own == by_evaluator.end() || by_evaluator.size() < 2) continue;
    double equal = -1;  // its own word
    for (const auto& [other, word] : by_evaluator) equal += word == own->second ? 1 : 0;
    sample.add(std::get<0>(unit), equal / static_cast<double>(by_evaluator.size() - 1));
  }
  if (sample.values.empty()) return undefined_figure("it shares no pair with another evaluator");
  return clustered_rate(sample, level);
}

double correlation(std::span<const double> x, std::span<const double> y, std::span<const std::size_t> rows) {
  double sums[5] = {};
  for (const std::size_t row : rows) {
    sums[0] += x[row];
    sums[1] += y[row];
    sums[2] += x[row] * x[row];
    sums[3] += y[row] * y[row];
    sums[4] += x[row] * y[row];
  }
  const double n = static_cast<double>(rows.size());
  const double spread_x = sums[2] - sums[0] * sums[0] / n;
  const double spread_y = sums[3] - sums[1] * sums[1] / n;
  constexpr double kRounding = 1e-9;
  if (spread_x < kRounding || spread_y < kRounding) return std::numeric_limits<double>::quiet_NaN();
  return (sums[4] - sums[0] * sums[1] / n) / std::sqrt(spread_x * spread_y);
}

Estimate correlation_with_rest(const Words& words, int evaluator, std::uint64_t seed, double level) {
  std::vector<double> own;
  std::vector<double> rest;
  std::vector<std::string> clusters;
  for (const auto& [unit, by_evaluator] : words) {
    const auto found = by_evaluator.find(evaluator);
    if (found == by_evaluator.end() || by_evaluator.size() < 2) continue;
    double sum = -found->second;
    for (const auto& [other, word] : by_evaluator) sum += word;
    own.push_back(found->second);
    rest.push_back(sum / static_cast<double>(by_evaluator.size() - 1));
    clusters.push_back(cluster_of(std::get<0>(unit)));
  }
  if (own.empty()) return undefined_figure("it shares no answer with another evaluator");
  Bootstrap options;
  options.kind = BootstrapKind::percentile;
  options.draws = kDraws;
  options.level = level;
  options.random = Random::keyed(seed, "agreement_with_rest", evaluator);
  return bootstrap(
      own.size(), clusters, [&](std::span<const std::size_t> rows) { return correlation(own, rest, rows); },
      options);
}

}  // namespace

AgreementFigures agreement_figures(const ExperimentData& data, std::uint64_t seed, double level) {
  const Words pairs = words_on_pairs(data);
  const Words ratings = overall_ratings(data);
  const auto keyed = [&](const char* name) {
    return Resampling{kDraws, level, Random::keyed(seed, "agreement", name)};
  };
  AgreementFigures figures;
  const Ratings pair_table = table_of(pairs);
  figures.raw = raw_agreement(pair_table, keyed("raw"));
  figures.fleiss_kappa = fleiss_kappa(pair_table, keyed("fleiss_kappa")).figure.resampled;
  figures.nominal_alpha = krippendorff_alpha(pair_table, Scale::nominal, keyed("nominal_alpha"));
  figures.ordinal_alpha = krippendorff_alpha(table_of(ratings), Scale::ordinal, keyed("ordinal_alpha"));
  std::set<int> evaluators;
  for (const PairVerdict& verdict : data.pairs) evaluators.insert(verdict.evaluator);
  for (const Rating& rating : data.ratings) evaluators.insert(rating.evaluator);
  for (const int evaluator : evaluators) {
    figures.evaluators.push_back({evaluator, share_of_equals(pairs, evaluator, level),
                                  correlation_with_rest(ratings, evaluator, seed, level)});
  }
  return figures;
}

}  // namespace assay::experiment
