// What a case of a declared evaluation comes to: its line, its rows of results.csv, its rows of
// outputs.jsonl, and the marks that the figures are made from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/cascade/cascade_figures.h"
#include "evaluations/custom/case_record.h"
#include "evaluations/custom/figures/case_scores.h"
#include "evaluations/custom/plan.h"
#include "evaluations/evaluation.h"

namespace assay::custom {

// Of one case, for files and pages that show answers.
struct LineFacts : CaseMarks {
  std::string outputs;  // rows of outputs.jsonl
  JsonObject fields;    // of the case
  JsonArray shown;      // its answers as results.jsonl has them
  CascadeFacts cascade;
  std::optional<CaseScores> scores;  // of the line that these are facts of: made once
};

class Lines {
 public:
  // `plan` must outlive it.
  explicit Lines(const Plan& plan) : plan_(plan) {}

  void write(const Case& input, const JsonObject& fields, const FinishedCase* finished,
             ResultLine& result) const;
  static std::vector<std::string> columns();
  std::unique_ptr<Aggregate> aggregate(OutputFiles& files) const;

 private:
  // The answers: as they were kept, or as the data hold them.
  CaseRecord record_of(const Case& input, const JsonObject& fields, const FinishedCase* finished) const;
  void mark_answer(const CaseAnswer& answer, const std::vector<MetricRule>& checks, const CaseRecord& record,
                   AnswerMarks& marks) const;

  const Plan& plan_;
};

}  // namespace assay::custom
