// The answers to a query and what each judge said of them, for a reader: under the conditions' names, since
// the judging is over. Pure.
#pragma once

#include <optional>
#include <vector>

#include "core/json/json.h"
#include "evaluations/experiment/design/design.h"
#include "evaluations/experiment/judging/judged_query.h"
#include "evaluations/score.h"
#include "report/summary.h"

namespace assay::experiment {

// As the page shows a case of an experiment: {"answers", "preferences", "marks", "roles"}.
JsonObject trials_json(const Design& design, const QueryRecord& record);

// The lowest of what a query contributes to the means, on a scale from 0 to 1.
struct LowestScore {
  double goodness = 0;
  std::size_t condition = 0;
  bool is_rating = false;  // else how often it won against control
  double value = 0;
};
// Nothing if the query contributes nothing.
std::optional<LowestScore> lowest_score(const Design& design, const QueryRecord& record);
// The query with the judgement that speaks most against that condition, and the answers that it is about.
NotableCase low_query(const Design& design, const JudgedQuery& judged, const LowestScore& lowest);

}  // namespace assay::experiment
