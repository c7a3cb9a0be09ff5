// The plots of an experiment's report, made from its analysis. Pure.
#pragma once

#include <vector>

#include "evaluations/experiment/analysis/analysis.h"
#include "report/plots/plot.h"

namespace assay::experiment {

// What the data allow of: scores by condition (boxes), win rates against control, over all and by query type,
// each query under control and under a condition (scatter), whether roles were apt by query type (heat map),
// the ranking, the seat that judges prefer, and their agreement.
std::vector<Plot> plots_of(const Analysis& analysis);

}  // namespace assay::experiment
