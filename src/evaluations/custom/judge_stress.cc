#include "evaluations/custom/judge_stress.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/components/rag_contexts.h"
#include "evaluations/custom/case_record.h"
#include "evaluations/custom/figures/measures.h"
#include "evaluations/custom/lines.h"
#include "evaluations/fill.h"
#include "evaluations/stress/demands.h"
#include "evaluations/stress/rag.h"

namespace assay::custom {
namespace {

using stress::ChangedTexts;
using stress::JudgedFigure;
using stress::JudgedTexts;
using stress::WrittenCase;

// Fields that hold what an answer should say, where the config marks none as an answer key.
constexpr std::array<std::string_view, 6> kUsualReferences = {
    "reference", "ideal_answer", "expected", "expected_answer", "gold", "gold_answer"};
constexpr std::string_view kChecks = "checks";

// A metric as the config declares it; null for a check of a single case.
const Json* entry_of(const Plan& plan, const MetricRule& rule) {
  const Json* list = plan.config.find("metrics");
  if (list == nullptr || !list->is_array()) return nullptr;
  for (std::size_t i = 0; i < list->get_array().size(); ++i) {
    if (rule.key == fmt::format("metrics[{}]", i)) return &list->get_array()[i];
  }
  return nullptr;
}

// Asked of a judge: not of a program, a service or an embedding.
bool is_judged(const Plan& plan, const MetricRule& rule) {
  const Json* entry = rule.asked ? entry_of(plan, rule) : nullptr;
  if (entry == nullptr) return false;
  for (const std::string_view kind : {"rubric", "criteria", "judge", "rag", "pairwise"}) {
    if (find_member(*entry, kind) != nullptr) return true;
  }
  const Json* label = find_member(*entry, "label");
  return label != nullptr && find_member(*label, "judge") != nullptr && !rule.expected.empty();
}

// What a metric asks of an output, in words. A prompt of the user's own is none: it is full of orders to the
// judge itself.
std::vector<std::string> demands_of(const Json& entry) {
  std::vector<std::string> demands;
  if (std::string rubric = text_at(entry, "rubric"); !rubric.empty()) demands.push_back(std::move(rubric));
  for (const Json& criterion : list_at(entry, "criteria")) demands.push_back(text_or_json(criterion));
  if (const Json* pairwise = find_member(entry, "pairwise"))
    demands.push_back(pairwise->is_object() ? text_at(*pairwise, "rubric") : text_or_json(*pairwise));
  return demands;
}

std::vector<std::string> shown_to(const Plan& plan, const Json& entry) {
  std::vector<std::string> shown;
  const Json* shows = find_member(entry, "shows");
  if (shows == nullptr || !shows->is_array()) return plan.fields;
  for (const Json& name : shows->get_array()) shown.push_back(text_or_json(name));
  return shown;
}

class CustomStressing final : public stress::Stressing {
 public:
  explicit CustomStressing(const Plan& plan) : plan_(plan) {
    for (const MetricRule& rule : plan.metrics) {
      pairs_ = pairs_ || (rule.shape.value == MetricShape::Value::pair && is_judged(plan, rule));
    }
    pairs_ = pairs_ && plan.design.baseline;
    // Of pairs the answer that is not the baseline's is changed; the baseline's stays.
    if (pairs_ && *plan.design.baseline == 0) variant_ = 1;
  }

  std::vector<JudgedFigure> figures() const override {
    std::vector<JudgedFigure> figures;
    const Measures measures(plan_.design);
    for (const Measure& measure : measures.list()) {
      if (!measure.metric || !measure.scored || measure.variant != variant_) continue;
      const MetricRule& rule = plan_.metrics[*measure.metric];
      if (!is_judged(plan_, rule) || !is_own_score(measure, rule.shape)) continue;
      figures.push_back(figure_of(rule, measure));
    }
    return figures;
  }

