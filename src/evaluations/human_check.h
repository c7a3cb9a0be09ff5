// What people say of some of the cases, beside what the judge says of all. `human:` in a config names a file
// of labels for one figure; the summary then has, side by side, the judge's mean, the people's mean on the
// labelled cases, and the corrected one that uses both (PPI++; for pass or fail also Rogan–Gladen).
// stats/human_labels.h has the methods and what they assume: above all that the labelled cases were chosen at
// random (`assay label-sample`).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "evaluations/score.h"
#include "report/summary.h"
#include "stats/agreement/human_labels.h"

namespace assay {

// `human:` in a config.
Key human_key();

// What people say of one case.
struct HumanLabel {
  std::string id;
  double value = 0;
  double probability = 1;  // that the case was to be labelled
};

class HumanCheck {
 public:
  HumanCheck() = default;
  // Of labels that stand in no file; of several for one case the first counts.
  HumanCheck(std::string figure, const std::vector<HumanLabel>& labels);
  // Nothing if the config has no `human`. A file that cannot be read, cells that are wrong, or a figure that
  // is none of `figures` become problems.
  static std::optional<HumanCheck> from(const Config& config, const std::vector<MeanFigure>& figures,
                                        std::vector<ConfigProblem>& problems);

  const std::string& figure() const { return figure_; }
  // The judge's score of a case, if `figure` is the one that people labelled.
  void add(std::string_view id, std::string_view cluster, std::string_view figure, double value);
  // Adds FIGURE.judge_only, .human_only, .corrected and, if all scores are 0 or 1, .rogan_gladen; then how
  // many labels were used and how many belong to no case of the run.
  void apply(Summary& summary) const;
  std::vector<std::string> metric_names() const;

 private:
  struct Label {
    double value = 0;
    double probability = 1;
  };
  bool take(const HumanLabel& label);  // false: the case is labelled already

  std::string figure_;
  bool weighted_ = false;  // the file has probabilities that differ
  std::map<std::string, Label, std::less<>> labels_;
  std::vector<JudgedRow> rows_;
};

}  // namespace assay
