// May a judge replace the human annotators? The alternative annotator test (Calderon, Reichart, Dror, "The
// Alternative Annotator Test for LLM-as-a-Judge", ACL 2025, arXiv:2501.10970): each human j in turn is left
// out, and j and the candidate are scored against the humans that remain, unit by unit. Who represents them
// better?
//   d_i = [j's score >= the candidate's] − [the candidate's >= j's], so −1, 0 or 1
//   H0: E d >= ε, by a one-sided t-test; ε is what the candidate may be worse for being cheaper: 0.2 beside
//       experts, 0.15 beside skilled people, 0.1 beside crowd workers
// The humans' p-values are one family, adjusted by Benjamini and Yekutieli (any dependence) at the rate q.
//   ω, the winning rate: the share of humans against whom H0 falls; from ½ on the candidate passes
//   ρ, the advantage:    the mean over humans of the share of units with the candidate's score >= j's; for
//                        comparing candidates
//
// Units that the candidate or fewer than two humans rated are left out and counted. A human with fewer than
// 30 units is not tested (the t-test would not hold), but remains for the others. If all d of a human are
// equal there is no t: p is then the largest chance of that under H0, (1−ε)^n if they are 0, ((1−ε)/2)^n if
// they are −1, and 1 otherwise ("alt_test_constant").
//
// Several units of one text belong together: with clusters the t-test takes their error, C/(C−1)·Σ over
// clusters of (Σ(d − mean))²/n², and C−1 degrees of freedom; n above is then C.
//
// Two humans only show whether the candidate is nearer to one than to the other; the authors ask for three,
// and below that there is no verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/agreement/ratings.h"
#include "stats/estimate.h"
#include "stats/intervals/resample.h"
#include "stats/test_result.h"

namespace assay {

inline constexpr std::size_t kFewestHumans = 3;

// How well a rating stands for those that remain: the share of them that is equal to it (labels), or the root
// mean square distance to them, less being better (numbers). Scores that only rounding tells apart are equal.
enum class Alignment { accuracy, rmse };

struct AltTestOptions {
  Alignment alignment = Alignment::accuracy;
  double epsilon = 0.2;  // 0 to below 1
  double rate = 0.05;    // q, above 0 and below 1
  std::int64_t fewest_units = 30;
  Resampling resampling;
};

struct AltTest {
  struct Human {
    std::size_t rater = 0;             // in the table's order
    std::optional<double> difference;  // mean of d; above 0 the human is better
    TestResult test;                   // method "alt_test_t", "alt_test_t_clustered" or "alt_test_constant"
    std::optional<double> p_adjusted;
    bool won = false;    // by the candidate
    Estimate advantage;  // of the candidate, over the human's units
  };
  std::vector<Human> humans;  // all of them; one without p says why
  // ω, over the humans with a p; a rule's outcome, without interval. Undefined if no human has one.
  Estimate winning_rate;
  // ρ over the humans with enough units, and its interval from drawing units (or clusters) again.
  Estimate advantage;
  std::optional<bool> passed;  // ω >= ½; nothing of fewer than three humans
};

// The candidate has one rating per unit of the table, NaN where it has none; labels are numbers as in
// Ratings. clusters[i] names the cluster of unit i; an empty list: every unit stands for itself. The order of
// units plays no part; that of humans decides nothing but the draws of the intervals.
AltTest alt_test(const Ratings& humans, std::span<const double> candidate, const AltTestOptions& options = {},
                 std::span<const std::string> clusters = {});

}  // namespace assay
