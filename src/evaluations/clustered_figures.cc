#include "evaluations/clustered_figures.h"

#include <algorithm>

#include "stats/intervals/proportion.h"

namespace assay {
namespace {

bool made_from_clusters(std::string_view method) {
  return method == "bootstrap_clusters" || method.ends_with("_clustered") ||
         method == "paired_t_clustered_plus_one";
}

// By a method that knows more of the figure than a mean of scores does.
bool has_own_method(std::string_view method) {
  return method == "wilson_shares_clustered" || method.starts_with("paired_t_clustered") ||
         method == "all_equal_clustered";
}

Interval range_of(std::string_view figure, std::span<const MeanFigure> means) {
  const auto found = std::ranges::find(means, figure, &MeanFigure::name);
  return found == means.end() ? Interval{0, 1} : found->range;
}

}  // namespace

void ClusteredFigures::add(std::string_view cluster, std::string_view figure, double value) {
  auto at = moments_.find(figure);
  if (at == moments_.end()) at = moments_.emplace(figure, ClusteredMoments()).first;
  at->second.add(clusters_.of(cluster), value);
}

void ClusteredFigures::apply(Summary& summary, std::span<const MeanFigure> means) const {
  if (moments_.empty()) return;
  for (Metric& metric : summary.metrics) {
    Estimate& estimate = metric.estimate;
    if (has_own_method(estimate.method)) continue;
    if (const auto found = moments_.find(metric.name); found != moments_.end()) {
      Estimate clustered = within_range(estimate_mean(found->second), range_of(metric.name, means));
      // Rates that are all 0 or all 1 show no spread, and still are uncertain.
      if (!clustered.ci && estimate.count) clustered = wilson_clustered(found->second);
      estimate.ci = clustered.ci;
      estimate.method = std::move(clustered.method);
      estimate.undefined = std::move(clustered.undefined);
    } else if (estimate.ci && !made_from_clusters(estimate.method)) {
      estimate.ci.reset();
      estimate.method.clear();
      estimate.undefined =
          "no interval: the cases come in clusters, and the one for this figure takes them as independent";
    }
  }
}

}  // namespace assay
