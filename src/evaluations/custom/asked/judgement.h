// What the judged kinds share: the material as a judge sees it, and one answer judged several times.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "evaluations/custom/asked/asked_metric.h"
#include "evaluations/judge_step.h"

namespace assay::custom {

// One judgement.
struct Judgement {
  double score = 0;
  std::string reason = {};
  std::string label = {};  // of a class
};

// A metric whose mark is `votes` judgements side by side. Yes or no: what most say, and no if they are split
// evenly; a score: their mean; a class: the one that most say, and none if two do. One judgement that fails
// costs the mark: the others alone would be another figure.
class JudgedMetric : public AskedMetric {
 public:
  explicit JudgedMetric(MetricShape shape) : shape_(std::move(shape)) {}

  Task<Mark> mark(const CaseAnswer& answer, std::string step, CaseContext& context) const final;
  void estimate(const CaseAnswer& answer, CallEstimate& estimate) const final;

 protected:
  const MetricShape& shape() const { return shape_; }

 private:
  virtual ChatRequest request(const CaseAnswer& answer) const = 0;
  virtual Task<Result<Judgement>> judge(const CaseAnswer& answer, std::string step,
                                        CaseContext& context) const = 0;

  MetricShape shape_;
};

// What a judge is shown, each in a block of its own: fields of the case, `output`, `contexts`, `trace`. What
// the case does not have is left out.
std::string material(const CaseAnswer& answer, const std::vector<std::string>& shown);

// `votes`, `shows` and a judge of the metric's own.
Keys judged_options();
// Reads them; problems for names that `shows` may not hold.
struct JudgedSettings {
  JudgeSettings judge;
  std::vector<std::string> shown;
};
JudgedSettings read_judged(const MetricParts& parts);

// What a question to a judge will cost.
void count_judgement(const ChatRequest& request, int votes, CallEstimate& estimate);

}  // namespace assay::custom
