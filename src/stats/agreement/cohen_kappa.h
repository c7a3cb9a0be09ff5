// Do two raters agree beyond chance, and do they at least disagree by little?
//
// kappa = 1 − Σ v_ij·p_ij / Σ v_ij·p_i·q_j over the table of what the first (i) and the second rater (j)
// said, with v_ij what a disagreement costs: 1 (unweighted), the distance, its square, or any matrix. The
// error of the normal interval and the error under chance are those of Fleiss, Cohen and Everitt (1969), for
// large samples: with few units trust the bootstrap interval more. Undefined if both raters use one and the
// same category throughout. Perfect agreement has no interval: it shows no spread. References: Cohen 1960,
// 1968.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stats/agreement/agreement.h"
#include "stats/agreement/ratings.h"
#include "stats/intervals/resample.h"

namespace assay {

struct CohenKappa {
  AgreementFigure figure;
  ChanceTest chance;
};

// Disagreement v between two values: 1 if they differ, their distance, or its square. Distances are between
// the values, not between their places in a list, so a category that nobody used changes nothing.
enum class KappaWeights { unweighted, linear, quadratic };
// v_ij for categories with these values, row by row.
std::vector<double> disagreement_weights(std::span<const double> categories, KappaWeights weights);

// Where units name clusters, the bootstrap draws these; the normal interval and the test take the units as
// independent.
// For exactly two raters (Ratings::pair takes two out of more). More than 200 different values are refused:
// those are measurements, not labels.
CohenKappa cohen_kappa(const Ratings& ratings, KappaWeights weights = KappaWeights::unweighted,
                       const Resampling& resampling = {});
// From the table of counts (rows the first rater, columns the second, square, row by row) with any
// disagreement weights v: finite, not negative, 0 on the diagonal.
CohenKappa cohen_kappa(std::span<const std::int64_t> counts, std::span<const double> weights,
                       const Resampling& resampling = {});

}  // namespace assay
