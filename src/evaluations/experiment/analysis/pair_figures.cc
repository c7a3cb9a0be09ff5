#include "evaluations/experiment/analysis/pair_figures.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/random.h"
#include "evaluations/experiment/analysis/by_query.h"
#include "stats/comparisons/adjust.h"
#include "stats/comparisons/pairs.h"
#include "stats/intervals/proportion.h"

namespace assay::experiment {
namespace {

// Verdicts on one question from the view of one condition.
WinRate win_rate_of(const Sample& points, double level) {
  WinRate figures;
  figures.rate = clustered_rate(points, level);
  figures.standard_error = moments_of(points).standard_error();
  figures.test = clustered_test(points, 0.5);
  figures.naive = within_range(estimate_mean(points.values, level));
  const std::int64_t wins = std::ranges::count(points.values, 1.0);
  const std::int64_t losses = std::ranges::count(points.values, 0.0);
  // McNemar's exact test is the sign test of the decided verdicts.
  figures.naive_test = points.values.empty() ? no_result("no values", "") : mcnemar(wins, losses).exact;
  figures.naive_test.method = "sign_test_exact";
  return figures;
}

PairFigures figures_of(const ExperimentData& data, std::size_t condition, std::size_t against, double level) {
  PairFigures figures;
  figures.condition = condition;
  figures.against = against;
  Sample winner;
  std::array<Sample, kCriteria.size()> criteria;
  std::array<ClusteredMoments, 3> shares;  // losses, ties, wins
  for (const PairVerdict& verdict : data.pairs) {
    if (!compares(verdict, condition, against)) continue;
    const double points = points_for(verdict, verdict.winner, condition);
    winner.add(verdict.query, points);
    for (std::size_t i = 0; i < shares.size(); ++i)
      shares[i].add(winner.clusters.back(), points * 2 == static_cast<double>(i) ? 1 : 0);
    for (std::size_t i = 0; i < criteria.size(); ++i)
      criteria[i].add(verdict.query, points_for(verdict, verdict.choices[i], condition));
  }
  const auto share = [&](const ClusteredMoments& moments) {
    return winner.values.empty() ? undefined_figure("the two were never compared")
                                 : wilson_clustered(moments, level);
  };
  figures.losses = share(shares[0]);
  figures.ties = share(shares[1]);
  figures.wins = share(shares[2]);
  figures.winner = win_rate_of(winner, level);
  for (std::size_t i = 0; i < criteria.size(); ++i) figures.criteria[i] = win_rate_of(criteria[i], level);
  return figures;
}

}  // namespace

std::vector<PairFigures> pair_figures(const ExperimentData& data, double level) {
  std::set<std::pair<std::size_t, std::size_t>> compared;
  for (const PairVerdict& verdict : data.pairs)
    compared.insert(std::minmax(verdict.condition_a, verdict.condition_b));
  std::vector<PairFigures> all;
  if (const auto control = control_of(data)) {
    for (std::size_t condition = 0; condition < data.conditions.size(); ++condition) {
      if (condition != *control) all.push_back(figures_of(data, condition, *control, level));
    }
    std::erase_if(compared,
                  [&](const auto& pair) { return pair.first == *control || pair.second == *control; });
  }
  for (const auto& [one, other] : compared) {
    if (one != other) all.push_back(figures_of(data, one, other, level));
  }
  std::vector<WinRate*> family;
  for (PairFigures& figures : all) {
    family.push_back(&figures.winner);
    for (WinRate& criterion : figures.criteria) family.push_back(&criterion);
  }
  std::vector<std::optional<double>> p;
  p.reserve(family.size());
  for (const WinRate* member : family) p.push_back(member->test.p);
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < family.size(); ++i) family[i]->p_holm = adjusted[i];
  return all;
}

BradleyTerry ranking(const ExperimentData& data, std::uint64_t seed, double level) {
  // Alike verdicts are counted together: a bootstrap of 9,000 single ones would take minutes.
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, Choice>, std::int64_t> counts;
  for (const PairVerdict& verdict : data.pairs)
    ++counts[{verdict.query, verdict.condition_a, verdict.condition_b, verdict.winner}];
  std::vector<Comparison> comparisons;
  for (const auto& [key, count] : counts) {
    const auto& [query, a, b, winner] = key;
    Comparison comparison;
    comparison.a = data.conditions[a].name;
    comparison.b = data.conditions[b].name;
    comparison.winner = winner == Choice::a ? Winner::a : winner == Choice::b ? Winner::b : Winner::tie;
    comparison.first = FirstSeat::a;
    comparison.cluster = cluster_of(query);
    comparison.count = count;
    comparisons.push_back(std::move(comparison));
  }
  BradleyTerryOptions options;
  options.seat = SeatEffect::estimated;
  options.level = level;
  options.bootstrap = Resampling{kRankingDraws, level, Random::keyed(seed, "ranking")};
  return bradley_terry(comparisons, options);
}

}  // namespace assay::experiment
