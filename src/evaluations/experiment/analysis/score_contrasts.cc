#include "evaluations/experiment/analysis/score_contrasts.h"

#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "core/random.h"
#include "evaluations/experiment/analysis/arms.h"
#include "evaluations/experiment/analysis/by_query.h"
#include "stats/comparisons/effect_size.h"
#include "stats/comparisons/pairs.h"
#include "stats/comparisons/two_groups.h"
#include "stats/intervals/resample.h"

namespace assay::experiment {
namespace {

constexpr std::size_t kScores = 5;  // 1 to 5
constexpr std::size_t kEffects = 3;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The ratings of two conditions on one criterion. A cell is a score in one of the two groups, so that all
// standardised effects follow from ten counts.
struct TwoGroups {
  Sample a;
  Sample b;
  std::vector<std::int64_t> counts = std::vector<std::int64_t>(2 * kScores);
  std::map<std::size_t, std::map<std::size_t, std::int64_t>> cells;  // by query

  void add(bool first, std::size_t query, int score) {
    (first ? a : b).add(query, score);
    const std::size_t cell = (first ? 0 : kScores) + static_cast<std::size_t>(score - 1);
    ++counts[cell];
    ++cells[query][cell];
  }
};

struct GroupMoments {
  double n = 0;
  double mean = 0;
  double squares = 0;
};

GroupMoments moments_of_counts(std::span<const std::int64_t> counts) {
  GroupMoments moments;
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    moments.n += static_cast<double>(counts[i]);
    sum += static_cast<double>(counts[i]) * static_cast<double>(i + 1);
  }
  moments.mean = sum / moments.n;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double distance = static_cast<double>(i + 1) - moments.mean;
    moments.squares += static_cast<double>(counts[i]) * distance * distance;
  }
  return moments;
}

// Cohen's d, Hedges' g (by the usual approximation of its factor: every draw has hundreds of ratings) and
// Cliff's delta of one resampled table.
void effects_of(std::span<const std::int64_t> counts, std::span<double> figures) {
  const auto first = counts.first(kScores);
  const auto second = counts.subspan(kScores);
  const GroupMoments a = moments_of_counts(first);
  const GroupMoments b = moments_of_counts(second);
  const double freedom = a.n + b.n - 2;
  const double deviation = std::sqrt((a.squares + b.squares) / freedom);
  figures[0] = a.n > 0 && b.n > 0 && deviation > 0 ? (a.mean - b.mean) / deviation : kNaN;
  figures[1] = figures[0] * (1 - 3 / (4 * freedom - 1));
  double above = 0;
  for (std::size_t i = 0; i < kScores; ++i) {
    for (std::size_t j = 0; j < kScores; ++j) {
      const int sign = (i > j ? 1 : 0) - (i < j ? 1 : 0);
      above += sign * static_cast<double>(first[i]) * static_cast<double>(second[j]);
    }
  }
  figures[2] = above / (a.n * b.n);
}

EffectFigures with_clustered(Estimate naive, const ResampledInterval& interval, double level) {
  EffectFigures effect{naive, std::move(naive)};
  effect.clustered.ci = std::nullopt;
  effect.clustered.method.clear();
  if (effect.clustered.value) attach(effect.clustered, interval, level, Drawn::clusters);
  return effect;
}

void add_effects(ScoreContrast& contrast, const TwoGroups& groups, std::uint64_t seed, double level) {
  std::vector<ClusterCells> clusters;
  clusters.reserve(groups.cells.size());
  for (const auto& [query, cells] : groups.cells) clusters.emplace_back(cells.begin(), cells.end());
  Resampling resampling;
  resampling.draws = kDraws;
  resampling.level = level;
  resampling.random = Random::keyed(seed, "effect_size", contrast.condition, contrast.criterion);
  std::vector<ResampledInterval> intervals(kEffects, {std::nullopt, "no interval: a group has no ratings"});
  if (!groups.a.values.empty() && !groups.b.values.empty())
    intervals = resample_cells(groups.counts, kEffects, effects_of, resampling, clusters);
  const auto& a = groups.a.values;
  const auto& b = groups.b.values;
  contrast.cohen_d = with_clustered(cohen_d(a, b, level), intervals[0], level);
  contrast.hedges_g = with_clustered(hedges_g(a, b, level), intervals[1], level);
  contrast.cliffs_delta = with_clustered(cliffs_delta(a, b, level), intervals[2], level);
}

// The ratings of both on the queries that both have.
TwoGroups shared_queries(const ExperimentData& data, std::size_t condition, std::size_t control,
                         std::size_t criterion, const QueryCells& own, const QueryCells& other) {
  TwoGroups groups;
  for (const Rating& rating : data.ratings) {
    if (rating.condition != condition && rating.condition != control) continue;
    const auto mark = rating.mark(criterion);
    if (mark && own.mean_of(rating.query) && other.mean_of(rating.query))
      groups.add(rating.condition == condition, rating.query, *mark);
  }
  return groups;
}

ScoreContrast contrast_of(const ExperimentData& data, std::size_t condition, std::size_t control,
                          std::size_t criterion, std::uint64_t seed, double level) {
  const QueryCells own = rating_cells(data, condition, criterion);
  const QueryCells other = rating_cells(data, control, criterion);
  ScoreContrast contrast;
  contrast.condition = condition;
  contrast.criterion = criterion;
  contrast.difference = paired_difference(own, other, level);
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t query = 0; query < data.queries.size(); ++query) {
    const auto mean = own.mean_of(query);
    const auto mean_control = other.mean_of(query);
    if (!mean || !mean_control) continue;
    a.push_back(*mean);
    b.push_back(*mean_control);
  }
  contrast.wilcoxon = wilcoxon_signed_rank(a, b, level);
  contrast.cohen_dz = cohen_dz(a, b, level);
  const TwoGroups groups = shared_queries(data, condition, control, criterion, own, other);
  contrast.ratings = static_cast<std::int64_t>(groups.a.values.size());
  contrast.ratings_control = static_cast<std::int64_t>(groups.b.values.size());
  contrast.naive_welch = welch_t(groups.a.values, groups.b.values, level);
  contrast.naive_mann_whitney = mann_whitney(groups.a.values, groups.b.values, level);
  add_effects(contrast, groups, seed, level);
  return contrast;
}

ScoreContrast undefined_score_contrast(std::size_t condition, std::size_t criterion,
                                       const std::string& reason) {
  const Contrast none = undefined_contrast(Estimate(), reason, "");
  const EffectFigures effect{undefined_figure(reason), undefined_figure(reason)};
  ScoreContrast contrast;
  contrast.condition = condition;
  contrast.criterion = criterion;
  contrast.difference = no_finding(reason);
  contrast.wilcoxon = contrast.naive_welch = contrast.naive_mann_whitney = none;
  contrast.cohen_dz = undefined_figure(reason);
  contrast.cohen_d = contrast.hedges_g = contrast.cliffs_delta = effect;
  return contrast;
}

}  // namespace

std::vector<ScoreContrast> score_contrasts(const ExperimentData& data, std::uint64_t seed, double level) {
  const auto control = control_of(data);
  const std::size_t criteria = tone_asked(data) ? kRated : kCriteria.size();
  std::vector<ScoreContrast> all;
  for (std::size_t condition = 0; condition < data.conditions.size(); ++condition) {
    if (data.conditions[condition].control) continue;
    for (std::size_t criterion = 0; criterion < criteria; ++criterion)
      all.push_back(control ? contrast_of(data, condition, *control, criterion, seed, level)
                            : undefined_score_contrast(condition, criterion, kNoControl));
  }
  return all;
}

}  // namespace assay::experiment
