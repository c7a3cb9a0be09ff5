#include "evaluations/experiment/analysis/spread_figures.h"

#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "evaluations/experiment/analysis/by_query.h"

namespace assay::experiment {
namespace {

// Beyond so many, more queries are the better use of money in any case.
constexpr std::size_t kMostEach = 20;

using Cell = NestedScores::key_type;

SpreadFigures figures_of(const NestedScores& scores, SpreadFigures figures, std::uint64_t seed,
                         double level) {
  const Resampling resampling{kDraws, level,
                              Random::keyed(seed, "spread", figures.condition,
                                            figures.of == SpreadFigures::Of::score ? "score" : "difference")};
  figures.study = nested_study(scores, resampling);
  if (figures.of != SpreadFigures::Of::difference) {
    figures.plan.undefined = "the plan is made for differences from control";
  } else if (!figures.study.undefined.empty()) {
    figures.plan.undefined = figures.study.undefined;
  } else if (const auto plan = smallest_nested_panel(figures.study, SpreadFigures::kTarget, kMostEach)) {
    figures.plan.runs = plan->runs;
    figures.plan.evaluators = plan->evaluators;
    figures.plan.reliability = plan->reliability;
  } else {
    figures.plan.undefined = fmt::format(
        "even {0} runs and {0} evaluators do not reach it: the queries' own differences are too small to "
        "tell from "
        "noise",
        kMostEach);
  }
  return figures;
}

}  // namespace

std::vector<SpreadFigures> spread_figures(const ExperimentData& data, std::uint64_t seed, double level) {
  const auto control = control_of(data);
  std::vector<NestedScores> scores(data.conditions.size());
  for (const Rating& rating : data.ratings)
    scores[rating.condition][{rating.query, rating.run, rating.evaluator}] = rating.scores[kOverall];
  std::vector<SpreadFigures> all;
  const auto add = [&](std::size_t condition, SpreadFigures::Of of, const NestedScores& cells) {
    SpreadFigures figures;
    figures.condition = condition;
    figures.of = of;
    all.push_back(figures_of(cells, std::move(figures), seed, level));
  };
  for (std::size_t condition = 0; condition < scores.size(); ++condition) {
    add(condition, SpreadFigures::Of::score, scores[condition]);
    if (!control || condition == *control) continue;
    NestedScores differences;
    for (const auto& [cell, score] : scores[condition]) {
      const auto other = scores[*control].find(cell);
      if (other != scores[*control].end()) differences[cell] = score - other->second;
    }
    add(condition, SpreadFigures::Of::difference, differences);
  }
  return all;
}

}  // namespace assay::experiment
