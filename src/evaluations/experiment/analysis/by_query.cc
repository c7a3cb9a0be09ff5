#include "evaluations/experiment/analysis/by_query.h"

#include <algorithm>

#include <fmt/format.h>

#include "evaluations/experiment/analysis/finding.h"
#include "stats/comparisons/pairs.h"
#include "stats/intervals/proportion.h"

namespace assay::experiment {

std::optional<std::size_t> control_of(const ExperimentData& data) {
  if (std::ranges::count(data.conditions, true, &Condition::control) != 1) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::find(data.conditions, true, &Condition::control) -
                                  data.conditions.begin());
}

std::string cluster_of(std::size_t query) {
  return fmt::format("q{}", query);
}

double points_for(const PairVerdict& verdict, Choice choice, std::size_t condition) {
  if (choice == Choice::tie) return 0.5;
  const std::size_t winner = choice == Choice::a ? verdict.condition_a : verdict.condition_b;
  return winner == condition ? 1 : 0;
}

bool compares(const PairVerdict& verdict, std::size_t one, std::size_t other) {
  return (verdict.condition_a == one && verdict.condition_b == other) ||
         (verdict.condition_a == other && verdict.condition_b == one);
}

ClusteredMoments moments_of(const Sample& sample) {
  ClusteredMoments moments;
  for (std::size_t i = 0; i < sample.values.size(); ++i) moments.add(sample.clusters[i], sample.values[i]);
  return moments;
}

Estimate clustered_rate(const Sample& sample, double level) {
  const ClusteredMoments moments = moments_of(sample);
  const auto least = moments.all().minimum();
  const auto most = moments.all().maximum();
  if (least && *least == *most && (*least == 0 || *least == 1)) return wilson_clustered(moments, level);
  return within_range(estimate_mean(moments, level));
}

TestResult clustered_test(const Sample& sample, double neutral) {
  const std::string method = "t_clustered";
  const ClusteredMoments moments = moments_of(sample);
  if (moments.all().n() == 0) return no_result("no values", method);
  const auto error = moments.standard_error();
  if (!error) return no_result("one query shows no spread between queries", method);
  // Queries with equal means differ by rounding only.
  if (*error > kRounding) {
    return t_result((*moments.all().mean() - neutral) / *error, static_cast<double>(moments.clusters() - 1),
                    Alternative::two_sided, method);
  }
  const std::vector<double> even(sample.values.size(), neutral);
  return sign_flip(sample.values, even, sample.clusters);
}

}  // namespace assay::experiment
