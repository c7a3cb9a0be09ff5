// The figures of a declared evaluation: rates and means by variant, differences from the baseline, repeats,
// labels, pairs, slices, latency and cost, with the deciding sentences and comparison.md.
#pragma once

#include <memory>

#include "evaluations/custom/design.h"
#include "evaluations/evaluation.h"

namespace assay::custom {

// Reads CaseMarks from each line's facts, also of cases that are not scored: single answers may be good.
// `files` takes comparison.md where there is more than one variant.
std::unique_ptr<Aggregate> make_figures(Design design, OutputFiles& files);

}  // namespace assay::custom
