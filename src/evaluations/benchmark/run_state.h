// Where a run stands when it is taken up: its output file as it is then, and what earlier sittings have left
// behind. It is the payload of the run's case, so that the case owns its state and the file, which a person
// may have edited or deleted, is read in one place only.
//
// A sitting is one taking up of a run, from its beginning to an end. One that was cut off (a kill, a stop) is
// the same sitting when it is gone on with, and finds its answers in the journal; a new one finds none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/case.h"
#include "evaluations/benchmark/run_outcome.h"
#include "evaluations/benchmark/scoring/scoring.h"

namespace assay::benchmark {

// What the sittings that came to their end have left behind.
struct EarlierSittings {
  std::int64_t last = 0;          // its number; 0: there was none
  std::vector<Verdict> verdicts;  // of the judge, one a question
};
// Told in any order. The outcome of a sitting that did not come to its end changes nothing.
void take_outcome(const RunOutcome& outcome, EarlierSittings& earlier);

struct RunState {
  std::int64_t sitting = 1;
  std::vector<Verdict> verdicts;    // of earlier sittings
  std::string path;                 // of the output file, for messages
  std::optional<std::string> text;  // what is in it; nothing: there is no such file
  std::string problem;              // why it cannot be read; "" if it can
  bool taken = false;               // the file is that of another run, and is not there yet in this one
};

// Reads the file, if it is there.
RunState run_state(const EarlierSittings& earlier, std::string path);
// Where there is none, that of an earlier run at `transcript`.
RunState run_state_or_taken(const EarlierSittings& earlier, std::string path, std::string transcript);

std::string to_payload(const RunState& state);
// Accepts what to_payload wrote; a case without payload is a run that has not begun.
RunState run_state_of(const Case& input);

}  // namespace assay::benchmark
