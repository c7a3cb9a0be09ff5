// Where is the noise of a judged figure, and what would more cases, answers or votes bring? Votes of a judge
// within answers within cases, all nested, each a random sample of many. With the pooled variance W_v of the
// votes on one answer, W_a of the answers' means within a case and B of the cases' means:
//   σ²_vote = W_v,   σ²_answer = W_a − W_v·mean(1/votes),   σ²_case = B − W_a·mean(1/answers)
// (Searle, Casella, McCulloch 1992, chapter 3; with equal numbers the analysis of variance). A negative one
// counts as 0. What was done once cannot be seen: with one vote an answer its variance is part of the
// answers', with one answer a case part of the cases'. Intervals are the percentile bootstrap over cases, or
// over clusters, from ten of them on and expanded for few (expanded_level).
//
// The mean over n cases with K answers of V votes each has the variance
//   D·(σ²_case + σ²_answer/K + σ²_vote/(K·V))/n,
// D the design effect of the pilot's clusters, times C/(C − 1) for C of them, as the interval over clusters
// has it (stats/intervals/mean.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

struct VotedCase {
  std::string cluster;                       // "": the case itself
  std::vector<std::vector<double>> answers;  // the votes on each
};

struct VoteSpread {
  Estimate of_case;  // variances
  Estimate of_answer;
  Estimate of_vote;
  double mean = 0;
  std::int64_t cases = 0;
  std::int64_t clusters = 0;  // as many as cases where these are independent
  double answers = 0;         // a case, on average
  double votes = 0;           // an answer
  double design_effect = 1;   // not below 1
  bool verdicts = false;      // what varies is what most votes say (verdict_spread)
  std::string undefined;      // fewer than two cases
};
VoteSpread vote_spread(std::span<const VotedCase> cases, const Resampling& resampling = {});
// Where a score is not the mean of the votes but the yes or no that most of them say: `cases` have that one
// number for each answer, which `votes` votes gave. A verdict is 0 or 1 however many votes stand behind it:
// more of them make it steadier, and the mean over cases varies nearly as before. So there is no component of
// the votes, and the width of a design hangs on its cases and answers alone.
VoteSpread verdict_spread(std::span<const VotedCase> cases, double votes, const Resampling& resampling = {});

struct JudgingDesign {
  std::int64_t cases = 0;
  std::int64_t answers = 1;
  std::int64_t votes = 1;
};
// Half of the width of the 95 % interval of the mean that this design would have, its cases in clusters as
// the pilot's are (t with clusters − 1 degrees of freedom); at least two cases.
double expected_half_width(const VoteSpread& spread, const JudgingDesign& design, double level = 0.95);
// The fewest cases that reach it; nothing if ten million do not.
std::optional<std::int64_t> cases_for_half_width(const VoteSpread& spread, double half_width,
                                                 std::int64_t answers, std::int64_t votes,
                                                 double level = 0.95);

}  // namespace assay
