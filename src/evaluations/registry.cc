#include "evaluations/registry.h"

#include "evaluations/benchmark/benchmark.h"
#include "evaluations/common_keys.h"
#include "evaluations/components/component.h"
#include "evaluations/components/jailbreak_guardrails.h"
#include "evaluations/components/output_guardrails.h"
#include "evaluations/components/question_router.h"
#include "evaluations/components/rag_answers.h"
#include "evaluations/components/retrieval.h"
#include "evaluations/components/topic_tagger.h"
#include "evaluations/custom/custom.h"
#include "evaluations/experiment/experiment.h"
#include "evaluations/guidelines/guidelines.h"
#include "evaluations/persona/persona.h"

namespace assay {
namespace {

using namespace components;

constexpr EvaluationKind kKinds[] = {
    {"benchmark", "which system answers questions over data better: PromptQL, or a model with tools?",
     benchmark::benchmark_keys, benchmark::make_benchmark},
    {"custom", "whatever you declare: your fields, your variants, your checks, your rubric",
     custom::custom_keys, custom::make_custom},
    {"experiment", "which prompt condition gives better answers, judged blind?", experiment::experiment_keys,
     experiment::make_experiment, experiment::verify_experiment},
    {"guidelines", "has the agent carried out the action of each guideline in this conversation?",
     guidelines::guidelines_keys, guidelines::make_guidelines},
    {"jailbreak_guardrails", "does the guard tell jailbreak attempts from honest questions?", component_keys,
     make_jailbreak_guardrails},
    {"output_guardrails", "do the guardrails hold back the answers that they should, for the right reason?",
     component_keys, make_output_guardrails},
    {"persona", "would this persona agree with how the system classified this item?", persona::persona_keys,
     persona::make_persona},
    {"question_router", "is each question sent to the right place?", component_keys, make_question_router},
    {"rag_answers", "how good are the answers of a RAG system, judged by a model?", rag_answers_keys,
     make_rag_answers},
    {"retrieval", "does the search find what it should, and put it first?", retrieval_keys, make_retrieval},
    {"topic_tagger", "does each question get the right topics?", component_keys, make_topic_tagger},
};

}  // namespace

std::span<const EvaluationKind> evaluation_kinds() {
  return kKinds;
}

const EvaluationKind* find_evaluation(std::string_view name) {
  for (const EvaluationKind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

Keys all_keys(const EvaluationKind& kind) {
  Keys keys = common_keys();
  Keys own = kind.keys();
  // After `what`, where a reader of config.yaml looks for them.
  keys.insert(keys.begin() + 2, std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  return keys;
}

}  // namespace assay
