// Sentences that say when what is missing could change what a run comes to: a gate that would fail or pass,
// or a headline figure that could lie outside of its interval. None where nothing is missing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/gates.h"
#include "report/summary.h"

namespace assay {

// Most important first. `summary.gates` holds the results of `gates`, in their order.
std::vector<std::string> missing_conclusions(std::span<const Gate> gates, const Summary& summary);

}  // namespace assay
