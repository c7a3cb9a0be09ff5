// From how many equal votes on may a judge decide a case by itself? Of labelled cases it is known how many of
// a judge's votes were for the side that most are for, and whether people say the same. Thresholds are tested
// from the strictest down, each with the exact binomial test of "the judge agrees with people on less than
// the promised share of the cases that it would decide", and the search ends at the first that is not refuted
// (fixed-sequence testing; Angelopoulos et al., "Learn then test", arXiv:2110.01052; for judges Jung et al.,
// "Trust or escalate", arXiv:2407.18370). So the chance that the threshold it gives breaks the promise is at
// most `error`, whatever the judge is like and however many thresholds there are. It assumes that the
// labelled cases are drawn alike from those that are decided, each by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay {

// At least this share of the decided cases agrees with people, but for a chance of `error`.
struct AgreementPromise {
  double agreement = 0.9;
  double error = 0.05;
};

// A labelled case as a judge sees it.
struct VotedLabel {
  int votes = 0;        // for the side that most votes are for; 0: there is none
  bool agrees = false;  // people say that side
};

struct ThresholdTest {
  int votes = 0;            // the judge decides a case with at least so many for one side
  std::int64_t cases = 0;   // labelled ones that it would decide
  std::int64_t agreed = 0;  // of them, on how many people say the same
  double lower = 0;         // the lower end of the one-sided Clopper–Pearson interval at 1 - error
  bool holds = false;       // the promise
};

struct ThresholdSearch {
  // In the order of testing; all hold but at most the last.
  std::vector<ThresholdTest> tests = {};
  // The loosest that holds; nothing: not even the strictest does.
  std::optional<ThresholdTest> chosen() const;
};

// The thresholds are all `votes`, all but one, … down to the smallest majority.
ThresholdSearch find_threshold(std::span<const VotedLabel> labelled, int votes,
                               const AgreementPromise& promise);
// How many thresholds that are.
int thresholds_of(int votes);

// The lower end of the exact one-sided interval for a rate, at 1 - error; 0 for none in any n.
double exact_lower_bound(std::int64_t count, std::int64_t n, double error);
// Whether `agreed` of `cases` refute that the judge agrees on less than what is promised.
bool keeps_promise(std::int64_t agreed, std::int64_t cases, const AgreementPromise& promise);

// The fewest labelled cases that can keep the promise, all agreeing: agreement^n <= error. Below them nothing
// can be had, whatever people and judge say.
std::int64_t fewest_labels(const AgreementPromise& promise);
// The fewest from `cases` on that keep it if the judge goes on to agree on the share `agreed` of `cases`;
// nothing where no number does, or none below a million.
std::optional<std::int64_t> labels_at_rate(std::int64_t agreed, std::int64_t cases,
                                           const AgreementPromise& promise);

// How judges of a cascade share the error of all their promises together. Each has the same part of it. Which
// cases reach a judge depends on the thresholds of those before it, which follow from the same labels; so its
// part is divided again by how many combinations of thresholds, or none, those before it may have: then the
// promise holds whichever it is. `votes` is of each judge, in their order.
std::vector<double> shared_errors(double error, std::span<const int> votes);

}  // namespace assay
