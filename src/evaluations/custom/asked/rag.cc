// The metrics of rag_answers on fields that the config names.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/components/rag_contexts.h"
#include "evaluations/components/rag_metrics.h"
#include "evaluations/custom/asked/judgement.h"
#include "evaluations/custom/asked/kinds.h"
#include "evaluations/fill.h"

namespace assay::custom {
namespace {

using components::MetricScore;
using components::RagCase;

// `{field}` of each part of the material.
struct RagPlaces {
  std::string question;
  std::string reference;
  std::string contexts;
};

class RagMeasure final : public AskedMetric {
 public:
  RagMeasure(RagPlaces places, bool about_question, std::string model,
             std::vector<std::shared_ptr<const components::FactClassifier>> kept,
             std::unique_ptr<components::RagMetric> metric)
      : places_(std::move(places)),
        about_question_(about_question),
        model_(std::move(model)),
        kept_(std::move(kept)),
        metric_(std::move(metric)) {}

  Task<Mark> mark(const CaseAnswer& answer, std::string step, CaseContext& context) const override {
    const auto rag_case = case_of(answer);
    if (!rag_case) co_return failed_mark(rag_case.error());
    components::RagRun run(context, std::move(step));
    MetricScore score = co_await metric_->judge(*rag_case, run);
    if (score.error) co_return failed_mark(*score.error);
    if (!score.score) co_return not_applicable_mark(score.not_applicable);
    Mark mark;
    mark.state = Mark::State::given;
    mark.score = *score.score;
    mark.reason = to_text(score.detail);
    co_return mark;
  }
  void estimate(const CaseAnswer& answer, CallEstimate& estimate) const override {
    const auto rag_case = case_of(answer);
    if (!rag_case) return;
    for (const ChatRequest& request : metric_->expected_requests(*rag_case))
      count_judgement(request, 1, estimate);
  }
  void look_at(const CaseAnswer& answer, MaterialFindings& found) const override {
    const auto contexts = filled(places_.contexts, metric_values(answer));
    const std::string field = join(placeholders_in(places_.contexts), ", ");
    if (!contexts || found.wrong.contains(field) || found.unread.contains(field)) return;
    if (std::string wrong = components::check_contexts(*contexts); !wrong.empty()) {
      found.wrong.emplace(field, std::move(wrong));
    } else {
      components::count_unread_keys(*contexts, found.unread[field]);
    }
  }
  std::vector<std::string> models() const override { return {model_}; }
  std::vector<std::string> placeholders() const override {
    return placeholders_in(places_.question + places_.reference + places_.contexts);
  }
  std::vector<std::string> required() const override {
    return about_question_ ? placeholders_in(places_.question) : std::vector<std::string>();
  }

 private:
  // Nothing if the case lacks one of the fields.
  static std::optional<Json> filled(const std::string& place, const JsonObject& values) {
    for (const std::string& name : placeholders_in(place)) {
      const Json* value = values.if_contains(name);
      if (value == nullptr || value->is_null()) return std::nullopt;
    }
    if (place.empty()) return std::nullopt;
    return fill_tree(boost::json::string(place), values);
  }

  Result<RagCase> case_of(const CaseAnswer& answer) const {
    const JsonObject values = metric_values(answer);
    RagCase rag_case;
    if (const auto question = filled(places_.question, values)) rag_case.question = text_or_json(*question);
    rag_case.answer = text_or_json(answer.reply.output);
    if (const auto reference = filled(places_.reference, values))
      rag_case.ideal_answer = text_or_json(*reference);
    if (const auto contexts = filled(places_.contexts, values)) {
      if (const std::string wrong = components::check_contexts(*contexts); !wrong.empty())
        return fail(ErrorKind::target, "contexts: " + wrong);
      rag_case.contexts = components::context_texts(*contexts);
    }
    return rag_case;
  }

  RagPlaces places_;
  bool about_question_;  // it holds something against the question
  std::string model_;
  std::vector<std::shared_ptr<const components::FactClassifier>> kept_;
  std::unique_ptr<components::RagMetric> metric_;
};

}  // namespace

std::unique_ptr<AskedMetric> make_rag(MetricParts parts) {
  const JudgedSettings settings = read_judged(parts);
  parts.shape.value = MetricShape::Value::score;
  parts.shape.votes = 1;
  const std::string name = parts.entry.text("rag");
  const auto& kinds = components::rag_metric_kinds();
  const auto kind = std::ranges::find(kinds, name, &components::RagMetricKind::name);
  if (kind == kinds.end()) {
    parts.wrong("rag", fmt::format("there is no metric {}", name));
    return nullptr;
  }
  parts.shape.lower_is_better = kind->lower_is_better;
  RagPlaces places{parts.entry.text("question"), parts.entry.text("reference"), parts.entry.text("contexts")};
  // What the fields are usually called, where the metric names none.
  const auto usual = [&parts](std::string& place, std::initializer_list<const char*> names) {
    for (const char* field : names) {
      if (place.empty() && std::ranges::find(parts.shown, field) != parts.shown.end())
        place = fmt::format("{{{}}}", field);
    }
  };
  usual(places.question, {"question", "input", "query"});
  usual(places.reference, {"reference", "ideal_answer", "expected"});
  if (places.contexts.empty()) places.contexts = "{contexts}";
  const bool about_question = name == "relevance" || name == "context_relevancy";
  if (about_question && places.question.empty() && parts.shown.size() > 1)
    parts.wrong("question",
                fmt::format("missing: {} is held against the question; say where it stands, as in "
                            "question: \"{{{}}}\"",
                            name, parts.shown.front()));
  std::vector<std::shared_ptr<const components::FactClassifier>> classifiers;
  auto metric = kind->make({parts.prompts, settings.judge, true, classifiers, parts.problems});
  return std::make_unique<RagMeasure>(std::move(places), about_question, settings.judge.model,
                                      std::move(classifiers), std::move(metric));
}

}  // namespace assay::custom
