// Each variant against the baseline: the same cases under both, so every case is its own control. Paired by
// case, clustered where cases come in clusters, and the p-values of the comparisons that are to be decided
// adjusted together (Holm).
//
//   difference   mean over the cases that have both of (the variant's mean − the baseline's mean), with the
//                paired t interval, clustered by the case's cluster
//   p            of the same t test; with fewer than ten units (clusters, or cases without any) of the exact
//                sign-flip test, since so few do not show whether t holds
//   missing      cases that only one side has, and single answers that failed, are in the bounds; and a
//                finding that does not stand with all of them at their worst hangs on what is missing: it is
//                told and not claimed. A case that neither side has is left out.
//   pairs        a metric that compares answers directly has its win rate, against ½
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluations/custom/figures/case_table.h"

namespace assay::custom {

struct Comparison {
  std::string variant;
  std::string metric;
  std::string name;  // of the figure: "correct.difference.new", "better.win_rate.new"
  bool pairwise = false;
  bool family = false;  // decided together with the others that are
  Metric::Form form = Metric::Form::share;
  Metric::Better better = Metric::Better::higher;
  std::optional<Interval> scale = {};  // of the metric
  // Over the cases that have both.
  std::optional<double> baseline_value = {};
  std::optional<double> variant_value = {};
  Estimate difference;  // of a win rate the win rate itself minus ½
  std::optional<double> p = {};
  std::optional<double> p_holm = {};  // of those in the family only
  std::int64_t units = 0;             // clusters, or cases
  std::optional<double> error = {};   // standard error of the difference
  // Where the difference lies whatever the missing marks were; only if some are missing.
  std::optional<Interval> with_missing = {};

  enum class Verdict {
    better,  // after Holm, and whatever is missing
    worse,
    open,       // cannot be told apart
    same,       // no case differs
    hangs,      // found among what is there, and what is missing could undo it
    no_answer,  // nothing to compare
  };
  Verdict verdict(double level = 0.95) const;
};

// Of these rows, with Holm over the family. All variants but the baseline; none if there is no baseline.
std::vector<Comparison> compare_variants(const CaseTable& table, Rows rows);

// How many cases, of the kind at hand, would show a difference of `delta` with a chance of 80 %; nothing if
// that cannot be said.
std::optional<std::int64_t> cases_needed(const Comparison& comparison, double delta);

}  // namespace assay::custom
