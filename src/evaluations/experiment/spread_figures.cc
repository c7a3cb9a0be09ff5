#include "evaluations/experiment/spread_figures.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "evaluations/experiment/by_query.h"

namespace assay::experiment {
namespace {

// Beyond so many, more queries are the better use of money in any case.
constexpr std::size_t kMostEach = 20;
// Every draw solves the whole table again.
constexpr std::int64_t kSpreadDraws = 500;

using Cell = std::tuple<std::size_t, int, int>;  // query, run, evaluator

SpreadFigures figures_of(const std::map<Cell, double>& scores, SpreadFigures figures, std::uint64_t seed,
                         double level) {
  std::set<int> runs;
  std::set<int> evaluators;
  for (const auto& [cell, score] : scores) {
    runs.insert(std::get<1>(cell));
    evaluators.insert(std::get<2>(cell));
  }
  if (runs.size() < 2 && evaluators.size() < 2) {
    figures.study.undefined =
        scores.empty() ? "there are no ratings" : "there is one run and one evaluator only";
    figures.reliability = undefined_figure(figures.study.undefined);
    figures.plan.undefined = figures.study.undefined;
    return figures;
  }
  // A facet of one level says nothing about its spread, and is part of the rest.
  std::vector<std::string> facets = {"query"};
  Panel panel;
  if (runs.size() > 1) facets.emplace_back("run");
  if (runs.size() > 1) panel.numbers.push_back(runs.size());
  if (evaluators.size() > 1) facets.emplace_back("evaluator");
  if (evaluators.size() > 1) panel.numbers.push_back(evaluators.size());
  CrossedDesign design(facets);
  for (const auto& [cell, score] : scores) {
    const auto& [query, run, evaluator] = cell;
    std::vector<std::string> levels = {cluster_of(query)};
    if (runs.size() > 1) levels.push_back(fmt::format("{}", run));
    if (evaluators.size() > 1) levels.push_back(fmt::format("{}", evaluator));
    design.add(std::move(levels), score);
  }
  const Resampling resampling{kSpreadDraws, level,
                              Random::keyed(seed, "spread", figures.condition,
                                            figures.of == SpreadFigures::Of::score ? "score" : "difference")};
  figures.study = g_study(design, resampling);
  figures.reliability = d_study(design, panel, resampling).generalizability;
  if (figures.of != SpreadFigures::Of::difference) {
    figures.plan.undefined = "the plan is made for differences from control";
    return figures;
  }
  Panel least;
  least.numbers.assign(panel.numbers.size(), 1);
  Panel most;
  most.numbers.assign(panel.numbers.size(), kMostEach);
  const PanelPlan plan =
      smallest_panel(figures.study, SpreadFigures::kTarget, Coefficient::generalizability, least, most);
  figures.plan.reliability = plan.reliability;
  figures.plan.undefined = plan.undefined;
  if (plan.panel) {
    std::size_t next = 0;
    if (runs.size() > 1) figures.plan.runs = plan.panel->numbers[next++];
    if (evaluators.size() > 1) figures.plan.evaluators = plan.panel->numbers[next];
  }
  return figures;
}

}  // namespace

std::vector<SpreadFigures> spread_figures(const ExperimentData& data, std::uint64_t seed, double level) {
  const auto control = control_of(data);
  std::vector<std::map<Cell, double>> scores(data.conditions.size());
  for (const Rating& rating : data.ratings)
    scores[rating.condition][{rating.query, rating.run, rating.evaluator}] = rating.scores[kOverall];
  std::vector<SpreadFigures> all;
  const auto add = [&](std::size_t condition, SpreadFigures::Of of, const std::map<Cell, double>& cells) {
    SpreadFigures figures;
    figures.condition = condition;
    figures.of = of;
    all.push_back(figures_of(cells, std::move(figures), seed, level));
  };
  for (std::size_t condition = 0; condition < scores.size(); ++condition) {
    add(condition, SpreadFigures::Of::score, scores[condition]);
    if (!control || condition == *control) continue;
    std::map<Cell, double> differences;
    for (const auto& [cell, score] : scores[condition]) {
      const auto other = scores[*control].find(cell);
      if (other != scores[*control].end()) differences[cell] = score - other->second;
    }
    add(condition, SpreadFigures::Of::difference, differences);
  }
  return all;
}

}  // namespace assay::experiment
