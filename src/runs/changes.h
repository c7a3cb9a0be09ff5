// Whether anything that decides answers has changed since a run began: the one check, for commands and for
// jobs. Answers to two configs, two prompts or two data files must never stand in one run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "evaluations/evaluation.h"
#include "store/run_store.h"

namespace assay {

// What decides answers, as it is kept with the run: that part of the config, and the fingerprints of texts
// that it names.
std::string deciding_config(const Config& config, const Evaluation& evaluation);

// An error of kind changed that names what differs; `now` is what the run would begin with now.
Status check_unchanged(const RunIdentity& begun, const RunIdentity& now, const std::string& directory);

// The cases that the config in `directory` takes; nothing if there is no config.
std::optional<CaseChoice> kept_choice(const std::string& directory);
// A run may take more cases than before, not others: each answer that it holds belongs to one of its cases.
// The error is of kind changed.
Status check_covered(const CaseChoice& now, const CaseChoice& before, const std::string& directory);

}  // namespace assay
