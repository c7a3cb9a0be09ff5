#include "runs/labels/judge_view.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/config/config.h"
#include "evaluations/components/rag_metrics.h"
#include "evaluations/fill.h"
#include "runs/labels/run_kinds.h"

namespace assay::labels {
namespace {

constexpr std::string_view kRagAnswers = "rag_answers";
constexpr std::string_view kOutput = "output";

JudgeView rag_answers_view(std::string_view figure) {
  constexpr components::RagSight kAll{true, true, true, true};
  const auto* kind = components::rag_metric_kind(figure.substr(0, figure.find('.')));
  return {.fields = (kind == nullptr ? kAll : kind->sees).fields()};
}

// What `of` names, without the braces that a field may stand in; "" for the output.
std::string subject_of(const Json& entry) {
  std::string of = text_at(entry, "of");
  if (of.size() > 2 && of.front() == '{' && of.back() == '}') of = of.substr(1, of.size() - 2);
  return of == kOutput ? std::string() : of;
}

// With what the question itself is filled from; everything, where the metric does not say what it shows.
std::optional<std::vector<std::string>> shown_by(const Json& entry, const std::vector<std::string>& filled) {
  const Json* shows = find_member(entry, "shows");
  if (shows == nullptr || !shows->is_array()) return std::nullopt;
  std::vector<std::string> names;
  for (const Json& name : shows->get_array()) names.push_back(text_or_json(name));
  names.insert(names.end(), filled.begin(), filled.end());
  return names;
}

// A prompt of the user's holds what it names, and no more.
Result<JudgeView> prompt_view(const Json& prompt) {
  auto text = Config().given_text(prompt);
  if (!text) return fail(std::move(text.error()));
  return JudgeView{.fields = placeholders_in(*text)};
}

// `{field}`s of the material; where the metric names none, a field with one of its usual names.
JudgeView rag_view(const JudgedRun& run, const Json& entry, const components::RagSight& sees) {
  JudgeView view{.fields = std::vector<std::string>{}, .answer = sees.answer};
  const auto add = [&](bool seen, const char* place, std::initializer_list<const char*> usual) {
    if (!seen) return;
    std::vector<std::string> named = placeholders_in(text_at(entry, place));
    for (const char* name : usual) {
      if (named.empty() && run.fields.contains(name)) named.emplace_back(name);
    }
    view.fields->insert(view.fields->end(), named.begin(), named.end());
  };
  add(sees.question, "question", {"question", "input", "query"});
  add(sees.ideal_answer, "reference", {"reference", "ideal_answer", "expected"});
  add(sees.contexts, "contexts", {});
  if (sees.contexts && text_at(entry, "contexts").empty()) view.fields->emplace_back("contexts");
  return view;
}

Result<JudgeView> custom_view(const JudgedRun& run, std::string_view figure) {
  const Json* entry = metric_of(run, figure);
  if (entry == nullptr) return JudgeView{};
  JudgeView view;
  if (const Json* judge = find_member(*entry, "judge")) {
    const Json* prompt = find_member(*judge, "prompt");
    auto read = prompt_view(prompt == nullptr ? Json("") : *prompt);
    if (!read) return read;
    view = std::move(*read);
  } else if (const Json* label = find_member(*entry, "label");
             label != nullptr && find_member(*label, "judge") != nullptr) {
    auto read = prompt_view(*find_member(*label, "judge"));
    if (!read) return read;
    view = std::move(*read);
  } else if (const auto* rag = components::rag_metric_kind(text_at(*entry, "rag"))) {
    view = rag_view(run, *entry, rag->sees);
  } else if (const Json* pairwise = find_member(*entry, "pairwise")) {
    // The answers are shown as A and B.
    view.fields = shown_by(*entry, placeholders_in(text_at(*pairwise, "rubric")));
  } else {
    std::vector<std::string> filled = placeholders_in(text_at(*entry, "rubric"));
    for (const Json& criterion : list_at(*entry, "criteria")) {
      for (std::string& name : placeholders_in(text_or_json(criterion))) filled.push_back(std::move(name));
    }
    view.fields = shown_by(*entry, filled);
    view.answer = view.shows(kOutput);
  }
  view.of = subject_of(*entry);
  return view;
}

}  // namespace

bool JudgeView::shows(std::string_view field) const {
  return !fields || std::ranges::find(*fields, field) != fields->end();
}

Result<JudgeView> judge_view(const JudgedRun& run, std::string_view figure, Classes classes) {
  if (run.evaluation == kCustom) return custom_view(run, figure);
  if (run.evaluation == kRagAnswers) return rag_answers_view(figure);
  // Who rates an answer of an experiment does not see the one that it is compared with.
  if (run.evaluation == kExperiment && !figure.empty() && is_of_file(run.evaluation, run.scores.config))
    return JudgeView{.fields = {{"query", "answer"}}};
  return JudgeView{.fields = classified_fields(run.evaluation, classes)};
}

}  // namespace assay::labels
