// `judge: {cascade: [cheap, strong, people], agreement: 0.9, confidence: 0.95, labels: FILE}`: who decides a
// case, in their order, and what each has to promise before it may. docs/selective_judging.md has the whole.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "evaluations/judge_config.h"

namespace assay {

// Who stands at the end of a cascade, and is no model.
inline constexpr std::string_view kPeople = "people";

struct CascadeJudge {
  std::string name;  // in figures and steps: its model with nothing but a-z, 0-9 and _
  JudgeSettings settings;
  int votes = 1;
  // The chance that its promise may be broken with; nothing: it has the last word, and promises nothing.
  std::optional<double> error = {};
};

struct CascadeSettings {
  std::vector<CascadeJudge> judges;
  bool people = false;  // what no judge decides is left to them
  double agreement = 0.9;
  double confidence = 0.95;
  std::string labels;       // the file
  std::string people_said;  // a sheet of cases that were left to people, filled in; may be empty
};

// `judge` as an evaluation declares it that can do this: a model, or a cascade of several.
Key cascading_judge_key(std::string help);
bool has_cascade(const Config& config);
// Nothing if the config has none, or after problems.
std::optional<CascadeSettings> read_cascade(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay
