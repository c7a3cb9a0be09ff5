#include "evaluations/benchmark/contest.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/benchmark/scorer_choices.h"
#include "evaluations/figures.h"
#include "evaluations/judges/judge_spread.h"
#include "report/plots/plot.h"
#include "stats/comparisons/adjust.h"
#include "stats/comparisons/pairs.h"
#include "stats/intervals/proportion.h"

namespace assay::benchmark {
namespace {

using namespace figures;

constexpr std::size_t kMostDistinct = 64;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json low_of(const Estimate& estimate) {
  return estimate.ci ? Json(estimate.ci->low) : Json(nullptr);
}
Json high_of(const Estimate& estimate) {
  return estimate.ci ? Json(estimate.ci->high) : Json(nullptr);
}
Json text_of(std::string_view text) {
  return boost::json::string(text);
}

Estimate share_of(const ClusteredMoments& moments) {
  return within_range(estimate_mean(moments));
}

Estimate rate_of(const ClusteredMoments& moments) {
  Estimate rate = wilson_clustered(moments);
  // So it is called where every run is a cluster of its own.
  if (rate.method == "wilson") rate.method = "wilson_clustered";
  return rate;
}

Estimate count_of(const ClusteredMoments& moments) {
  return within_range(estimate_mean(moments), {0, std::numeric_limits<double>::infinity()});
}

double agreement(const Json& one, const Json& other, const std::optional<Scorer>& scorer) {
  if (scorer) {
    const auto there = score(*scorer, &one, other);
    const auto back = score(*scorer, &other, one);
    if (there && back && scorer->name != ScorerName::schema) return (there->value + back->value) / 2;
  }
  return canonical_text(one) == canonical_text(other) ? 1 : 0;
}

}  // namespace

std::optional<double> agreement_of(const std::vector<std::optional<Json>>& answers,
                                   const std::optional<Scorer>& scorer) {
  if (answers.size() < 2) return std::nullopt;
  // Equal answers are compared once.
  std::map<std::string, std::pair<const Json*, double>> distinct;
  double given = 0;
  for (const auto& answer : answers) {
    if (!answer) continue;
    auto& [value, count] = distinct[canonical_text(*answer)];
    value = &*answer;
    ++count;
    ++given;
  }
  const auto pairs_of = [](double n) { return n * (n - 1) / 2; };
  // Of very many different answers some, evenly chosen, stand for all: each pair costs a scoring.
  const std::size_t step = (distinct.size() + kMostDistinct - 1) / kMostDistinct;
  double agreed = 0;
  double weight = 0;
  double different = 0;  // pairs of different answers
  std::size_t i = 0;
  for (auto one = distinct.begin(); one != distinct.end(); ++one, ++i) {
    different += one->second.second * (given - one->second.second) / 2;
    if (i % step != 0) continue;
    std::size_t j = i + 1;
    for (auto other = std::next(one); other != distinct.end(); ++other, ++j) {
      if (j % step != 0) continue;
      const double both = one->second.second * other->second.second;
      agreed += both * agreement(*one->second.first, *other->second.first, scorer);
      weight += both;
    }
  }
  const double same = pairs_of(given) - different;
  const double among_different = weight > 0 ? agreed / weight * different : 0;
  return (same + among_different) / pairs_of(static_cast<double>(answers.size()));
}

void Contest::Tally::add(const RunFigures& figures) {
  ++runs;
  if (figures.score) scores.add(figures.cluster, *figures.score);
  if (!figures.missing.empty()) ++missing[figures.missing];
  if (figures.answered) answered.add(figures.cluster, *figures.answered ? 1 : 0);
  if (figures.completed) completed.add(figures.cluster, *figures.completed ? 1 : 0);
  if (figures.tool_calls) tool_calls.add(figures.cluster, *figures.tool_calls);
  if (figures.nudges) nudges.add(figures.cluster, *figures.nudges);
  if (figures.tokens) tokens.add(*figures.tokens);
  if (figures.seconds) seconds.add(*figures.seconds);
  if (figures.cost) {
    cost.add(*figures.cost);
  } else {
    ++unpriced;
  }
}

void Contest::add(RunFigures figures) {
  const PlannedRun& run = plan_.runs[figures.run];
  const std::pair place{run.task, run.variation};
  if (variation_ && *variation_ != place) close_variation();
  variation_ = place;
  const std::string contender = plan_.contender(run);
  if (std::ranges::find(contenders_, contender) == contenders_.end()) contenders_.push_back(contender);
  all_.add(figures);
  by_contender_[contender].add(figures);
  // Inside a task its variations are what differs.
  RunFigures within = figures;
  within.cluster = std::to_string(run.variation);
  by_task_[{contender, run.task}].add(within);
  if (figures.score) by_variation_[place][contender].scores.add(*figures.score);
  if (!figures.missing.empty()) ++by_variation_[place][contender].missing;
  replaced_ += figures.replaced ? 1 : 0;
  kept_ += figures.kept ? 1 : 0;
  score_rows_.push_back({text_of(plan_.tasks[run.task].name), text_of(to_string(run.system)),
                         text_of(plan_.models[run.model].name), run.variation, run.run,
                         or_null(figures.score)});
  // A run whose file cannot be read says nothing about agreement.
  if (!figures.completed) return;
  Repeats& repeats = open_[contender];
  repeats.cluster = std::move(figures.cluster);
  repeats.answers.push_back(std::move(figures.answer));
}

void Contest::close_variation() {
  if (!variation_) return;
  const TaskFile& task = plan_.tasks[variation_->first].task;
  const auto scorer = task.scorer_for(task.variations[variation_->second]);
  for (const auto& [contender, repeats] : open_) {
    const auto agreed = agreement_of(repeats.answers, scorer);
    if (!agreed) continue;
    all_.repeatability.add(repeats.cluster, *agreed);
    by_contender_[contender].repeatability.add(repeats.cluster, *agreed);
    by_task_[{contender, variation_->first}].repeatability.add(std::to_string(variation_->second), *agreed);
  }
  open_.clear();
  variation_.reset();
}

void Contest::finish(Summary& summary) {
  close_variation();
  add_metrics(summary);
  add_systems(summary);
  add_variations(summary);
  std::vector<Pair> compared = pairs();
  add_comparison(compared, summary);
  ContestResult decided = result(std::move(compared));
  decided.least_sure = add_spread(summary);
  summary.conclusions = conclusions_of(decided);
  Table scorers = scorer_table();
  for (const BenchmarkTask& task : plan_.tasks) add_scorers(scorers, task.name, task.task);
  summary.tables.push_back(std::move(scorers));
  summary.tables.push_back({"scores",
                            "Every run",
                            {"input", "system", "model", "variation", "run", "score"},
                            std::move(score_rows_),
                            false,
                            "",
                            ""});
}

Estimate Contest::score_of(const Tally& tally) {
  Estimate score = share_of(tally.scores);
  std::int64_t missing = 0;
  for (const auto& [reason, count] : tally.missing) missing += count;
  if (missing == 0) return score;
  score.missing = tally.missing;
  score.bounds = Repeated{tally.scores.all(), missing}.mean_bounds();
  return score;
}

void Contest::add_metrics(Summary& summary) const {
  auto& metrics = summary.metrics;
  const bool rivals = contenders_.size() > 1;
  if (rivals) {
    for (const std::string& contender : contenders_)
      metrics.push_back(share("score.mean." + contender, score_of(by_contender_.at(contender)), true));
  }
  metrics.push_back(share("score.mean", score_of(all_), !rivals));
  metrics.push_back(share("answered", rate_of(all_.answered)));
  metrics.push_back(share("completed", rate_of(all_.completed)));
  if (plan_.repeat > 1) metrics.push_back(share("repeatability", share_of(all_.repeatability), !rivals));
  if (all_.nudges.all().n() > 0) {
    metrics.push_back(number("nudges.mean", count_of(all_.nudges), Metric::Better::lower));
    metrics.push_back(number("tool_calls.mean", count_of(all_.tool_calls), Metric::Better::neither));
  }
  for (const std::string& contender : contenders_) {
    const Tally& tally = by_contender_.at(contender);
    if (!rivals) metrics.push_back(share("score.mean." + contender, score_of(tally)));
    metrics.push_back(share("answered." + contender, rate_of(tally.answered)));
    metrics.push_back(share("completed." + contender, rate_of(tally.completed)));
    if (plan_.repeat > 1)
      metrics.push_back(share("repeatability." + contender, share_of(tally.repeatability)));
  }
}

void Contest::add_systems(Summary& summary) const {
  Table table{"systems",
              "Systems by task",
              {"system", "model", "task", "runs", "score", "low", "high", "repeatability", "answered",
               "completed", "tool calls", "nudges", "tokens", "cost ($)", "seconds"},
              {},
              false,
              "",
              ""};
  const auto row = [&](const std::string& contender, std::string_view task, const Tally& tally) {
    const Estimate score = share_of(tally.scores);
    const std::size_t slash = contender.find('/');
    table.rows.push_back({text_of(contender.substr(0, slash)), text_of(contender.substr(slash + 1)),
                          text_of(task), tally.runs, or_null(score.value), low_of(score), high_of(score),
                          or_null(tally.repeatability.all().mean()), or_null(tally.answered.all().mean()),
                          or_null(tally.completed.all().mean()), or_null(tally.tool_calls.all().mean()),
                          or_null(tally.nudges.all().mean()), or_null(tally.tokens.mean()),
                          tally.unpriced > 0 ? Json(nullptr) : or_null(tally.cost.mean()),
                          or_null(tally.seconds.mean())});
  };
  for (const std::string& contender : contenders_) {
    if (plan_.tasks.size() > 1) row(contender, "all", by_contender_.at(contender));
    for (std::size_t task = 0; task < plan_.tasks.size(); ++task) {
      const auto found = by_task_.find({contender, task});
      if (found != by_task_.end()) row(contender, plan_.tasks[task].name, found->second);
    }
  }
  summary.tables.push_back(std::move(table));
}

void Contest::add_variations(Summary& summary) const {
  Table table{"variations", "Mean score by variation", {"task", "variation"}, {}, false, "", ""};
  for (const std::string& contender : contenders_) table.columns.push_back(contender);
  for (const auto& [place, means] : by_variation_) {
    const Variation& variation = plan_.tasks[place.first].task.variations[place.second];
    std::vector<Json> row = {text_of(plan_.tasks[place.first].name),
                             text_of(variation.name.empty() ? std::to_string(place.second) : variation.name)};
    for (const std::string& contender : contenders_) {
      const auto found = means.find(contender);
      row.push_back(found == means.end() ? Json(nullptr) : or_null(found->second.scores.mean()));
    }
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return;
  HeatMap map;
  map.row_title = "variation";
  map.column_title = "system";
  map.columns = contenders_;
  map.shade = HeatMap::Shade::share;
  for (const auto& row : table.rows) {
    map.rows.push_back(fmt::format("{}: {}", *as_text(row[0]), *as_text(row[1])));
    std::vector<std::optional<double>> cells;
    for (std::size_t i = 2; i < row.size(); ++i) cells.push_back(as_number(row[i]));
    map.cells.push_back(std::move(cells));
  }
  summary.plots.push_back(heat_map({"variations", "Mean score by variation and system",
                                    "A cell is the mean over the repeats; intervals are in the tables."},
                                   map));
  summary.tables.push_back(std::move(table));
}

std::optional<RepeatSpread> Contest::add_spread(Summary& summary) const {
  Table table = components_table("Where the spread of the scores comes from");
  std::optional<RepeatSpread> widest;
  double width = 0;
  for (const std::string& contender : contenders_) {
    std::vector<VotedCase> cases;
    bool repeated = false;
    for (const auto& [place, means] : by_variation_) {
      const auto found = means.find(contender);
      if (found == means.end() || found->second.scores.n() == 0) continue;
      repeated = repeated || found->second.scores.n() > 1;
      VotedCase& one = cases.emplace_back();
      if (plan_.tasks.size() > 1) one.cluster = plan_.tasks[place.first].name;
      for (const double score : votes_like(found->second.scores)) one.answers.push_back({score});
    }
    if (!repeated) continue;
    VoteSpread spread = vote_spread(cases);
    if (!spread.undefined.empty()) continue;
    add_components("score.mean." + contender, spread, summary, table);
    Estimate score = score_of(by_contender_.at(contender));
    const double wide = score.ci ? score.ci->high - score.ci->low : 0;
    if (widest && wide <= width) continue;
    width = wide;
    widest = RepeatSpread{contender, std::move(spread), std::move(score)};
  }
  if (!table.rows.empty()) summary.tables.push_back(std::move(table));
  return widest;
}

Interval Contest::Repeated::mean_bounds() const {
  const double sum = scores.mean().value_or(0) * static_cast<double>(scores.n());
  const auto all = static_cast<double>(scores.n() + missing);
  return {sum / all, (sum + static_cast<double>(missing)) / all};
}

Pair Contest::pair(const std::string& first, const std::string& second) const {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<std::string> clusters;
  std::set<std::size_t> tasks;
  Interval bounds;
  std::int64_t wanted = 0;  // variations that both were to have a score for
  std::int64_t lost = 0;    // scores that are missing there
  for (const auto& [place, contenders] : by_variation_) {
    const auto one = contenders.find(first);
    const auto other = contenders.find(second);
    if (one == contenders.end() || other == contenders.end()) continue;
    ++wanted;
    lost += one->second.missing + other->second.missing;
    const Interval ours = one->second.mean_bounds();
    const Interval theirs = other->second.mean_bounds();
    bounds.low += ours.low - theirs.high;
    bounds.high += ours.high - theirs.low;
    const auto mean = one->second.scores.mean();
    const auto other_mean = other->second.scores.mean();
    if (!mean || !other_mean) continue;
    a.push_back(*mean);
    b.push_back(*other_mean);
    tasks.insert(place.first);
    clusters.push_back(plan_.tasks[place.first].name);
    if (plan_.tasks.size() == 1) clusters.back() += fmt::format("/variation{}", place.second);
  }
  Pair pair{first, second, paired_t(a, b, clusters), std::nullopt, tasks.size()};
  Estimate& difference = pair.contrast.difference;
  const auto missing = wanted - static_cast<std::int64_t>(a.size());
  if (missing > 0) difference.missing["no score of both"] = missing;
  const auto all = static_cast<double>(wanted);
  if (lost > 0) difference.bounds = {bounds.low / all, bounds.high / all};
  return pair;
}

std::vector<Pair> Contest::pairs() const {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    for (std::size_t j = i + 1; j < contenders_.size(); ++j)
      pairs.push_back(pair(contenders_[i], contenders_[j]));
  }
  std::vector<std::optional<double>> p;
  p.reserve(pairs.size());
  for (const Pair& one : pairs) p.push_back(one.contrast.test.p);
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].adjusted_p = adjusted[i];
  return pairs;
}

