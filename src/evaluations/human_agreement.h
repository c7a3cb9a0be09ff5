// How far a judge agrees with people on the cases that people labelled, and where it does not: agreement,
// Cohen's kappa (pass or fail) or Krippendorff's alpha and the mean difference, the table of what each said,
// the cases where they are furthest apart and, where several people labelled the same cases, how far these
// agree with each other (alpha) and the alternative annotator test: is the judge as good as one more person?
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/summary.h"

namespace assay {

struct LabelledCase {
  std::string id;
  std::string cluster;
  double judge = 0;
  double human = 0;
  std::map<std::string, double> people = {};  // by name, where the file has them
  double probability = 1;                     // that it was to be labelled
};

// Whether all that was said is 0 or 1; whether all were as likely to be labelled; whether any case belongs to
// a cluster; and what a case is drawn with.
bool pass_or_fail(std::span<const LabelledCase> cases);
bool drawn_alike(std::span<const LabelledCase> cases);
bool clustered(std::span<const LabelledCase> cases);
const std::string& unit_of(const LabelledCase& one);

// When judge and people say the same of a case. Of scores that pass or not, when both pass or both do not; of
// pass or fail and of levels (levels.h), when they are equal; of other scores there is no such thing.
class Sameness {
 public:
  // `passes`: of the figure's scores; empty if it has no threshold.
  Sameness(std::span<const LabelledCase> cases, std::function<bool(double)> passes);
  bool told() const { return told_; }
  bool of(const LabelledCase& one) const;
  // What sameness is, where it is not being equal, for behind "says the same".
  std::string words() const;

 private:
  std::function<bool(double)> passes_;  // empty: equal is the same
  bool told_ = true;
};

// The share of the cases that are the same, its interval clustered where cases are; at least one case. Cases
// that were not drawn alike count by how many each stands for (stats/agreement/drawn_pairs.h).
Estimate agreement_share(std::span<const LabelledCase> cases, const Sameness& same);
// The mean of judge - people, likewise.
Estimate mean_difference(std::span<const LabelledCase> cases);

// Adds FIGURE.human_agreement where sameness can be told, FIGURE.human_kappa or .human_alpha and
// .human_difference, FIGURE.people_alpha, FIGURE.alt_test.winning_rate and .advantage, their tables, and a
// sentence each. Nothing without cases.
void add_human_agreement(const std::string& figure, std::span<const LabelledCase> cases, Summary& summary,
                         const std::function<bool(double)>& passes = {});
// The names of the figures, for gates.
std::vector<std::string> human_agreement_names(const std::string& figure);

}  // namespace assay
