// How hard is each case, and does it tell good systems from bad ones? The two-parameter logistic model
// (Birnbaum 1968): a system of ability θ solves case i with probability
//   P = 1/(1 + exp(−(a_i·θ + d_i))),   discrimination a_i, difficulty b_i = −d_i/a_i,   θ ~ N(0, 1).
//
// Fitted by marginal maximum likelihood with the EM algorithm (Bock and Aitkin 1981), θ on 121 points from −6
// to 6. Benchmarks have many cases and few systems, and then the likelihood alone knows little of a case:
// with ItemPriors the fit is the maximum of the posterior under a ~ N(mean, deviation²) and d ~ N(0,
// deviation²). Without them it is plain maximum likelihood, as R's ltm has it. A negative a, better systems
// fail, is possible.
//
// Intervals are normal, from the observed information (Louis 1982), of all cases together up to 60 of them
// and beyond that of each case alone: with many cases what is uncertain about the systems is little. The
// difficulty (delta method) has none where the discrimination may be 0: nothing bounds it then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stats/estimate.h"

namespace assay {

// Who solved what: 1, 0, or not a number where a system has no score.
struct SolvedTable {
  std::size_t systems = 0;
  std::size_t cases = 0;
  std::vector<double> cells;  // by system, then case

  double at(std::size_t system, std::size_t one) const { return cells[system * cases + one]; }
};

struct ItemPriors {
  double slope_mean = 1;
  double slope_deviation = 1;
  double intercept_deviation = 3;
};

struct ItemOptions {
  std::optional<ItemPriors> priors = ItemPriors{};
  double level = 0.95;
};

struct ItemFit {
  double intercept = 0;  // d
  Estimate discrimination;
  Estimate difficulty;
  std::optional<double> discrimination_error;  // standard errors
  std::optional<double> difficulty_error;
};

struct ItemFits {
  std::vector<ItemFit> cases;
  std::vector<double> abilities;  // of the systems: means of their posteriors
  double log_likelihood = 0;      // marginal, without the priors
  int rounds = 0;
  std::string undefined;  // why there is no fit; then there are no cases
};

// Undefined with fewer than three systems, with no case, or if the rounds did not settle.
ItemFits fit_items(const SolvedTable& table, const ItemOptions& options = {});

}  // namespace assay
