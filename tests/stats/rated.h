// Ratings tables as tests write them.
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "stats/agreement/ratings.h"
#include "stats/intervals/resample.h"

namespace assay {

// One row per unit.
inline Ratings rated(const std::vector<std::vector<double>>& units) {
  Ratings ratings(units.empty() ? 2 : units.front().size());
  for (const std::vector<double>& unit : units) ratings.add_unit(unit);
  return ratings;
}

// One text per rater, one character per unit; '.' is an absent rating, digits and letters are values.
inline Ratings rated_by(const std::vector<std::string_view>& raters) {
  Ratings ratings(raters.size());
  for (std::size_t unit = 0; unit < raters.front().size(); ++unit) {
    std::vector<double> row;
    for (const std::string_view rater : raters) {
      const char mark = rater[unit];
      row.push_back(mark == '.' ? Ratings::kAbsent : mark >= 'a' ? mark - 'a' : mark - '0');
    }
    ratings.add_unit(row);
  }
  return ratings;
}

// A list of rows with null for an absent rating.
inline Ratings rated_in(const Json& rows) {
  std::vector<std::vector<double>> units;
  for (const Json& row : rows.as_array()) {
    std::vector<double>& unit = units.emplace_back();
    for (const Json& value : row.as_array()) unit.push_back(as_number(value).value_or(Ratings::kAbsent));
  }
  return rated(units);
}

inline Resampling few_draws(std::int64_t draws = 200) {
  Resampling resampling;
  resampling.draws = draws;
  return resampling;
}

}  // namespace assay
