#include "cli/run_plan.h"

#include <algorithm>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help.h"
#include "core/file.h"
#include "core/text.h"
#include "evaluations/common_keys.h"

namespace assay {
namespace {

std::vector<std::string> evaluation_names() {
  std::vector<std::string> names;
  for (const EvaluationKind& kind : evaluation_kinds()) names.emplace_back(kind.name);
  return names;
}

// Flags that belong to the command, not to the config.
bool is_run_flag(const FlagValue& flag) {
  const Keys own = run_flags();
  return flag_form(own, flag.name).has_value();
}

std::string unknown_evaluation(std::string_view name) {
  const auto names = evaluation_names();
  const auto guess = nearest(name, names);
  return guess ? fmt::format("unknown evaluation \"{}\"; did you mean {}?", name, *guess)
               : fmt::format("unknown evaluation \"{}\"; known are {}", name, fmt::join(names, ", "));
}

// The config's own word on which evaluation it is, wherever it stands.
std::string named_in(const ConfigSource& source) {
  for (const FlagValue& flag : source.flags) {
    if (flag.name == "evaluation" && flag.value) return *flag.value;
  }
  const Json* name = find_member(source.document.value, "evaluation");
  return name != nullptr && name->is_string() ? std::string(name->get_string()) : std::string();
}

std::vector<Gate> read_gates(const Config& config, const Evaluation& evaluation,
                             std::vector<ConfigProblem>& problems) {
  std::vector<Gate> gates;
  const std::vector<std::string> names = evaluation.metric_names();
  for (const std::string& text : config.texts("gates")) {
    auto gate = parse_gate(text);
    if (!gate) {
      problems.push_back({"config", "gates", gate.error().text()});
      continue;
    }
    if (auto known = check_gate(*gate, names); !known) {
      problems.push_back({"config", "gates", known.error().text()});
      continue;
    }
    gates.push_back(std::move(*gate));
  }
  return gates;
}

}  // namespace

bool shown_help(std::string_view command, std::string_view evaluation, const Arguments& arguments,
                const Surroundings& surroundings) {
  if (!arguments.has("help")) return false;
  print(command_help(command, evaluation, surroundings.terminal));
  return true;
}

std::optional<RunPlan> make_plan(std::string_view evaluation, const std::string& config_file,
                                 const Arguments& arguments, const Surroundings& surroundings) {
  ConfigSource source;
  source.file = config_file;
  for (const FlagValue& flag : arguments.flags) {
    if (!is_run_flag(flag)) source.flags.push_back(flag);
  }
  if (!config_file.empty()) {
    auto text = read_file(config_file);
    if (!text) {
      show_error(text.error(), surroundings);
      return std::nullopt;
    }
    auto document = parse_yaml(*text);
    if (!document) {
      show_error(std::move(document.error()).with("file", config_file), surroundings);
      return std::nullopt;
    }
    source.document = std::move(*document);
    if (!source.document.value.is_object()) {
      show_error(Error{ErrorKind::config,
                       "found no keys; expected a YAML map such as `evaluation: question_router`",
                       {{"file", config_file}}},
                 surroundings);
      return std::nullopt;
    }
  }

  RunPlan plan;
  plan.config_file = config_file;
  const std::string in_config = named_in(source);
  const std::string name = evaluation.empty() ? in_config : std::string(evaluation);
  if (name.empty()) {
    show_error(Error{ErrorKind::config,
                     fmt::format("the key `evaluation` is missing; expected one of {}",
                                 fmt::join(evaluation_names(), ", ")),
                     {{"file", config_file}}},
               surroundings);
    return std::nullopt;
  }
  plan.kind = find_evaluation(name);
  if (plan.kind == nullptr) {
    show_error(Error{ErrorKind::config, unknown_evaluation(name), {}}, surroundings);
    return std::nullopt;
  }
  std::vector<ConfigProblem> problems;
  if (!evaluation.empty() && !in_config.empty() && in_config != evaluation) {
    problems.push_back({config_file, "evaluation",
                        fmt::format("found {}, but the command line says {}", in_config, evaluation)});
  }
  if (in_config.empty()) source.flags.push_back({"evaluation", name});

  const Keys keys = all_keys(*plan.kind);
  for (const FlagValue& flag : source.flags) {
    if (!flag_form(keys, flag.name)) {
      problems.push_back({"--" + flag.name, "", fmt::format("{} has no such key", name)});
    }
  }
  ResolvedConfig resolved = resolve_config(keys, source);
  problems.insert(problems.end(), resolved.problems.begin(), resolved.problems.end());
  plan.config = std::move(resolved.config);
  if (problems.empty()) {
    plan.evaluation = plan.kind->make(plan.config, problems);
    for (ConfigProblem& problem : problems) {
      if (problem.where == "config") problem.where = config_file.empty() ? "command line" : config_file;
    }
    if (plan.evaluation) {
      plan.gates = read_gates(plan.config, *plan.evaluation, problems);
      plan.stop_when = read_stop_conditions(plan.config, *plan.evaluation, problems);
    }
  }
  if (!problems.empty()) {
    show_problems(problems, surroundings);
    return std::nullopt;
  }
  return plan;
}

}  // namespace assay
