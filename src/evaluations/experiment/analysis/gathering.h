// Judgements on their way to the analysis: query by query they become positions and numbers, always in the
// same order, whether they come from a run or are read from its files again. Pure.
#pragma once

#include "evaluations/experiment/design/design.h"
#include "evaluations/experiment/design/leaks.h"
#include "evaluations/experiment/judging/judgements.h"
#include "evaluations/experiment/judging/records.h"

namespace assay::experiment {

class Gathering {
 public:
  explicit Gathering(const Design& design);

  // Reasons are left out: they are in the files.
  void add(const Query& query, const QueryRecord& record, const BlindAnswers& answers);
  const ExperimentData& data() const { return data_; }

 private:
  std::size_t length(const BlindAnswers& answers, std::size_t condition, int run) const;

  const Design& design_;
  ExperimentData data_;
};

}  // namespace assay::experiment
