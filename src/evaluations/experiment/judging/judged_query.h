// Everything that is known of one query: its answers, as they came and as they were judged, and the
// judgements. A run has it from the query's outcome, a check of its files from those. Pure.
#pragma once

#include <string>
#include <vector>

#include "evaluations/experiment/design/blind_answers.h"
#include "evaluations/experiment/design/design.h"
#include "evaluations/experiment/judging/records.h"
#include "evaluations/score.h"

namespace assay::experiment {

struct JudgedQuery {
  Query query;
  QueryRecord record;  // with a place for every answer of the design
  BlindAnswers answers;
  std::vector<std::string> roles;  // that each answer was given in, by place; "" if none
};
JudgedQuery judged_query(const Design& design, Query query, QueryRecord record);

// Of what each query contributes to a condition's means.
struct ScoreNames {
  std::string overall;
  std::string win_rate;
};
std::vector<ScoreNames> score_names(const Design& design);  // by condition

// What a query contributes to the means: the overall score of each condition, and how often it won against
// control, a tie counting half. `names` are those of the design and must outlive the scores.
std::vector<Score> query_scores(const Design& design, const std::vector<ScoreNames>& names,
                                const QueryRecord& record);

}  // namespace assay::experiment
