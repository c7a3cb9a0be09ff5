// Who won the blinded comparisons? Per pair of conditions the shares of wins, ties and losses, and the win
// rate in which a tie is half a win, so that 0.5 is even; with swap both showings of a pair count. Then the
// ranking of all conditions by Bradley–Terry with ties and the advantage of the first seat.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/experiment/judging/judgements.h"
#include "stats/ranking/bradley_terry.h"
#include "stats/test_result.h"

namespace assay::experiment {

// A fit takes about a millisecond at full size.
inline constexpr std::int64_t kRankingDraws = 500;

struct WinRate {
  Estimate rate;                         // ties half; clustered by query
  std::optional<double> standard_error;  // of it
  TestResult test;                       // against 0.5, clustered by query
  std::optional<double> p_holm;          // over all compared pairs × (criteria and the winner)
  Estimate naive;                        // every verdict by itself
  TestResult naive_test;
};

struct PairFigures {
  std::size_t condition = 0;
  std::size_t against = 0;  // control where control is one of the two
  Estimate wins;            // shares of the judge's word on the whole
  Estimate ties;
  Estimate losses;
  WinRate winner;
  std::array<WinRate, kCriteria.size()> criteria;
};

// Every condition against control first, compared or not, then the other pairs that were compared.
std::vector<PairFigures> pair_figures(const ExperimentData& data, double level);

// Strengths around a mean of 0, clustered errors by query and bootstrap intervals that draw queries again.
BradleyTerry ranking(const ExperimentData& data, std::uint64_t seed, double level);

}  // namespace assay::experiment
