// factual_precision and factual_recall: one classification of the facts of answer and ideal answer into those
// of both (TP), of the answer only (FP) and of the ideal answer only (FN), from which both figures follow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "evaluations/components/rag_metrics.h"

namespace assay::components {

class FactClassifier {
 public:
  // `step` names its effects within a run: "factual_classification".
  FactClassifier(const RagMetricParts& parts, std::string step);

  const JudgeSettings& judge() const { return judge_; }
  // Made once per run, also when several metrics ask at the same time.
  Task<Result<Json>> classify(const RagCase& input, RagRun& run) const;
  ChatRequest request(const RagCase& input) const;

 private:
  static Prompt::Values values(const RagCase& input);
  JudgeSettings judge_;
  std::string name_;
  JudgeStep step_;
};

// |TP| / (|TP| + |FP|)
std::unique_ptr<RagMetric> make_factual_precision(const RagMetricParts& parts);
// |TP| / (|TP| + |FN|)
std::unique_ptr<RagMetric> make_factual_recall(const RagMetricParts& parts);

}  // namespace assay::components
