// What the blinded ratings say of each condition by itself: means per criterion, their spread, whether the
// roles were apt, and whether the figures hold across query types and runs.
//
// Answers to one query are not independent, so every interval counts queries (clustered by query).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/experiment/judging/judgements.h"
#include "stats/estimate.h"

namespace assay::experiment {

// Of single ratings; quartiles are linear between neighbours. For box plots.
struct ScoreBox {
  double minimum = 0;
  double lower_quartile = 0;
  double median = 0;
  double upper_quartile = 0;
  double maximum = 0;
};

struct CriterionFigures {
  Estimate mean;
  std::optional<ScoreBox> box;  // absent without ratings
};

// One condition on the queries of one type.
struct TypeFigures {
  std::string query_type;
  std::int64_t queries = 0;  // of this type, judged or not
  Estimate overall;          // mean rating
  Estimate difference;       // from control
  Estimate win_rate;         // against control, ties half
  Estimate role_accuracy;
};

// Do the results hold when the answers are written again?
struct RunFigures {
  struct Run {
    int run = 0;
    Estimate overall;
    Estimate difference;  // from control's answers of the same run
  };
  std::vector<Run> runs;
  // Runs whose difference has the sign of the whole; Wilson. Undefined for control.
  Estimate same_direction;
  // Standard deviation between the answers to one query, each taken at its mean over evaluators, pooled over
  // queries; bootstrap over queries.
  Estimate deviation;
};

struct ConditionFigures {
  std::size_t condition = 0;
  std::string name;
  bool control = false;
  std::array<CriterionFigures, kCriteria.size()> criteria;
  std::array<Estimate, kToneCriteria.size()> tone;  // ratings, and tone marks given in pairs
  Estimate role_accuracy;
  std::vector<TypeFigures> by_type;  // by name; empty if no query has a type
  RunFigures across_runs;
};

std::vector<ConditionFigures> condition_figures(const ExperimentData& data, std::uint64_t seed, double level);

// One query under one condition, for scatter plots: what each rests on is `ratings` and `verdicts`.
struct QueryFigures {
  std::size_t query = 0;
  std::size_t condition = 0;
  std::optional<double> overall;
  std::int64_t ratings = 0;
  std::optional<double> win_rate;  // against control, ties half
  std::int64_t verdicts = 0;
};
std::vector<QueryFigures> query_figures(const ExperimentData& data);

}  // namespace assay::experiment
