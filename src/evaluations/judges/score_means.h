// The aggregate of an evaluation whose figures are the means of its cases' scores and nothing else: answers
// that stand in a file, for judges alone.
#pragma once

#include <memory>
#include <vector>

#include "evaluations/evaluation.h"

namespace assay {

// `figures`: in the order of the summary; each a headline, by cluster, as a share where it lies from 0 to 1.
std::unique_ptr<Aggregate> score_means(std::vector<MeanFigure> figures);

}  // namespace assay
