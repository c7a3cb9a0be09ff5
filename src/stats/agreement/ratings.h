// What did several raters say of the same units? A table of units × raters with holes, the common input of
// the agreement figures. Ratings are numbers: labels are mapped to numbers by the caller, in their order if
// they have one. NaN stands for an absent rating; an infinite one is treated as absent and counted apart.
//
// The unit (answer, document) is the sampling unit everywhere: figures count units, and their intervals come
// from drawing units again. Units that were rated alike are interchangeable, so they are counted together and
// sorted, and no figure or interval depends on the order in which units were added. Units that belong
// together (answers to one query) name their cluster; intervals then come from drawing clusters again.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/estimate.h"
#include "stats/intervals/resample.h"

namespace assay {

class Ratings {
 public:
  static constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

  explicit Ratings(std::size_t raters) : raters_(raters) {}

  // One rating from each rater, in the raters' order. A row of another length makes the table ragged: it is
  // not kept, and every figure of the table is undefined and says so.
  // Either all units name a cluster or none does.
  void add_unit(std::span<const double> ratings, std::string_view cluster = {});

  std::size_t raters() const { return raters_; }
  std::size_t units() const { return units_; }
  std::span<const double> unit(std::size_t index) const;
  const std::string& cluster(std::size_t index) const { return clusters_[index]; }
  std::int64_t absent() const { return absent_; }          // ratings that are NaN
  std::int64_t not_finite() const { return not_finite_; }  // ratings that are infinite
  bool ragged() const { return ragged_; }

  // The table of two of the raters (or of one with itself). A rater that does not exist has rated nothing.
  Ratings pair(std::size_t first, std::size_t second) const;

 private:
  std::size_t raters_;
  std::size_t units_ = 0;
  std::vector<double> cells_;  // row by row
  std::vector<std::string> clusters_;
  std::int64_t absent_ = 0;
  std::int64_t not_finite_ = 0;
  bool ragged_ = false;
};

// The units that a figure can use: distinct rows in ascending order, and how many units have each.
struct RatedUnits {
  std::vector<std::vector<double>> rows;
  std::vector<std::int64_t> counts;
  std::vector<ClusterCells> clusters;  // of the rows, by name; empty if units have none
  std::int64_t total = 0;              // units in
  std::int64_t left_out = 0;           // units out
  std::string left_out_because;
  std::string undefined;  // why no figure can be made from them; empty if one can

  Drawn drawn() const { return clusters.empty() ? Drawn::cases : Drawn::clusters; }
};

// Units with at least two ratings, raters interchangeable: a row holds the ratings present, ascending.
RatedUnits pairable_units(const Ratings& ratings);
// Units that every rater rated, raters told apart: a row holds one rating per rater. Needs two raters.
RatedUnits complete_units(const Ratings& ratings);

// The different values in the rows, ascending.
std::vector<double> distinct_values(const RatedUnits& units);

// Writes n and what was left out: "units_with_fewer_than_two_ratings" or "units_not_rated_by_all",
// "ratings_absent", "ratings_not_finite".
void describe_units(Estimate& estimate, const Ratings& ratings, const RatedUnits& units);

}  // namespace assay
