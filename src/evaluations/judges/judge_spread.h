// Where the noise of a judged figure is, in the report of every run whose judge votes more than once on an
// answer: the variances between cases, between answers and between votes with their intervals
// (stats/variance/vote_spread.h), and in a sentence what this run's votes reach and what more would bring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/summary.h"
#include "stats/intervals/mean.h"
#include "stats/variance/vote_spread.h"

namespace assay {

// Votes of which only number, mean and spread are known, as votes that have the same.
std::vector<double> votes_like(const Moments& votes);

// The table `variance_components`, and in it and among the figures FIGURE.variance.case, .answer and .vote;
// what was done once only is left out.
Table components_table(std::string title);
void add_components(const std::string& figure, const VoteSpread& spread, Summary& summary, Table& table);

class JudgeSpread {
 public:
  // `figure`: the mean that the votes make, "coherence.mean".
  void add(const std::string& figure, VotedCase one);
  // Where the score of an answer is what most of its votes say, and not their mean; one answer a case.
  void add(const std::string& figure, VotedCase one, double verdict);
  // Adds FIGURE.variance.case, .answer and .vote and the table `variance_components`. Nothing where no answer
  // has two votes. `on`: as in reached_sentence().
  void apply(Summary& summary, const std::string& on = "");
  // In a sentence, for the figure that is least sure; "" if nothing was added.
  const std::string& sentence() const { return sentence_; }
  static std::vector<std::string> metric_names(const std::string& figure);

 private:
  // More cases say nothing more of variances; memory does not grow with them. What they all reach is said of
  // all.
  static constexpr std::size_t kMostCases = 20'000;
  struct OfFigure {
    std::string name;
    std::vector<VotedCase> cases;
    std::vector<VotedCase> verdicts;  // of the same cases; empty: the mean of the votes counts
    std::int64_t seen = 0;            // cases, those that are not kept included
  };
  OfFigure& of(const std::string& figure);
  std::vector<OfFigure> figures_;  // in order of first sight
  std::string sentence_;
};

}  // namespace assay
