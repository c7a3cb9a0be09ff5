#include "evaluations/experiment/analysis/condition_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "evaluations/experiment/analysis/by_query.h"
#include "stats/comparisons/two_groups.h"
#include "stats/intervals/bootstrap.h"
#include "stats/intervals/proportion.h"
#include "stats/intervals/resample.h"

namespace assay::experiment {
namespace {

// Some of the queries and runs.
using Part = std::function<bool(std::size_t query, int run)>;

bool everything(std::size_t /*query*/, int /*run*/) {
  return true;
}

class Judged {
 public:
  Judged(const ExperimentData& data, double level) : data_(data), level_(level), control_(control_of(data)) {}

  std::optional<std::size_t> control() const { return control_; }

  Sample scores(std::size_t condition, std::size_t criterion, const Part& part) const {
    Sample sample;
    for (const Rating& rating : data_.ratings) {
      if (rating.condition == condition && part(rating.query, rating.run))
        sample.add(rating.query, rating.scores[criterion]);
    }
    return sample;
  }

  Estimate mean(std::size_t condition, std::size_t criterion, const Part& part) const {
    return clustered_score(scores(condition, criterion, part), level_);
  }

  Estimate difference(std::size_t condition, const Part& part) const {
    if (!control_) return undefined_figure(kNoControl);
    if (condition == *control_) return undefined_figure("control is not compared with itself");
    const Sample own = scores(condition, kOverall, part);
    const Sample other = scores(*control_, kOverall, part);
    return clustered_t(own.values, own.clusters, other.values, other.clusters, level_).difference;
  }

  Estimate win_rate(std::size_t condition, const Part& part) const {
    if (!control_) return undefined_figure(kNoControl);
    if (condition == *control_) return undefined_figure("control is not compared with itself");
    Sample sample;
    for (const PairVerdict& verdict : data_.pairs) {
      if (compares(verdict, condition, *control_) && part(verdict.query, verdict.run))
        sample.add(verdict.query, points_for(verdict, verdict.winner, condition));
    }
    return clustered_rate(sample, level_);
  }

  Estimate role_accuracy(std::size_t condition, const Part& part) const {
    ClusteredMoments apt;
    for (const RoleVerdict& verdict : data_.roles) {
      if (verdict.condition == condition && part(verdict.query, verdict.run))
        apt.add(cluster_of(verdict.query), verdict.appropriate ? 1 : 0);
    }
    if (apt.all().n() == 0) return undefined_figure("no role was judged");
    return wilson_clustered(apt, level_);
  }

  Estimate tone(std::size_t condition, std::size_t criterion) const {
    Sample sample;
    const auto add = [&](std::size_t query, const std::optional<int>& mark) {
      if (mark) sample.add(query, *mark);
    };
    for (const Rating& rating : data_.ratings) {
      if (rating.condition == condition) add(rating.query, rating.tone[criterion]);
    }
    for (const PairVerdict& verdict : data_.pairs) {
      if (verdict.condition_a == condition) add(verdict.query, verdict.tone_a[criterion]);
      if (verdict.condition_b == condition) add(verdict.query, verdict.tone_b[criterion]);
    }
    if (sample.values.empty()) return undefined_figure("tone was not asked for");
    return clustered_score(sample, level_);
  }

  const ExperimentData& data() const { return data_; }
  double level() const { return level_; }