void Contest::add_comparison(const std::vector<Pair>& pairs, Summary& summary) {
  if (pairs.empty()) return;
  Table table{"comparison",
              "Pairs of systems on the same variations: difference of the mean scores",
              {"first", "second", "variations", "difference", "low", "high", "p", "p (Holm)", "remark"},
              {},
              false,
              "",
              ""};
  for (const Pair& pair : pairs) {
    const Estimate& difference = pair.contrast.difference;
    table.rows.push_back({text_of(pair.first), text_of(pair.second), difference.n, or_null(difference.value),
                          low_of(difference), high_of(difference), or_null(pair.contrast.test.p),
                          or_null(pair.adjusted_p), text_of(difference.undefined)});
    Metric metric = number(fmt::format("difference.{}-{}", pair.first, pair.second), difference);
    metric.headline = pairs.size() == 1;
    summary.metrics.push_back(std::move(metric));
  }
  summary.tables.push_back(std::move(table));
}

ContestResult Contest::result(std::vector<Pair> pairs) const {
  ContestResult result{{}, std::move(pairs), replaced_, kept_};
  for (const std::string& contender : contenders_) {
    const Tally& tally = by_contender_.at(contender);
    const Moments& completed = tally.completed.all();
    const auto ended = static_cast<double>(completed.n()) * completed.mean().value_or(1);
    result.contenders.push_back(
        {contender, score_of(tally), tally.runs, completed.n() - std::llround(ended)});
  }
  return result;
}

}  // namespace assay::benchmark
