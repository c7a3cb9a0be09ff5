// Which players do comparisons connect? A ranking needs one group in which everybody is connected, and a
// finite one needs that nobody stands above all others without ever giving anything away.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/comparisons/paired_choice.h"

namespace assay {

// The groups of players that matches of weight above 0 connect, each ascending, by first member.
std::vector<std::vector<std::size_t>> connected_groups(std::span<const PairedChoice::Match> matches,
                                                       std::span<const double> weights, std::size_t players);

// Whether everybody can be reached from everybody along "beat or tied with" (Ford 1957): without it the
// likelihood of the strengths has no maximum.
bool everyone_reaches_everyone(std::span<const PairedChoice::Match> matches, std::span<const double> weights,
                               std::size_t players);

}  // namespace assay
