// ranking: is the order right? Pure.
//
//   score = clamp(tau − 0.2·(missing + extra), 0, 1)
//
// tau is Kendall's tau-b of the places that the common ids have in both lists. A single common id is in the
// right order (tau = 1), so a correct list of one scores 1; without a common id the score is 0, unless both
// lists are empty. Missing: expected ids that the answer lacks. Extra: rows of the answer that are not
// expected, that repeat an id (its first place counts) or that have none.
#pragma once

#include <cstdint>
#include <optional>

#include "evaluations/scoring/rows.h"

namespace assay::scoring {

struct Ranking {
  double score = 0;
  std::optional<double> tau;       // nothing with fewer than two common ids
  std::optional<double> spearman;  // the same places
  // Σ gain/log2(place + 1) over the answer's first n places, divided by the same sum of the expected order,
  // where the i-th of n expected ids (from 1) has gain n + 1 − i, and anything else none.
  std::optional<double> ndcg;
  double top1 = 0;          // whether the first id is right
  double exact_prefix = 0;  // ids that are right from the beginning on, divided by the expected ones
  std::int64_t common = 0;
  std::int64_t missing = 0;
  std::int64_t extra = 0;
};

// An expected id that is there twice counts once, at its first place; an expected row without an id is left
// out.
Ranking compare_rankings(const Rows& expected, const Rows& answer);
JsonObject to_json(const Ranking& ranking);

}  // namespace assay::scoring
