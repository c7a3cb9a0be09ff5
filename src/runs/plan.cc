#include "runs/plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/config/settled_config.h"
#include "core/file.h"
#include "core/secrets/literal_secrets.h"
#include "core/text.h"
#include "core/yaml.h"
#include "engine/missing.h"
#include "evaluations/common_keys.h"
#include "evaluations/judges/anchors.h"
#include "evaluations/stress/stressed.h"
#include "net/http/url.h"
#include "queue/work_queue.h"
#include "store/address.h"

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
  std::vector<std::string> names = evaluation.metric_names();
  if (evaluation.anchors() != nullptr) {
    for (std::string& name : Anchors::metric_names()) names.push_back(std::move(name));
  }
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

// A key that other evaluations have is told apart from a word that nobody knows.
void tell_cascade(const EvaluationKind& kind, std::vector<ConfigProblem>& problems) {
  constexpr std::string_view kCascade = "judge.cascade";
  const auto unknown = std::ranges::find(problems, kCascade, &ConfigProblem::key);
  if (unknown == problems.end() || find_key(all_keys(kind), kCascade) != nullptr) return;
  unknown->text = fmt::format("{} takes one judge; a cascade decides rag_answers and custom", kind.name);
  std::erase_if(problems, [](const ConfigProblem& one) { return one.key == "judge.model"; });
}

// What the environment fills is looked at when it is used.
void check_addresses(const Config& config, std::vector<ConfigProblem>& problems) {
  const auto check = [&](const char* key, const auto& read) {
    const std::string text = config.text(key);
    if (text.empty() || text.contains("${")) return;
    if (auto good = read(text); !good) problems.push_back({"config", key, good.error().message});
  };
  check("store", run_store_address);
  check("cache", StoreAddress::read);
  check("queue", QueueAddress::read);
  check("http.proxy", check_proxy);
}

// Whether one of the keys is the other, or stands below it.
bool is_about_same(std::string_view one, std::string_view other) {
  if (one.size() > other.size()) std::swap(one, other);
  if (!other.starts_with(one)) return false;
  return one.size() == other.size() || other[one.size()] == '.' || other[one.size()] == '[';
}

// What is wrong besides with a config whose variables are not all set: looked for with the names of these in
// the place of their values. What only follows from that is left out.
void tell_others(const EvaluationKind& kind, ConfigSource source, const Keys& keys,
                 std::vector<ConfigProblem>& problems) {
  source.environment = [inner = std::move(source.environment)](std::string_view name) {
    auto value = inner(name);
    return value ? value : std::optional(std::string(name));
  };
  const ResolvedConfig stood_in = resolve_config(keys, source);
  if (!stood_in.problems.empty()) return;
  std::vector<ConfigProblem> found;
  if (const auto evaluation = kind.make(stood_in.config, found))
    add_missing(*evaluation, stood_in.config, found);
  std::erase_if(found, [&told = std::as_const(problems)](const ConfigProblem& one) {
    return std::ranges::any_of(told,
                               [&](const ConfigProblem& other) { return is_about_same(one.key, other.key); });
  });
  std::ranges::move(found, std::back_inserter(problems));
}

}  // namespace

void add_not_found(const RunPlan& plan, std::vector<ConfigProblem>& problems) {
  for (const auto& [key, words] : plan.evaluation->not_found())
    problems.push_back({plan.place(key), key, words});
}

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
  if (request.shipped) {
    source.document.value = std::move(request.shipped->config);
    source.file = kSettledConfig;
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
  if (source.file != kSettledConfig) fill_secrets(source, keys);
  ResolvedConfig resolved = resolve_config(keys, source);
  // Whoever goes on with the run finds them there.
  if (!source.file.empty() && source.file != kSettledConfig && !resolved.config.has(kSecretsFrom) &&
      has_secrets(resolved.config.written())) {
    source.flags.push_back({std::string(kSecretsFrom), source.file});
    resolved = resolve_config(keys, source);
  }
  tell_hidden(resolved, source.file);
  tell_cascade(*plan.kind, resolved.problems);
  problems.insert(problems.end(), resolved.problems.begin(), resolved.problems.end());
  plan.config = std::move(resolved.config);
  if (request.shipped) {
    plan.config.use_texts(PlanTexts(std::move(request.shipped->texts), std::move(request.shipped->made)));
  }
  check_addresses(plan.config, problems);
  if (resolved.problems.empty()) {
    std::vector<ConfigProblem> found;
    plan.evaluation = stress::under_stress(plan.kind->make(plan.config, found), plan.config, found);
    if (plan.evaluation) {
      plan.evaluation->choose(case_choice(plan.config));
      plan.evaluation->judge_beside(Anchors::make(*plan.kind, plan.config, found));
      plan.gates = read_gates(plan.config, *plan.evaluation, found);
      plan.stop_when = read_stop_conditions(plan.config, *plan.evaluation, found);
      if (!problems.empty()) add_missing(*plan.evaluation, plan.config, found);
    }
    std::ranges::move(found, std::back_inserter(problems));
  } else {
    tell_others(*plan.kind, source, keys, problems);
  }
  for (ConfigProblem& problem : problems) {
    if (problem.where == "config") problem.where = place_of(source, problem.key);
  }
  if (!problems.empty()) {
    Secrets secrets(kHiddenMark);
    for (const std::string& value : plan.config.filled_secrets()) secrets.add(value);
    for (ConfigProblem& problem : problems) problem.text = secrets.hide(problem.text);
    return std::unexpected(PlanProblems{.problems = std::move(problems)});
  }
  for (const auto& [path, text] : plan.config.plan_texts().all()) plan.texts.push_back({path, text});
  plan.place = [source = std::move(source)](std::string_view key) { return place_of(source, key); };
  return plan;
}

}  // namespace assay
