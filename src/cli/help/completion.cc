#include "cli/help/completion.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "core/file.h"
#include "core/json/json.h"
#include "core/yaml.h"
#include "evaluations/common_keys.h"
#include "evaluations/guide.h"
#include "evaluations/registry.h"
#include "models/providers/provider.h"
#include "report/answers/mode.h"
#include "runs/baseline.h"
#include "runs/list.h"
#include "runs/plan.h"

namespace assay {
namespace {

// What stands in a command's place for words that are no flags.
enum class Place { nothing, config, run, base, evaluation, help, shell, import_form, question, baseline };

struct Taking {
  std::string_view command;
  std::vector<Place> places;  // the last one goes on
};

const Taking kTaking[] = {
    {"run", {Place::config}},
    {"check", {Place::config}},
    {"score", {Place::run, Place::config}},
    {"resume", {Place::run}},
    {"compare", {Place::base}},
    {"report", {Place::run}},
    {"show", {Place::run}},
    {"verify", {Place::run}},
    {"plan", {Place::config}},
    {"audit", {Place::run}},
    {"stress", {Place::run}},
    {"label-sample", {Place::run}},
    {"import", {Place::import_form, Place::config}},
    {"init", {Place::evaluation, Place::config}},
    {"completion", {Place::shell}},
    {"help", {Place::help}},
    {"stats", {Place::question, Place::config}},
    {"baseline", {Place::baseline}},
    {"runs", {Place::config}},
    {"serve", {Place::config}},
    {"view", {Place::run}},
};

std::vector<std::string> evaluation_names() {
  std::vector<std::string> names;
  for (const EvaluationKind& kind : evaluation_kinds()) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const Command& command : commands()) words.emplace_back(command.name);
  for (std::string& name : evaluation_names()) words.push_back(std::move(name));
  words.insert(words.end(), {"--help", "--version"});
  return words;
}

std::vector<std::string> run_directories() {
  std::vector<std::string> names;
  for (const FoundRun& run : find_runs("results")) names.push_back(run.directory);
  return names;
}

std::vector<std::string> baselines(std::string_view before) {
  std::vector<std::string> names;
  for (const std::string& name : baseline_names(std::string(kBaselines)))
    names.push_back(std::string(before) + name);
  return names;
}

Completion at_place(Place place, std::size_t position, const std::vector<std::string>& words) {
  switch (place) {
    case Place::run:
      return {run_directories(), true};
    case Place::base: {
      Completion found{run_directories(), true};
      for (std::string& name : baselines(kBaselineMark)) found.words.push_back(std::move(name));
      return found;
    }
    case Place::evaluation:
      return {evaluation_names(), true};
    case Place::help: {
      Completion found{first_words(), false};
      found.words.emplace_back("metrics");
      return found;
    }
    case Place::shell:
      return {{"bash", "zsh", "fish"}, false};
    case Place::import_form:
      return {import_forms(), false};
    case Place::question: {
      Completion found{{}, true};
      for (const answers::Mode& mode : answers::modes()) found.words.emplace_back(mode.name);
      return found;
    }
    case Place::baseline:
      if (position == 0) return {{"set", "list", "show", "remove"}, false};
      if (position == 1) return {baselines(""), false};
      return words.size() > 1 && words[1] == "set" ? Completion{run_directories(), true} : Completion{};
    case Place::config:
      return {{}, true};
    case Place::nothing:
      break;
  }
  return {};
}

// What the words speak of.
struct Meant {
  // The command itself, the word behind `check`, or what the config says.
  const EvaluationKind* kind = nullptr;
  std::string config = {};  // its file
  Json written = {};        // what stands in it
  Json summary = {};        // of a run that is named
};

Meant meant(const std::vector<std::string>& words) {
  constexpr std::size_t kLargest = std::size_t{8} << 20;
  Meant meant;
  const auto take_kind = [&meant](std::string_view name) {
    if (meant.kind == nullptr) meant.kind = find_evaluation(name);
  };
  for (const std::string& word : words) {
    take_kind(word);
    if (word.ends_with(".yaml") || word.ends_with(".yml")) {
      const auto text = read_file(word, kLargest);
      auto yaml = text ? parse_yaml(*text) : fail(text.error());
      if (!yaml) continue;
      take_kind(text_at(yaml->value, "evaluation"));
      meant.config = word;
      meant.written = std::move(yaml->value);
    } else if (const std::string file = word + "/summary.json"; !word.empty() && file_exists(file)) {
      const auto text = read_file(file, kLargest);
      if (auto tree = text ? parse_json(*text) : fail(text.error())) meant.summary = std::move(*tree);
    }
  }
  return meant;
}

std::vector<std::string> members_of(const Json& tree, std::string_view name) {
  std::vector<std::string> names;
  const Json* object = find_member(tree, name);
  if (object == nullptr || !object->is_object()) return names;
  for (const auto& member : object->get_object()) names.emplace_back(member.key());
  return names;
}

// Of a run that is there those that it has. Those of a declared evaluation have names of its config, which
// the guide cannot know: the plan does, as far as there is one.
std::vector<std::string> figures(const Meant& meant) {
  std::set<std::string> names{"cases.errored", "cases.evaluated", "cases.invalid", "usage.cost_usd"};
  const auto add = [&names](std::vector<std::string> more) {
    for (std::string& name : more) names.insert(std::move(name));
  };
  if (meant.summary.is_object()) {
    add(members_of(meant.summary, "metrics"));
    return {names.begin(), names.end()};
  }
  if (meant.kind != nullptr && !meant.config.empty() && meant.kind->name == "custom") {
    if (const auto plan = make_run_plan({.evaluation = "custom", .config_file = meant.config})) {
      add(plan->evaluation->metric_names());
      return {names.begin(), names.end()};
    }
  }
  for (const EvaluationKind& one : evaluation_kinds()) {
    if (meant.kind == nullptr || meant.kind == &one) add(guide_to(one.name).figures);
  }
  return {names.begin(), names.end()};
}

// A key that names a model, wherever it stands.
bool names_model(std::string_view path) {
  return path == "model" || path == "judge" || path.ends_with(".model") || path.ends_with("_model");
}

bool names_figure(std::string_view path) {
  return path == "gate" || path == "gates" || path == "stop_when" || path == "figure" ||
         path.ends_with(".figure");
}

Completion values(const Key& key, std::string_view path, const Meant& meant) {
  if (names_figure(path)) return {figures(meant), false};
  if (path == "evaluation") return {evaluation_names(), false};
  if (path == "reuse" || path == "pilot" || path == "stress.of") return {run_directories(), true};
  if (path.ends_with("provider") || names_model(path)) {
    Completion found;
    if (names_model(path)) found.words = members_of(meant.written, "models");
    for (const Provider& provider : providers())
      found.words.push_back(names_model(path) ? fmt::format("{}/", provider.name)
                                              : std::string(provider.name));
    return found;
  }
  if (!key.choices.empty()) return {key.choices, false};
  // A list of named things: their names.
  for (const Key& inner : key.keys) {
    if (inner.name == key.shorthand) return {inner.choices, false};
  }
  return {{}, key.type != KeyType::integer && key.type != KeyType::number && key.type != KeyType::duration};
}

Keys keys_of(const std::vector<std::string>& words) {
  const Command* command = find_command(words.front());
  const EvaluationKind* kind = meant(words).kind;
  if (kind == nullptr || (command != nullptr && command->keys != any_evaluation_keys))
    return command != nullptr ? command->keys() : Keys();
  Keys keys = all_keys(*kind);
  for (Key& key : evaluation_flags(*kind)) keys.push_back(std::move(key));
  return keys;
}

// `--gate=acc` is one word for most shells and three for bash.
std::optional<std::string> flag_before(const std::vector<std::string>& words) {
  for (std::size_t back = 2; back <= 3 && back < words.size(); ++back) {
    const std::string& word = words[words.size() - back];
    if (word == "=") continue;
    return word.starts_with("--") ? std::optional(word.substr(2)) : std::nullopt;
  }
  return std::nullopt;
}

std::string underscored(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

Completion candidates(const std::vector<std::string>& words) {
  if (words.size() < 2) return {first_words(), false};
  const Keys keys = keys_of(words);
  const std::string& last = words.back();
  if (const auto flag = flag_before(words); flag && flag_form(keys, *flag) == FlagForm::takes_value) {
    const std::string path = underscored(*flag);
    const Key* key = find_key(keys, path);
    return values(key != nullptr ? *key : Key{.name = path, .help = ""}, path, meant(words));
  }
  if (last.starts_with("-")) {
    Completion found;
    for (const std::string& name : flag_names(keys)) {
      found.words.push_back("--" + name);
      const Key* key = last.starts_with("--no-") ? find_key(keys, underscored(name)) : nullptr;
      if (key != nullptr && key->type == KeyType::boolean) found.words.push_back("--no-" + name);
    }
    return found;
  }
  std::size_t position = 0;  // among the words that are no flags and no values of one
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i].starts_with("-")) {
      if (words[i] == "-o" || flag_form(keys, words[i].substr(std::min<std::size_t>(2, words[i].size()))) ==
                                  FlagForm::takes_value)
        ++i;
      continue;
    }
    ++position;
  }
  if (find_evaluation(words.front()) != nullptr) return {{}, true};
  const auto* const taking = std::ranges::find(kTaking, words.front(), &Taking::command);
  if (taking == std::end(kTaking)) return {};
  return at_place(taking->places[std::min(position, taking->places.size() - 1)], position, words);
}

}  // namespace

Completion complete(const std::vector<std::string>& words) {
  Completion found = candidates(words);
  const std::string last = words.empty() ? "" : words.back();
  std::erase_if(found.words, [&](const std::string& word) { return !word.starts_with(last); });
  return found;
}

}  // namespace assay
