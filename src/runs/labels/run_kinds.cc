#include "runs/labels/run_kinds.h"

#include <algorithm>
#include <array>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay::labels {
namespace {

// Classifiers whose data say which class is right: a person who gives the class anew checks the data.
struct Classifier {
  std::string_view evaluation;
  std::string_view figure;
  std::string_view expected;  // fields of a line: its class by the data, and by the system
  std::string_view actual;
};
constexpr std::array<Classifier, 4> kClassifiers = {{
    {"question_router", "accuracy", "expected_outcome", "actual_outcome"},
    {"jailbreak_guardrails", "accuracy", "expected_outcome", "actual_outcome"},
    {"output_guardrails", "any_triggered.accuracy", "expected_triggered", "actual_triggered"},
    {"topic_tagger", "matched_true_primary_with_primary", "expected_primary_topic", "actual_primary_topic"},
}};

// Evaluations whose figures follow from the data alone: what is asked of the system, and what it gave.
struct Counted {
  std::string_view evaluation;
  std::array<std::string_view, 2> input;
  std::array<std::string_view, 2> given;
};
constexpr std::array<Counted, 5> kCounted = {{
    {"question_router", {"question"}, {"actual_outcome"}},
    {"jailbreak_guardrails", {"question"}, {"actual_outcome"}},
    {"output_guardrails", {"message", "question"}, {"actual_triggered", "actual_guardrails"}},
    {"topic_tagger", {"question"}, {"actual_primary_topic", "actual_secondary_topic"}},
    {"retrieval", {"question"}, {"actual_search_results", "actual_chunk_uids_exact_paths_and_scores"}},
}};
// Metrics of the custom evaluation that somebody is asked about, as their entries name them.
constexpr std::array<std::string_view, 4> kAsked = {"rubric", "criteria", "judge", "rag"};

const Classifier* classifier_of(std::string_view evaluation) {
  const auto* found = std::ranges::find(kClassifiers, evaluation, &Classifier::evaluation);
  return found == kClassifiers.end() ? nullptr : found;
}

const Json* config_at(const JudgedRun& run, std::string_view key) {
  const auto found = run.scores.config.find(key);
  return found == run.scores.config.end() ? nullptr : &found->value();
}

bool has_score(const JudgedRun& run, const std::string& figure) {
  return std::ranges::find(run.scores.figures, figure) != run.scores.figures.end();
}

// "METRIC.WORD.VARIANT", without the last part where the run has no variants.
std::string custom_figure(const std::string& metric, std::string_view word, const std::string& variant) {
  return variant.empty() ? fmt::format("{}.{}", metric, word)
                         : fmt::format("{}.{}.{}", metric, word, variant);
}

std::vector<std::string> answering(const JudgedRun& run) {
  return run.variants.empty() ? std::vector<std::string>{""} : run.variants;
}

// The name of the first metric that compares two answers; "" if none does.
std::string pairwise_metric(const JudgedRun& run) {
  for (const Json& entry : metrics_of(run)) {
    if (find_member(entry, "pairwise") != nullptr) return text_at(entry, "name");
  }
  return "";
}

// The variant that the others are held against.
std::string baseline_of(const JudgedRun& run) {
  if (run.evaluation == kCustom) {
    const Json* baseline = config_at(run, "baseline");
    const std::string named = baseline == nullptr ? "" : text_or_json(*baseline);
    // As the evaluation has it: the first, where none is named.
    return named.empty() && run.variants.size() > 1 ? run.variants.front() : named;
  }
  // The control is the condition that no win rate is told of.
  for (const std::string& name : run.variants) {
    if (!has_score(run, "win_rate." + name)) return name;
  }
  return "";
}

std::optional<Interval> range_of(const JudgedRun& run, const std::string& figure) {
  const auto metric = std::ranges::find(run.scores.summary.metrics, figure, &Metric::name);
  if (metric == run.scores.summary.metrics.end()) return std::nullopt;
  if (metric->range) return metric->range;
  if (metric->form == Metric::Form::count) return std::nullopt;
  return Interval{0, 1};  // the usual one is not written
}

bool scores_are_yes_or_no(const JudgedRun& run, const std::string& figure) {
  const auto at = std::ranges::find(run.scores.figures, figure) - run.scores.figures.begin();
  const auto position = static_cast<std::size_t>(at);
  return std::ranges::all_of(run.scores.cases, [&](const ScoredCase& one) {
    if (position >= one.scores.size() || !one.scores[position]) return true;
    return *one.scores[position] == 0 || *one.scores[position] == 1;
  });
}

void add_custom_figures(const JudgedRun& run, std::vector<JudgedFigure>& figures) {
  for (const Json& entry : metrics_of(run)) {
    const bool asked = std::ranges::any_of(
        kAsked, [&](std::string_view kind) { return find_member(entry, kind) != nullptr; });
    if (!asked) continue;
    const std::string metric = text_at(entry, "name");
    for (const std::string& variant : answering(run)) {
      for (const char* word : {"mean", "rate"}) {
        const std::string figure = custom_figure(metric, word, variant);
        const auto range = range_of(run, figure);
        if (!has_score(run, figure) || !range) continue;
        figures.push_back({figure, *range, std::string_view(word) == "rate", variant});
        break;  // a score says more than whether it passes
      }
    }
  }
}

}  // namespace

