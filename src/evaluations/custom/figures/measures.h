// What is measured of each case, by figure: the one place that turns marks into numbers. Scores of a case,
// figures, comparisons and slices are all made from these cells, so that they cannot disagree.
//
// A cell is what one case's answers came to for one figure: their sum, how many had a mark, and how many
// should have had one and failed. The case's contribution is the mean of those that have one; a case without
// any contributes nothing. Not applicable is neither: such an answer is no part of the figure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluations/custom/design.h"
#include "evaluations/custom/marks.h"
#include "evaluations/score.h"
#include "report/summary.h"

namespace assay::custom {

struct Cell {
  double sum = 0;
  std::uint16_t given = 0;
  std::uint16_t missing = 0;
  OutcomeKind reason = OutcomeKind::scored;  // of the first that is missing

  std::optional<double> mean() const {
    if (given == 0) return std::nullopt;
    return sum / given;
  }
  // The mean had all missing ones turned out at this end of the range; nothing if there are none at all.
  std::optional<double> mean_with_missing_at(double end) const {
    if (given + missing == 0) return std::nullopt;
    return (sum + missing * end) / (given + missing);
  }
  void give(double value) {
    sum += value;
    ++given;
  }
  void miss(OutcomeKind why) {
    if (missing++ == 0) reason = why;
  }
};

// What of the answers is read.
enum class Reading {
  passes,       // yes or no
  score,        // in the metric's scale
  right_label,  // the expected class was found
  win,          // 1, ½ or 0 against the baseline
  tie,          // the comparison came out even
  seat,         // half of what sitting first is worth: (score as first − score as second)/2
  pass_at_k,    // some answer of the case passes
  pass_all_k,   // all of them do
  flips,        // they do not agree
  vote_split,   // share of the judge's votes on an answer that are in the minority
  vote_spread,  // variance of the judge's votes on an answer; the figure is its root
  case_passed,  // all that an answer must pass
  case_checks,  // the checks that the case alone has
  weighted,     // mean of all metrics by weight, each scaled to 0–1
  failed,       // the answer did not come
  cost,         // dollars
};

struct Measure {
  std::string stem;  // "correct"
  std::string word;  // "rate"
  Reading reading = Reading::passes;
  std::optional<std::size_t> metric = {};          // none: of the answer as a whole
  std::optional<std::size_t> variant = {};         // none: over all of them
  std::optional<Interval> range = Interval{0, 1};  // where a case's mean can lie; none: not known
  Metric::Form form = Metric::Form::share;
  Metric::Better better = Metric::Better::higher;
  std::optional<double> reference = {};
  bool decisions = false;  // each answer counts as yes or no: a rate
  bool compared = false;   // it has a difference from the baseline: one measure of each metric at most
  bool family = false;     // its comparison is one of those that are decided together
  bool headline = false;
  bool sliced = false;  // also given by slice
  bool scored = false;  // a case's mean is one of its scores
  std::string name = {};
};

// A measure's difference between a variant and the baseline.
struct Difference {
  std::size_t variant = 0;  // measures
  std::size_t baseline = 0;
  std::string name;  // "correct.difference.new"
  Interval range = {-1, 1};
  bool bounded = true;  // the range is known
};

class Measures {
 public:
  explicit Measures(Design design);

  const Design& design() const { return design_; }
  const std::vector<Measure>& list() const { return list_; }
  const std::vector<Difference>& differences() const { return differences_; }
  // The cells of one case, in the order of list(). `otherwise` is why answers are missing that are not there
  // at all.
  void read(const CaseMarks& marks, OutcomeKind otherwise, std::vector<Cell>& cells) const;

 private:
  void add(Measure measure);
  void add_metric(std::size_t metric);
  void add_whole();

  Design design_;
  std::vector<Measure> list_;
  std::vector<Difference> differences_;
};

// "correct.rate.new"; without variants "correct.rate".
std::string figure_name(const Design& design, std::string_view stem, std::string_view word,
                        std::optional<std::size_t> variant);

// Whether the spread of its scores is told apart by case, answer and judge.
bool has_spread(const Design& design, const MetricShape& shape);

// Whether the answer passes the metric; nothing where that is not known or has no meaning.
std::optional<bool> passes(const MetricShape& shape, const Mark& mark);
// Why an answer has no mark, where it should have one.
OutcomeKind why_missing(const MetricShape* shape, const Mark* mark, const AnswerMarks& answer,
                        OutcomeKind otherwise);

}  // namespace assay::custom
