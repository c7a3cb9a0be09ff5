// From words to a checked evaluation: reads the config, resolves flags over it, builds the evaluation and its
// gates. Every problem is found before any is shown.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "evaluations/early_stop.h"
#include "evaluations/registry.h"
#include "report/gates.h"

namespace assay {

struct RunPlan {
  const EvaluationKind* kind = nullptr;
  Config config;
  std::unique_ptr<Evaluation> evaluation;
  std::vector<Gate> gates;
  std::vector<StopCondition> stop_when;
  std::string config_file;  // empty if there is none
};

// `evaluation` names it on the command line; empty: the config does. Problems are shown here; nothing is
// returned then.
std::optional<RunPlan> make_plan(std::string_view evaluation, const std::string& config_file,
                                 const Arguments& arguments, const Surroundings& surroundings);

// Whether `--help` was among the words; if so it has been shown.
bool shown_help(std::string_view command, std::string_view evaluation, const Arguments& arguments,
                const Surroundings& surroundings);

}  // namespace assay