  std::string lacking() const override {
    for (const std::size_t variant : variants()) {
      if (plan_.asks_variant(variant))
        return fmt::format("the variant {} would be asked for its answers", plan_.variants[variant].name);
    }
    return "";
  }

  std::optional<JudgedTexts> texts(const Case& input) const override {
    const CaseTree tree(input);
    const JsonObject* fields = tree->if_object();
    if (fields == nullptr) return std::nullopt;
    for (const std::size_t variant : variants()) {
      if (!plan_.given_answer(*fields, input.id, variant, 1).reply) return std::nullopt;
    }
    const Answered answer = plan_.given_answer(*fields, input.id, variant_, 1);
    const auto output = as_text(answer.reply->output);
    if (!output || trim(*output).empty()) return std::nullopt;
    JudgedTexts texts{.answer = std::string(*output)};
    const Json& contexts = answer.reply->contexts;
    if (contexts.is_array()) texts.contexts = contexts.get_array();
    if (!contexts.is_null() && components::check_contexts(contexts).empty())
      texts.sources = join(components::context_texts(contexts), "\n");
    for (const std::string& name : references()) {
      const Json* value = fields->if_contains(name);
      if (value != nullptr && !value->is_null()) texts.reference += text_or_json(*value) + "\n";
    }
    return texts;
  }

  // One changed output is shown to all metrics, so what one of them is about is not changed for any.
  bool tries(const Case& input, const stress::Change& change) const override {
    const CaseTree tree(input);
    const JsonObject* fields = tree->if_object();
    std::vector<std::string> demands;
    for (const MetricRule& rule : plan_.metrics) {
      if (fields == nullptr || !is_judged(plan_, rule)) continue;
      for (const std::string& demand : demands_of(*entry_of(plan_, rule)))
        demands.push_back(fill_fields(demand, *fields));
    }
    return !stress::is_demanded(change, demands);
  }

  WrittenCase written(const Case& input, const std::string& id, const ChangedTexts& texts) const override {
    const CaseTree tree(input);
    WrittenCase written{tree->get_object()};
    written.line["id"] = id;
    written.line.erase(kChecks);
    if (written.line.contains("output")) written.line["output"] = texts.answer;
    // A row of outputs.jsonl is known by more than its id.
    const std::string known_as = plan_.lines.id(written.line);
    for (const std::size_t variant : variants()) {
      Answered answer = plan_.given_answer(tree->get_object(), input.id, variant, 1);
      if (variant == variant_ && answer.reply) {
        answer.reply->output = texts.answer;
        if (!texts.contexts.empty()) answer.reply->contexts = texts.contexts;
      }
      JsonObject row{{"id", known_as}};
      for (auto& [name, value] : output_line(answer, plan_.variants[variant].name, 1)) row[name] = value;
      written.outputs.push_back(std::move(row));
    }
    return written;
  }

  std::optional<double> seat(const JudgedFigure& figure, const ResultLine& line) const override {
    if (!line.has_facts()) return std::nullopt;
    const auto& facts = line.facts<LineFacts>();
    for (std::size_t i = 0; i < plan_.metrics.size(); ++i) {
      if (plan_.metrics[i].shape.name != figure.metric || variant_ >= facts.answers.size()) continue;
      const auto& answers = facts.answers[variant_];
      if (answers.empty() || i >= answers.front().marks.size()) return std::nullopt;
      const Mark& mark = answers.front().marks[i];
      if (mark.given() && mark.votes.size() == 2) return (mark.votes[0] - mark.votes[1]) / 2;
    }
    return std::nullopt;
  }

