// How many cases, answers and votes does a wanted certainty need, and what does that cost? From the variance
// components of a pilot run and what an answer and a vote cost there: every design up to eight answers and
// nine votes, the cheapest first. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "report/summary.h"
#include "stats/variance/vote_spread.h"

namespace assay {

struct JudgingCosts {
  std::optional<double> answer_usd;  // an answer with all but the votes of the metric
  std::optional<double> vote_usd;
  double answer_requests = 0;
  double vote_requests = 0;
};

struct JudgingGoal {
  std::optional<double> half_width = {};  // of the 95 % interval of the figure: ± so much
  std::optional<double> detect = {};      // a difference of two systems on the same cases, with power 0.8
};

struct JudgingPilot {
  std::string figure;
  VoteSpread spread;
  JudgingCosts costs;
  // Between cases, of the difference of two systems' scores as the pilot had them; nothing: the pilot had one
  // system, and the plan takes cases to be as different as if they were others (on the safe side).
  std::optional<double> difference_variance;
  bool compares = false;       // the figure is of two systems already, as a win rate is
  std::int64_t available = 0;  // cases of the data; 0: unknown
  std::vector<std::string> simulated;
};

struct JudgingPlan {
  struct Row {
    JudgingDesign design;
    double half_width = 0;
    std::optional<double> usd;  // of one system
    double requests = 0;
  };
  std::vector<std::string> sentences;  // the plain answer first
  std::string figure;
  JudgingGoal goal;
  VoteSpread spread;
  std::vector<Row> rows;          // that reach the goal, the cheapest first
  std::optional<Row> more_votes;  // the first with more votes: what they would bring
  std::int64_t available = 0;
  std::vector<std::string> simulated;
};

// An error if the goal cannot be planned: no spread, no goal, or none that is reached.
Result<JudgingPlan> plan_judging(const JudgingPilot& pilot, const JudgingGoal& goal);

// What the answers to the pilot's cases and the votes on them cost, of the one system; nothing if it is not
// known.
std::optional<double> cost_of(const JudgingPilot& pilot);
// What the run itself did, in whole numbers.
JudgingDesign design_of(const VoteSpread& spread);
// "2 votes of 1 judge on 3 answers of each of 50 cases reach ±0.03 for $41; 5 votes would bring ±0.028." The
// cost is that of the run; left out where it is not known, or nothing. Nothing is promised of more votes
// where most of them make a verdict. `on`: what the votes are on where it is no answer of a case ("each of 12
// decisions in 4 conversations").
std::string reached_sentence(const VoteSpread& spread, std::optional<double> cost_usd,
                             const std::string& on = "");

Json to_json(const JudgingPlan& plan);
std::string markdown_plan(const JudgingPlan& plan);

}  // namespace assay