const JsonArray& metrics_of(const JudgedRun& run) {
  static const JsonArray kNone;
  const Json* metrics = config_at(run, "metrics");
  return metrics == nullptr || !metrics->is_array() ? kNone : metrics->get_array();
}

const Json* metric_of(const JudgedRun& run, std::string_view figure) {
  const Json* found = nullptr;
  std::size_t longest = 0;
  for (const Json& entry : metrics_of(run)) {
    const std::string name = text_at(entry, "name");
    if (name.size() < longest || !figure.starts_with(name + ".")) continue;
    found = &entry;
    longest = name.size();
  }
  return found;
}

bool is_of_file(std::string_view evaluation, const JsonObject& config) {
  return (evaluation == kBenchmark || evaluation == kExperiment) && config.contains("answers");
}

void note_variants(const Json& line, std::vector<std::string>& variants) {
  for (const Json& answer : list_at(line, "answers")) {
    std::string name = text_at(answer, "variant");
    if (!name.empty() && std::ranges::find(variants, name) == variants.end())
      variants.push_back(std::move(name));
  }
}

std::vector<std::string> conditions_of(const JudgedRun& run) {
  std::vector<std::string> names;
  const Json* conditions = config_at(run, "conditions");
  if (run.evaluation != kExperiment || conditions == nullptr || !conditions->is_array()) return names;
  if (is_of_file(run.evaluation, run.scores.config)) return names;
  for (const Json& condition : conditions->get_array()) names.push_back(text_at(condition, "name"));
  return names;
}

std::vector<JudgedPair> pairs_of(const JudgedRun& run) {
  std::vector<JudgedPair> pairs;
  const std::string baseline = baseline_of(run);
  const std::string metric = run.evaluation == kCustom ? pairwise_metric(run) : std::string();
  const auto add = [&](const std::string& first, const std::string& second) {
    JudgedPair pair{first, second};
    const std::string figure =
        run.evaluation == kExperiment ? "win_rate." + first : custom_figure(metric, "win_rate", first);
    if (second == baseline && has_score(run, figure)) pair.figure = figure;
    pairs.push_back(std::move(pair));
  };
  for (const std::string& name : run.variants) {
    if (name != baseline && !baseline.empty()) add(name, baseline);
  }
  for (std::size_t i = 0; i < run.variants.size(); ++i) {
    for (std::size_t j = i + 1; j < run.variants.size(); ++j) {
      if (run.variants[i] != baseline && run.variants[j] != baseline) add(run.variants[j], run.variants[i]);
    }
  }
  return pairs;
}

bool needs_key(const JudgedRun& run, std::string_view figure) {
  return run.evaluation == "guidelines" &&
         (figure == "accuracy_per_conversation" || figure == "exact_set_rate");
}

