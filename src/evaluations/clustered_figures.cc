#include "evaluations/clustered_figures.h"

#include "stats/intervals/proportion.h"

namespace assay {
namespace {

bool made_from_clusters(std::string_view method) {
  return method == "bootstrap_clusters" || method.ends_with("_clustered");
}

}  // namespace

void ClusteredFigures::add(std::string_view cluster, std::string_view figure, double value) {
  auto at = moments_.find(figure);
  if (at == moments_.end()) at = moments_.emplace(figure, ClusteredMoments()).first;
  at->second.add(clusters_.of(cluster), value);
}

void ClusteredFigures::apply(Summary& summary) const {
  if (moments_.empty()) return;
  for (Metric& metric : summary.metrics) {
    Estimate& estimate = metric.estimate;
    if (const auto found = moments_.find(metric.name); found != moments_.end()) {
      Estimate clustered = within_range(estimate_mean(found->second));
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
