// From a config and flags to a checked evaluation: reads the config, resolves flags over it, builds the
// evaluation with its gates and stop conditions. Every problem is found before any is shown, and nothing is
// sent.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "evaluations/early_stop.h"
#include "evaluations/registry.h"
#include "report/gates.h"
#include "store/run_store.h"

namespace assay {

struct RunPlan {
  const EvaluationKind* kind = nullptr;
  Config config;
  std::unique_ptr<Evaluation> evaluation;
  std::vector<Gate> gates;
  std::vector<StopCondition> stop_when;
  std::vector<PlanText> texts;  // that the evaluation was made of
  // Where a key was set, for problems that are found later.
  std::function<std::string(std::string_view key)> place;
};

// Programs and directories that the evaluation needs here and that are not there.
void add_not_found(const RunPlan& plan, std::vector<ConfigProblem>& problems);

// Why there is no plan: one error, or everything that is wrong with the config.
struct PlanProblems {
  std::optional<Error> error = {};
  std::vector<ConfigProblem> problems = {};
};

struct PlanRequest {
  std::string evaluation = {};   // as the command line names it; empty: the config does
  std::string config_file = {};  // empty: there is none
  std::vector<FlagValue> flags = {};
  Environment environment = process_environment();  // fills `${NAME}` in the config's texts
  // Instead of a file: the config that another machine has resolved, as it was written, the texts of its
  // plan and what was made of its other files.
  struct Shipped {
    Json config;
    std::map<std::string, std::string> texts;
    std::map<std::string, std::string> made = {};  // of files that are over there
  };
  std::optional<Shipped> shipped = {};
};

std::expected<RunPlan, PlanProblems> make_run_plan(PlanRequest request);

// `limit` and `only` of a config.
CaseChoice case_choice(const Config& config);

}  // namespace assay
