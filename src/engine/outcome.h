// How a case ended. The list is closed, so that no metric can take a failure for a number by accident.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

enum class OutcomeKind {
  scored,            // evaluated completely
  target_failed,     // the system under test gave no usable output
  judge_failed,      // the judge gave no usable answer after all attempts
  infra_failed,      // network, provider or quota: neither target nor judge is to blame
  context_overflow,  // a prompt did not fit into the model's context, and would not fit the next time
  refused,           // a model declined
  limit_hit,         // a limit of the run (budget, turns) ended it
  skipped,           // left out by design
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::scored;
  // The evaluation's own fields; may be partial when not scored. `warnings`, a list of texts, go to
  // problems.log.
  JsonObject result;
  std::string error;  // one sentence, when not scored
};

std::string_view to_string(OutcomeKind kind);
OutcomeKind outcome_kind(std::string_view text);  // unknown: infra_failed
// Whom a failure of an effect is charged to.
OutcomeKind outcome_of(ErrorKind kind);
Outcome failed_outcome(const Error& error);
// Errors after which no further case may end: the run is being wound down, and a resume will finish the case.
bool winds_down(ErrorKind kind);

}  // namespace assay
