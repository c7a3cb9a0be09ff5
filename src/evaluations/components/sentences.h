// The deciding sentences of the component evaluations, each made of the final figures of its summary: what a
// reader should know if they read nothing else. A figure that is not there is not spoken of.
#pragma once

#include "report/summary.h"

namespace assay::components {

void conclude_jailbreak_guardrails(Summary& summary);
void conclude_output_guardrails(Summary& summary);
void conclude_question_router(Summary& summary);
void conclude_rag_answers(Summary& summary);
void conclude_retrieval(Summary& summary);
void conclude_topic_tagger(Summary& summary);

}  // namespace assay::components
