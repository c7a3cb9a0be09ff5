// A finished run, by its directory: read again, compared with another, checked.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/jsonl.h"
#include "evaluations/evaluation.h"
#include "report/compare/compare.h"
#include "report/summary.h"

namespace assay {

// The summary of a run; the error says what the directory lacks (it is no run, or the run is not finished).
Result<Summary> read_summary(const std::string& directory);

// Summary, config and the scores of every case.
Result<RunScores> read_run_scores(const std::string& directory);
// Parts of that, for what keeps a run in another form (runs/baseline.h). What is compared of a config: the
// keys that decide answers or cases, and who judges and how.
void take_config(JsonObject config, RunScores& run);
// The cases that the reader has left, a line each as in results.jsonl; `file` is for messages.
Status read_case_scores(LineReader& reader, const std::string& file, RunScores& run);

// Two of them, paired by case.
Result<RunComparison> compare_finished(const std::string& base, const std::string& fresh,
                                       const CompareOptions& options);
// The same of what was read already, of baselines too: of those it is not known what was judged.
Result<RunComparison> compare_finished(const RunScores& before, const RunScores& after,
                                       const CompareOptions& options);

// What the evaluation `kind` checks in the files of a run against each other; an error if some are missing.
Result<std::vector<RunCheck>> verify_finished(const EvaluationKind& kind, const std::string& directory);

}  // namespace assay
