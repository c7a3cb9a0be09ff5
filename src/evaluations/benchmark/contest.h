// Which system does better, by how much, and how surely? Figures and tables over all runs of a benchmark.
//
// A failed run has the score 0 and stays in every mean. Intervals are clustered by task, since the variations
// of a task are alike, and inside a task (or where there is but one) by variation. Two systems are compared
// on the same variations: the difference of their mean scores there.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/benchmark/conclusions.h"
#include "evaluations/benchmark/plan.h"
#include "report/summary.h"
#include "stats/intervals/mean.h"

namespace assay::benchmark {

// What one run came to; nothing where it has no such figure.
struct RunFigures {
  std::size_t run = 0;  // place in the plan
  std::string cluster;
  std::optional<double> score;
  std::string missing;    // why there is no score although there should be one: "judge_failed"
  bool replaced = false;  // see ContestResult
  bool kept = false;
  std::optional<bool> completed;  // nothing: its file cannot be read
  std::optional<bool> answered;
  std::optional<Json> answer;
  std::optional<double> tool_calls;
  std::optional<double> nudges;
  std::optional<double> tokens;
  std::optional<double> cost;
  std::optional<double> seconds;
};

class Contest {
 public:
  explicit Contest(const BenchmarkPlan& plan) : plan_(plan) {}

  // In the order of the plan.
  void add(RunFigures figures);
  // The deciding sentences; metrics score.mean, answered, completed, repeatability (each also per contender:
  // "score.mean.SYSTEM/MODEL", which come first where there are several: a mean over rivals decides nothing),
  // with repeats score.mean.SYSTEM/MODEL.variance.case and .answer,
  // nudges.mean, tool_calls.mean, difference.A-B; tables scores, scorers, systems, variations,
  // comparison, variance_components.
  void finish(Summary& summary);

 private:
  // What the runs of a contender share, on one task or on all.
  struct Tally {
    ClusteredMoments scores;
    std::map<std::string, std::int64_t> missing;  // scores, by reason
    ClusteredMoments answered;
    ClusteredMoments completed;
    ClusteredMoments repeatability;
    ClusteredMoments tool_calls;
    ClusteredMoments nudges;
    Moments tokens;
    Moments cost;
    Moments seconds;
    std::int64_t runs = 0;
    std::int64_t unpriced = 0;

    void add(const RunFigures& figures);
  };
  struct Repeats {
    std::string cluster;
    std::vector<std::optional<Json>> answers;  // nothing: the run gave none
  };

  // The scores of a contender on one variation.
  struct Repeated {
    Moments scores;
    std::int64_t missing = 0;
    Interval mean_bounds() const;  // with the missing ones at 0 and at 1
  };

  void close_variation();
  static Estimate score_of(const Tally& tally);
  void add_metrics(Summary& summary) const;
  std::vector<Pair> pairs() const;
  Pair pair(const std::string& first, const std::string& second) const;
  static void add_comparison(const std::vector<Pair>& pairs, Summary& summary);
  // The variances between variations and between runs of one, where there are several; the contender that is
  // least sure.
  std::optional<RepeatSpread> add_spread(Summary& summary) const;
  ContestResult result(std::vector<Pair> pairs) const;
  void add_systems(Summary& summary) const;
  void add_variations(Summary& summary) const;

  const BenchmarkPlan& plan_;
  std::vector<std::string> contenders_;  // in order of first sight
  Tally all_;
  std::map<std::string, Tally> by_contender_;
  std::map<std::pair<std::string, std::size_t>, Tally> by_task_;  // contender, task
  // Mean score of a contender on a variation, and its repeats there while the variation is read.
  std::map<std::pair<std::size_t, std::size_t>, std::map<std::string, Repeated>> by_variation_;
  std::map<std::string, Repeats> open_;
  std::optional<std::pair<std::size_t, std::size_t>> variation_;
  std::vector<std::vector<Json>> score_rows_;
  std::int64_t replaced_ = 0;
  std::int64_t kept_ = 0;
};

// How far repeats agree: over all pairs of answers, the mean of what the task's scorer gives one of them when
// the other is the expected one, both ways round; equal or not where the scorer needs a model, a program or
// nothing. A run without an answer agrees with none. Nothing with fewer than two runs. Of more than 64
// different answers 64 are compared.
std::optional<double> agreement_of(const std::vector<std::optional<Json>>& answers,
                                   const std::optional<Scorer>& scorer);

}  // namespace assay::benchmark
