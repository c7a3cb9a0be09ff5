#include "evaluations/experiment/analysis/analysis.h"

#include <algorithm>
#include <stdexcept>

namespace assay::experiment {
namespace {

// A judgement that points nowhere is a bug: better to stop than to put it down to the wrong condition.
void check(const ExperimentData& data) {
  const auto known = [&](std::size_t query, std::size_t condition) {
    return query < data.queries.size() && condition < data.conditions.size();
  };
  const bool sound =
      std::ranges::all_of(data.pairs,
                          [&](const PairVerdict& verdict) {
                            return known(verdict.query, verdict.condition_a) &&
                                   known(verdict.query, verdict.condition_b);
                          }) &&
      std::ranges::all_of(
          data.roles, [&](const RoleVerdict& verdict) { return known(verdict.query, verdict.condition); }) &&
      std::ranges::all_of(data.ratings, [&](const Rating& rating) {
        return known(rating.query, rating.condition) &&
               std::ranges::all_of(rating.scores, [](int score) { return score >= 1 && score <= 5; });
      });
  if (!sound)
    throw std::invalid_argument("a judgement names an unknown query or condition, or a score outside 1 to 5");
}

// Everything that is tested on control's or another condition's terms: whatever is said of an experiment is
// said after one adjustment over all of it.
void adjust_all(Analysis& analysis) {
  std::vector<Finding*> family;
  family.reserve(analysis.contrasts.size());
  for (ScoreContrast& contrast : analysis.contrasts) family.push_back(&contrast.difference);
  for (PairFigures& pair : analysis.pairs) {
    family.push_back(&pair.winner.rate);
    for (WinRate& criterion : pair.criteria) family.push_back(&criterion.rate);
    if (!pair.tone) continue;
    for (BothSides& marks : pair.tone->marks) family.push_back(&marks.difference);
    for (BothSides* found : {&pair.tone->jarring_shift, &pair.tone->awkward_language})
      family.push_back(&found->difference);
    family.push_back(&pair.tone->more_natural);
  }
  adjust(family);
  analysis.tests = std::ranges::count_if(family, [](const Finding* one) { return one->test.p.has_value(); });
}

}  // namespace

Analysis analyse(const ExperimentData& data, const AnalysisOptions& options) {
  check(data);
  Analysis analysis;
  analysis.level = options.level;
  analysis.queries = data.queries;
  analysis.conditions = data.conditions;
  analysis.raters = data.raters;
  analysis.pair_judges = data.pair_judges;
  analysis.role_judges = data.role_judges;
  analysis.swap = data.swap;
  analysis.pair_verdicts = static_cast<std::int64_t>(data.pairs.size());
  analysis.ratings = static_cast<std::int64_t>(data.ratings.size());
  analysis.role_verdicts = static_cast<std::int64_t>(data.roles.size());
  analysis.leaks = data.leaks;
  analysis.by_condition = condition_figures(data, options.seed, options.level);
  analysis.by_query = query_figures(data);
  analysis.contrasts = score_contrasts(data, options.seed, options.level);
  analysis.pairs = pair_figures(data, options.level);
  adjust_all(analysis);
  analysis.other_roles = other_roles(data);
  analysis.ranking = ranking(data, options.seed, options.level);
  analysis.agreement = agreement_figures(data, options.seed, options.level);
  analysis.biases = bias_diagnostics(data, analysis.ranking, options.level);
  analysis.power = power_figures(analysis.contrasts, analysis.pairs, data, options.level);
  analysis.spread = spread_figures(data, options.seed, options.level);
  return analysis;
}

}  // namespace assay::experiment
