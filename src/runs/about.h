// What a reader asks of a run before any figure: which system was evaluated, who judged it, on which data.
// Taken from the config, with aliases of models resolved, so that it says who was really asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "evaluations/evaluation.h"

namespace assay {

// {"target", "openai/gpt-4o"}, {"judge", "…"}, {"data", "september/cases.jsonl"}, {"seed", "7"}; what the
// config does not say is left out. No secret is in it: of an address only what stands before its query.
std::vector<std::pair<std::string, std::string>> about_run(std::string_view evaluation_name,
                                                           const Config& config,
                                                           const Evaluation& evaluation);

// "first 5 of 120 cases", "3 of 120 cases, by id", "120 cases": what was taken of what is there.
std::string taken_words(const CaseChoice& choice, std::int64_t taken, std::int64_t left_out);

}  // namespace assay
