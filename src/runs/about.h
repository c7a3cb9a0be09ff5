// What a reader asks of a run before any figure: which system was evaluated, who judged it, on which data.
// Taken from the config, with aliases of models resolved, so that it says who was really asked.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config.h"
#include "evaluations/evaluation.h"

namespace assay {

// {"target", "openai/gpt-4o"}, {"judge", "…"}, {"data", "september/cases.jsonl"}, {"seed", "7"}; what the
// config does not say is left out. No secret is in it: of an address only what stands before its query.
std::vector<std::pair<std::string, std::string>> about_run(std::string_view evaluation_name,
                                                           const Config& config,
                                                           const Evaluation& evaluation);

}  // namespace assay
