// A judged metric that a cascade decides (evaluations/cascade/cascade.h). Judges and people agree on the
// class, or on whether the answer passes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "evaluations/cascade/cascade.h"
#include "evaluations/custom/metric_rule.h"

namespace assay::custom {

// The one metric of `metrics` that `cascade` is about; null with problems if there is none that can be, or
// several.
const MetricRule* cascaded_metric(const std::vector<MetricRule>& metrics,
                                  std::vector<ConfigProblem>& problems);
// Its labels.
std::shared_ptr<Cascade> make_cascade(CascadeSettings settings, const Config& config, const MetricRule& rule,
                                      std::vector<ConfigProblem>& problems);

struct CascadedMark {
  CascadeRecord way = {};
  Mark mark = {};
};

// One judge after the other, as far up as the case has to go. The mark is that of the judge who decides: what
// most of its votes say, and of scores the middle one. A case that is left to people has what they say, or a
// mark that is missing (`skipped`). What is referred to outlives the task.
Task<CascadedMark> cascaded_mark(const MetricRule& rule, const CaseAnswer& answer, std::string step,
                                 const Cascade& cascade, CaseContext& context);

}  // namespace assay::custom
