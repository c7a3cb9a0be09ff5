// Does a search put what was wanted first? Figures of one ranked list against a set of wanted things, all
// gains equal except where said, as trec_eval defines them. Nothing wanted: nothing can be said, so all are
// undefined. Places beyond the end of the list are misses.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace assay {

struct RankedHits {
  std::vector<bool> hits;    // by rank, best first; each thing once
  std::size_t expected = 0;  // how many things are wanted; at least as many as there are hits
};

// Hits among the first k, divided by k. Undefined for k = 0 too.
std::optional<double> precision_at(const RankedHits& ranked, std::size_t k);
// Hits among the first k, divided by what is wanted; 0 for k = 0.
std::optional<double> recall_at(const RankedHits& ranked, std::size_t k);
// 1 / rank of the first hit, 0 without one. Its mean over queries is MRR.
std::optional<double> reciprocal_rank(const RankedHits& ranked);
// The precision at each hit's rank, summed, divided by what is wanted. Its mean over queries is MAP.
std::optional<double> average_precision(const RankedHits& ranked);
// Σ 1/log2(rank + 1) over the hits among the first k, divided by the same sum with all wanted things first
// (Järvelin & Kekäläinen 2002, in the form with log2(rank + 1)). Undefined for k = 0.
std::optional<double> ndcg_at(const RankedHits& ranked, std::size_t k);
// The same for things that are wanted more or less: Σ gain/log2(rank + 1), the gain as it stands (linear),
// divided by the sum with the largest gains first. `gains` are those of the list, by rank; `wanted` those of
// all things, returned or not, in any order. Undefined for k = 0, if no gain is above 0, or if one is
// negative or not finite.
std::optional<double> ndcg_at(std::span<const double> gains, std::span<const double> wanted, std::size_t k);

}  // namespace assay
