// `stop_when` in a config: a run ends as soon as every condition is settled, and the rest of the cases is
// saved. Looking at a figure again and again is honest only with sequences that hold at all times together
// (stats/sequential.h), and with cases in random order; both are seen to here:
//
//   order      whole clusters, or single cases where there are none, in an order that the seed decides
//   evidence   a betting sequence for each figure that is a mean over cases, fed in that order, whatever the
//              order in which answers arrive; the sums of a cluster count as one observation
//   settled    "F width W": the interval is not wider than W; "F > x" and "F < x": it excludes x, on
//              whichever side, so a hopeless run ends as early as a clear one
//   the end    what was begun is finished and counts; the figures carry the interval of their sequence
//
// It depends on data, outcomes and seed alone: a resumed run decides as the first one would have. A case that
// failed, for whatever reason, has no score and holds nothing up.
//
// The guarantee with clusters is for the mean over the cases of this file: the largest cluster, which bounds
// the weights, is read from it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "engine/stop_rule.h"
#include "evaluations/evaluation.h"
#include "report/summary.h"
#include "stats/sequential/sequential.h"

namespace assay {

// `stop_when:` in a config.
Key stop_when_key();

struct StopCondition {
  enum class Kind { width, above, below };
  std::string text;  // as written
  std::string figure;
  Kind kind = Kind::width;
  double bound = 0;
};

Result<StopCondition> parse_stop_condition(std::string_view text);
// Those of the config; what cannot be parsed, or is about no mean of the evaluation, becomes a problem.
std::vector<StopCondition> read_stop_conditions(const Config& config, const Evaluation& evaluation,
                                                std::vector<ConfigProblem>& problems);

class EarlyStop final : public StopRule {
 public:
  // Reads all data once for the order. `evaluation` must outlive it.
  static Result<std::unique_ptr<EarlyStop>> make(const Evaluation& evaluation,
                                                 std::vector<StopCondition> conditions, std::uint64_t seed);

  std::span<const CasePlace> order() const override { return order_; }
  bool wants(std::size_t position) const override;
  void begun(std::size_t position) override { group_begun_[group_[position]] = true; }
  void add(const Case& input, const Outcome& outcome) override;

  // Gives the figures the intervals of their sequences, takes away those that hold for a fixed number of
  // cases only if the run stopped early, and says what was settled and what was saved.
  // `taken` cases have an outcome of their own.
  void apply(Summary& summary, std::int64_t taken) const;
  bool settled() const { return settled_; }

 private:
  struct Watched {
    MeanFigure figure;
    BettingSequence sequence;
    double sum = 0;  // of the cluster that is coming in
    std::int64_t n = 0;
  };
  struct Watch {
    StopCondition condition;
    StopVerdict verdict;
  };

  EarlyStop(const Evaluation& evaluation, std::vector<StopCondition> conditions);
  // A case's scores in the order of figures_.
  using CaseScores = std::vector<std::optional<double>>;
  CaseScores scores_of(const Case& input, const Outcome& outcome);
  void take(const CaseScores& scores);
  void end_group();
  void settle();
  const Watched* watched(std::string_view figure) const;  // null if there is none
  bool last_of_group(std::size_t position) const;

  std::vector<CasePlace> order_;
  std::vector<bool> group_begun_;      // by cluster
  std::vector<std::uint32_t> group_;   // the cluster's number, by position
  std::vector<std::size_t> position_;  // by the case's index
  std::size_t largest_group_ = 1;
  bool clustered_ = false;
  std::map<std::size_t, CaseScores> ahead_;  // finished before one that comes earlier in the order
  std::size_t next_ = 0;                     // position of the first case that is not taken yet
  const Evaluation& evaluation_;
  ResultLine line_;  // of the case at hand, for its scores
  std::vector<Watched> figures_;
  std::vector<Watch> conditions_;
  bool settled_ = false;
};

}  // namespace assay
