// What a case contributes to the figures that are means over cases. Intervals that honour clusters, the check
// against people's labels, early stopping and the comparison of two runs all rest on it.
#pragma once

#include <functional>
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

// A part of a case that is judged for itself: a guideline of a conversation.
struct PartScore {
  std::string part;               // its name in the case
  std::optional<double> value;    // nothing: it has none
  std::string_view missing = {};  // why it has none: "undetermined"
};
// Of all parts of a case. Their mean over all cases is the figure; that of the parts of one name is
// FIGURE.PART.
struct PartScores {
  std::string_view figure;
  std::span<const PartScore> list;
};
// How a part is called among all: CASE/PART. A slash in an id is %2F, so that no two are called the same.
std::string joined_ids(std::initializer_list<std::string_view> ids);

// A figure that is such a mean, declared.
struct MeanFigure {
  std::string name;
  Interval range = {0, 1};  // that a case's score can lie in
  // Whether a score passes, where the figure is one of scores that do or do not.
  std::function<bool(double)> passes = {};
  // What a part is called ("decision"), where it is a mean over parts of cases; so is NAME.PART then.
  std::string part = {};
};

// The one of that name, or an error that says which there are.
Result<MeanFigure> find_mean_figure(std::string_view name, const std::vector<MeanFigure>& figures);

}  // namespace assay
