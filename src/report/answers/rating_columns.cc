#include "report/answers/rating_columns.h"

#include <iterator>
#include <set>

#include <fmt/format.h>

namespace assay::answers {

std::vector<std::vector<double>> rating_rows(Columns& columns, const std::vector<std::string>& raters,
                                             RatingKind kind) {
  std::vector<std::vector<double>> rows(columns.rows(), std::vector<double>(raters.size(), Ratings::kAbsent));
  if (kind == RatingKind::numbers) {
    for (std::size_t r = 0; r < raters.size(); ++r) {
      const auto values = columns.numbers(raters[r]);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        if (values[row]) rows[row][r] = *values[row];
      }
    }
    return rows;
  }
  std::vector<Columns::Texts> cells;
  std::set<std::string> labels;
  for (const std::string& rater : raters) {
    for (const auto& label : cells.emplace_back(columns.texts(rater))) {
      if (label) labels.insert(*label);
    }
  }
  for (std::size_t r = 0; r < raters.size(); ++r) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (const auto& label = cells[r][row])
        rows[row][r] = static_cast<double>(std::distance(labels.begin(), labels.find(*label)));
    }
  }
  return rows;
}

Ratings ratings_of(const std::vector<std::vector<double>>& rows, std::size_t raters) {
  Ratings ratings(raters);
  for (const auto& row : rows) ratings.add_unit(row);
  return ratings;
}

Result<std::vector<std::string>> at_least_two_raters(const Config& config, std::string_view key) {
  auto raters = listed(config, key);
  if (raters.size() < 2) {
    return fail(ErrorKind::usage, fmt::format("agreement needs at least two raters: --{} first,second", key));
  }
  return raters;
}

}  // namespace assay::answers
