// What a stress test needs to know of a declared evaluation: its judged metrics, what each is shown, and
// where the answers of the variant under stress stand.
#pragma once

#include <memory>

#include "evaluations/custom/plan.h"
#include "evaluations/stress/stressing.h"

namespace assay::custom {

// `plan` outlives it.
std::unique_ptr<stress::Stressing> judge_stressing(const Plan& plan);

}  // namespace assay::custom
