// A judged answer as a reader looks at it: the question, both answers, every verdict beside the very words
// that it is about, the facts that were held against each other, and the contexts as the judge read them.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/components/rag_record.h"
#include "report/summary.h"

namespace assay::components {

// What one judgement was made of: "1. no: The fee is 50 pounds. (The contexts say 80.)" for each verdict, TP,
// FP and FN with their facts, or the rubric's level and reason. Empty if it holds none of these.
std::string judged_words(const JudgedRun& run);

// Without what is empty; judgements that read the same stand there once. `fields` are those of the case.
std::vector<std::pair<std::string, std::string>> judged_material(const Json& fields,
                                                                 const std::vector<std::string>& contexts,
                                                                 const RagRecord& record);

}  // namespace assay::components
