#include "evaluations/experiment/analysis/bias_diagnostics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "evaluations/experiment/analysis/by_query.h"
#include "evaluations/experiment/analysis/evaluator_biases.h"
#include "stats/comparisons/slope.h"
#include "stats/intervals/proportion.h"

namespace assay::experiment {
namespace {

constexpr double kShareMargin = 0.05;
constexpr double kLogOddsMargin = 0.2;  // what moves a share of 0.5 by 0.05
constexpr double kFlipMargin = 0.2;
constexpr double kPointMargin = 0.25;
constexpr double kLostMargin = 0.05;

Bias around(const char* name, Estimate figure, double neutral, double margin, const char* meaning) {
  Bias bias;
  bias.name = name;
  bias.figure = std::move(figure);
  bias.neutral = neutral;
  bias.margin = margin;
  bias.meaning = meaning;
  const auto& ci = bias.figure.ci;
  bias.flagged =
      ci && (ci->low > neutral || ci->high < neutral) && std::fabs(*bias.figure.value - neutral) >= margin;
  return bias;
}

Bias best_at_zero(const char* name, Estimate figure, double margin, const char* meaning) {
  Bias bias;
  bias.name = name;
  bias.figure = std::move(figure);
  bias.margin = margin;
  bias.meaning = meaning;
  bias.flagged = bias.figure.ci && bias.figure.ci->low > margin;
  return bias;
}

Bias counted(const char* name, std::int64_t count, std::int64_t n, const char* meaning) {
  Bias bias;
  bias.name = name;
  bias.figure = plain_figure(static_cast<double>(count), n);
  bias.figure.method = "count";
  bias.meaning = meaning;
  bias.flagged = count > 0;
  return bias;
}

Estimate share_of_first_seat(const ExperimentData& data, double level) {
  ClusteredMoments first;
  for (const PairVerdict& verdict : data.pairs) {
    if (verdict.winner != Choice::tie)
      first.add(cluster_of(verdict.query), verdict.winner == Choice::a ? 1 : 0);
  }
  if (first.all().n() == 0)
    return undefined_figure(data.pairs.empty() ? "no pairs were judged" : "every verdict is a tie");
  return wilson_clustered(first, level);
}

// What became of the pairs that an evaluator saw both ways round.
struct SecondLooks {
  Estimate flipped;  // another winner
  Estimate changed;  // another verdict, ties included
};

SecondLooks second_looks(const ExperimentData& data, double level) {
  std::map<std::tuple<int, std::size_t, std::size_t, std::size_t, int>, std::vector<double>> looks;
  for (const PairVerdict& verdict : data.pairs) {
    const auto [first, second] = std::minmax(verdict.condition_a, verdict.condition_b);
    looks[{verdict.evaluator, verdict.query, first, second, verdict.run}].push_back(
        points_for(verdict, verdict.winner, first));
  }
  ClusteredMoments flipped;
  ClusteredMoments changed;
  for (const auto& [key, points] : looks) {
    if (points.size() != 2) continue;
    const std::string cluster = cluster_of(std::get<1>(key));
    flipped.add(cluster, std::fabs(points[0] - points[1]) == 1 ? 1 : 0);
    changed.add(cluster, points[0] != points[1] ? 1 : 0);
  }
  if (flipped.all().n() == 0) {
    const Estimate none = undefined_figure(data.swap ? "no pair was judged both ways round"
                                                     : "pairs were shown one way round only");
    return {none, none};
  }
  return {wilson_clustered(flipped, level), wilson_clustered(changed, level)};
}

Estimate longer_wins(const ExperimentData& data, double level) {
  ClusteredMoments longer;
  for (const PairVerdict& verdict : data.pairs) {
    if (verdict.winner == Choice::tie || verdict.length_a == verdict.length_b) continue;
    const bool a_won = verdict.winner == Choice::a;
    longer.add(cluster_of(verdict.query), a_won == (verdict.length_a > verdict.length_b) ? 1 : 0);
  }
  if (longer.all().n() == 0)
    return undefined_figure("no comparison of answers of different length was decided");
  return wilson_clustered(longer, level);
}

// Of Bradley–Terry's model with the length as a covariate: at equal strength of the conditions and at equal
// seats, so that a condition that is better and longer does not make length look like a bias.
Estimate length_slope(const ExperimentData& data, double level) {
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, Choice, double>, std::int64_t> counts;
  std::int64_t empty = 0;
  for (const PairVerdict& verdict : data.pairs) {
    if (verdict.length_a == 0 || verdict.length_b == 0) {
      ++empty;
      continue;
    }
    const double doublings =
        std::log2(static_cast<double>(verdict.length_a) / static_cast<double>(verdict.length_b));
    ++counts[{verdict.query, verdict.condition_a, verdict.condition_b, verdict.winner, doublings}];
  }
  std::vector<Comparison> comparisons;
  for (const auto& [key, count] : counts) {
    const auto& [query, a, b, winner, doublings] = key;
    Comparison comparison;
    comparison.a = data.conditions[a].name;
    comparison.b = data.conditions[b].name;
    comparison.winner = winner == Choice::a ? Winner::a : winner == Choice::b ? Winner::b : Winner::tie;
    comparison.first = FirstSeat::a;
    comparison.covariates = {doublings};
    comparison.cluster = cluster_of(query);
    comparison.count = count;
    comparisons.push_back(std::move(comparison));
  }
  BradleyTerryOptions options;
  options.seat = SeatEffect::estimated;
  options.covariates = {"length"};
  options.level = level;
  const BradleyTerry fit = bradley_terry(comparisons, options);
  Estimate slope =
      fit.covariates.empty() ? undefined_figure(fit.undefined, fit.n) : fit.covariates.front().estimate;
  if (empty > 0) slope.missing["empty_answer"] = empty;
  return slope;
}

// Among the answers that one evaluator rated for one query and condition: what else differs between them is
// the run.
Estimate rating_length_slope(const ExperimentData& data, double level) {
  struct Means {
    Moments length;
    Moments score;
  };
  std::map<std::tuple<std::size_t, std::size_t, int>, Means> groups;
  const auto key = [](const Rating& rating) {
    return std::tuple(rating.query, rating.condition, rating.evaluator);
  };
  std::int64_t empty = 0;
  for (const Rating& rating : data.ratings) {
    if (rating.length == 0) {
      ++empty;
      continue;
    }
    Means& means = groups[key(rating)];
    means.length.add(std::log2(static_cast<double>(rating.length)));
    means.score.add(rating.scores[kOverall]);
  }
  std::vector<double> lengths;
  std::vector<double> scores;
  std::vector<std::string> clusters;
  for (const Rating& rating : data.ratings) {
    if (rating.length == 0) continue;
    const Means& means = groups.at(key(rating));
    if (means.length.n() < 2) continue;
    lengths.push_back(std::log2(static_cast<double>(rating.length)) - *means.length.mean());
    scores.push_back(rating.scores[kOverall] - *means.score.mean());
    clusters.push_back(cluster_of(rating.query));
  }
  if (lengths.empty())
    return undefined_figure("no evaluator rated two answers to one query under one condition");
  Estimate slope = clustered_slope(lengths, scores, clusters, level).difference;
  if (empty > 0) slope.missing["empty_answer"] = empty;
  return slope;
}

}  // namespace

std::vector<Bias> bias_diagnostics(const ExperimentData& data, const BradleyTerry& ranking, double level) {
  std::vector<Bias> all;
  all.push_back(around("position", share_of_first_seat(data, level), 0.5, kShareMargin,
                       "share of Response A among decided verdicts"));
  SecondLooks looks = second_looks(data, level);
  all.push_back(best_at_zero("flip_rate", std::move(looks.flipped), kFlipMargin,
                             "share of pairs whose winner changed when the seats were swapped"));
  all.push_back(
      best_at_zero("changed_rate", std::move(looks.changed), 2 * kFlipMargin,
                   "share of pairs whose verdict changed when the seats were swapped, ties included"));
  all.push_back(around("seat_effect",
                       ranking.seat ? ranking.seat->estimate : undefined_figure(ranking.undefined, ranking.n),
                       0, kLogOddsMargin, "log odds that the first seat adds (Bradley–Terry)"));
  all.push_back(around("longer_wins", longer_wins(data, level), 0.5, kShareMargin,
                       "share of the longer answer among decided verdicts"));
  all.push_back(around("length_slope", length_slope(data, level), 0, kLogOddsMargin,
                       "log odds that twice the length adds, at equal strength of the conditions"));
  all.push_back(around("rating_length_slope", rating_length_slope(data, level), 0, kPointMargin,
                       "points that twice the length adds, for the same query, condition and evaluator"));
  const std::int64_t lost = std::ranges::count(data.trouble, true, &JudgeTrouble::lost);
  const auto judged = static_cast<std::int64_t>(data.pairs.size() + data.ratings.size() + data.roles.size());
  const std::int64_t answers =
      static_cast<std::int64_t>(data.queries.size() * data.conditions.size()) * std::max(data.runs, 0);
  all.push_back(best_at_zero("lost", wilson(lost, judged + lost, level), kLostMargin,
                             "share of judgements that never came in a usable form"));
  all.push_back(counted("leaks", static_cast<std::int64_t>(data.leaks.size()), answers,
                        "role or condition words left in blinded texts"));
  all.push_back(counted("missing_responses", std::ranges::count(data.answers, false, &AnswerFact::present),
                        answers, "answers that are missing"));
  for (Bias& bias : evaluator_biases(data, level)) all.push_back(std::move(bias));
  return all;
}

}  // namespace assay::experiment
