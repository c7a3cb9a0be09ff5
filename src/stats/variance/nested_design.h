// Where does the spread of ratings come from, when every query is answered anew in each run (runs belong to
// their query: run 1 of one has no tie to run 1 of another) and the same evaluators rate all answers?
//
// Balanced analysis of variance of the design (runs within queries) × evaluators, all random. With q queries,
// r runs, e evaluators and mean squares MS:
//   σ²_residual          = MS_re:q
//   σ²_query×evaluator   = (MS_qe − MS_re:q)/r
//   σ²_run               = (MS_r:q − MS_re:q)/e
//   σ²_evaluator         = (MS_e − MS_qe)/(q·r)
//   σ²_query             = (MS_q − MS_r:q − MS_qe + MS_re:q)/(r·e)
// With one run, run and query×evaluator are part of the residual; with one evaluator, evaluator and
// query×evaluator cannot be seen and run is the residual. A query's mean over r′ runs and e′ evaluators has
// the reliability
//   σ²_query/(σ²_query + σ²_run/r′ + σ²_query×evaluator/e′ + σ²_residual/(r′·e′)).
// Designs in which all facets are crossed are in variance_components.h.
//
// Negative components are reported as 0 with a note. Queries without the full set of ratings are left out and
// counted. Intervals are the percentile bootstrap over queries, expanded for few (expanded_level): what other
// queries would change, not other evaluators; variances are skewed, so with few queries their upper limits
// are too low. Reference: Brennan, "Generalizability Theory" (2001), chapter 3 (nested designs).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

// (query, run, evaluator) → rating. Numbers are names.
using NestedScores = std::map<std::tuple<std::size_t, int, int>, double>;

struct NestedComponent {
  std::string name;   // "query", "run", "evaluator", "query×evaluator", "residual"
  double solved = 0;  // as the mean squares give it, possibly negative
  Estimate variance;  // the same, not below 0
  double share = 0;   // of the sum of all
  std::string note;   // empty, or that a negative value is reported as 0
};

struct NestedStudy {
  std::size_t queries = 0;  // in
  std::size_t runs = 0;
  std::size_t evaluators = 0;
  std::vector<NestedComponent> components;
  Estimate reliability;                         // of a query's mean with these runs and evaluators
  std::int64_t n = 0;                           // ratings in
  std::map<std::string, std::int64_t> missing;  // "queries_incomplete"
  std::string undefined;
};

// Undefined with fewer than two complete queries, with one run and one evaluator, and if all ratings are
// equal.
NestedStudy nested_study(const NestedScores& scores, const Resampling& resampling = {});

// The fewest ratings a query, runs and evaluators between 1 and `most`, whose reliability reaches `target`; a
// facet that has one level in the study stays at one. Of equally small ones the most reliable.
struct NestedPlan {
  std::size_t runs = 0;
  std::size_t evaluators = 0;
  double reliability = 0;
};
std::optional<NestedPlan> smallest_nested_panel(const NestedStudy& study, double target, std::size_t most);

}  // namespace assay
