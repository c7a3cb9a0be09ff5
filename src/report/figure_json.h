// Figures as JSON, the same wherever one is printed: undefined is null, and says why.
#pragma once

#include <optional>

#include "core/json/json.h"
#include "stats/estimate.h"

namespace assay {

Json number_json(std::optional<double> value);
Json interval_json(const std::optional<Interval>& interval);  // [low, high], or null
// {value, ci, n}, and method, undefined, missing and bounds where there are any.
JsonObject figure_json(const Estimate& estimate);

}  // namespace assay
