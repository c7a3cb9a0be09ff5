// How sure is a rate of `count` in `n`? Wilson's interval is the default everywhere: it keeps near its level
// from n = 1 on and never leaves [0, 1]. Clopper–Pearson is for when the level must be guaranteed
// (guardrails). n = 0 gives an undefined rate; a count outside 0…n is undefined too, and says so.
#pragma once

#include <cstdint>
#include <optional>

#include "stats/estimate.h"
#include "stats/intervals/mean.h"

namespace assay {

Estimate wilson(std::int64_t count, std::int64_t n, double level = 0.95);
// For decisions (0 or 1) that come in clusters: Wilson's formula with the effective number of decisions
//   n_eff = n / max(1, SE²_clustered / (p(1 - p)/n))
// in place of n, and t with C - 1 degrees of freedom in place of z (Korn and Graubard 1998 for the idea,
// there with Clopper–Pearson). Where all decisions are equal nothing shows how alike those of one cluster
// are; they may all be copies of one, and then only the clusters were drawn: Wilson's interval of C in C
// (with z: no spread is estimated, so none is uncertain), which holds its level whatever the likeness is.
// One cluster has no interval. Method "wilson_clustered"; if every decision is a cluster of its own it is
// "wilson".
Estimate wilson_clustered(const ClusteredMoments& decisions, double level = 0.95);
// For a rate that is the mean of shares, one a unit (of a case's answers those that pass), where units may
// hold different numbers of decisions: the same with n_eff = min(p(1 - p)/SE², decisions), SE the standard
// error of the mean share (clustered if units come in clusters). `decisions` are those behind all shares.
// Method "wilson_shares"; with several units a cluster "wilson_shares_clustered".
Estimate wilson_shares(const ClusteredMoments& shares, std::int64_t decisions, double level = 0.95);
// Wilson's formula for a rate that so many independent decisions would have known as well, a number that need
// not be whole, with t of so many degrees of freedom.
Interval wilson_of_size(double rate, double size, double freedom, double level = 0.95);
// The interval of the case where all decisions are equal, for a rate of 0 or 1 that so many clusters carry;
// nothing for another rate, and for fewer than two clusters.
std::optional<Interval> wilson_of_equal(double rate, std::int64_t clusters, double level = 0.95);
// Exact: at least the level whatever the true rate is, therefore wider.
Estimate clopper_pearson(std::int64_t count, std::int64_t n, double level = 0.95);
// Equal-tailed Beta(½, ½) posterior, closed at 0 and 1 where count is 0 or n (Brown, Cai, DasGupta 2001).
Estimate jeffreys(std::int64_t count, std::int64_t n, double level = 0.95);

}  // namespace assay
