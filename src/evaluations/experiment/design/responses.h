// Answers that exist already: one file for each condition and run, {"query_1": "…", …}, as a run writes them
// and `generate: false` reads them. Everything that is wrong is told at once, before anything is sent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "evaluations/experiment/design/design.h"
#include "evaluations/experiment/design/queries.h"

namespace assay::experiment {

struct ResponseFile {
  std::map<std::string, std::string> texts;  // by query
  std::string fingerprint;
};

// Whether every query must have an answer in every file, or one without has failed where the answers come
// from.
enum class Answers { complete, as_they_are };

// By condition, then run.
std::vector<ResponseFile> read_responses(const Config& config, const std::string& directory, Answers answers,
                                         const Design& design, const QueryList& queries,
                                         std::vector<ConfigProblem>& problems);

}  // namespace assay::experiment
