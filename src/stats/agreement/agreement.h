// Do raters give the same labels, and would chance have done as well?
//
// Raw agreement P_a counts equal pairs; a chance-corrected figure is (P_a − P_e)/(1 − P_e), and the figures
// differ in what they take for chance, P_e:
//   Cohen    two raters, each with their own habit: Σ p_k·q_k (see cohen_kappa.h)
//   Fleiss   any number of interchangeable raters with one habit: Σ π_k²
//   Gwet     AC1, Σ π_k(1−π_k)/(q−1) with q categories; it stays sensible where one category is rare, where
//            kappa can be near 0 in spite of 95 % agreement (print both, and raw agreement, for guardrails)
// π_k is the mean over units of the share of ratings k; with equally many ratings a unit this is Fleiss' own
// definition. Units with fewer than two ratings are left out and counted.
//
// Every figure comes with two intervals: an analytic one for independent units, and the percentile bootstrap
// over units, or over the clusters that they name (with two ratings on every unit raw agreement has Wilson's,
// if there are no clusters). Where every unit agrees alike neither exists, and the reason is given: perfect
// agreement on ten units is no certainty. A limit above 1 is cut to 1. Kappa is undefined when one category
// is used throughout.
//
// References: Fleiss 1971; Fleiss, Nee, Landis 1979 (error of Fleiss' kappa under chance); Gwet 2008 (AC1,
// and errors by linearisation).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "stats/agreement/ratings.h"
#include "stats/estimate.h"
#include "stats/intervals/resample.h"
#include "stats/test_result.h"

namespace assay {

// The mean over units of the share of its pairs of ratings that are equal. With two ratings on every unit it
// is a proportion with Wilson's interval, otherwise bootstrap over units.
Estimate raw_agreement(const Ratings& ratings, const Resampling& resampling = {});

// Is there any agreement beyond chance? z = kappa / (its error if there were none), p two-sided.
struct ChanceTest {
  std::optional<double> standard_error;  // of the figure, if there is no agreement beyond chance
  TestResult test;                       // method "normal"
};

// From the figure and its error under chance; undefined if that error is 0.
ChanceTest chance_test(double value, double error);

struct AgreementFigure {
  Estimate analytic;   // method "normal" (Cohen) or "t_linearised" (Fleiss, AC1; units − 1 degrees)
  Estimate resampled;  // the same value, method "bootstrap_percentile"
  std::optional<double> standard_error;  // of the analytic interval
  std::optional<double> observed;        // P_a
  std::optional<double> expected;        // P_e
};

struct FleissKappa {
  struct Category {
    double value = 0;
    double share = 0;  // π_k
    Estimate kappa;    // this category against all others; bootstrap over units
    ChanceTest chance;
  };
  AgreementFigure figure;
  ChanceTest chance;                 // only if every unit has equally many ratings
  std::vector<Category> categories;  // ascending
};
FleissKappa fleiss_kappa(const Ratings& ratings, const Resampling& resampling = {});

// `categories` is the number of categories that raters could choose from; absent or too small, those that
// occur. With one category AC1 is undefined.
AgreementFigure gwet_ac1(const Ratings& ratings, std::optional<std::size_t> categories = std::nullopt,
                         const Resampling& resampling = {});

}  // namespace assay
