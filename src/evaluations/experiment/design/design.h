// The design of an experiment: which answers there are, who judges what, in which position and in which
// order. Everything here follows from names and the seed, so that it is the same on every machine, in a
// resume, and when somebody checks it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evaluations/experiment/judging/judgements.h"

namespace assay::experiment {

enum class Against { control, all };

struct Design {
  std::vector<Condition> conditions;  // exactly one is the control
  int runs = 1;
  std::uint64_t seed = 0;
  int pairwise_evaluators = 0;  // numbered from 1
  int absolute_evaluators = 0;  // numbered behind them
  bool swap = false;
  Against against = Against::control;
  bool role_question = true;

  // Of conditions, as places in the list: each with the control (which comes second), or every one with
  // every other.
  std::vector<std::pair<std::size_t, std::size_t>> pairs() const;
  int evaluators() const { return pairwise_evaluators + absolute_evaluators; }
  // Who is asked about roles: those who compare, else those who rate.
  std::pair<int, int> role_evaluators() const;  // first, last
  bool any_tone() const;
  // Answers stand in lists by condition, then run (from 1): how many they are, where one stands, and which
  // one stands there.
  std::size_t answers() const { return conditions.size() * static_cast<std::size_t>(runs); }
  std::size_t place(std::size_t condition, int run) const;
  struct AnswerOf {
    std::size_t condition = 0;
    int run = 0;
  };
  AnswerOf answer_at(std::size_t place) const;
  // Of the file of such an answer.
  std::string file_at(std::size_t place) const;
};

// "control_run_3_responses.json"; with one run "control_responses.json".
std::string response_file(const std::string& condition, int run, int runs);

// One pair as it is shown to one evaluator.
struct Showing {
  int evaluator = 0;
  std::size_t pair = 0;  // in Design::pairs()
  std::size_t condition_a = 0;
  std::size_t condition_b = 0;
  int run = 0;
  bool swapped = false;
  std::int64_t place = 0;  // among what this evaluator sees of the query, from 0
};
// All showings of a query, each evaluator's in the order in which it sees them.
std::vector<Showing> showings(const Design& design, const std::string& query);

struct RatingTurn {
  int evaluator = 0;
  std::size_t condition = 0;
  int run = 0;
  std::int64_t place = 0;
};
std::vector<RatingTurn> rating_turns(const Design& design, const std::string& query);

// How many of each one evaluator sees of one query: where its sequence goes on with the next query.
std::int64_t showings_per_query(const Design& design);
std::int64_t ratings_per_query(const Design& design);

}  // namespace assay::experiment
