#include "evaluations/experiment/analysis/evaluator_biases.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "evaluations/experiment/analysis/by_query.h"
#include "stats/comparisons/adjust.h"
#include "stats/comparisons/slope.h"
#include "stats/intervals/proportion.h"

namespace assay::experiment {
namespace {

constexpr double kPositionMargin = 0.1;
constexpr double kTieMargin = 0.1;
constexpr double kLeniencyMargin = 0.25;  // points of the scale
constexpr double kDriftMargin = 0.25;
constexpr double kFormatMargin = 0.05;

struct Group {
  double sum = 0;
  double n = 0;
};

// Without `own`; absent if nobody else is there.
std::optional<double> mean_of_rest(const Group& group, double own) {
  if (group.n < 2) return std::nullopt;
  return (group.sum - own) / (group.n - 1);
}

using Showing = std::tuple<std::size_t, std::size_t, std::size_t, int, bool>;

Showing showing_of(const PairVerdict& verdict) {
  const auto [first, second] = std::minmax(verdict.condition_a, verdict.condition_b);
  return {verdict.query, first, second, verdict.run, verdict.swapped};
}

struct Diagnosed {
  Bias bias;
  std::optional<double> p;
};

// Flags by Holm's p among the evaluators, for diagnostics with a neutral value.
void judge_family(std::vector<Diagnosed>& family, double level, std::vector<Bias>& all) {
  std::vector<std::optional<double>> p;
  p.reserve(family.size());
  for (const Diagnosed& one : family) p.push_back(one.p);
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < family.size(); ++i) {
    Bias& bias = family[i].bias;
    bias.p_holm = adjusted[i];
    bias.flagged = bias.p_holm && *bias.p_holm < 1 - level && bias.figure.value && bias.neutral &&
                   std::fabs(*bias.figure.value - *bias.neutral) >= bias.margin;
    all.push_back(std::move(bias));
  }
}

Bias named(const char* name, int evaluator, double margin, const char* meaning) {
  Bias bias;
  bias.name = name;
  bias.evaluator = evaluator;
  bias.margin = margin;
  bias.meaning = meaning;
  return bias;
}

void add_pair_biases(const ExperimentData& data, double level, std::vector<Bias>& all) {
  std::map<Showing, Group> ties;
  std::set<int> evaluators;
  for (const PairVerdict& verdict : data.pairs) {
    Group& group = ties[showing_of(verdict)];
    group.sum += verdict.winner == Choice::tie ? 1 : 0;
    ++group.n;
    evaluators.insert(verdict.evaluator);
  }
  std::vector<Diagnosed> positions;
  std::vector<Diagnosed> shares;
  for (const int evaluator : evaluators) {
    Sample first_seat;
    ClusteredMoments own_ties;
    Sample beyond_rest;
    Moments rest;
    for (const PairVerdict& verdict : data.pairs) {
      if (verdict.evaluator != evaluator) continue;
      const double tie = verdict.winner == Choice::tie ? 1 : 0;
      if (tie == 0) first_seat.add(verdict.query, verdict.winner == Choice::a ? 1 : 0);
      own_ties.add(cluster_of(verdict.query), tie);
      if (const auto others = mean_of_rest(ties[showing_of(verdict)], tie)) {
        beyond_rest.add(verdict.query, tie - *others);
        rest.add(*others);
      }
    }
    Diagnosed position{named("position", evaluator, kPositionMargin,
                             "share of Response A among this evaluator's decided verdicts"),
                       clustered_test(first_seat, 0.5).p};
    position.bias.neutral = 0.5;
    position.bias.figure = first_seat.values.empty() ? undefined_figure("it decided no comparison")
                                                     : wilson_clustered(moments_of(first_seat), level);
    positions.push_back(std::move(position));
    Diagnosed share{
        named("ties", evaluator, kTieMargin,
              "share of ties among this evaluator's verdicts, against the others' on the same pairs"),
        clustered_test(beyond_rest, 0).p};
    share.bias.neutral = rest.mean();
    share.bias.figure = wilson_clustered(own_ties, level);
    shares.push_back(std::move(share));
  }
  judge_family(positions, level, all);
  judge_family(shares, level, all);
}

void add_rating_biases(const ExperimentData& data, double level, std::vector<Bias>& all) {
  std::map<std::tuple<std::size_t, std::size_t, int>, Group> answers;
  std::map<int, std::int64_t> last;  // place in the sequence, by evaluator
  for (const Rating& rating : data.ratings) {
    Group& group = answers[{rating.query, rating.condition, rating.run}];
    group.sum += rating.scores[kOverall];
    ++group.n;
    last[rating.evaluator] = std::max(last[rating.evaluator], rating.order);
  }
  std::vector<Diagnosed> leniencies;
  std::vector<Diagnosed> drifts;
  for (const auto& [evaluator, end] : last) {
    Sample beyond_rest;
    std::vector<double> times;
    for (const Rating& rating : data.ratings) {
      if (rating.evaluator != evaluator) continue;
      const double own = rating.scores[kOverall];
      const auto others = mean_of_rest(answers[{rating.query, rating.condition, rating.run}], own);
      if (!others) continue;
      beyond_rest.add(rating.query, own - *others);
      times.push_back(end > 0 ? static_cast<double>(rating.order) / static_cast<double>(end) : 0);
    }
    Diagnosed leniency{named("leniency", evaluator, kLeniencyMargin,
                             "points above the other evaluators' mean on the same answers"),
                       clustered_test(beyond_rest, 0).p};
    Diagnosed drift{named("drift", evaluator, kDriftMargin,
                          "change of that from this evaluator's first to its last rating, in points"),
                    std::nullopt};
    leniency.bias.neutral = drift.bias.neutral = 0;
    if (beyond_rest.values.empty()) {
      leniency.bias.figure = drift.bias.figure =
          undefined_figure("no other evaluator rated the same answers");
    } else {
      leniency.bias.figure = estimate_mean(moments_of(beyond_rest), level);
      Contrast slope = clustered_slope(times, beyond_rest.values, beyond_rest.clusters, level);
      drift.bias.figure = std::move(slope.difference);
      drift.p = slope.test.p;
    }
    leniencies.push_back(std::move(leniency));
    drifts.push_back(std::move(drift));
  }
  judge_family(leniencies, level, all);
  judge_family(drifts, level, all);
}

void add_format_failures(const ExperimentData& data, double level, std::vector<Bias>& all) {
  struct Answers {
    std::int64_t usable = 0;
    std::int64_t failed = 0;
  };
  std::map<int, Answers> evaluators;
  for (const PairVerdict& verdict : data.pairs) ++evaluators[verdict.evaluator].usable;
  for (const Rating& rating : data.ratings) ++evaluators[rating.evaluator].usable;
  for (const RoleVerdict& verdict : data.roles) ++evaluators[verdict.evaluator].usable;
  for (const JudgeTrouble& trouble : data.trouble)
    evaluators[trouble.evaluator].failed += trouble.format_failures;
  for (const auto& [evaluator, answers] : evaluators) {
    Bias bias = named("format_failures", evaluator, kFormatMargin,
                      "share of this evaluator's answers that could not be read or were incomplete");
    bias.figure = wilson(answers.failed, answers.usable + answers.failed, level);
    bias.flagged = bias.figure.ci && bias.figure.ci->low > bias.margin;
    all.push_back(std::move(bias));
  }
}

}  // namespace

std::vector<Bias> evaluator_biases(const ExperimentData& data, double level) {
  std::vector<Bias> all;
  add_pair_biases(data, level, all);
  add_rating_biases(data, level, all);
  add_format_failures(data, level, all);
  return all;
}

}  // namespace assay::experiment
