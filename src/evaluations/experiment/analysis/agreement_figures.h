// Do the evaluators agree? With swap, an evaluator's word on a pair is what both showings say together: a
// verdict that follows the seat instead of the answer becomes a tie and cannot pass for agreement. Intervals
// draw queries again.
#pragma once

#include <string>
#include <vector>

#include "evaluations/experiment/judging/judgements.h"
#include "stats/estimate.h"

namespace assay::experiment {

struct EvaluatorAgreement {
  int evaluator = 0;
  Estimate verdicts;  // mean share of the other evaluators that gave the same word on the pair
  Estimate ratings;   // correlation of its overall rating with the others' mean on the same answers
};

struct AgreementFigures {
  Estimate raw;            // share of equal words among two evaluators of a pair
  Estimate fleiss_kappa;   // words on pairs: condition, other, tie
  Estimate nominal_alpha;  // Krippendorff, the same
  Estimate ordinal_alpha;  // Krippendorff, overall ratings
  std::vector<EvaluatorAgreement> evaluators;
};

AgreementFigures agreement_figures(const ExperimentData& data, std::uint64_t seed, double level);

}  // namespace assay::experiment
