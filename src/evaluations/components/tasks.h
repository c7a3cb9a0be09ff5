// The component evaluations, for the registry.
#pragma once

#include <memory>
#include <vector>

#include "evaluations/evaluation.h"

namespace assay::components {

std::unique_ptr<Evaluation> make_jailbreak_guardrails(const Config& config,
                                                      std::vector<ConfigProblem>& problems);
std::unique_ptr<Evaluation> make_output_guardrails(const Config& config,
                                                   std::vector<ConfigProblem>& problems);
std::unique_ptr<Evaluation> make_question_router(const Config& config, std::vector<ConfigProblem>& problems);
std::unique_ptr<Evaluation> make_rag_answers(const Config& config, std::vector<ConfigProblem>& problems);
Keys rag_answers_keys();
std::unique_ptr<Evaluation> make_retrieval(const Config& config, std::vector<ConfigProblem>& problems);
Keys retrieval_keys();
std::unique_ptr<Evaluation> make_topic_tagger(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::components