  Status derive(JsonObject& config, const std::vector<std::string>& metrics) const override {
    std::vector<std::string> judged;
    for (const JudgedFigure& figure : figures()) judged.push_back(figure.metric);
    for (const std::string& name : metrics) {
      if (std::ranges::find(judged, name) != judged.end()) continue;
      const auto guess = nearest(name, judged);
      return fail(ErrorKind::usage,
                  guess ? fmt::format("no judged metric {}; did you mean {}?", name, *guess)
                        : fmt::format("no judged metric {}; there are {}", name, join(judged, ", ")));
    }
    JsonArray kept;
    bool pairs = false;
    for (const MetricRule& rule : plan_.metrics) {
      const bool wanted = metrics.empty() ? std::ranges::find(judged, rule.shape.name) != judged.end()
                                          : std::ranges::find(metrics, rule.shape.name) != metrics.end();
      if (!wanted) continue;
      kept.push_back(*entry_of(plan_, rule));
      pairs = pairs || rule.shape.value == MetricShape::Value::pair;
    }
    config["metrics"] = std::move(kept);
    for (const char* key : {"case_passes", "slices", "baseline"}) config.erase(key);
    config["repeat"] = 1;
    if (!plan_.design.has_variants()) return {};
    JsonArray names;
    for (const std::size_t variant : variants()) {
      const bool needed = pairs || variant == variant_;
      if (needed) names.emplace_back(plan_.variants[variant].name);
    }
    config["variant"] = std::move(names);
    if (pairs) config["baseline"] = plan_.variants[*plan_.design.baseline].name;
    return {};
  }

 private:
  std::vector<std::size_t> variants() const {
    std::vector<std::size_t> list{variant_};
    if (pairs_) list.push_back(*plan_.design.baseline);
    return list;
  }

  std::vector<std::string> references() const {
    std::vector<std::string> names;
    for (const std::string& name : plan_.answer_keys) {
      if (name != kChecks) names.push_back(name);
    }
    if (!names.empty()) return names;
    for (const std::string_view name : kUsualReferences) {
      if (std::ranges::find(plan_.fields, name) != plan_.fields.end()) names.emplace_back(name);
    }
    return names;
  }

  static bool is_own_score(const Measure& measure, const MetricShape& shape) {
    switch (shape.value) {
      case MetricShape::Value::yes_no:
        return measure.reading == Reading::passes;
      case MetricShape::Value::score:
        return measure.reading == Reading::score;
      case MetricShape::Value::label:
        return measure.reading == Reading::right_label;
      case MetricShape::Value::pair:
        return measure.reading == Reading::win;
    }
    return false;
  }

  JudgedFigure figure_of(const MetricRule& rule, const Measure& measure) const {
    const Json& entry = *entry_of(plan_, rule);
    JudgedFigure figure{.metric = rule.shape.name};
    if (const std::string rag = text_at(entry, "rag"); !rag.empty()) {
      figure = stress::rag_judged_figure(rag).value_or(figure);
      figure.metric = rule.shape.name;
    } else {
      const auto shown = shown_to(plan_, entry);
      const auto is_shown = [&](std::string_view name) {
        return std::ranges::find(shown, name) != shown.end();
      };
      figure.sees_contexts = is_shown("contexts");
      // A judge that is shown what the answer should say is to see that it says something else.
      if (std::ranges::any_of(references(), is_shown)) figure.faults = {"figure", "negation"};
    }
    figure.counts_statements = figure.counts_statements || stress::asks_for_truth(demands_of(entry));
    figure.name = measure.name;
    figure.range = measure.range.value_or(Interval{0, 1});
    figure.lower_is_better = rule.shape.lower_is_better;
    if (const Json* pairwise = find_member(entry, "pairwise")) {
      const Json* swap = find_member(*pairwise, "swap");
      figure.both_orders = swap == nullptr || as_boolean(*swap).value_or(true);
    }
    return figure;
  }

  const Plan& plan_;
  std::size_t variant_ = 0;
  bool pairs_ = false;
};

}  // namespace

std::unique_ptr<stress::Stressing> judge_stressing(const Plan& plan) {
  return std::make_unique<CustomStressing>(plan);
}

}  // namespace assay::custom
