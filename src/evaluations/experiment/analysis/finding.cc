#include "evaluations/experiment/analysis/finding.h"

#include <cmath>

#include "stats/comparisons/adjust.h"
#include "stats/comparisons/pairs.h"
#include "stats/intervals/mean.h"

namespace assay::experiment {

Standing standing_of(const Finding& finding, double level) {
  if (!finding.figure.value || !finding.p_holm) return Standing::unknown;
  const double alpha = 1 - level;
  if (*finding.p_holm >= alpha) return Standing::open;
  if (finding.p_holm_worst && *finding.p_holm_worst < alpha) return Standing::shown;
  // A complete finding whose place in the adjustment rests on others that are not.
  return finding.figure.bounds ? Standing::shaky : Standing::open;
}

Finding no_finding(const std::string& reason, double neutral) {
  Finding finding;
  finding.figure = undefined_figure(reason);
  finding.neutral = neutral;
  finding.test = finding.worst = no_result(reason, "");
  return finding;
}

double without_rounding(double value, double neutral) {
  return std::fabs(value - neutral) > kRounding ? value : neutral;
}

std::optional<double> query_error(const std::vector<double>& means) {
  Moments moments;
  for (const double mean : means) moments.add(mean);
  const auto error = moments.standard_error();
  return error && *error > kRounding ? error : std::nullopt;
}

TestResult query_test(const std::vector<double>& means, double neutral) {
  constexpr const char* kMethod = "t_over_queries";
  Moments moments;
  for (const double mean : means) moments.add(mean);
  if (moments.n() == 0) return no_result("no query has judgements to compare", kMethod);
  if (moments.n() == 1) return no_result("one query shows no spread between queries", kMethod);
  if (const auto error = query_error(means)) {
    return t_result((*moments.mean() - neutral) / *error, static_cast<double>(moments.n() - 1),
                    Alternative::two_sided, kMethod);
  }
  // Queries that all say the same have no spread; their signs still count.
  std::vector<double> distances;
  distances.reserve(means.size());
  for (const double mean : means) distances.push_back(without_rounding(mean, neutral) - neutral);
  const std::vector<double> none(distances.size(), 0.0);
  return sign_flip(distances, none);
}

void adjust(const std::vector<Finding*>& family) {
  std::vector<std::optional<double>> seen;
  std::vector<std::optional<double>> worst;
  for (const Finding* finding : family) {
    seen.push_back(finding->test.p);
    worst.push_back(finding->worst.p);
  }
  const auto adjusted = holm(seen);
  const auto adjusted_worst = holm(worst);
  for (std::size_t i = 0; i < family.size(); ++i) {
    family[i]->p_holm = adjusted[i];
    family[i]->p_holm_worst = adjusted_worst[i];
  }
}

}  // namespace assay::experiment
