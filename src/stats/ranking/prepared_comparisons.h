// Comparisons in an order of their own: players numbered by name, every comparison seen from the player that
// comes first, alike ones counted together. Nothing that is computed from them depends on the order of rows,
// or on who of a pair was called a.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "stats/comparisons/paired_choice.h"
#include "stats/ranking/bradley_terry.h"

namespace assay {

struct PreparedComparisons {
  std::vector<std::string> players;
  std::vector<PairedChoice::Match> matches;
  std::vector<double> weights;  // how many alike
  std::vector<double> scales;   // root mean squares of the covariates, by which they are divided in matches
  // A unit is a run of matches. One with a name is drawn as a whole; without, each of its copies is a unit.
  struct Unit {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool named = false;
  };
  std::vector<Unit> units;
  std::int64_t n = 0;
  std::int64_t clusters = 0;
  bool any_named = false;
  std::map<std::string, std::int64_t> missing;
  std::string undefined;
};

PreparedComparisons prepare_comparisons(std::span<const Comparison> comparisons,
                                        const BradleyTerryOptions& options);

}  // namespace assay
