// Named baselines: what a comparison reads of a finished run, in one file that a team can commit, share and
// compare with long after the run itself was pruned. A directory of them (`baselines`) holds NAME.jsonl each:
//
//   {"baseline": "main", "run_id": …, "directory": …, "set": …, "cases": 120, "summary": {…}, "config": {…}}
//   {"id": "1", "outcome": "scored", "scores": {"accuracy": 1}, "question": "…"}      and so on, a line a
//   case
//
// Config and cases hold what the run's own files hold: no secret, and the text of each case.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "report/compare/compare.h"

namespace assay {

// "baseline:main" stands for a baseline where a run's directory could.
inline constexpr std::string_view kBaselineMark = "baseline:";
inline constexpr std::string_view kBaselines = "baselines";  // the usual directory

struct BaselineHead {
  std::string name;
  std::string run_id;
  std::string directory;  // of the run, as it was named
  std::string set;        // when, ISO 8601, UTC
  std::string seal;       // of the run; "" if it had none
  std::int64_t cases = 0;
  Summary summary;  // without its tables
  JsonObject config;
};

// Letters, digits, `.`, `_` and `-`, at most 64, no dot or dash first: it is the name of a file.
Status check_baseline_name(std::string_view name);
std::string baseline_file(const std::string& directory, std::string_view name);

// Writes `run` (a finished one) as baseline `name`, in the place of an earlier one of that name. An error if
// the run cannot be compared, or a file of that name is there that is no baseline.
Result<BaselineHead> set_baseline(const std::string& directory, const std::string& name,
                                  const std::string& run);
// The error names those that there are.
Result<BaselineHead> read_baseline(const std::string& directory, std::string_view name);
Status remove_baseline(const std::string& directory, std::string_view name);

// Those of the directory by name. A file that is none, or is damaged, is told with the reason.
struct Baselines {
  std::vector<BaselineHead> found;
  std::vector<Error> damaged;
};
Baselines list_baselines(const std::string& directory);
// Names of what list_baselines() would look at.
std::vector<std::string> baseline_names(const std::string& directory);

// As read_run_scores(); its `directory` is "baseline:NAME".
Result<RunScores> read_baseline_scores(const std::string& directory, std::string_view name);

// A finished run by its directory or, as baseline:NAME, what was kept of one in `baselines`.
Result<RunScores> read_base(const std::string& word, const std::string& baselines);

Json to_json(const BaselineHead& head);

}  // namespace assay