 private:
  const ExperimentData& data_;
  double level_;
  std::optional<std::size_t> control_;
};

std::optional<ScoreBox> box_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  ScoreBox box;
  box.minimum = quantile_of(values, 0);
  box.lower_quartile = quantile_of(values, 0.25);
  box.median = quantile_of(values, 0.5);
  box.upper_quartile = quantile_of(values, 0.75);
  box.maximum = quantile_of(values, 1);
  return box;
}

std::vector<TypeFigures> figures_by_type(const Judged& judged, std::size_t condition) {
  const std::vector<Query>& queries = judged.data().queries;
  std::map<std::string, std::int64_t> types;
  for (const Query& query : queries) ++types[query.query_type];
  if (types.size() == 1 && types.begin()->first.empty()) return {};
  std::vector<TypeFigures> all;
  for (const auto& [type, count] : types) {
    const Part part = [&](std::size_t query, int /*run*/) { return queries[query].query_type == type; };
    TypeFigures figures;
    figures.query_type = type;
    figures.queries = count;
    figures.overall = judged.mean(condition, kOverall, part);
    figures.difference = judged.difference(condition, part);
    figures.win_rate = judged.win_rate(condition, part);
    figures.role_accuracy = judged.role_accuracy(condition, part);
    all.push_back(std::move(figures));
  }
  return all;
}

// Between the answers that one query got in several runs.
Estimate run_deviation(const Judged& judged, std::size_t condition, std::uint64_t seed) {
  std::map<std::size_t, std::map<int, Moments>> answers;
  for (const Rating& rating : judged.data().ratings) {
    if (rating.condition == condition) answers[rating.query][rating.run].add(rating.scores[kOverall]);
  }
  std::vector<double> squares;
  std::vector<double> freedoms;
  std::vector<std::string> clusters;
  std::int64_t count = 0;
  for (const auto& [query, runs] : answers) {
    Moments means;
    for (const auto& [run, ratings] : runs) means.add(*ratings.mean());
    if (means.n() < 2) continue;
    const double freedom = static_cast<double>(means.n() - 1);
    squares.push_back(std::pow(*means.sample_deviation(), 2) * freedom);
    freedoms.push_back(freedom);
    clusters.push_back(cluster_of(query));
    count += means.n();
  }
  if (squares.empty()) return undefined_figure("no query has rated answers of two runs");
  Bootstrap bootstrap;
  bootstrap.kind = BootstrapKind::percentile;
  bootstrap.draws = kDraws;
  bootstrap.level = judged.level();
  bootstrap.random = Random::keyed(seed, "run_deviation", condition);
  Estimate estimate = bootstrap_ratio(squares, freedoms, clusters, bootstrap);
  estimate.n = count;
  if (estimate.value) estimate.value = std::sqrt(*estimate.value);
  if (estimate.ci) estimate.ci = Interval{std::sqrt(estimate.ci->low), std::sqrt(estimate.ci->high)};
  return estimate;
}

RunFigures figures_across_runs(const Judged& judged, std::size_t condition, std::uint64_t seed) {
  std::set<int> numbers;
  for (const Rating& rating : judged.data().ratings) {
    if (rating.condition == condition) numbers.insert(rating.run);
  }
  RunFigures figures;
  const Estimate whole = judged.difference(condition, everything);
  std::int64_t same = 0;
  std::int64_t compared = 0;
  for (const int number : numbers) {
    const Part part = [number](std::size_t /*query*/, int run) { return run == number; };
    RunFigures::Run run{number, judged.mean(condition, kOverall, part), judged.difference(condition, part)};
    if (run.difference.value && whole.value) {
      ++compared;
      same += *run.difference.value * *whole.value > 0 ? 1 : 0;
    }
    figures.runs.push_back(std::move(run));
  }
  if (!whole.value) {
    figures.same_direction = undefined_figure(whole.undefined);
  } else if (*whole.value == 0) {
    figures.same_direction = undefined_figure("the difference over all runs is 0, so it has no direction");
  } else if (compared < 2) {
    figures.same_direction = undefined_figure("there are not two runs to compare", compared);
  } else {
    figures.same_direction = wilson(same, compared, judged.level());
  }
  figures.deviation = run_deviation(judged, condition, seed);
  return figures;
}

}  // namespace

std::vector<ConditionFigures> condition_figures(const ExperimentData& data, std::uint64_t seed,
                                                double level) {
  const Judged judged(data, level);
  std::vector<ConditionFigures> all;
  for (std::size_t condition = 0; condition < data.conditions.size(); ++condition) {
    ConditionFigures figures;
    figures.condition = condition;
    figures.name = data.conditions[condition].name;
    figures.control = data.conditions[condition].control;
    for (std::size_t criterion = 0; criterion < kCriteria.size(); ++criterion) {
      figures.criteria[criterion].mean = judged.mean(condition, criterion, everything);
      figures.criteria[criterion].box = box_of(judged.scores(condition, criterion, everything).values);
    }
    for (std::size_t criterion = 0; criterion < kToneCriteria.size(); ++criterion)
      figures.tone[criterion] = judged.tone(condition, criterion);
    figures.role_accuracy = judged.role_accuracy(condition, everything);
    figures.by_type = figures_by_type(judged, condition);
    figures.across_runs = figures_across_runs(judged, condition, seed);
    all.push_back(std::move(figures));
  }
  return all;
}

std::vector<QueryFigures> query_figures(const ExperimentData& data) {
  const std::size_t conditions = data.conditions.size();
  std::vector<Moments> scores(data.queries.size() * conditions);
  std::vector<Moments> wins(scores.size());
  for (const Rating& rating : data.ratings)
    scores[rating.query * conditions + rating.condition].add(rating.scores[kOverall]);
  if (const auto control = control_of(data)) {
    for (const PairVerdict& verdict : data.pairs) {
      for (const std::size_t condition : {verdict.condition_a, verdict.condition_b}) {
        if (condition != *control && compares(verdict, condition, *control))
          wins[verdict.query * conditions + condition].add(points_for(verdict, verdict.winner, condition));
      }
    }
  }
  std::vector<QueryFigures> all;
  for (std::size_t query = 0; query < data.queries.size(); ++query) {
    for (std::size_t condition = 0; condition < conditions; ++condition) {
      const std::size_t cell = query * conditions + condition;
      all.push_back(
          {query, condition, scores[cell].mean(), scores[cell].n(), wins[cell].mean(), wins[cell].n()});
    }
  }
  return all;
}

}  // namespace assay::experiment