std::vector<JudgedFigure> figures_of(const JudgedRun& run) {
  std::vector<JudgedFigure> figures;
  if (run.evaluation == kCustom) {
    add_custom_figures(run, figures);
    return figures;
  }
  if (classified_fields(run.evaluation, Classes::shown)) return figures;
  for (const std::string& name : run.scores.figures) {
    const auto range = range_of(run, name);
    // A score says more than whether it passes.
    const std::size_t passes = name.rfind(".pass_rate");
    const bool told = passes != std::string::npos && has_score(run, name.substr(0, passes) + ".mean");
    if (!range || told || name.starts_with("win_rate.") || needs_key(run, name)) continue;
    JudgedFigure figure{.name = name, .range = *range, .yes_no = false};
    figure.yes_no = range->low == 0 && range->high == 1 && scores_are_yes_or_no(run, name);
    for (const std::string& variant : run.variants) {
      if (name.contains("." + variant + ".") || name.ends_with("." + variant)) figure.variant = variant;
    }
    // A figure of an experiment that is about no condition in particular has no answer to show.
    const bool of_condition = run.evaluation == kExperiment && !is_of_file(run.evaluation, run.scores.config);
    if (of_condition && figure.variant.empty()) continue;
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::vector<JudgedClasses> classes_of(const JudgedRun& run) {
  std::vector<JudgedClasses> classes;
  if (const Classifier* classifier = classifier_of(run.evaluation)) {
    if (has_score(run, std::string(classifier->figure)))
      classes.push_back({.figure = std::string(classifier->figure)});
    return classes;
  }
  if (run.evaluation != kCustom) return classes;
  for (const Json& entry : metrics_of(run)) {
    if (find_member(entry, "label") == nullptr) continue;
    for (const std::string& variant : answering(run)) {
      const std::string figure = custom_figure(text_at(entry, "name"), "accuracy", variant);
      if (has_score(run, figure)) classes.push_back({.figure = figure, .variant = variant});
    }
  }
  return classes;
}

void note_classes(std::string_view evaluation, const Json& line, std::vector<JudgedClasses>& classes) {
  const std::string id = text_at(line, "id");
  const auto note = [&](JudgedClasses& of, std::string judge, std::string right) {
    for (const std::string& label : {judge, right}) {
      if (!label.empty()) of.labels.push_back(label);
    }
    if (!right.empty()) of.cases[id] = {std::move(judge), std::move(right)};
  };
  if (const Classifier* classifier = classifier_of(evaluation)) {
    const Json* expected = find_member(line, classifier->expected);
    const Json* actual = find_member(line, classifier->actual);
    if (expected == nullptr || actual == nullptr || expected->is_null() || actual->is_null()) return;
    note(classes.front(), text_or_json(*expected), text_or_json(*actual));
    return;
  }
  for (const Json& answer : list_at(line, "answers")) {
    for (JudgedClasses& one : classes) {
      // Of several answers of a variant the first is shown.
      if (text_at(answer, "variant") != one.variant || one.cases.contains(id)) continue;
      const std::string metric = one.figure.substr(0, one.figure.find(".accuracy"));
      for (const Json& mark : list_at(answer, "metrics")) {
        if (text_at(mark, "name") == metric) note(one, text_at(mark, "label"), text_at(mark, "expected"));
      }
    }
  }
}

void finish_classes(std::vector<JudgedClasses>& classes) {
  for (JudgedClasses& one : classes) {
    const std::set<std::string> labels(one.labels.begin(), one.labels.end());
    one.labels.assign(labels.begin(), labels.end());
  }
}

std::optional<std::vector<std::string>> classified_fields(std::string_view evaluation, Classes classes) {
  const auto* found = std::ranges::find(kCounted, evaluation, &Counted::evaluation);
  if (found == kCounted.end()) return std::nullopt;
  std::vector<std::string> fields;
  const auto add = [&fields](std::string_view name) {
    if (!name.empty()) fields.emplace_back(name);
  };
  std::ranges::for_each(found->input, add);
  if (classes == Classes::shown) std::ranges::for_each(found->given, add);
  return fields;
}

}  // namespace assay::labels
