#include "stats/ranking/prepared_comparisons.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace assay {
namespace {

std::vector<Comparison> usable(std::span<const Comparison> comparisons, const BradleyTerryOptions& options,
                               PreparedComparisons& prepared) {
  std::vector<Comparison> kept;
  for (const Comparison& comparison : comparisons) {
    const std::vector<double>& covariates = comparison.covariates;
    if (covariates.size() != options.covariates.size()) {
      prepared.undefined = "a comparison has not one value per covariate";
      return {};
    }
    const bool finite = std::ranges::all_of(covariates, [](double value) { return std::isfinite(value); });
    const char* reason = comparison.a == comparison.b ? "self_comparison"
                         : !finite                    ? "covariate_not_finite"
                         : comparison.count < 1       ? "count_below_1"
                                                      : nullptr;
    if (reason != nullptr) {
      ++prepared.missing[reason];
      continue;
    }
    kept.push_back(comparison);
    if (options.seat == SeatEffect::ignored) kept.back().first = FirstSeat::unknown;
    // The same comparison seen from the other side is the same comparison.
    if (kept.back().a > kept.back().b) {
      Comparison& turned = kept.back();
      std::swap(turned.a, turned.b);
      if (turned.winner != Winner::tie) turned.winner = turned.winner == Winner::a ? Winner::b : Winner::a;
      if (turned.first != FirstSeat::unknown) {
        turned.first = turned.first == FirstSeat::a ? FirstSeat::b : FirstSeat::a;
      }
      for (double& value : turned.covariates) value = 0 - value;
    }
  }
  std::ranges::sort(kept, {}, [](const Comparison& c) {
    return std::tie(c.cluster, c.a, c.b, c.winner, c.first, c.covariates);
  });
  return kept;
}

}  // namespace

PreparedComparisons prepare_comparisons(std::span<const Comparison> comparisons,
                                        const BradleyTerryOptions& options) {
  PreparedComparisons prepared;
  const std::vector<Comparison> kept = usable(comparisons, options, prepared);
  if (prepared.undefined.empty() && kept.empty()) prepared.undefined = "no comparisons";
  if (!prepared.undefined.empty()) return prepared;

  for (const Comparison& comparison : kept) {
    prepared.players.push_back(comparison.a);
    prepared.players.push_back(comparison.b);
  }
  std::ranges::sort(prepared.players);
  const auto rest = std::ranges::unique(prepared.players);
  prepared.players.erase(rest.begin(), rest.end());
  const auto number = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::lower_bound(prepared.players, name) -
                                    prepared.players.begin());
  };

  prepared.scales.assign(options.covariates.size(), 0);
  const Comparison* last = nullptr;
  for (const Comparison& comparison : kept) {
    const auto count = static_cast<double>(comparison.count);
    prepared.n += comparison.count;
    const bool named = !comparison.cluster.empty();
    const bool same_cluster = last != nullptr && named && last->cluster == comparison.cluster;
    const bool alike = last != nullptr && last->cluster == comparison.cluster && last->a == comparison.a &&
                       last->b == comparison.b && last->winner == comparison.winner &&
                       last->first == comparison.first && last->covariates == comparison.covariates;
    last = &comparison;
    for (std::size_t i = 0; i < prepared.scales.size(); ++i) {
      prepared.scales[i] = std::hypot(prepared.scales[i], comparison.covariates[i] * std::sqrt(count));
    }
    if (!named) prepared.clusters += comparison.count;
    if (alike) {
      prepared.weights.back() += count;
      continue;
    }
    PairedChoice::Match match;
    match.a = number(comparison.a);
    match.b = number(comparison.b);
    match.outcome = comparison.winner == Winner::tie ? 0 : comparison.winner == Winner::a ? 1 : -1;
    match.seat = comparison.first == FirstSeat::unknown ? 0 : comparison.first == FirstSeat::a ? 1 : -1;
    match.covariates = comparison.covariates;
    prepared.matches.push_back(std::move(match));
    prepared.weights.push_back(count);
    if (!same_cluster) {
      prepared.units.push_back({prepared.matches.size() - 1, 0, named});
      prepared.any_named = prepared.any_named || named;
      if (named) ++prepared.clusters;
    }
    prepared.units.back().end = prepared.matches.size();
  }
  for (std::size_t i = 0; i < prepared.scales.size(); ++i) {
    prepared.scales[i] /= std::sqrt(static_cast<double>(prepared.n));
    if (!(prepared.scales[i] > 0) || !std::isfinite(prepared.scales[i])) {
      prepared.undefined = fmt::format("the covariate {} is the same on both sides of every comparison",
                                       options.covariates[i]);
      return prepared;
    }
    for (PairedChoice::Match& match : prepared.matches) match.covariates[i] /= prepared.scales[i];
  }
  return prepared;
}

}  // namespace assay
