#include "evaluations/components/guides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluations/components/rag_figures.h"
#include "evaluations/components/rag_metrics.h"

namespace assay::components {
namespace {

std::string meaning_of(const DataField& field) {
  if (field.other_names.empty()) return field.meaning;
  return fmt::format("{}{}also read as {}", field.meaning, field.meaning.empty() ? "" : "; ",
                     fmt::join(field.other_names, ", "));
}

EvaluationGuide guide_of(const std::vector<DataField>& input, const std::vector<DataField>& actual,
                         std::vector<std::string> figures) {
  EvaluationGuide guide{"input_path: a record a case",
                        {{"id", "text or a whole number", "optional", "names the case; by default its line"}},
                        std::move(figures)};
  for (const DataField& field : input) {
    guide.fields.push_back({field.name, std::string(type_words(field)),
                            field.presence == Presence::required ? "required" : "optional",
                            meaning_of(field)});
  }
  for (const DataField& field : actual) {
    guide.fields.push_back(
        {field.name, std::string(type_words(field)),
         field.presence == Presence::required ? "required, unless generate: true" : "optional",
         meaning_of(field)});
  }
  return guide;
}

EvaluationGuide guide_of(ComponentTask task) {
  return guide_of(task.input, task.actual, std::move(task.metrics));
}

EvaluationGuide rag_guide() {
  std::vector<std::string> figures;
  for (const RagMetricKind& kind : rag_metric_kinds()) {
    for (const char* part : kRagFigures) figures.push_back(fmt::format("{}.{}", kind.name, part));
  }
  return guide_of(rag_input_fields(), rag_actual_fields(), std::move(figures));
}

}  // namespace

EvaluationGuide guide_to(std::string_view evaluation) {
  if (evaluation == "jailbreak_guardrails") return guide_of(jailbreak_guardrails_task());
  if (evaluation == "output_guardrails") return guide_of(output_guardrails_task());
  if (evaluation == "question_router") return guide_of(question_router_task());
  if (evaluation == "rag_answers") return rag_guide();
  if (evaluation == "retrieval") return guide_of(retrieval_task());
  if (evaluation == "topic_tagger") return guide_of(topic_tagger_task());
  return {};
}

}  // namespace assay::components
