// What a case contributes to the figures that are means over cases. Intervals that honour clusters, the check
// against people's labels, early stopping and the comparison of two runs all rest on it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "stats/estimate.h"

namespace assay {

struct Score {
  std::string_view figure;      // its name in the summary
  std::optional<double> value;  // nothing: the case has none
};
using Scores = std::span<const Score>;

// A figure that is such a mean, declared.
struct MeanFigure {
  std::string name;
  Interval range = {0, 1};  // that a case's score can lie in
};

// The one of that name, or an error that says which there are.
Result<MeanFigure> find_mean_figure(std::string_view name, const std::vector<MeanFigure>& figures);

}  // namespace assay
