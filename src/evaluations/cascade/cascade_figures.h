// What a cascade came to over the cases of a run: who decided how many, how far each agrees with people, what
// it took against the strongest judge alone, and the sheet of the cases that are left to people. Stands
// around the figures of the evaluation itself, and says its sentences before theirs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/cascade/cascade.h"
#include "evaluations/evaluation.h"

namespace assay {

// Of one case; part of the evaluation's own facts.
struct CascadeFacts {
  std::optional<CascadeRecord> record = {};  // nothing: there was no answer to judge
  JsonObject shown = {};                     // what people need to see, if it is left to them
};

// The sheet: `id`, what was judged, and an empty `label`.
inline constexpr const char* kForPeople = "for_people.csv";

// `facts` finds those of a line; `shown` are the sheet's columns between id and label.
std::unique_ptr<Aggregate> with_cascade(std::unique_ptr<Aggregate> inner,
                                        std::shared_ptr<const Cascade> cascade, OutputFiles& files,
                                        const CascadeFacts& (*facts)(const ResultLine&),
                                        std::vector<std::string> shown);

// The figures that it adds.
std::vector<std::string> cascade_metric_names(const Cascade& cascade);
// For `check`: what is promised, on how many labels.
std::string cascade_remark(const Cascade& cascade);

}  // namespace assay
