// A metric of rag_answers that a cascade of judges decides. What judges and people agree on is whether the
// score passes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "engine/context.h"
#include "evaluations/cascade/cascade.h"
#include "evaluations/components/rag_lines.h"
#include "evaluations/components/rag_metrics.h"

namespace assay::components {

// Null if the config has no cascade, or after problems.
std::shared_ptr<Cascade> read_rag_cascade(const Config& config, std::vector<ConfigProblem>& problems);

// What is judged, and by whom: the same metric once for each judge. It outlives the task.
struct CascadedMetric {
  const std::vector<std::unique_ptr<RagMetric>>& judges;
  const RagMetricSettings& settings;
  const RagCase& rag_case;
};

struct CascadedScores {
  CascadeRecord way = {};
  std::vector<MetricScore> scores = {};              // the votes of the judge that decided
  std::vector<std::pair<int, Error>> failures = {};  // of votes, by number, that cost the case its outcome
};

// One judge after the other, as far up as the case has to go. A vote that cannot be used counts for no side;
// one that was kept from its answer ends the case, to be tried again. `cascade` and `context` outlive the
// task.
Task<CascadedScores> go_up(const Cascade& cascade, CascadedMetric metric, std::string id,
                           CaseContext& context);

}  // namespace assay::components
