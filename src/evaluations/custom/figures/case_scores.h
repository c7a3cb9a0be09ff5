// What each case contributes to the figures that are means over cases, and the names of all figures.
#pragma once

#include <string>
#include <vector>

#include "evaluations/custom/figures/measures.h"
#include "evaluations/score.h"

namespace assay::custom {

// Every figure that a run of this design may report; a name that ends in a dot is a family whose names come
// from the data (slices, labels, parts).
std::vector<std::string> figure_names(const Design& design);
// Those that are means over the cases' scores, with the range of a case's score.
std::vector<MeanFigure> mean_figures(const Design& design);

// The scores of one case after the other. Of several answers the mean of those that have a mark; of a
// difference the variant's mean minus the baseline's, only if both are there. The names live as long as this
// object; not for several threads at once.
class CaseScores {
 public:
  explicit CaseScores(const Design& design) : measures_(design) {}
  // Valid until the next call.
  Scores of(const CaseMarks& marks);

 private:
  Measures measures_;
  std::vector<Cell> cells_;
  std::vector<Score> scores_;
};

}  // namespace assay::custom
