// Ratings as a table holds them: one unit a row, one rater a column, an empty cell where a rater has not
// spoken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "report/answers/columns.h"
#include "stats/agreement/ratings.h"

namespace assay::answers {

// The columns that the key lists; an error of usage for fewer than two.
Result<std::vector<std::string>> at_least_two_raters(const Config& config, std::string_view key = "raters");

// One list a row, in the order of the raters. Labels become numbers in the order of their texts, the same for
// all raters; an absent rating is Ratings::kAbsent.
enum class RatingKind { labels, numbers };
std::vector<std::vector<double>> rating_rows(Columns& columns, const std::vector<std::string>& raters,
                                             RatingKind kind);
Ratings ratings_of(const std::vector<std::vector<double>>& rows, std::size_t raters);

}  // namespace assay::answers
