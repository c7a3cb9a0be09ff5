// How much of the spread of a metric's scores comes from the case, from the answer (asked again, a variant
// answers differently) and from the judge (asked again about one answer, it votes differently)?
//
// Fully nested: votes within answers within cases, each a random sample of many. With the pooled variance W_v
// of the votes on one answer, the pooled variance W_a of the answers' means within one case, and the variance
// B of the cases' means, equating them to their expectations gives
//
//   σ²_judge  = W_v
//   σ²_answer = W_a − σ²_judge · mean(1/votes)
//   σ²_case   = B − W_a · mean(1/answers)
//
// which is the analysis of variance where all cases have equally many (Searle, Casella, McCulloch, Variance
// Components, 1992, chapter 3). A negative one counts as 0. Variants have means of their own; their
// components are averaged. The shares are those of the variance of a single judgement. Intervals are the
// percentile bootstrap over cases, or over clusters, expanded for few (expanded_level).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evaluations/custom/design.h"
#include "evaluations/custom/marks.h"
#include "report/summary.h"

namespace assay::custom {

class Spread {
 public:
  explicit Spread(const Design& design);
  // `cluster` is the number of the case's cluster, or of the case.
  void add(std::uint32_t cluster, const CaseMarks& marks);
  // The figures NAME.spread.case, .answer and .judge, and the table `spread`; nothing without repeats. Says
  // of the metric with votes that is least sure what they reach, and what more would bring; "" without votes.
  std::string apply(bool clustered, Summary& summary) const;

  // Sums over cases, so that those of a group of cases can be drawn again together.
  struct Sums {
    double cases = 0, mean = 0, square = 0, one_over_answers = 0;  // of the cases' means
    double answer_squares = 0, answer_freedom = 0;                 // within cases
    double answers = 0, one_over_votes = 0;
    double vote_squares = 0, vote_freedom = 0;  // within answers
    void add(const Sums& other);
  };
  struct Components {
    double of_case = 0, of_answer = 0, of_judge = 0;
  };
  // NaN where there is too little.
  static Components components(const Sums& sums, bool votes);

 private:
  // Clusters beyond this number are put together: a sum of independent clusters is one as well.
  static constexpr std::size_t kGroups = 200;
  using Groups = std::vector<std::array<Sums, kGroups>>;  // by variant
  struct OfMetric {
    std::size_t metric = 0;
    Groups groups;
    Groups verdicts;  // what most votes say, where that is the score; empty: their mean is
  };
  static Components pooled(const Groups& groups, bool votes, const std::vector<std::size_t>& drawn);

  Design design_;
  std::vector<OfMetric> metrics_;
  std::size_t seen_ = 0;  // groups that hold something: the first so many
};

}  // namespace assay::custom
