// What the blinded ratings say of each condition by itself: means per criterion, their spread, whether the
// roles were apt and those of the queries, and whether the figures hold across query types and runs. Every
// query counts once (query_cells.h).
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
  std::int64_t ratings = 0;
  std::optional<ScoreBox> box;  // absent without ratings
};

// One condition on the queries of one type.
struct TypeFigures {
  std::string query_type;
  std::int64_t queries = 0;  // of this type, judged or not
  Estimate overall;          // mean rating
  Estimate difference;       // from control, paired by query
  Estimate win_rate;         // against control, ties half
  Estimate role_accuracy;
  Estimate role_match;
};

// Do the results hold when the answers are written again?
struct RunFigures {
  struct Run {
    int run = 0;
    Estimate overall;
    Estimate difference;  // from control's answers of the same run, paired by query
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
  std::array<CriterionFigures, kRated> criteria;  // by rated_name(); those of tone have no value if not asked
  Estimate role_accuracy;                         // share of roles that judges found apt
  Estimate role_match;                            // share of answers that name the query's own role
  std::int64_t role_verdicts = 0;
  std::int64_t roles_named = 0;      // answers that say in which role they speak, of queries that have one
  std::int64_t answers = 0;          // of the design
  std::int64_t unanswered = 0;       // of them, how many are missing
  std::int64_t ratings_lost = 0;     // of answers that are there
  std::vector<TypeFigures> by_type;  // by name; empty if no query has a type
  RunFigures across_runs;
};

std::vector<ConditionFigures> condition_figures(const ExperimentData& data, std::uint64_t seed, double level);

// Which roles judges named beside the one shown, for queries that more than one would suit.
struct OtherRole {
  std::size_t query = 0;
  std::string role;        // as first written
  std::int64_t named = 0;  // verdicts that name it
  std::int64_t asked = 0;  // verdicts on the query
};
// By query, the most named first.
std::vector<OtherRole> other_roles(const ExperimentData& data);

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
