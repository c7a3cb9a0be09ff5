// Biases of single evaluators, each against the others on the same answers and pairs: seats, ties, leniency,
// drift, and answers in the wrong form.
#pragma once

#include <vector>

#include "evaluations/experiment/analysis/bias_diagnostics.h"

namespace assay::experiment {

std::vector<Bias> evaluator_biases(const ExperimentData& data, double level);

}  // namespace assay::experiment
