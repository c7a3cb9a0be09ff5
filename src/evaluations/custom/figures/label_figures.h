// Figures of metrics that find a class: precision, recall and F1 of each label, their macro average, Cohen's
// kappa and the confusion matrix, by variant. (The accuracy is a rate over cases like any other; measures.h.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evaluations/custom/design.h"
#include "evaluations/custom/marks.h"
#include "report/summary.h"
#include "stats/classification/confusion_matrix.h"
#include "stats/classification/missing_decisions.h"

namespace assay::custom {

class LabelFigures {
 public:
  explicit LabelFigures(const Design& design);
  // `cluster` is the number of the case's cluster or of the case; answers of one case hang together.
  void add(std::uint32_t cluster, bool clustered, const CaseMarks& marks, OutcomeKind otherwise);
  void apply(Summary& summary) const;

 private:
  struct OfVariant {
    ConfusionMatrix matrix;
    MissingLabels missing;
  };
  struct OfMetric {
    std::size_t metric = 0;
    std::vector<OfVariant> variants;
  };
  void add_figures(const OfMetric& metric, std::size_t variant, Summary& summary) const;

  Design design_;
  std::vector<OfMetric> metrics_;
};

}  // namespace assay::custom
