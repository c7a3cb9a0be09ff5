#include "runs/plan.h"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "core/yaml.h"
#include "evaluations/common_keys.h"

namespace assay {
namespace {

std::vector<std::string> evaluation_names() {
  std::vector<std::string> names;
  for (const EvaluationKind& kind : evaluation_kinds()) names.emplace_back(kind.name);
  return names;
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

Error missing_evaluation(const ConfigSource& source) {
  constexpr std::string_view kEvaluation[] = {"evaluation"};
  const JsonObject* keys = source.document.value.if_object();
  for (const auto& [key, value] : keys != nullptr ? *keys : JsonObject()) {
    if (!nearest(key, kEvaluation)) continue;
    return {ErrorKind::config,
            fmt::format("unknown key `{}`; did you mean `evaluation`?", std::string_view(key)),
            {{"file", source.file}}};
  }
  return {
      ErrorKind::config,
      fmt::format("the key `evaluation` is missing; expected one of {}", fmt::join(evaluation_names(), ", ")),
      {{"file", source.file}}};
}

std::vector<Gate> read_gates(const Config& config, const Evaluation& evaluation,
                             std::vector<ConfigProblem>& problems) {
  std::vector<Gate> gates;
  const std::vector<std::string> names = evaluation.metric_names();
  const std::vector<std::string> texts = config.texts("gates");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string key = fmt::format("gates[{}]", i);
    auto gate = parse_gate(texts[i]);
    if (!gate) {
      problems.push_back({"config", key, gate.error().text()});
      continue;
    }
    if (auto known = check_gate(*gate, names); !known) {
      problems.push_back({"config", key, known.error().text()});
      continue;
    }
    gates.push_back(std::move(*gate));
  }
  return gates;
}

Result<YamlDocument> read_config_file(const std::string& path) {
  auto text = read_file(path);
  if (!text) return fail(std::move(text.error()));
  auto document = parse_yaml(*text);
  if (!document) return fail(std::move(document.error()).with("file", path));
  if (!document->value.is_object()) {
    return fail(Error{ErrorKind::config,
                      "found no keys; expected a YAML map such as `evaluation: question_router`",
                      {{"file", path}}});
  }
  return document;
}

// A config that a run has written has marks in the place of its secrets; they come from the config that the
// run began with.
void fill_secrets(ConfigSource& source, const Keys& keys) {
  const Json* from = find_member(source.document.value, kSecretsFrom);
  if (from == nullptr || !from->is_string() || still_hidden(source.document.value).empty()) return;
  ConfigSource original;
  original.file = std::string(from->get_string());
  auto document = read_config_file(original.file);
  if (!document) return;  // told of by its consequence: the secret is missing
  original.document = std::move(*document);
  const Json values = resolve_config(keys, original).config.values();
  source.document.value = with_secrets_of(source.document.value, values);
}

void tell_hidden(ResolvedConfig& resolved, const std::string& file) {
  const std::string from = resolved.config.text(kSecretsFrom);
  for (const std::string& pointer : still_hidden(resolved.config.values())) {
    std::string key = pointer.substr(1);
    std::ranges::replace(key, '/', '.');
    resolved.problems.push_back(
        {file, key,
         fmt::format(
             "its secret is not kept with the run{}; give the value again as a flag, or write ${{NAME}} "
             "in its place and set that variable",
             from.empty() ? std::string() : fmt::format(", and {} does not hold it any more", from))});
  }
}

}  // namespace

CaseChoice case_choice(const Config& config) {
  return {.limit = config.integer("limit"), .only = config.texts("only")};
}

std::expected<RunPlan, PlanProblems> make_run_plan(PlanRequest request) {
  const auto wrong = [](Error error) { return std::unexpected(PlanProblems{.error = std::move(error)}); };
  ConfigSource source;
  source.file = request.config_file;
  source.flags = std::move(request.flags);
  source.environment = std::move(request.environment);
  if (!request.config_file.empty()) {
    auto document = read_config_file(request.config_file);
    if (!document) return wrong(std::move(document.error()));
    source.document = std::move(*document);
  }
  const std::string in_config = named_in(source);
  const std::string name = request.evaluation.empty() ? in_config : request.evaluation;
  if (name.empty()) return wrong(missing_evaluation(source));
  RunPlan plan;
  plan.kind = find_evaluation(name);
  if (plan.kind == nullptr) return wrong({ErrorKind::config, unknown_evaluation(name), {}});
  std::vector<ConfigProblem> problems;
  if (!request.evaluation.empty() && !in_config.empty() && in_config != request.evaluation) {
    problems.push_back(
        {request.config_file, "evaluation",
         fmt::format("found {}, but the command line says {}", in_config, request.evaluation)});
  }
  if (in_config.empty()) source.flags.push_back({"evaluation", name});
  const Keys keys = all_keys(*plan.kind);
  for (const FlagValue& flag : source.flags) {
    if (!flag_form(keys, flag.name))
      problems.push_back({"--" + flag.name, "", fmt::format("{} has no such key", name)});
  }
  fill_secrets(source, keys);
  ResolvedConfig resolved = resolve_config(keys, source);
  // Whoever goes on with the run finds them there.
  if (!source.file.empty() && !resolved.config.has(kSecretsFrom) && has_secrets(resolved.config.written())) {
    source.flags.push_back({std::string(kSecretsFrom), source.file});
    resolved = resolve_config(keys, source);
  }
  tell_hidden(resolved, source.file);
  problems.insert(problems.end(), resolved.problems.begin(), resolved.problems.end());
  plan.config = std::move(resolved.config);
  if (problems.empty()) {
    plan.evaluation = plan.kind->make(plan.config, problems);
    if (plan.evaluation) {
      plan.evaluation->choose(case_choice(plan.config));
      plan.gates = read_gates(plan.config, *plan.evaluation, problems);
      plan.stop_when = read_stop_conditions(plan.config, *plan.evaluation, problems);
    }
    for (ConfigProblem& problem : problems) {
      if (problem.where == "config") problem.where = place_of(source, problem.key);
    }
  }
  if (!problems.empty()) {
    Secrets secrets(kHiddenMark);
    for (const std::string& value : plan.config.filled_secrets()) secrets.add(value);
    for (ConfigProblem& problem : problems) problem.text = secrets.hide(problem.text);
    return std::unexpected(PlanProblems{.problems = std::move(problems)});
  }
  for (const auto& [path, text] : plan.config.plan_texts().all()) plan.texts.push_back({path, text});
  return plan;
}

}  // namespace assay
