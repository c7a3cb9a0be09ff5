#include "evaluations/benchmark/scorer_choices.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "tools/program_files.h"

namespace assay::benchmark {
namespace {

constexpr std::size_t kMostNamed = 10;  // variations in one sentence
constexpr std::size_t kShownCriteria = 300;

std::string variation_words(const ScorerChoice& choice, std::size_t all) {
  if (choice.variations.size() == all) return "all";
  const std::size_t shown = std::min(choice.variations.size(), kMostNamed);
  return fmt::format("{}{}",
                     fmt::join(choice.variations.begin(),
                               choice.variations.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     shown < choice.variations.size() ? ", …" : "");
}

std::string_view chosen_words(const ScorerChoice& choice) {
  if (choice.scorer.empty()) return "nothing is expected";
  return choice.declared ? "declared" : "by the form of expected_output";
}

}  // namespace

std::string words_of(const Scorer& scorer, const Json* expected) {
  std::string words(to_string(scorer.name));
  switch (scorer.name) {
    case ScorerName::records:
    case ScorerName::ranking: {
      const auto rows = expected != nullptr ? read_rows(*expected, scorer.rule) : std::nullopt;
      const std::string key = rows ? rows->field : scorer.rule.key;
      if (!key.empty()) words += fmt::format(" by `{}`", key);
      return words + (scorer.name == ScorerName::records ? ", every expected field, order not looked at"
                                                         : ", order alone, other fields not looked at");
    }
    case ScorerName::number:
      if (!scorer.rule.key.empty()) words += fmt::format(" in `{}`", scorer.rule.key);
      words += fmt::format(", tolerance {}", number_text(scorer.tolerance));
      if (scorer.cutoff) words += fmt::format(", cutoff {}", number_text(*scorer.cutoff));
      return words;
    case ScorerName::rubric:
      return words + fmt::format(", {} criteria: {}", scorer.criteria.size(),
                                 shorten(join(scorer.criteria, "; "), kShownCriteria));
    case ScorerName::command:
      return words + (scorer.command.empty() ? "" : " " + scorer.command.front());
    case ScorerName::exact:
    case ScorerName::schema:
      return words;
  }
  return words;
}

std::vector<ScorerChoice> scorer_choices(const TaskFile& task) {
  std::vector<ScorerChoice> choices;
  for (std::size_t i = 0; i < task.variations.size(); ++i) {
    const auto& expected = task.variations[i].expected_output;
    const auto scorer = task.scorer_for(task.variations[i]);
    std::string words = scorer ? words_of(*scorer, expected ? &*expected : nullptr) : std::string();
    const auto known = std::ranges::find(choices, words, &ScorerChoice::scorer);
    if (known != choices.end()) {
      known->variations.push_back(i);
    } else {
      choices.push_back({{i}, std::move(words), scorer && !scorer->by_form});
    }
  }
  return choices;
}

std::string sentence_of(const ScorerChoice& choice, const std::string& task, std::size_t variations) {
  const std::string which =
      choice.variations.size() == variations ? "" : ", variations " + variation_words(choice, variations);
  return fmt::format("{}{}: {} ({})", task, which,
                     choice.scorer.empty() ? "no score" : "scored by " + choice.scorer, chosen_words(choice));
}

Table scorer_table() {
  return {"scorers", "How answers are scored", {"task", "variations", "scorer", "chosen"}, {}, false, "", ""};
}

void add_scorers(Table& table, const std::string& task, const TaskFile& file) {
  for (const ScorerChoice& choice : scorer_choices(file)) {
    const std::string scorer = choice.scorer.empty() ? "none" : choice.scorer;
    table.rows.push_back({boost::json::string(task),
                          boost::json::string(variation_words(choice, file.variations.size())),
                          boost::json::string(scorer), boost::json::string(chosen_words(choice))});
  }
}

void add_scorer_prints(const BenchmarkPlan& plan, std::map<std::string, std::string>& prints,
                       std::vector<ConfigProblem>& problems) {
  for (const BenchmarkTask& one : plan.tasks) {
    if (!one.task.scorer || one.task.scorer->name != ScorerName::command) continue;
    auto print = program_fingerprint(one.task.scorer->command);
    if (!print) {
      problems.push_back({one.file, "scorer.command", print.error().text()});
    } else if (!print->empty()) {
      prints.emplace(fmt::format("scorers/{}/program/files", one.name), std::move(*print));
    }
  }
}

}  // namespace assay::benchmark
