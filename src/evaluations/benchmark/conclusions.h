// What a benchmark says in sentences: which system with which model did better, by how much and how surely,
// or that it is undecided; then what a reader must know before believing it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stats/test_result.h"
#include "stats/variance/vote_spread.h"

namespace assay::benchmark {

// Two contenders on the same variations, first minus second.
struct Pair {
  std::string first;
  std::string second;
  Contrast contrast;
  std::optional<double> adjusted_p;  // Holm, over all pairs
  std::size_t tasks = 0;             // that the variations belong to
};

struct ContenderResult {
  std::string name;
  Estimate score;
  std::int64_t runs = 0;
  std::int64_t failed = 0;  // of them: no answer because of an error, a refusal or a limit; they score 0
};

// Why the scores of a contender's runs differ, where variations were run several times.
struct RepeatSpread {
  std::string contender;
  VoteSpread spread;  // a case is a variation, an answer a run of it
  Estimate score;     // of the contender
};

struct ContestResult {
  std::vector<ContenderResult> contenders;
  std::vector<Pair> pairs;
  std::int64_t replaced = 0;  // runs that were done afresh because something else is asked now
  std::int64_t kept = 0;      // answers that stand although something else is asked now
  std::optional<RepeatSpread> least_sure = {};
};

std::vector<std::string> conclusions_of(const ContestResult& result);

}  // namespace assay::benchmark
