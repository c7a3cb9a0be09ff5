// What a small run tells about a larger one: the votes behind a judged figure, case by case, and what an
// answer and a vote cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "report/judging_plan.h"
#include "report/summary.h"
#include "stats/variance/vote_spread.h"

namespace assay {

struct Pilot {
  std::string evaluation;
  std::string figure;
  std::vector<std::string> figures;  // judged ones, any of which could be planned for
  Metric::Form form = Metric::Form::number;
  bool compares = false;  // a win rate: it is about two systems already
  // The votes on each answer; with `verdict_votes` what most of them said.
  std::vector<VotedCase> cases;
  // How many votes an answer had, where the yes or no of most of them is its score; nothing: their mean is.
  std::optional<double> verdict_votes;
  // Of two systems on the same cases: the variance between cases of the difference of their scores; nothing
  // where the run has one.
  std::optional<double> difference_variance;
  std::string other_figure;  // of the second system
  // Dollars, in this pilot: an answer with everything but the votes on it, and one vote. Nothing if a price
  // is not known, or if an earlier run had paid.
  std::optional<double> answer_usd;
  std::optional<double> vote_usd;
  double answer_requests = 0;
  double vote_requests = 0;
  std::vector<std::string> simulated;
};

// `figure`: a judged figure of the run; empty: its first that has a score in two cases. An error if the run
// is not finished, has no such figure, or if votes and answers cannot be told apart in it.
Result<Pilot> read_pilot(const std::string& directory, const std::string& figure);

// As a plan is made of it. `available`: cases of the data that are to be judged; 0: unknown.
JudgingPilot judging_pilot(const Pilot& pilot, std::int64_t available);

}  // namespace assay
