// What help says of the component evaluations: the fields that they declare for reading their data, and their
// figures.
#pragma once

#include <string_view>
#include <vector>

#include "evaluations/components/component.h"
#include "evaluations/guide.h"

namespace assay::components {

ComponentTask jailbreak_guardrails_task();
ComponentTask output_guardrails_task();
ComponentTask question_router_task();
ComponentTask retrieval_task();  // with the usual cutoffs
ComponentTask topic_tagger_task();
std::vector<DataField> rag_input_fields();
std::vector<DataField> rag_actual_fields();

// Empty if there is no such component.
EvaluationGuide guide_to(std::string_view evaluation);

}  // namespace assay::components
