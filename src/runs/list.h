// The runs below a directory, for people and machines: what each is, how far it is, and its headline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json/json.h"

namespace assay {

struct FoundRun {
  std::string directory;
  std::string evaluation;
  std::string started;
  bool complete = false;
  std::int64_t cases = 0;
  std::int64_t errored = 0;
  std::string headline;
  bool gates_passed = true;
};

// Newest first. A run's directory holds a config.yaml; runs lie at most two levels below `results`.
std::vector<FoundRun> find_runs(const std::string& results);

Json to_json(const FoundRun& run);

}  // namespace assay
