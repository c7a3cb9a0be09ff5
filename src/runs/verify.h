// A run by its directory, looked at for anything that is not as it was written: its files against their seal,
// its journal against its chain of hashes, and what its evaluation knows to check. Writes nothing, locks
// nothing.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "evaluations/evaluation.h"

namespace assay {

struct RunVerdict {
  std::string seal;  // as computed from what is there; empty: there is none
  std::vector<RunCheck> checks;
  std::vector<std::string> notes;  // what was accepted by hand in earlier sittings
  bool passed() const;
};

// `expected_seal`: as it was kept elsewhere; empty: nobody kept it. An error if the directory holds no run.
Result<RunVerdict> verify_run(const std::string& directory, const std::string& expected_seal);

}  // namespace assay
