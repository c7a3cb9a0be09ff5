// A case that the engine has finished, as the journal holds it.
#pragma once

#include "core/json/json.h"
#include "engine/outcome.h"
#include "store/run_store.h"

namespace assay {

struct FinishedCase {
  Outcome outcome;
  Json usage;  // requests, tokens and cost of the case
  double latency_ms = 0;
};

// A row that cannot be read is a failure of ours, and says so.
FinishedCase read_finished(const OutcomeRow& row);

}  // namespace assay
