#include "stats/agreement/ratings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace assay {
namespace {

struct Row {
  std::vector<double> ratings;
  std::string cluster;
};

RatedUnits counted(std::vector<Row> rows, std::int64_t left_out, std::string because) {
  RatedUnits units;
  units.left_out_because = std::move(because);
  units.total = static_cast<std::int64_t>(rows.size());
  units.left_out = left_out;
  std::ranges::sort(rows, {}, &Row::ratings);
  std::map<std::string, std::map<std::size_t, std::int64_t>> clusters;
  for (Row& row : rows) {
    if (units.rows.empty() || units.rows.back() != row.ratings) {
      units.rows.push_back(std::move(row.ratings));
      units.counts.push_back(0);
    }
    ++units.counts.back();
    if (!row.cluster.empty()) ++clusters[row.cluster][units.rows.size() - 1];
  }
  for (const auto& [name, cells] : clusters) units.clusters.emplace_back(cells.begin(), cells.end());
  return units;
}

std::string unusable(const Ratings& ratings) {
  if (ratings.ragged()) return "a unit has not one rating per rater";
  if (ratings.raters() < 2) return "agreement needs at least two raters";
  if (ratings.units() == 0) return "no units";
  return "";
}

}  // namespace

void Ratings::add_unit(std::span<const double> ratings, std::string_view cluster) {
  if (ratings.size() != raters_) {
    ragged_ = true;
    return;
  }
  ++units_;
  clusters_.emplace_back(cluster);
  for (const double rating : ratings) {
    absent_ += std::isnan(rating) ? 1 : 0;
    not_finite_ += std::isinf(rating) ? 1 : 0;
    cells_.push_back(std::isfinite(rating) ? rating + 0.0 : kAbsent);  // + 0.0: -0 and 0 are one value
  }
}

std::span<const double> Ratings::unit(std::size_t index) const {
  return std::span(cells_).subspan(index * raters_, raters_);
}

Ratings Ratings::pair(std::size_t first, std::size_t second) const {
  Ratings two(2);
  const auto of = [](std::span<const double> row, std::size_t rater) {
    return rater < row.size() ? row[rater] : kAbsent;
  };
  for (std::size_t i = 0; i < units_; ++i) {
    two.add_unit(std::vector<double>{of(unit(i), first), of(unit(i), second)}, cluster(i));
  }
  two.ragged_ = ragged_;
  return two;
}

RatedUnits pairable_units(const Ratings& ratings) {
  RatedUnits units;
  units.undefined = unusable(ratings);
  if (!units.undefined.empty()) return units;
  std::vector<Row> rows;
  std::int64_t left_out = 0;
  for (std::size_t i = 0; i < ratings.units(); ++i) {
    std::vector<double> row(ratings.unit(i).begin(), ratings.unit(i).end());
    std::erase_if(row, [](double rating) { return std::isnan(rating); });
    if (row.size() < 2) {
      ++left_out;
      continue;
    }
    std::ranges::sort(row);
    rows.push_back({std::move(row), ratings.cluster(i)});
  }
  units = counted(std::move(rows), left_out, "units_with_fewer_than_two_ratings");
  if (units.total == 0) units.undefined = "no unit has two ratings";
  return units;
}

RatedUnits complete_units(const Ratings& ratings) {
  RatedUnits units;
  units.undefined = unusable(ratings);
  if (!units.undefined.empty()) return units;
  std::vector<Row> rows;
  std::int64_t left_out = 0;
  for (std::size_t i = 0; i < ratings.units(); ++i) {
    const std::span<const double> row = ratings.unit(i);
    if (std::ranges::any_of(row, [](double rating) { return std::isnan(rating); })) {
      ++left_out;
    } else {
      rows.push_back({{row.begin(), row.end()}, ratings.cluster(i)});
    }
  }
  units = counted(std::move(rows), left_out, "units_not_rated_by_all");
  if (units.total == 0) units.undefined = "no unit was rated by every rater";
  return units;
}

std::vector<double> distinct_values(const RatedUnits& units) {
  std::vector<double> values;
  for (const std::vector<double>& row : units.rows) values.insert(values.end(), row.begin(), row.end());
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
  return values;
}

void describe_units(Estimate& estimate, const Ratings& ratings, const RatedUnits& units) {
  estimate.n = units.total;
  if (units.left_out > 0) estimate.missing[units.left_out_because] = units.left_out;
  if (ratings.absent() > 0) estimate.missing["ratings_absent"] = ratings.absent();
  if (ratings.not_finite() > 0) estimate.missing["ratings_not_finite"] = ratings.not_finite();
}

}  // namespace assay
