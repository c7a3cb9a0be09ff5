// Metrics that are a share of verdicts: the judge takes lists out of the material, then gives a verdict on
// every entry of one of them against the others.
#pragma once

#include <memory>

#include "evaluations/components/rag_metrics.h"

namespace assay::components {

// Statements of the answer against the question: the share that is not "no".
std::unique_ptr<RagMetric> make_relevance(const RagMetricParts& parts);
// Claims of the answer against the truths of the contexts: the share of "yes"; without penalize_ambiguous
// "idk" counts as yes.
std::unique_ptr<RagMetric> make_faithfulness(const RagMetricParts& parts);
// Information needs of the question against the facts of the contexts: the share that is not "no".
std::unique_ptr<RagMetric> make_context_relevancy(const RagMetricParts& parts);
// Claims of the answer against the truths of the ideal answer: the share that is not "no".
std::unique_ptr<RagMetric> make_absence_of_factual_contradictions(const RagMetricParts& parts);
// Opinions of the answer: the share that is biased; 0 without opinions.
std::unique_ptr<RagMetric> make_bias(const RagMetricParts& parts);

}  // namespace assay::components
