// What if the scores that a comparison lacks had been there? Pairs that miss one side are left out of a
// paired difference. They are counted here by reason, and give
//
//   bounds     where the mean difference would lie had every missing score turned out worst, or best
//   interval   where it lies, as surely as the level says, whatever the missing scores were: from the low end
//              of the interval that is made with all of them at their worst to the high end of that with all
//              at their best (Horowitz and Manski 2000)
//
// Neither assumes anything about why a score is missing. A finding that the interval does not leave standing
// could have been made by absence. (The bounds alone are not enough: if what is missing really is the worst,
// the lower bound is the true difference, which chance puts above 0 half of the time.)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/estimate.h"

namespace assay {

class MissingPairs {
 public:
  // `range`: where a score can lie; none if it is not known, and then there are no bounds.
  explicit MissingPairs(std::optional<Interval> range = Interval{0, 1}) : range_(range) {}

  // A pair of which only one side has a score; `cluster` as those of the whole pairs.
  void lacks_first(double second, const std::string& reason, const std::string& cluster = "");
  void lacks_second(double first, const std::string& reason, const std::string& cluster = "");

  std::int64_t count() const { return static_cast<std::int64_t>(differences_.size()); }
  // `difference` is the mean of first − second over the whole pairs, its n their number.
  Estimate added_to(Estimate difference) const;
  // Over the differences of the whole pairs and these. Nothing if none is missing, the range is not known or
  // one of the two intervals is not there. `clusters` may be empty: none.
  std::optional<Interval> interval(std::span<const double> whole, std::span<const std::string> clusters,
                                   double level = 0.95) const;

 private:
  void add(Interval difference, const std::string& reason, const std::string& cluster);

  std::optional<Interval> range_;
  std::vector<Interval> differences_;  // that the missing score could make, at its lowest and highest
  std::vector<std::string> clusters_;
  std::map<std::string, std::int64_t> reasons_;
};

}  // namespace assay
