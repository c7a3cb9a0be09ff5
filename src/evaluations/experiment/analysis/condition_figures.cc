#include "evaluations/experiment/analysis/condition_figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "core/text.h"
#include "evaluations/experiment/analysis/arms.h"
#include "evaluations/experiment/analysis/by_query.h"
#include "stats/intervals/bootstrap.h"
#include "stats/intervals/proportion.h"
#include "stats/intervals/resample.h"

namespace assay::experiment {
namespace {

class Judged {
 public:
  Judged(const ExperimentData& data, double level) : data_(data), level_(level), control_(control_of(data)) {}

  Estimate mean(std::size_t condition, std::size_t criterion, const Part& part = {}) const {
    const QueryCells cells = rating_cells(data_, condition, criterion, part);
    if (criterion >= kCriteria.size() && cells.empty() && !tone_asked(data_))
      return undefined_figure("tone was not asked for");
    return mean_figure(cells, level_);
  }

  Estimate difference(std::size_t condition, const Part& part = {}) const {
    if (const char* why = not_compared(condition)) return undefined_figure(why);
    return paired_difference(rating_cells(data_, condition, kOverall, part),
                             rating_cells(data_, *control_, kOverall, part), level_)
        .figure;
  }

  Estimate win_rate(std::size_t condition, const Part& part) const {
    if (const char* why = not_compared(condition)) return undefined_figure(why);
    return mean_figure(win_cells(data_, condition, *control_, part), level_);
  }

  Estimate role_accuracy(std::size_t condition, const Part& part = {}) const {
    return share(role_cells(data_, condition, part), "no role was judged");
  }

  Estimate role_match(std::size_t condition, const Part& part = {}) const {
    if (!data_.conditions[condition].reports_role)
      return undefined_figure("its answers do not say in which role they speak");
    return share(role_match_cells(data_, condition, part), "no answer names a role for a query that has one");
  }

  const ExperimentData& data() const { return data_; }
  double level() const { return level_; }

 private:
  const char* not_compared(std::size_t condition) const {
    if (!control_) return kNoControl;
    return condition == *control_ ? "control is not compared with itself" : nullptr;
  }
  Estimate share(const QueryCells& cells, const char* if_none) const {
    Estimate estimate = share_figure(cells, level_);
    if (!estimate.value) estimate.undefined = if_none;
    return estimate;
  }

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
    const Part part{.queries = [&type](const Query& query) { return query.query_type == type; }};
    TypeFigures figures;
    figures.query_type = type;
    figures.queries = count;
    figures.overall = judged.mean(condition, kOverall, part);
    figures.difference = judged.difference(condition, part);
    figures.win_rate = judged.win_rate(condition, part);
    figures.role_accuracy = judged.role_accuracy(condition, part);
    figures.role_match = judged.role_match(condition, part);
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
  const Estimate whole = judged.difference(condition);
  std::int64_t same = 0;
  std::int64_t compared = 0;
  for (const int number : numbers) {
    const Part part{.run = number};
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
    for (std::size_t criterion = 0; criterion < kRated; ++criterion) {
      std::vector<double> marks;
      for (const Rating& rating : data.ratings) {
        const auto mark = rating.condition == condition ? rating.mark(criterion) : std::nullopt;
        if (mark) marks.push_back(*mark);
      }
      figures.criteria[criterion].mean = judged.mean(condition, criterion);
      figures.criteria[criterion].ratings = static_cast<std::int64_t>(marks.size());
      figures.criteria[criterion].box = box_of(std::move(marks));
    }
    figures.role_accuracy = judged.role_accuracy(condition);
    figures.role_match = judged.role_match(condition);
    figures.role_verdicts = std::ranges::count(data.roles, condition, &RoleVerdict::condition);
    figures.roles_named = role_match_cells(data, condition).judgements();
    for (const AnswerFact& answer : data.answers) {
      if (answer.condition != condition) continue;
      ++figures.answers;
      figures.unanswered += answer.present ? 0 : 1;
    }
    figures.ratings_lost = std::max<std::int64_t>(
        0, (figures.answers - figures.unanswered) * data.raters - figures.criteria[kOverall].ratings);
    figures.by_type = figures_by_type(judged, condition);
    figures.across_runs = figures_across_runs(judged, condition, seed);
    all.push_back(std::move(figures));
  }
  return all;
}

std::vector<OtherRole> other_roles(const ExperimentData& data) {
  struct Named {
    std::string as_written;
    std::int64_t count = 0;
  };
  std::map<std::size_t, std::map<std::string, Named>> by_query;
  std::map<std::size_t, std::int64_t> asked;
  for (const RoleVerdict& verdict : data.roles) {
    if (!data.queries[verdict.query].ambiguous) continue;
    ++asked[verdict.query];
    std::set<std::string> once;
    for (const std::string& role : verdict.other_roles) {
      const std::string key = lower_ascii(trim(role));
      if (key.empty() || !once.insert(key).second) continue;
      Named& named = by_query[verdict.query][key];
      if (named.count++ == 0) named.as_written = trim(role);
    }
  }
  std::vector<OtherRole> all;
  for (const auto& [query, roles] : by_query) {
    const std::size_t from = all.size();
    for (const auto& [key, named] : roles)
      all.push_back({query, named.as_written, named.count, asked[query]});
    std::ranges::sort(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(), {},
                      [](const OtherRole& one) { return std::pair(-one.named, one.role); });
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
