#include "stats/variance/nested_design.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace assay {
namespace {

// In the order of the names below; the last figure is the reliability.
enum Component : std::size_t { kQuery, kRun, kEvaluator, kQueryEvaluator, kResidual, kReliability };
constexpr std::array kNames = {"query", "run", "evaluator", "query×evaluator", "residual"};
using Figures = std::array<double, kReliability + 1>;

// All that the sums of squares need of one query.
struct QuerySums {
  double mean = 0;
  std::vector<double> evaluators;  // mean of each
  double between_runs = 0;         // e·Σ_r(ȳ_qr − ȳ_q)²
  double within = 0;               // Σ_re(y − ȳ_qr − ȳ_qe + ȳ_q)²
};

QuerySums sums_of(const std::vector<double>& scores, std::size_t runs, std::size_t evaluators) {
  QuerySums sums;
  std::vector<double> by_run(runs);
  sums.evaluators.resize(evaluators);
  for (std::size_t r = 0; r < runs; ++r) {
    for (std::size_t e = 0; e < evaluators; ++e) {
      const double score = scores[r * evaluators + e];
      by_run[r] += score / static_cast<double>(evaluators);
      sums.evaluators[e] += score / static_cast<double>(runs);
      sums.mean += score / static_cast<double>(runs * evaluators);
    }
  }
  for (std::size_t r = 0; r < runs; ++r) {
    sums.between_runs += static_cast<double>(evaluators) * std::pow(by_run[r] - sums.mean, 2);
    for (std::size_t e = 0; e < evaluators; ++e)
      sums.within += std::pow(scores[r * evaluators + e] - by_run[r] - sums.evaluators[e] + sums.mean, 2);
  }
  return sums;
}

double reliability_of(const Figures& figures, double runs, double evaluators) {
  const auto part = [&](Component component) { return std::max(figures[component], 0.0); };
  const double error =
      part(kRun) / runs + part(kQueryEvaluator) / evaluators + part(kResidual) / (runs * evaluators);
  const double all = part(kQuery) + error;
  return all > 0 ? part(kQuery) / all : std::numeric_limits<double>::quiet_NaN();
}

// The components as the mean squares of the drawn queries give them.
Figures solve(std::span<const QuerySums> queries, std::span<const std::size_t> drawn, std::size_t runs) {
  const std::size_t evaluators = queries.front().evaluators.size();
  const double q = static_cast<double>(drawn.size());
  const double r = static_cast<double>(runs);
  const double e = static_cast<double>(evaluators);
  double mean = 0;
  std::vector<double> by_evaluator(evaluators);
  for (const std::size_t i : drawn) {
    mean += queries[i].mean / q;
    for (std::size_t k = 0; k < evaluators; ++k) by_evaluator[k] += queries[i].evaluators[k] / q;
  }
  double of_queries = 0;
  double of_runs = 0;
  double of_evaluators = 0;
  double of_both = 0;
  double within = 0;
  for (const std::size_t i : drawn) {
    of_queries += r * e * std::pow(queries[i].mean - mean, 2);
    of_runs += queries[i].between_runs;
    within += queries[i].within;
    for (std::size_t k = 0; k < evaluators; ++k)
      of_both += r * std::pow(queries[i].evaluators[k] - queries[i].mean - by_evaluator[k] + mean, 2);
  }
  for (const double own : by_evaluator) of_evaluators += q * r * std::pow(own - mean, 2);
  Figures figures{};
  const double ms_query = of_queries / (q - 1);
  if (evaluators == 1) {
    figures[kResidual] = of_runs / (q * (r - 1));
    figures[kQuery] = (ms_query - figures[kResidual]) / r;
  } else if (runs == 1) {
    figures[kResidual] = of_both / ((q - 1) * (e - 1));
    figures[kEvaluator] = (of_evaluators / (e - 1) - figures[kResidual]) / q;
    figures[kQuery] = (ms_query - figures[kResidual]) / e;
  } else {
    const double ms_run = of_runs / (q * (r - 1));
    const double ms_both = of_both / ((q - 1) * (e - 1));
    figures[kResidual] = within / (q * (r - 1) * (e - 1));
    figures[kQueryEvaluator] = (ms_both - figures[kResidual]) / r;
    figures[kRun] = (ms_run - figures[kResidual]) / e;
    figures[kEvaluator] = (of_evaluators / (e - 1) - ms_both) / (q * r);
    figures[kQuery] = (ms_query - ms_run - ms_both + figures[kResidual]) / (r * e);
  }
  figures[kReliability] = reliability_of(figures, r, e);
  return figures;
}

// Which components a design can tell apart.
std::vector<Component> visible(const NestedStudy& study) {
  if (study.evaluators == 1) return {kQuery, kResidual};
  if (study.runs == 1) return {kQuery, kEvaluator, kResidual};
  return {kQuery, kRun, kEvaluator, kQueryEvaluator, kResidual};
}

}  // namespace

