// The votes behind a judged figure of a run, by case and answer, for every evaluation that keeps them; and
// which requests were votes. What cannot be told apart is an error, with what to do.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "net/event_loop.h"
#include "runs/labels/judged_run.h"
#include "stats/variance/vote_spread.h"
#include "store/run_store.h"

namespace assay {

// A figure that a larger run could be planned for.
struct PilotFigure {
  std::string name;
  std::string metric = {};   // whose votes they are, in rag_answers and custom
  std::string system = {};   // the variant, condition or contender that it is about; "": the run has one
  std::string against = {};  // of a win rate: the condition that it is held against
  bool by_majority = false;  // what most votes say is the score of an answer, not their mean
};
// An error says why the run has none.
Result<std::vector<PilotFigure>> pilot_figures(const labels::JudgedRun& run);

// What one case holds of a figure.
struct PilotCase {
  VotedCase scores;  // each answer with its votes, or with what most of them said
  double votes = 0;  // all that were given
};
struct PilotCases {
  std::vector<std::pair<std::string, PilotCase>> cases;  // by id, in the order of the run; those with a score
  // Of a benchmark: the runs of this system, whose requests are counted.
  std::set<std::string> runs = {};
};
// `store`: the run's journal, which holds the ratings of an experiment one by one.
Result<PilotCases> pilot_cases(const labels::JudgedRun& run, const PilotFigure& figure, EventLoop& loop,
                               RunStore& store);

enum class PilotShare { nothing, answer, vote };
// What a request was: for an answer of this figure's system, a vote on it, or neither.
PilotShare pilot_share(std::string_view evaluation, std::string_view step, const PilotFigure& figure);

}  // namespace assay
