#include "runs/labels/run_kinds.h"

#include <algorithm>
#include <array>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::labels {
namespace {

// Classifiers whose data say which class is right: a person who gives the class anew checks the data.
struct Classifier {
  std::string_view evaluation;
  std::string_view figure;
  std::string_view input;  // fields of a line: what is classified, its class by the data, and by the system
  std::string_view expected;
  std::string_view actual;
};
constexpr std::array<Classifier, 4> kClassifiers = {{
    {"question_router", "accuracy", "question", "expected_outcome", "actual_outcome"},
    {"jailbreak_guardrails", "accuracy", "question", "expected_outcome", "actual_outcome"},
    {"output_guardrails", "any_triggered.accuracy", "message", "expected_triggered", "actual_triggered"},
    {"topic_tagger", "matched_true_primary_with_primary", "question", "expected_primary_topic",
     "actual_primary_topic"},
}};

// Evaluations whose figures follow from the data alone.
constexpr std::array<std::string_view, 5> kCounted = {"question_router", "jailbreak_guardrails",
                                                      "output_guardrails", "topic_tagger", "retrieval"};
// Metrics of the custom evaluation that somebody is asked about, as their entries name them.
constexpr std::array<std::string_view, 3> kAsked = {"rubric", "judge", "rag"};

const Classifier* classifier_of(std::string_view evaluation) {
  const auto* found = std::ranges::find(kClassifiers, evaluation, &Classifier::evaluation);
  return found == kClassifiers.end() ? nullptr : found;
}

const Json* config_at(const JudgedRun& run, std::string_view key) {
  const auto found = run.scores.config.find(key);
  return found == run.scores.config.end() ? nullptr : &found->value();
}

// A question that stands for itself; one with fields of the case in it does not.
std::string plain_question(const std::string& text) {
  return text.contains('{') ? std::string() : text;
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

std::string pairwise_question(const JudgedRun& run, std::string& metric) {
  const Json* metrics = config_at(run, "metrics");
  if (metrics == nullptr || !metrics->is_array()) return "";
  for (const Json& entry : metrics->get_array()) {
    const Json* pairwise = find_member(entry, "pairwise");
    if (pairwise == nullptr) continue;
    metric = text_at(entry, "name");
    return plain_question(text_at(*pairwise, "rubric"));
  }
  return "";
}

// The variant that the others are held against.
std::string baseline_of(const JudgedRun& run) {
  if (run.evaluation == kCustom) {
    const Json* baseline = config_at(run, "baseline");
    return baseline == nullptr ? "" : text_or_json(*baseline);
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
  const Json* metrics = config_at(run, "metrics");
  if (metrics == nullptr || !metrics->is_array()) return;
  for (const Json& entry : metrics->get_array()) {
    const bool asked = std::ranges::any_of(
        kAsked, [&](std::string_view kind) { return find_member(entry, kind) != nullptr; });
    if (!asked) continue;
    const std::string metric = text_at(entry, "name");
    const std::string question = plain_question(text_at(entry, "rubric"));
    for (const std::string& variant : answering(run)) {
      for (const char* word : {"mean", "rate"}) {
        const std::string figure = custom_figure(metric, word, variant);
        const auto range = range_of(run, figure);
        if (!has_score(run, figure) || !range) continue;
        figures.push_back({figure, *range, std::string_view(word) == "rate", variant, question});
        break;  // a score says more than whether it passes
      }
    }
  }
}

}  // namespace

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
  for (const Json& condition : conditions->get_array()) names.push_back(text_at(condition, "name"));
  return names;
}

std::vector<JudgedPair> pairs_of(const JudgedRun& run) {
  std::vector<JudgedPair> pairs;
  const std::string baseline = baseline_of(run);
  std::string metric;
  const std::string question = run.evaluation == kCustom ? pairwise_question(run, metric) : std::string();
  const auto add = [&](const std::string& first, const std::string& second) {
    JudgedPair pair{first, second, "", question};
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

std::vector<JudgedFigure> figures_of(const JudgedRun& run) {
  std::vector<JudgedFigure> figures;
  if (run.evaluation == kCustom) {
    add_custom_figures(run, figures);
    return figures;
  }
  if (std::ranges::find(kCounted, run.evaluation) != kCounted.end()) return figures;
  for (const std::string& name : run.scores.figures) {
    const auto range = range_of(run, name);
    // A score says more than whether it passes.
    const std::size_t passes = name.rfind(".pass_rate");
    const bool told = passes != std::string::npos && has_score(run, name.substr(0, passes) + ".mean");
    if (!range || told || name.starts_with("win_rate.")) continue;
    JudgedFigure figure{.name = name, .range = *range, .yes_no = false};
    figure.yes_no = range->low == 0 && range->high == 1 && scores_are_yes_or_no(run, name);
    for (const std::string& variant : run.variants) {
      if (name.contains("." + variant + ".") || name.ends_with("." + variant)) figure.variant = variant;
    }
    // A figure of an experiment that is about no condition in particular has no answer to show.
    if (run.evaluation == kExperiment && figure.variant.empty()) continue;
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
  const Json* metrics = run.evaluation == kCustom ? config_at(run, "metrics") : nullptr;
  if (metrics == nullptr || !metrics->is_array()) return classes;
  for (const Json& entry : metrics->get_array()) {
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

bool tells_class(std::string_view evaluation, std::string_view field) {
  const Classifier* classifier = classifier_of(evaluation);
  return classifier != nullptr && field != classifier->input;
}

}  // namespace assay::labels
