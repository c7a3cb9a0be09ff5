// Where does each value stand among the others? What rank tests and rank correlations share.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace assay {

// Ranks from 1, ties by their mean; all values finite.
std::vector<double> mid_ranks(std::span<const double> values);
// Σ(t³ - t) over groups of t equal values.
double tie_sum(std::span<const double> values);
// The k-th smallest (from 1) of a multiset of numbers that is known only by how many of them are at most x:
// bisection over the doubles, so exact. Walsh averages and pairwise differences need not be written out.
double kth_smallest(const std::function<std::int64_t(double)>& count_at_most, std::int64_t k);

}  // namespace assay
