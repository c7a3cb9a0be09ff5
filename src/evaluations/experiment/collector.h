// Collects the judged queries: writes the experiment's files as they come, keeps the judgements as numbers,
// and hands them to the analysis at the end.
#pragma once

#include <memory>
#include <vector>

#include "evaluations/evaluation.h"
#include "evaluations/experiment/design/design.h"
#include "evaluations/experiment/judging/records.h"

namespace assay::experiment {

class ExperimentEvaluation;
struct ScoreNames;

std::unique_ptr<Collector> make_collector(const ExperimentEvaluation& evaluation, OutputFiles& files,
                                          const RunFacts& run);

// What a query contributes to the means: the overall score of each condition, and how often it won against
// control, a tie counting half. `names` are by condition and must outlive the scores.
std::vector<Score> query_scores(const Design& design, const std::vector<ScoreNames>& names,
                                const QueryRecord& record);

}  // namespace assay::experiment
