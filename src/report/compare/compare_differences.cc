#include "report/compare/compare_differences.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kMostDifferences = 40;

using Paths = std::set<std::string>;

// `settled`: what is compared elsewhere.
void add_config_differences(const Json* base, const Json* fresh, const std::string& path,
                            const Paths& settled, std::vector<std::string>& out) {
  if (out.size() >= kMostDifferences || settled.contains(path)) return;
  if (base != nullptr && fresh != nullptr && base->is_object() && fresh->is_object()) {
    std::set<std::string> keys;
    for (const auto& [key, value] : base->get_object()) keys.emplace(key);
    for (const auto& [key, value] : fresh->get_object()) keys.emplace(key);
    for (const std::string& key : keys) {
      add_config_differences(find_member(*base, key), find_member(*fresh, key),
                             path.empty() ? key : fmt::format("{}.{}", path, key), settled, out);
    }
    return;
  }
  const std::string before = base != nullptr ? excerpt(*base) : "not set";
  const std::string after = fresh != nullptr ? excerpt(*fresh) : "not set";
  if (base != nullptr && fresh != nullptr && *base == *fresh) return;
  out.push_back(fmt::format("{}: {} → {}", path, before, after));
}

// Prompts of what is judged: the conditions of an experiment. The systems of a benchmark have theirs in
// tasks.
bool is_target_prompt(std::string_view name) {
  return name.starts_with("conditions/");
}

// Keys that name the file of a text whose print both runs have: the text decides, wherever the file lies.
Paths texts_with_prints(const Summary& base, const Summary& fresh) {
  Paths paths;
  for (const auto& [name, print] : fresh.prompts) {
    if (!base.prompts.contains(name)) continue;
    std::string path = name;
    std::ranges::replace(path, '/', '.');
    paths.insert(std::move(path));
  }
  return paths;
}

// What a print is of: a judge's prompt, unless its name says otherwise.
std::string differs_words(const std::string& name) {
  if (name.ends_with("/program/files")) return fmt::format("{}: the program differs", name);
  if (name == "judge/labels" || name == "judge/people")
    return fmt::format("{}: what people say differs", name);
  return fmt::format("prompt {}: its text differs", name);
}

enum class Prompts { all, of_judges };
void add_prompt_differences(const Summary& base, const Summary& fresh, Prompts which,
                            std::vector<std::string>& out) {
  for (const auto& [name, print] : fresh.prompts) {
    if (which == Prompts::of_judges && is_target_prompt(name)) continue;
    const auto known = base.prompts.find(name);
    if (known != base.prompts.end() && known->second != print) out.push_back(differs_words(name));
  }
}

// How many votes the judges of a cascade need to decide a case: what they learnt from people's labels.
void add_threshold_differences(const Summary& base, const Summary& fresh, std::vector<std::string>& out) {
  const auto words = [](const Estimate& threshold) {
    return threshold.value ? number_words(*threshold.value) : std::string("decides nothing");
  };
  for (const Metric& after : fresh.metrics) {
    if (!after.name.starts_with("cascade.threshold.")) continue;
    const auto before = std::ranges::find(base.metrics, after.name, &Metric::name);
    if (before == base.metrics.end() || before->estimate.value == after.estimate.value) continue;
    out.push_back(fmt::format("{}: {} → {}", after.name, words(before->estimate), words(after.estimate)));
  }
}

// A declared model that one run alone names is told by its name; what is declared of it would say it again.
void leave_out_unshared_models(JsonObject& before, JsonObject& after) {
  constexpr std::string_view kModels = "models";
  const auto rest = [&](JsonObject judging) {
    judging.erase(kModels);
    return judging;
  };
  if (rest(before) == rest(after)) return;
  const Json none(JsonObject{});
  const Json first = before.contains(kModels) ? before.at(kModels) : none;
  const Json second = after.contains(kModels) ? after.at(kModels) : none;
  const auto keep_shared = [&](JsonObject& judging, const Json& other) {
    Json* own = judging.if_contains(kModels);
    if (own == nullptr || !own->is_object()) return;
    std::vector<std::string> alone;
    for (const auto& [name, declared] : own->get_object()) {
      if (find_member(other, name) == nullptr) alone.emplace_back(name);
    }
    for (const std::string& name : alone) own->get_object().erase(name);
    if (own->get_object().empty()) judging.erase(kModels);
  };
  keep_shared(before, second);
  keep_shared(after, first);
}

// What each task of a benchmark is scored by: the scorer of all its variations, or "0, 2: exact; 1: rubric,
// …". Nothing of a run that does not tell.
std::map<std::string, std::string> scorers_by_task(const Summary& run) {
  std::map<std::string, std::string> scorers;
  const auto table = std::ranges::find(run.tables, "scorers", &Table::name);
  if (table == run.tables.end()) return scorers;
  for (const auto& row : table->rows) {
    if (row.size() < 3) continue;
    std::string& words = scorers[text_or_json(row[0])];
    if (!words.empty()) words += "; ";
    const std::string variations = text_or_json(row[1]);
    if (variations != "all") words += variations + ": ";
    words += text_or_json(row[2]);
  }
  return scorers;
}

// Of the tasks that both runs have.
void add_scorer_differences(const Summary& base, const Summary& fresh, std::vector<std::string>& out) {
  const std::map<std::string, std::string> before = scorers_by_task(base);
  for (const auto& [task, words] : scorers_by_task(fresh)) {
    const auto known = before.find(task);
    if (known != before.end() && known->second != words && out.size() < kMostDifferences)
      out.push_back(fmt::format("scorer of {}: {} → {}", task, known->second, words));
  }
}

}  // namespace

std::vector<std::string> differences_between(const RunScores& base, const RunScores& fresh) {
  std::vector<std::string> list;
  const Json before(base.config);
  const Json after(fresh.config);
  add_config_differences(&before, &after, "", {}, list);
  add_prompt_differences(base.summary, fresh.summary, Prompts::all, list);
  if (base.summary.assay != fresh.summary.assay)
    list.push_back(fmt::format("program: {} → {}", base.summary.assay, fresh.summary.assay));
  return list;
}

std::vector<std::string> judging_differences(const RunScores& base, const RunScores& fresh) {
  std::vector<std::string> list;
  Json before(base.judging);
  Json after(fresh.judging);
  leave_out_unshared_models(before.get_object(), after.get_object());
  add_config_differences(&before, &after, "", texts_with_prints(base.summary, fresh.summary), list);
  add_prompt_differences(base.summary, fresh.summary, Prompts::of_judges, list);
  add_threshold_differences(base.summary, fresh.summary, list);
  add_scorer_differences(base.summary, fresh.summary, list);
  return list;
}

}  // namespace assay
