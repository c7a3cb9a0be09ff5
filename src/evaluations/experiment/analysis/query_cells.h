// Judgements gathered by query, with what is missing of them.
//
// Every figure of an experiment is a mean of one number a query: answers to one query are not independent,
// and a query of which few judgements came counts as much as any other. Two arms are compared on the queries
// that both have, so that an arm cannot gain by leaving out queries that are hard for everybody. `n` counts
// queries, and so does `missing`. `bounds` is the figure if every judgement that is missing, of whatever
// query, were the worst or the best that the scale has.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/experiment/analysis/finding.h"
#include "evaluations/experiment/judging/judgements.h"
#include "stats/intervals/mean.h"

namespace assay::experiment {

// Why a judgement is not there.
inline constexpr const char* kNoAnswer = "no_answer";        // there was nothing to judge
inline constexpr const char* kNoRole = "no_role";            // the answer names no role
inline constexpr const char* kNoJudgement = "no_judgement";  // it was lost, or never asked for

class QueryCells {
 public:
  // `scale`: the worst and the best that one judgement can be.
  explicit QueryCells(Interval scale) : scale_(scale) {}

  // The query should have so many judgements; of them `lacking` cannot be, for this reason.
  void expect(std::size_t query, std::int64_t judgements);
  void lack(std::size_t query, std::int64_t judgements, const char* reason);
  void add(std::size_t query, double value);

  bool empty() const;  // nothing came
  std::int64_t judgements() const;
  // The mean of a query that has judgements; nothing otherwise.
  std::optional<double> mean_of(std::size_t query) const;

 private:
  friend Estimate mean_figure(const QueryCells& cells, double level);
  friend Estimate share_figure(const QueryCells& cells, double level);
  friend Finding against_neutral(const QueryCells& cells, double neutral, double level);
  friend Finding paired_difference(const QueryCells& a, const QueryCells& b, double level);

  struct Cell {
    Moments came;
    std::int64_t expected = 0;
    std::map<std::string, std::int64_t> lacking;

    std::int64_t absent() const { return expected > came.n() ? expected - came.n() : 0; }
    // The mean of the query if everything that is missing were `value`; nothing if nothing was expected.
    std::optional<double> filled(double value) const;
    std::string why_missing() const;
  };

  Interval scale_;
  std::map<std::size_t, Cell> cells_;  // by query
};

// The mean of the queries' means: t, cut at the scale's ends; where all are equal at an end of [0, 1],
// Wilson's with queries as cases, since a rate of 1 is no certainty.
Estimate mean_figure(const QueryCells& cells, double level);
// Of yes and no: Wilson with the effective number of decisions, clustered by query.
Estimate share_figure(const QueryCells& cells, double level);
// The same mean, held against a value that would say nothing (a win rate of 0.5).
Finding against_neutral(const QueryCells& cells, double neutral, double level);
// `a` minus `b`, query by query.
Finding paired_difference(const QueryCells& a, const QueryCells& b, double level);

}  // namespace assay::experiment
