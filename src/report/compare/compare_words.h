// A comparison in sentences that say no more than its figures do.
#pragma once

#include <string>
#include <vector>

#include "report/compare/compare.h"

namespace assay {

std::string change_sentence(const FigureChange& change, const RunComparison& comparison);
// A sentence for each figure; those that are the same on every pair share one, which comes last.
std::vector<std::string> figure_sentences(const RunComparison& comparison);
// What the comparison comes to, most important first: that the runs are judged differently, which cases fail
// now, what is worse, what hangs on missing scores.
std::vector<std::string> comparison_conclusions(const RunComparison& comparison);

}  // namespace assay
