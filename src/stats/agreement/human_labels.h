// What would people have said, if few of them and one judge on every row is all there is? The judge alone is
// precise but may be wrong on average; people alone are right but few. Prediction-powered inference takes the
// judge's mean and corrects it by what people say on a random part of the rows.
//
// The rows that people label must be chosen at random with known probabilities (choose_rows_to_label), must
// not be those that the judge's prompt was tuned on, and all must be labelled anew when judge or prompt
// change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/estimate.h"

namespace assay {

// normal: variances divided by n and normal quantiles, as the methods' authors have them. student: variances
// divided by n - 1 and t quantiles; wider, and to be preferred below about 50 labels.
enum class LabelInterval { normal, student };

// What few labelled rows may not have shown. Where judge and people say exactly the same of most of them,
// their residuals hardly vary, and an interval made of these alone would hold little but the judge's own. So
// the variance of the corrected figure is taken as if four more rows had been labelled, in the manner of the
// adjusted intervals for paired rates (Agresti and Min 2005, Bonett and Price 2012); the figure itself stays.
enum class UnseenErrors {
  none,
  // For scores and labels that are 0 or 1 (or a half, where people are even): one row of each of the four
  // kinds that there can be.
  one_of_each,
  // For scores of any kind, and only where at least half of the labelled rows are exactly equal: rows on
  // which the judge's score says nothing of the label, both a standard deviation of the judge's scores up or
  // down.
  unrelated,
};

struct LabelOptions {
  double level = 0.95;
  LabelInterval interval = LabelInterval::normal;
  UnseenErrors unseen = UnseenErrors::none;
};

struct HumanLabelFigures {
  Estimate judge_only;  // of the rows that no person labelled; sure of itself, and blind to the judge's bias
  Estimate human_only;  // of the labelled rows
  Estimate ppi;
  Estimate ppi_plus_plus;
  std::optional<double> lambda;  // how much PPI++ trusts the judge: 0 not at all (human_only), 1 as PPI does
};

// human[i] and judge[i] belong to one labelled row; judge_only are the judge's scores of the other rows.
//   PPI (Angelopoulos et al., Science 2023, arXiv:2301.09633): mean(judge_only) + mean(human - judge),
//     variance Var(judge_only)/N + Var(human - judge)/n.
//   PPI++ (arXiv:2311.01453): the same with λ·judge, λ = Cov(human, judge)/((1 + n/N)·Var(judge, all rows)),
//     within [0, 1].
// Assumes independent rows, and labelled rows that are a uniform random sample. Methods "ppi",
// "ppi_plus_plus", "mean"; `n` counts the labelled rows (judge_only: its own). Rows with a number that is not
// finite are left out and counted. Needs one row of each kind for a value; two of each, and some spread, for
// an interval. With `student` the degrees of freedom are Welch's.
HumanLabelFigures with_human_labels(std::span<const double> human, std::span<const double> judge,
                                    std::span<const double> judge_only, const LabelOptions& options = {});

struct JudgedRow {
  double judge = 0;
  std::optional<double> human = std::nullopt;
  double probability = 1;    // that this row was to be labelled, whether it was or not
  std::string cluster = {};  // the sampling unit; empty: the row itself
};

// PPI++ for rows that were chosen with unequal, known probabilities (Zrnic and Candès, "Active statistical
// inference", ICML 2024, arXiv:2403.03208), with weights w = [labelled]/probability scaled to mean 1 (Hájek):
//   λ·mean(judge) + Σ w·(human - λ·judge)/Σ w,  variance from ψ = λ·(judge - mean) + w·(residual - its mean),
// clustered: (1/M)·sqrt(C/(C - 1)·Σ_c(Σ ψ)²). λ makes the variance least, within [0, 1]. With equal
// probabilities and no clusters it is PPI++ above, but for the details of λ. Method "ppi_plus_plus_weighted";
// `n` counts the labelled rows. Probabilities outside (0, 1] are undefined: a row that could not be chosen is
// not represented. Needs two labelled rows in two clusters for an interval.
struct WeightedLabelFigure {
  Estimate estimate;
  std::optional<double> lambda;
};
WeightedLabelFigure with_weighted_labels(std::span<const JudgedRow> rows, const LabelOptions& options = {});

// People alone, for rows that were chosen so: Σ w·human/Σ w over the labelled rows, the variance from
// w·(human
// - the mean), clustered alike. The plain mean of labels that were drawn by the judge's score is a mean of
// the draw. Method "mean_weighted".
Estimate people_of_weighted_labels(std::span<const JudgedRow> rows, const LabelOptions& options = {});

// Pass or fail: how often do rows pass, if the judge errs at known rates? Rogan and Gladen 1978; delta
// interval as in Lee et al., arXiv:2511.21140:
//   θ = (p + spec - 1)/(sens + spec - 1),
//   Var = (p(1-p)/n + (1-θ)²·spec(1-spec)/m0 + θ²·sens(1-sens)/m1)/(sens + spec - 1)².
// A rate of exactly 0 or 1 enters its variance as (count + 1)/(m + 2): a judge that never erred in three rows
// is not proved perfect. Value and interval are cut to [0, 1];
// an interval that lies outside altogether contradicts the measured rates and is undefined. Undefined where
// sens + spec - 1 is below 0.05 or cannot be told from 0 at the level: then the judge says nothing, and the
// formula divides by noise. Assumes that sens and spec are the same in the rows where they were measured and
// in those that are judged (the shares of passing rows may differ), which rows that were chosen by the
// judge's verdict do not show, and that rows are independent. Method "rogan_gladen"; `n` is the number of
// judged rows.
struct JudgeErrors {
  std::int64_t judged = 0;           // rows that the judge saw
  std::int64_t judged_pass = 0;      // … and let pass
  std::int64_t human_pass = 0;       // labelled rows that people let pass (m1)
  std::int64_t human_pass_pass = 0;  // … and the judge too: sensitivity
  std::int64_t human_fail = 0;       // labelled rows that people let fail (m0)
  std::int64_t human_fail_fail = 0;  // … and the judge too: specificity
};
Estimate rogan_gladen(const JudgeErrors& counts, double level = 0.95);

// --- Which rows to label next ----------------------------------------------------------------------------

struct LabelChoice {
  std::vector<std::size_t> rows;  // in their order
  std::vector<double>
      probabilities;      // of every row; 0 for a row without a finite score, which is never chosen
  std::string undefined;  // why nothing could be chosen
};

struct LabelPlan {
  std::uint64_t seed = 0;
  // uniform: every row alike. stratified: the same number from each group of like judge scores, so that rare
  // scores are seen. informative: the more, the less sure the judge is of the row, which makes the interval
  // of the corrected figure narrow: with p the score's place on the range, in proportion to
  // sqrt(p(1 - p) + 0.05), the deviation to be expected of a label where the judge is calibrated, with a
  // floor for where it is not. For the latter two with_weighted_labels.
  enum class Design { uniform, stratified, informative } design = Design::uniform;
  std::size_t strata = 5;  // at most; equal scores are never parted
  Interval range{0, 1};    // of the scores; informative
};

// Chooses `budget` rows (all, if there are fewer). Whether a row is chosen hangs on the seed, the names and
// the scores, not on the order of rows; names must differ (an empty list: the row's number is its name).
LabelChoice choose_rows_to_label(std::span<const double> judge, std::span<const std::string> names,
                                 std::size_t budget, const LabelPlan& plan = {});

}  // namespace assay
