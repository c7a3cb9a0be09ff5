// Judgements on their way to the analysis: query by query they become positions and numbers, always in the
// same order, whether they come from a run or are read from its files again. Pure.
#pragma once

#include "evaluations/experiment/design/design.h"
#include "evaluations/experiment/judging/judged_query.h"
#include "evaluations/experiment/judging/judgements.h"

namespace assay::experiment {

class Gathering {
 public:
  explicit Gathering(const Design& design);

  // Reasons are left out: they are in the files.
  void add(const JudgedQuery& judged);
  const ExperimentData& data() const { return data_; }

 private:
  std::size_t length(const BlindAnswers& answers, std::size_t condition, int run) const;

  const Design& design_;
  ExperimentData data_;
};

}  // namespace assay::experiment
