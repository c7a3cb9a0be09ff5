// Who won the blinded comparisons? Per pair of conditions the shares of wins, ties and losses, and the win
// rate in which a tie is half a win, so that 0.5 is even; with swap both showings of a pair count. Then the
// ranking of all conditions by Bradley–Terry with ties and the advantage of the first seat.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/experiment/analysis/finding.h"
#include "evaluations/experiment/judging/judgements.h"
#include "stats/ranking/bradley_terry.h"
#include "stats/test_result.h"

namespace assay::experiment {

// A fit takes about a millisecond at full size.
inline constexpr std::int64_t kRankingDraws = 500;

struct WinRate {
  Finding rate;    // ties half, against 0.5; every query counts once
  Estimate naive;  // every verdict by itself
  TestResult naive_test;
};

// Something that was asked about either answer of a pair.
struct BothSides {
  Estimate condition;
  Estimate against;
  Finding difference;  // condition minus the other, paired by query
};

// What was asked beside where a tone condition is compared.
struct PairTone {
  std::array<BothSides, kToneCriteria.size()> marks;  // 1 to 5, given in comparisons
  BothSides jarring_shift;                            // share of verdicts that find one in the answer
  BothSides awkward_language;
  Finding more_natural;  // as a win rate
  std::int64_t verdicts = 0;
};

struct PairFigures {
  std::size_t condition = 0;
  std::size_t against = 0;    // control where control is one of the two
  std::int64_t verdicts = 0;  // whatever number of queries they are on
  Estimate wins;              // shares of the judge's word on the whole
  Estimate ties;
  Estimate losses;
  WinRate winner;
  std::array<WinRate, kCriteria.size()> criteria;
  std::optional<PairTone> tone;  // where it was asked
};

// Every condition against control first, compared or not, then the other pairs that were compared. Not
// adjusted yet.
std::vector<PairFigures> pair_figures(const ExperimentData& data, double level);

// Strengths around a mean of 0, clustered errors by query and bootstrap intervals that draw queries again.
BradleyTerry ranking(const ExperimentData& data, std::uint64_t seed, double level);

}  // namespace assay::experiment
