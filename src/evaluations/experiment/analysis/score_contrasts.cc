#include "evaluations/experiment/analysis/score_contrasts.h"

#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "core/random.h"
#include "evaluations/experiment/analysis/by_query.h"
#include "stats/comparisons/adjust.h"
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

// One number a query: its mean under either condition.
void add_paired(ScoreContrast& contrast, const TwoGroups& groups, double level) {
  std::map<std::string, std::pair<Moments, Moments>> queries;
  for (std::size_t i = 0; i < groups.a.values.size(); ++i)
    queries[groups.a.clusters[i]].first.add(groups.a.values[i]);
  for (std::size_t i = 0; i < groups.b.values.size(); ++i)
    queries[groups.b.clusters[i]].second.add(groups.b.values[i]);
  std::vector<double> a;
  std::vector<double> b;
  for (const auto& [query, means] : queries) {
    if (means.first.n() == 0 || means.second.n() == 0) continue;
    a.push_back(*means.first.mean());
    b.push_back(*means.second.mean());
  }
  contrast.paired = paired_t(a, b, level);
  contrast.wilcoxon = wilcoxon_signed_rank(a, b, level);
  contrast.cohen_dz = cohen_dz(a, b, level);
}

ScoreContrast undefined_score_contrast(std::size_t condition, std::size_t criterion,
                                       const std::string& reason) {
  const Contrast none = undefined_contrast(Estimate(), reason, "");
  const EffectFigures effect{undefined_figure(reason), undefined_figure(reason)};
  return {condition, criterion, none,   std::nullopt, none,  none, undefined_figure(reason),
          none,      none,      effect, effect,       effect};
}

}  // namespace

std::vector<ScoreContrast> score_contrasts(const ExperimentData& data, std::uint64_t seed, double level) {
  const auto control = control_of(data);
  std::vector<ScoreContrast> all;
  for (std::size_t condition = 0; condition < data.conditions.size(); ++condition) {
    if (data.conditions[condition].control) continue;
    for (std::size_t criterion = 0; criterion < kCriteria.size(); ++criterion) {
      if (!control) {
        all.push_back(undefined_score_contrast(condition, criterion, kNoControl));
        continue;
      }
      TwoGroups groups;
      for (const Rating& rating : data.ratings) {
        if (rating.condition == condition || rating.condition == *control)
          groups.add(rating.condition == condition, rating.query, rating.scores[criterion]);
      }
      ScoreContrast contrast;
      contrast.condition = condition;
      contrast.criterion = criterion;
      contrast.clustered =
          clustered_t(groups.a.values, groups.a.clusters, groups.b.values, groups.b.clusters, level);
      contrast.naive_welch = welch_t(groups.a.values, groups.b.values, level);
      contrast.naive_mann_whitney = mann_whitney(groups.a.values, groups.b.values, level);
      add_paired(contrast, groups, level);
      add_effects(contrast, groups, seed, level);
      all.push_back(std::move(contrast));
    }
  }
  std::vector<std::optional<double>> p;
  p.reserve(all.size());
  for (const ScoreContrast& contrast : all) p.push_back(contrast.clustered.test.p);
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].p_holm = adjusted[i];
  return all;
}

}  // namespace assay::experiment
