// What became of one run, as the journal holds it: written when a sitting has come to its end, read when
// all runs are collected and when the run is taken up again. An outcome with nothing in it is that of a
// sitting that was cut off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"

namespace assay::benchmark {

struct RunOutcome {
  std::optional<double> score;  // nothing if nothing is expected, or if the judge failed; 0 if the run failed
  std::optional<bool> failed;   // the system gave no answer because of an error; nothing: nobody looked
  std::string answer_state;     // found, missing, invalid, empty; "" if failed
  std::optional<Json> answer;
  std::string answer_error;  // why there is none
  std::string scorer;        // that the score is of; "" if there is none
  JsonObject details;        // of the score
  std::vector<std::string> notes;
  // Over all sittings; nothing where the system has no such figure.
  std::optional<std::int64_t> tool_calls;
  std::optional<std::int64_t> turns;
  std::optional<std::int64_t> nudges;
  Json usage;  // null if there is none
  std::optional<double> seconds;
  std::string done;                   // ran, went_on, or skipped because it was finished
  std::vector<std::string> changed;   // of what was asked: with "ran" the reason to ask anew, else kept
  std::int64_t sitting = 0;           // how often the run was taken up, this time included
  std::string judged;                 // which question to the judge the score answers; "" if none
  std::vector<std::string> warnings;  // for problems.log
};

JsonObject to_json(const RunOutcome& outcome);
// Accepts what to_json wrote, and anything else as far as it goes.
RunOutcome run_outcome_from(const JsonObject& result);

}  // namespace assay::benchmark