NestedStudy nested_study(const NestedScores& scores, const Resampling& resampling) {
  NestedStudy study;
  std::set<int> runs;
  std::set<int> evaluators;
  std::map<std::size_t, std::vector<double>> rows;  // in the order of runs, then evaluators
  for (const auto& [key, score] : scores) {
    runs.insert(std::get<1>(key));
    evaluators.insert(std::get<2>(key));
    if (std::isfinite(score)) rows[std::get<0>(key)].push_back(score);
  }
  study.runs = runs.size();
  study.evaluators = evaluators.size();
  std::vector<QuerySums> queries;
  bool vary = false;
  std::optional<double> first;
  for (const auto& [query, row] : rows) {
    if (row.size() != study.runs * study.evaluators) {
      ++study.missing["queries_incomplete"];
      continue;
    }
    first = first.value_or(row.front());
    vary = vary || std::ranges::any_of(row, [&](double score) { return score != *first; });
    queries.push_back(sums_of(row, study.runs, study.evaluators));
  }
  study.queries = queries.size();
  study.n = static_cast<std::int64_t>(study.queries * study.runs * study.evaluators);
  study.undefined = scores.empty()                             ? "there are no ratings"
                    : study.runs == 1 && study.evaluators == 1 ? "there is one run and one evaluator only"
                    : study.queries < 2 ? "fewer than two queries have all their ratings"
                    : !vary             ? "all ratings are equal"
                                        : "";
  if (!study.undefined.empty()) {
    study.reliability = undefined_figure(study.undefined, study.n);
    return study;
  }
  std::vector<std::size_t> drawn(queries.size());
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  const Figures solved = solve(queries, drawn, study.runs);
  std::array<std::vector<double>, kReliability + 1> draws;
  for (std::int64_t draw = 0; draw < resampling.draws; ++draw) {
    Random random = resampling.random.at(static_cast<std::uint64_t>(draw));
    for (std::size_t& index : drawn) index = random.below(queries.size());
    const Figures figures = solve(queries, drawn, study.runs);
    for (std::size_t i = 0; i < figures.size(); ++i)
      draws[i].push_back(i == kReliability ? figures[i] : std::max(figures[i], 0.0));
  }
  const auto interval = [&](Component component) -> ResampledInterval {
    if (queries.size() < kFewestClusters)
      return {std::nullopt, "no interval: there are fewer than ten queries"};
    return percentile_interval(std::move(draws[component]),
                               expanded_level(resampling.level, static_cast<std::int64_t>(queries.size())));
  };
  double sum = 0;
  for (const Component component : visible(study)) sum += std::max(solved[component], 0.0);
  for (const Component component : visible(study)) {
    NestedComponent made;
    made.name = kNames[component];
    made.solved = solved[component];
    made.variance.n = study.n;
    made.variance.value = std::max(solved[component], 0.0);
    attach(made.variance, interval(component), resampling.level, Drawn::clusters);
    made.share = sum > 0 ? *made.variance.value / sum : 0;
    if (solved[component] < 0) made.note = "solved below 0, reported as 0";
    study.components.push_back(std::move(made));
  }
  study.reliability.n = study.n;
  if (std::isfinite(solved[kReliability])) {
    study.reliability.value = solved[kReliability];
    attach(study.reliability, interval(kReliability), resampling.level, Drawn::clusters);
  } else {
    study.reliability.undefined = "neither queries nor errors vary";
  }
  return study;
}

std::optional<NestedPlan> smallest_nested_panel(const NestedStudy& study, double target, std::size_t most) {
  if (!study.undefined.empty()) return std::nullopt;
  Figures figures{};
  for (const NestedComponent& component : study.components) {
    const auto found = std::ranges::find(kNames, component.name);
    figures[static_cast<std::size_t>(found - kNames.begin())] = *component.variance.value;
  }
  std::optional<NestedPlan> best;
  for (std::size_t runs = 1; runs <= (study.runs == 1 ? 1 : most); ++runs) {
    for (std::size_t evaluators = 1; evaluators <= (study.evaluators == 1 ? 1 : most); ++evaluators) {
      const double reached =
          reliability_of(figures, static_cast<double>(runs), static_cast<double>(evaluators));
      if (!(reached >= target)) continue;
      const bool smaller =
          !best || runs * evaluators < best->runs * best->evaluators ||
          (runs * evaluators == best->runs * best->evaluators && reached > best->reliability);
      if (smaller) best = NestedPlan{runs, evaluators, reached};
    }
  }
  return best;
}

}  // namespace assay
