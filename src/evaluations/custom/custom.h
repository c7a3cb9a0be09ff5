// `custom`: an evaluation that users declare themselves. A case is one record of the data; its coroutine asks
// every variant, as often as `repeat` says, and then every judge and scorer about each answer, so that all
// comparisons are paired by case. Checks that need nobody's opinion are made when lines are written, and so
// cost nothing to change.
#pragma once

#include <memory>
#include <vector>

#include "core/config/config.h"
#include "evaluations/evaluation.h"

namespace assay::custom {

Keys custom_keys();
std::unique_ptr<Evaluation> make_custom(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::custom
