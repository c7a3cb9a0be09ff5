// What people say of some of the cases, beside what the judge says of all. `human:` in a config names labels
// for a figure, or for each of several; the summary then has, side by side, the judge's mean, the people's
// mean on the labelled cases, and the corrected one that uses both (PPI++; for pass or fail also
// Rogan–Gladen).
// stats/human_labels.h has the methods and what they assume: above all that the labelled cases were chosen at
// random (`assay label-sample`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "evaluations/data/human_labels.h"
#include "evaluations/human_agreement.h"
#include "evaluations/score.h"
#include "report/summary.h"
#include "stats/agreement/human_labels.h"

namespace assay {

// `human:` in a config.
Key human_key();

// The scores of a case and of its parts.
struct CaseScores {
  Scores scores;
  PartScores parts;
};

// The labels of one figure.
class HumanCheck {
 public:
  HumanCheck() = default;
  // Of labels that stand in no file; of several for one case the first counts.
  HumanCheck(std::string figure, const std::vector<HumanLabel>& labels);
  // One for each figure that `human` names; none if the config has no such key. A file that cannot be read,
  // cells that are wrong, a figure that is none of `figures` or has labels already become problems.
  static std::vector<HumanCheck> from(const Config& config, const std::vector<MeanFigure>& figures,
                                      std::vector<ConfigProblem>& problems);

  const std::string& figure() const { return figure_; }
  const std::vector<LabelsDrawn>& files() const { return files_; }
  // What a case came to; `failed`: what cost it its scores, "" if it has them. Of a figure of parts each part
  // is taken like a case, in a cluster with the others of its case.
  void add_case(std::string_view id, std::string_view cluster, const CaseScores& scores,
                std::string_view failed);
  // The judge's score of a case, if `figure` is the one that people labelled.
  void add(std::string_view id, std::string_view cluster, std::string_view figure, double value);
  // A case to which the judge gave no score of it, and why not: "judge_failed", …; "" where the figure is not
  // about the case.
  void add_without_score(std::string_view id, std::string_view why);
  // Adds FIGURE.judge_only, .human_only, .corrected and, if all scores are 0 or 1, .rogan_gladen, all from
  // clusters where cases have some and with the cases that are missing; then how many labels were used and
  // how many belong to no case of the run, and how far judge and people agree (human_agreement.h). The
  // corrected figure and its sentence come to stand at `place`.
  void apply(Summary& summary, std::size_t place = 0) const;
  std::vector<std::string> metric_names() const;
  // The cases that both have judged, so far.
  const std::vector<LabelledCase>& labelled() const { return labelled_; }

 private:
  struct Label {
    double value = 0;
    double probability = 1;
    std::map<std::string, double> people = {};
  };
  struct Figures {
    Estimate judge_only;
    Estimate human_only;
    Estimate corrected;
    std::optional<Estimate> rogan_gladen;  // where all is 0 or 1
  };
  Figures figures() const;

  std::string figure_;
  std::optional<Interval> range_;       // of the figure, if it is known
  std::function<bool(double)> passes_;  // of its scores; empty: it has no threshold
  std::string part_;                    // what a part is called, of a figure that is a mean over parts
  std::vector<LabelsDrawn> files_;
  bool weighted_ = false;  // the file has probabilities that differ
  std::map<std::string, Label, std::less<>> labels_;
  std::set<std::string, std::less<>> drawn_;  // cases of the file that nobody has labelled
  std::int64_t unlabelled_ = 0;               // of them, those of this run
  std::vector<JudgedRow> rows_;
  std::vector<LabelledCase> labelled_;
  std::map<std::string, std::int64_t> missing_;           // cases without a score, by reason
  std::map<std::string, std::int64_t> missing_labelled_;  // of them, those with a label
};

// The names of the figures of all of them, for gates.
void add_names(std::span<const HumanCheck> checks, std::vector<std::string>& names);

// That nobody has looked at the judge's figures, and how people could, starting with this one.
std::string not_checked(const std::string& figure);

}  // namespace assay
